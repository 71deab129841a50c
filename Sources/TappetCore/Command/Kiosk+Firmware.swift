// Emulates the ESP32 firmware (docs/formats.md, "ESP32 messages"): timed openings and reports. Pure decision logic.

/// The pending closing of a timed opening, which must survive a restart.
package struct TimedOpening: Hashable, Sendable {
  package var topic: String
  package var closesAt: Instant

  package init(topic: String, closesAt: Instant) {
    self.topic = topic
    self.closesAt = closesAt
  }
}

/// The pending orders and reports on the topics that emulate the firmware.
struct FirmwarePublisher: Sendable {
  struct Order: Sendable {
    var topic: String
    var output: String
    var due: Instant
    /// The time until which the order waits for an unavailable line.
    var until: Instant
    /// Whether this is the closing order, which is the last order of a timed opening.
    var isClosing: Bool

    init(topic: String, output: String, due: Instant, isClosing: Bool) {
      (self.topic, self.output, self.due, self.isClosing) = (topic, output, due, isClosing)
      until = due + Limits.firmwareLateMax
    }
  }

  private var orders: [Order] = []
  /// The openings that are recorded in the store.
  private var noted: [TimedOpening] = []
  /// Time at which the next reports are due; `nil` if there is no connection.
  private(set) var reportDue: Instant?

  /// The time of the next order or report.
  var deadline: Instant? {
    var deadline = reportDue
    for order in orders where deadline.map({ order.due < $0 }) ?? true { deadline = order.due }
    return deadline
  }

  mutating func cancel(_ topic: String) { orders.removeAll { $0.topic == topic } }

  mutating func add(_ order: Order) { orders.append(order) }

  mutating func takeDue(at now: Instant) -> [Order] {
    let due = orders.filter { $0.due <= now }
    if !due.isEmpty { orders.removeAll { $0.due <= now } }
    return due
  }

  mutating func reported(at now: Instant?) { reportDue = now.map { $0 + Limits.firmwareReportInterval } }

  /// Discards all orders; pending closings remain in the store for the next start.
  mutating func stop() { self = FirmwarePublisher() }

  /// Restores the openings that are recorded in the store.
  ///
  /// After a reboot of the machine, the recorded instants are meaningless, and the closing is due immediately.
  mutating func restore(_ openings: [TimedOpening], _ plans: [CommandPlan], at now: Instant) {
    noted = openings
    for opening in openings {
      guard let role = plans.first(where: { $0.topic == opening.topic })?.firmware else { continue }
      let isInTime = (now...now + Limits.firmwareClosesAfter).contains(opening.closesAt)
      let due = isInTime ? opening.closesAt : now
      add(Order(topic: opening.topic, output: role.close, due: due, isClosing: true))
    }
  }

  /// Keeps the orders on topics that still emulate the firmware; on all other topics, pending closings are due now.
  mutating func reconfigure(_ plans: [CommandPlan], at now: Instant) {
    orders = orders.compactMap { order in
      let role = plans.first { $0.topic == order.topic }?.firmware
      if let role, role.stop == order.output || role.close == order.output { return order }
      return order.isClosing ? Order(topic: order.topic, output: order.output, due: now, isClosing: true) : nil
    }
  }

  /// Records changed openings in the store.
  mutating func notes() -> [Effect] {
    let openings = orders.filter { $0.isClosing }.map { TimedOpening(topic: $0.topic, closesAt: $0.due) }
    guard openings != noted else { return [] }
    let gone = noted.filter { old in !openings.contains { $0.topic == old.topic } }
    let new = openings.filter { !noted.contains($0) }
    noted = openings
    return gone.map { .store(.recordTimedOpening(topic: $0.topic, closesAt: nil)) }
      + new.map { .store(.recordTimedOpening(topic: $0.topic, closesAt: $0.closesAt)) }
  }
}

extension Kiosk {
  mutating func openedForAWhile(
    _ plan: CommandPlan, _ address: CommandReply.Address, at now: Moment
  ) throws(CommandRefusal) -> [Effect] {
    guard let role = plan.firmware else { throw .notAllowed }
    for name in [role.open, role.stop, role.close] {
      if let refusal = refusal(toSwitch: name) { throw .output(refusal) }
    }
    let report = Report.command(.accepted(topic: plan.topic, .timedOpening))
    let order = OutputOrder(output: role.open, request: .pulse)
    let effects = drive([order], .command(topic: plan.topic), at: now)
    let (stopsAt, closesAt) = (now.instant + Limits.firmwareStopsAfter, now.instant + Limits.firmwareClosesAfter)
    intake.firmware.add(.init(topic: plan.topic, output: role.stop, due: stopsAt, isClosing: false))
    intake.firmware.add(.init(topic: plan.topic, output: role.close, due: closesAt, isClosing: true))
    return [.report(report)] + effects + reply(address, .done)
  }

  /// Executes due orders of timed openings, and publishes due reports.
  mutating func firmwareDue(at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    for var order in intake.firmware.takeDue(at: now.instant) {
      // A panel that was replaced or has just started will open its lines soon.
      if refusal(toSwitch: order.output) == .unavailable, now.instant < order.until {
        order.due = now.instant + Limits.firmwareRetryInterval
        intake.firmware.add(order)
        continue
      }
      effects += drive(
        [OutputOrder(output: order.output, request: .pulse)], .command(topic: order.topic), at: now)
    }
    if let due = intake.firmware.reportDue, due <= now.instant { effects += announceDevices(at: now.instant) }
    return effects + intake.firmware.notes()
  }

  /// Publishes a report on every firmware topic, and schedules the next reports in ten minutes.
  mutating func announceDevices(at now: Instant) -> [Effect] {
    let topics = settings.commands.filter { $0.firmware != nil }.map { $0.topic }
    intake.firmware.reported(at: topics.isEmpty ? nil : now)
    return topics.map { .announce(.firmwareReport(topic: $0)) }
  }
}
