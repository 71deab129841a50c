// Emulates the ESP32 firmware (docs/formats.md, "ESP32 messages"): timed openings and reports. Pure decision logic.

/// A timed opening whose stop or closing is still pending, which must survive a restart.
package struct TimedOpening: Hashable, Sendable {
  package var topic: String
  /// The time of the stop; `nil` after the stop.
  package var stopsAt: Instant?
  package var closesAt: Instant

  package init(topic: String, stopsAt: Instant?, closesAt: Instant) {
    self.topic = topic
    self.stopsAt = stopsAt
    self.closesAt = closesAt
  }
}

/// The timed openings and the pending reports on the topics that emulate the firmware.
struct FirmwarePublisher: Sendable {
  /// A timed opening, and the outputs of its remaining steps.
  private struct Opening: Sendable {
    var times: TimedOpening
    var stop: String
    var close: String
    /// The time of the next attempt while the line of a due step is unavailable.
    var retryAt: Instant?

    init(_ times: TimedOpening, _ role: FirmwareRole) {
      self.times = times
      (stop, close) = (role.stop, role.close)
    }

    var due: Instant { retryAt ?? times.stopsAt ?? times.closesAt }
  }

  /// A due step of a timed opening.
  struct Step: Sendable {
    var topic: String
    var output: String
    /// The time until which the step waits for an unavailable line.
    var until: Instant
  }

  /// The openings, at most one per topic.
  private var openings: [Opening] = []
  /// The openings that are recorded in the store.
  private var noted: [TimedOpening] = []
  /// Time at which the next reports are due; `nil` if there is no connection.
  private(set) var reportDue: Instant?

  /// The time of the next step or report.
  var deadline: Instant? { .earliest(reportDue, openings.map { $0.due }.min()) }

  /// Cancels the remaining steps on a topic.
  mutating func cancel(_ topic: String) { openings.removeAll { $0.times.topic == topic } }

  /// Schedules the steps of an opening that starts now, and cancels those of an earlier one.
  mutating func open(_ topic: String, _ role: FirmwareRole, at now: Instant) {
    cancel(topic)
    let (stopsAt, closesAt) = (now + Limits.firmwareStopsAfter, now + Limits.firmwareClosesAfter)
    openings.append(Opening(TimedOpening(topic: topic, stopsAt: stopsAt, closesAt: closesAt), role))
  }

  /// Returns a due step of each opening; a stop that is still pending when its closing is due is left out.
  mutating func dueSteps(at now: Instant) -> [Step] {
    openings.compactMap { opening in
      guard opening.due <= now else { return nil }
      let stopsAt = opening.times.closesAt <= now ? nil : opening.times.stopsAt
      return Step(
        topic: opening.times.topic, output: stopsAt == nil ? opening.close : opening.stop,
        until: (stopsAt ?? opening.times.closesAt) + Limits.firmwareLateMax)
    }
  }

  /// Schedules another attempt at a step whose line is unavailable.
  mutating func delay(_ step: Step, at now: Instant) {
    for index in openings.indices where openings[index].times.topic == step.topic {
      openings[index].retryAt = now + Limits.firmwareRetryInterval
    }
  }

  /// Records that a step was executed; its opening ends with the closing.
  mutating func executed(_ step: Step, at now: Instant) {
    openings.removeAll { $0.times.topic == step.topic && ($0.times.stopsAt == nil || $0.times.closesAt <= now) }
    for index in openings.indices where openings[index].times.topic == step.topic {
      openings[index].times.stopsAt = nil
      openings[index].retryAt = nil
    }
  }

  mutating func reported(at now: Instant?) { reportDue = now.map { $0 + Limits.firmwareReportInterval } }

  /// Discards all openings; their pending steps remain in the store for the next start.
  mutating func stop() { self = FirmwarePublisher() }

  /// Restores the openings that are recorded in the store.
  ///
  /// After a reboot of the machine, the recorded instants are meaningless, and the closing is due immediately.
  mutating func restore(_ recorded: [TimedOpening], _ plans: [CommandPlan], at now: Instant) {
    noted = recorded
    for var times in recorded {
      guard let role = plans.first(where: { $0.topic == times.topic })?.firmware else { continue }
      let isInTime = (now...now + Limits.firmwareClosesAfter).contains(times.closesAt)
      if !isInTime { (times.stopsAt, times.closesAt) = (nil, now) }
      openings.append(Opening(times, role))
    }
  }

  /// Keeps the openings on topics that still emulate the firmware; on all other topics, pending closings are due now.
  mutating func reconfigure(_ plans: [CommandPlan], at now: Instant) {
    for index in openings.indices {
      let role = plans.first { $0.topic == openings[index].times.topic }?.firmware
      if let role, role.close == openings[index].close {
        openings[index].stop = role.stop
      } else {
        (openings[index].times.stopsAt, openings[index].times.closesAt) = (nil, now)
      }
    }
  }

  /// Records changed openings in the store.
  mutating func notes() -> [Effect] {
    let times = openings.map { $0.times }
    guard times != noted else { return [] }
    let gone = noted.filter { old in !times.contains { $0.topic == old.topic } }
    let new = times.filter { !noted.contains($0) }
    noted = times
    return gone.map { .store(.recordTimedOpening(topic: $0.topic, nil)) }
      + new.map { .store(.recordTimedOpening(topic: $0.topic, $0)) }
  }
}

extension Kiosk {
  mutating func openedForAWhile(
    _ plan: CommandPlan, _ address: CommandReply.Address, by: Originator, at now: Moment
  ) throws(CommandRefusal) -> [Effect] {
    guard let role = plan.firmware else { throw .notAllowed }
    for name in [role.open, role.stop, role.close] {
      if let refusal = refusal(toSwitch: name) { throw .output(refusal) }
    }
    let order = OutputOrder(output: role.open, request: .pulse)
    if let refusal = refusal(of: order) { throw .output(refusal) }
    let report = Report.command(.accepted(topic: plan.topic, .timedOpening, by: by))
    let effects = drive([order], .request(by), at: now)
    intake.firmware.open(plan.topic, role, at: now.instant)
    return [.report(report)] + effects + reply(address, .done)
  }

  /// Executes due steps of timed openings, and publishes due reports.
  mutating func firmwareDue(at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    for step in intake.firmware.dueSteps(at: now.instant) {
      let order = OutputOrder(output: step.output, request: .pulse)
      // A panel that was replaced or has just started will open its lines soon, and a car in the gate may drive on.
      let isBlocked = refusal(toSwitch: step.output) == .unavailable || unmetRequirement(of: order) != nil
      if isBlocked, now.instant < step.until {
        intake.firmware.delay(step, at: now.instant)
        continue
      }
      intake.firmware.executed(step, at: now.instant)
      effects += drive([order], .request(.command(topic: step.topic)), at: now)
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
