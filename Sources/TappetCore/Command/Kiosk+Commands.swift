// The path of a command from the broker's message to the action or the output, and the replies to its sender. Pure
// decision logic; CommandValidator.swift checks the command's proof.

/// Commands whose results have not been reported yet.
struct PendingReplies: Sendable {
  private var entries: [(id: EntryID, address: CommandReply.Address)] = []
  private var outputs: [(index: Int, address: CommandReply.Address)] = []

  mutating func wait(for id: EntryID, _ address: CommandReply.Address) {
    if entries.count >= Limits.commandRepliesMax { entries.removeFirst() }
    entries.append((id, address))
  }

  /// Records a command that waits for an output; returns the older command that it replaces, if any.
  mutating func wait(forOutput index: Int, _ address: CommandReply.Address) -> CommandReply.Address? {
    let older = takeAddress(ofOutput: index)
    outputs.append((index, address))
    return older
  }

  func address(of id: EntryID) -> CommandReply.Address? { entries.first { $0.id == id }?.address }

  mutating func takeAddress(of id: EntryID) -> CommandReply.Address? {
    entries.firstIndex { $0.id == id }.map { entries.remove(at: $0).address }
  }

  mutating func takeAddress(ofOutput index: Int) -> CommandReply.Address? {
    outputs.firstIndex { $0.index == index }.map { outputs.remove(at: $0).address }
  }
}

extension Kiosk {
  /// Handles a message on a command topic; ignores messages on other topics.
  mutating func commandArrived(_ arrival: CommandArrival, at now: Moment) -> [Effect] {
    guard let index = intake.gate.index(of: arrival.topic), arrival.content != .report else { return [] }
    let address = intake.gate.address(of: arrival, index)
    var by = Originator.command(topic: arrival.topic, unverified: arrival.statedSender)
    do throws(CommandRefusal) {
      if let age = age(of: arrival.receivedAt, at: now) { throw .late(seconds: age.wholeMilliseconds / 1000) }
      let (target, key) = try intake.gate.judge(
        arrival, index, tapPolicy.indexes, settings, clockIsGood: clockIsGood, at: now)
      var proved = address
      proved.target = target
      by = .command(topic: arrival.topic, key: key, unverified: arrival.statedSender)
      return try commandProved(proved, index, by: by, at: now)
    } catch { return commandRefused(error, index, address, by: by, at: now) }
  }

  /// Executes a command whose sender may send it.
  mutating func commandProved(
    _ address: CommandReply.Address, _ index: Int, by: Originator, at now: Moment
  ) throws(CommandRefusal) -> [Effect] {
    if intake.gate.plan(index).obeysLock, panel.lock.isLocked { throw .locked }
    let effects = try execute(address, index, by: by, at: now)
    intake.gate.recordAccepted(index)
    return effects
  }

  /// Refuses a command; `isReplied` is `nil` if it is not known yet whether the command gets a reply.
  mutating func commandRefused(
    _ refusal: CommandRefusal, _ index: Int, _ address: CommandReply.Address, by: Originator,
    isReplied: Bool? = nil, at now: Moment
  ) -> [Effect] {
    intake.gate.recordRefused(index, isRetained: refusal == .retained)
    let report = Report.command(.refused(topic: address.command, address.target, refusal, by: by))
    let effects = throttles.commandRefusals.report(report, at: now.instant)
    let isReplied =
      isReplied ?? intake.gate.mayReply(to: refusal, on: index, address.destination, at: now.instant)
    return effects + (isReplied ? reply(address, .refused(refusal)) : [])
  }

  /// Executes a command that has passed all checks.
  private mutating func execute(
    _ address: CommandReply.Address, _ index: Int, by: Originator, at now: Moment
  ) throws(CommandRefusal) -> [Effect] {
    guard isTaking, let target = address.target else { throw .output(.closing) }
    let plan = intake.gate.plan(index)
    let topic = plan.topic
    switch target {
    case .report:
      return [.report(.command(.accepted(topic: topic, target, by: by)))] + announcing(.firmwareReport(topic: topic))
        + reply(address, .done)
    case .status: return [.report(.command(.accepted(topic: topic, target, by: by)))] + reply(address, .done)
    case .check:
      return [.report(.command(.accepted(topic: topic, .check, by: by)))] + announcing(.check(nonce: address.nonce))
        + reply(address, .done)
    case .history, .person:
      // The store replies after its commit.
      return [.report(.command(.accepted(topic: topic, target, by: by))), .serve(address, by: by.text ?? "")]
    case .timedOpening: return try openedForAWhile(plan, address, by: by, at: now)
    case .output(let order): return try switched(order, topic, address, by: by, at: now)
    case .action(let name):
      guard let action = settings.actions.first(where: { $0.name == name }) else { throw .notAllowed }
      return try performed(action, topic, address, by: by, at: now)
    }
  }

