// The ESP32 firmware's part (docs/formats.md, "ESP32 messages"): its timed opening, and its reports. Decides only.

/// The duties on the topics that are served as the firmware serves them.
struct FirmwareDuties: Sendable {
  struct Order: Sendable {
    var topic: String
    var output: String
    var due: Instant
  }

  private var orders: [Order] = []
  /// When the next reports are due; `nil` without a connection.
  private(set) var reportDue: Instant?

  /// When something is due.
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

  /// Forgets what was to come.
  mutating func stop() { self = FirmwareDuties() }
}

extension Kiosk {
  mutating func openedForAWhile(
    _ plan: CommandPlan, _ address: CommandReply.Address, at now: Moment
  ) throws(CommandRefusal) -> [Effect] {
    guard let role = plan.firmware else { throw .notAllowed }
    for name in [role.open, role.stop, role.close] {
      if let refusal = refusal(toSwitch: name) { throw .output(refusal) }
    }
    let report = Report.commandAccepted(topic: plan.topic, .timedOpening)
    let order = OutputOrder(output: role.open, request: .pulse)
    let effects = drive([order], .command(topic: plan.topic), at: now)
    firmware.add(.init(topic: plan.topic, output: role.stop, due: now.instant + Limits.firmwareStopsAfter))
    firmware.add(.init(topic: plan.topic, output: role.close, due: now.instant + Limits.firmwareClosesAfter))
    return [.report(report)] + effects + reply(address, .done)
  }

  /// Does what is due of timed openings, and reports.
  mutating func firmwareDue(at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    for order in firmware.takeDue(at: now.instant) {
      effects += drive(
        [OutputOrder(output: order.output, request: .pulse)], .command(topic: order.topic), at: now)
    }
    if let due = firmware.reportDue, due <= now.instant { effects += announceDevices(at: now.instant) }
    return effects
  }

  /// Reports on every topic of the firmware's, now and in ten minutes again.
  mutating func announceDevices(at now: Instant) -> [Effect] {
    let topics = settings.commands.filter { $0.firmware != nil }.map { $0.topic }
    firmware.reported(at: topics.isEmpty ? nil : now)
    return topics.map { .announce(.firmwareReport(topic: $0)) }
  }
}