  private mutating func switched(
    _ order: OutputOrder, _ topic: String, _ address: CommandReply.Address, by: Originator, at now: Moment
  ) throws(CommandRefusal) -> [Effect] {
    if let refusal = refusal(of: order) { throw .output(refusal) }
    // A newer command cancels the remaining steps of a timed opening.
    intake.firmware.cancel(topic)
    let report = Report.command(.accepted(topic: topic, .output(order), by: by))
    let effects = drive([order], .request(by), at: now)
    guard let index = panel.outputs.index(of: order.output), panel.outputs.causeOfWaiting(index) != nil else {
      return [.report(report)] + effects + reply(address, .done)
    }
    let older = intake.waitingReplies.wait(forOutput: index, address)
    return [.report(report)] + effects + reply(older, .refused(.overtaken)) + reply(address, .accepted)
  }

  private mutating func performed(
    _ action: Action, _ topic: String, _ address: CommandReply.Address, by: Originator, at now: Moment
  ) throws(CommandRefusal) -> [Effect] {
    if let refusal = conditionRefusal(of: action, at: now) { throw .action(refusal) }
    for order in action.outputs { if let refusal = refusal(toSwitch: order.output) { throw .output(refusal) } }
    if let refusal = refusal(of: action) { throw .action(refusal) }
    let effects: [Effect] = [.report(.command(.accepted(topic: topic, .action(action.name), by: by)))]
    let (driven, entry) = perform(action, by: by, at: now)
    guard let entry else { return effects + driven + reply(address, .done) }
    intake.waitingReplies.wait(for: entry, address)
    return effects + driven
  }

  // MARK: Replies

  func reply(_ address: CommandReply.Address?, _ result: CommandReply.Result) -> [Effect] {
    address.map { [.reply(CommandReply(address: $0, result: result))] } ?? []
  }

  /// Replies that a command's entry is committed, while its result is still pending.
  func commandStored(_ id: EntryID) -> [Effect] { reply(intake.waitingReplies.address(of: id), .accepted) }

  /// Replies with the result of a command's entry.
  mutating func commandEnded(_ id: EntryID, _ result: CommandReply.Result) -> [Effect] {
    reply(intake.waitingReplies.takeAddress(of: id), result)
  }

  /// Replies to the commands whose entries have expired.
  mutating func repliesToExpired(_ entries: [OutboxEntry]) -> [Effect] {
    var effects: [Effect] = []
    for entry in entries { effects += commandEnded(entry.id, .expired) }
    return effects
  }

  /// Handles a failure to write a command's entry to the disk.
  mutating func commandNotStored(_ entry: OutboxEntry, _ refusal: TapRefusal, at now: Moment) -> [Effect] {
    refuse(entry.by ?? .kiosk, nil, refusal, at: now) + commandEnded(entry.id, .refused(.action(refusal)))
  }

  /// Handles commands that the link discarded.
  mutating func commandsDiscarded(at now: Moment) -> [Effect] { throttles.commandRefusals.count(at: now.instant) }

  /// Replies to the command that was waiting for an output.
  mutating func outputFollowed(_ index: Int, _ reason: OutputReason) -> [Effect] {
    let address = intake.waitingReplies.takeAddress(ofOutput: index)
    switch reason {
    case .asked(.request(.command)), .asked(.request(.user)): return reply(address, .done)
    case _: return []
    }
  }

  /// Publishes the data that a command requests, unless the link is down.
  private func announcing(_ announcement: Announcement) -> [Effect] {
    delivery.link.isUp ? [.announce(announcement)] : []
  }

  /// Handles the broker's response to a subscription.
  mutating func commandsSubscribed(_ index: Int, isGranted: Bool) -> [Effect] {
    guard intake.gate.subscribed(index, isGranted: isGranted) else { return [] }
    return [.report(.command(.subscribed(topic: intake.gate.plan(index).topic, isGranted: isGranted)))]
  }
}
