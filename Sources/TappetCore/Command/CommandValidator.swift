// Validates commands: all checks before a command is executed, in the order of docs/commands.md. Valid commands are
// executed by Kiosk+Commands.swift.

/// Numbers of commands received on one topic.
package struct CommandCounts: Hashable, Sendable {
  package var accepted = 0
  package var refused = 0
  /// Number of retained commands among the refused ones.
  package var retained = 0
}

/// The checks of all command topics, and their state.
struct CommandValidator: Sendable {
  private struct Topic: Sendable {
    var plan: CommandPlan
    var memory: ReplayCache
    var bucket = TokenBucket()
    /// The bucket for report requests, which require no proof.
    var reports = TokenBucket()
    var replies = TokenBucket()
    var guesses = GuessWatch()
    var counts = CommandCounts()
    /// Whether the broker accepted the subscription; `nil` before it responds.
    var isSubscribed: Bool?
  }

  private var topics: [Topic] = []
  private var order = CommandOrder()
  /// Tokens that this kiosk created for other receivers; the kiosk does not accept them itself.
  private var sealed = ReplayCache(window: 0, startedAt: Instant(nanoseconds: 0))
  /// The last commands from all rooms, including removed ones, which may be added again.
  ///
  /// They are forgotten in the order of arrival, because the homeserver chooses their times.
  private var events = ReplayCache(window: 0, startedAt: Instant(nanoseconds: 0))

  init(_ plans: [CommandPlan], startedAt: Instant) { replace(by: plans, at: startedAt) }

  /// Returns the longest window among the topics on which a proof for the given plan's topic might be valid.
  private static func window(of plan: CommandPlan, among plans: [CommandPlan]) -> Int64 {
    plans.reduce(0) { plan.sharesProofs(with: $1) ? max($0, $1.windowSeconds) : $0 }
  }

  /// The state of each topic, in the order of the configuration.
  var status: [KioskStatus.Commands] {
    topics.map { KioskStatus.Commands(topic: $0.plan.topic, isSubscribed: $0.isSubscribed, counts: $0.counts) }
  }

  /// Replaces the plans; remaining topics keep their counts and their accepted proofs.
  ///
  /// A new topic refuses commands older than itself, because their tokens may have been used on a removed topic.
  mutating func replace(by plans: [CommandPlan], at now: Instant) {
    let old = topics
    topics = plans.map { plan in
      let window = CommandValidator.window(of: plan, among: plans)
      guard var topic = old.first(where: { $0.plan.topic == plan.topic }) else {
        return Topic(plan: plan, memory: ReplayCache(window: window, startedAt: now))
      }
      topic.plan = plan
      topic.memory.widen(to: window)
      return topic
    }
  }

  /// Records a token that this kiosk sealed into a message.
  mutating func recordSealed(_ token: String, unixSeconds: Int64) {
    guard topics.contains(where: { $0.plan.firmware != nil || $0.plan.trust.word == "token" }) else { return }
    if let proof = Hex.decode(token) { sealed.blockProof(proof, sentAt: unixSeconds) }
  }

  func index(of topic: String) -> Int? { topics.firstIndex { $0.plan.topic == topic } }

  func plan(_ index: Int) -> CommandPlan { topics[index].plan }

  /// Whether `room` is a room whose messages are received.
  func isHeard(_ room: String) -> Bool {
    topics.contains { $0.plan.isRoom && $0.plan.topic == room && $0.isSubscribed == true }
  }

  mutating func recordAccepted(_ index: Int) { topics[index].counts.accepted += 1 }

  mutating func recordRefused(_ index: Int, isRetained: Bool) {
    topics[index].counts.refused += 1
    if isRetained { topics[index].counts.retained += 1 }
  }

  /// Records the broker's response to a subscription; returns whether it differs from the previous one.
  mutating func subscribed(_ index: Int, isGranted: Bool) -> Bool {
    guard topics.indices.contains(index), topics[index].isSubscribed != isGranted else { return false }
    topics[index].isSubscribed = isGranted
    return true
  }

  /// Handles a clock that has become trusted.
  mutating func clockIsGood(at now: Moment) {
    for index in topics.indices { topics[index].memory.clockIsGood(at: now) }
  }

  /// Handles the end of the connection, which also ends its subscriptions.
  mutating func linkDown() {
    for index in topics.indices where topics[index].isSubscribed == true && !topics[index].plan.isRoom {
      topics[index].isSubscribed = nil
    }
  }

  /// Handles the exit of tappet-matrix.
  mutating func roomsClosed() {
    for index in topics.indices where topics[index].plan.isRoom { topics[index].isSubscribed = nil }
  }

  /// Records that a command from a room may have been executed before the start.
  mutating func recordActed(_ row: RecordedCommand) {
    events.blockProof(LibCrypto.digest(Array(row.event.utf8)), sentAt: row.unixSeconds)
  }

  // MARK: Checks

  /// Returns the target of a valid command, and the key of its action URL; checks everything that does not depend on
  /// the target's state.
  mutating func judge(
    _ arrival: CommandArrival, _ index: Int, _ indexes: ActionIndexes, _ settings: KioskSettings, clockIsGood: Bool,
    at now: Moment
  ) throws(CommandRefusal) -> (target: CommandTarget, key: String?) {
    let plan = topics[index].plan
    // Checked first: an unauthorized sender receives no reply, whatever the message contains.
    if case .room(let commanders) = plan.trust {
      guard let sender = arrival.sender, commanders.include(sender) else { throw .stranger }
    }
    let request = try CommandValidator.read(arrival)
    // Determined before the proof is checked, so that a command that is not allowed does not use up a proof.
    let target = try plan.target(of: request)
    if let target, !plan.allows(target) { throw .notAllowed }
    let (proved, sentAt, signer) = try prove(
      request, by: arrival.sender, target, index, indexes, clockIsGood: clockIsGood, at: now)
    let subjects = settings.subjects(of: proved, on: plan)
    if let sentAt {
      try order.accept(subjects, sentAt: sentAt, key: key(of: plan), window: plan.windowSeconds, at: now)
    } else if clockIsGood {
      // Without a time, it counts as sent when it arrived.
      order.record(subjects, sentAt: now.unixSeconds, key: key(of: plan), window: 0, at: now)
    }
    let wait =
      proved == .report
      ? topics[index].reports.takeUse(perMinute: plan.perMinute, at: now.instant)
      : topics[index].bucket.takeUse(perMinute: plan.perMinute, at: now.instant)
    if let wait { throw .tooMany(wait: wait) }
    return (proved, signer)
  }

  /// Refuses a command that had to wait, if it is too old by now, or a newer one has acted in the meantime.
  func checkAgain(
    _ target: CommandTarget, sentAt: Int64, _ index: Int, _ settings: KioskSettings, at now: Moment
  ) throws(CommandRefusal) {
    let plan = topics[index].plan
    try plan.checkTime(sentAt, at: now)
    let subjects = settings.subjects(of: target, on: plan)
    if order.isOvertaken(subjects, sentAt: sentAt, key: key(of: plan), at: now) { throw .overtaken }
  }

  /// Returns what identifies the key of a topic: the first topic with the same key.
  private func key(of plan: CommandPlan) -> String {
    topics.first { $0.plan.sharesProofs(with: plan) }?.plan.topic ?? plan.topic
  }

  /// Remembers an accepted proof, which may be valid on several topics.
  private mutating func remember(
    _ proof: [UInt8], on index: Int, sentAt: Int64, at now: Moment
  ) throws(CommandRefusal) {
    let plan = topics[index].plan
    for other in topics.indices where other != index && topics[other].plan.sharesProofs(with: plan) {
      if topics[other].memory.knows(proof, sentAt: sentAt) { throw .repeated }
    }
    try topics[index].memory.accept(proof, sentAt: sentAt, at: now)
  }

  private static func read(_ arrival: CommandArrival) throws(CommandRefusal) -> CommandRequest {
    if arrival.isRetained { throw .retained }
    if arrival.size > Limits.commandSizeMax { throw .tooLarge(size: arrival.size) }
    guard case .request(let request) = arrival.content else { throw .malformed }
    return request
  }

  /// Returns the proved target, the time at which the command was sent, or `nil` if it needs no time, and the name of
  /// the key that signed its action URL.
  private mutating func prove(
    _ request: CommandRequest, by sender: RoomSender?, _ target: CommandTarget?, _ index: Int,
    _ indexes: ActionIndexes, clockIsGood: Bool, at now: Moment
  ) throws(CommandRefusal) -> (CommandTarget, sentAt: Int64?, signer: String?) {
    let plan = topics[index].plan
    if target == .report { return (.report, nil, nil) }
    switch plan.trust {
    case .trusted:
      guard let target else { throw .malformed }
      guard plan.window != nil else { return (target, nil, nil) }
      guard let sentAt = request.unixSeconds else { throw .unproved }
      guard clockIsGood else { throw .clockUnknown }
      try plan.checkTime(sentAt, at: now)
      return (target, sentAt, nil)
    case .room:
      guard let target, let sender, let sentAt = request.unixSeconds else { throw .malformed }
      // Homeservers may return the same event twice, but an event has a unique id. An event is judged once, even if it
      // is refused for its time, because the homeserver may state another time later.
      let proof = LibCrypto.digest(Array(sender.event.utf8))
      if events.knows(proof, sentAt: sentAt) { throw .repeated }
      events.blockProof(proof, sentAt: sentAt)
      guard clockIsGood else { throw .clockUnknown }
      try plan.checkTime(sentAt, at: now)
      return (target, sentAt, nil)
    case .token(let key):
      guard let target else { throw .malformed }
      guard let token = request.token else { throw .unproved }
      guard clockIsGood else { throw .clockUnknown }
      guard let key, let sentAt = try? TimestampToken.open(token, key: key), let proof = Hex.decode(token) else {
        topics[index].guesses.failed(at: now.instant)
        throw .badToken
      }
      let isGuessed = topics[index].guesses.isGuessing(at: now.instant)
      try plan.checkTime(sentAt, isGuessed: isGuessed, at: now)
      if sealed.knows(proof, sentAt: sentAt) { throw .repeated }
      if !plan.isLax || isGuessed { try remember(proof, on: index, sentAt: sentAt, at: now) }
      // The phone's time zone may be wrong, but the token was not created after it arrived.
      return (target, plan.isLax ? min(sentAt, now.unixSeconds) : sentAt, nil)
    case .signed(let key):
      let (proved, sentAt, proof, signer) = try plan.verify(request, target, key, indexes)
      guard clockIsGood else { throw .clockUnknown }
      try plan.checkTime(sentAt, at: now)
      try remember(proof, on: index, sentAt: sentAt, at: now)
      return (proved, sentAt, signer)
    }
  }

  // MARK: Replies

  /// Returns the address for the reply to a command.
  func address(of arrival: CommandArrival, _ index: Int) -> CommandReply.Address {
    var address = CommandReply.Address(command: arrival.topic, destination: destination(of: arrival, index))
    if let correlation = arrival.response?.correlation, correlation.count <= Limits.correlationSizeMax {
      address.correlation = correlation
    }
    guard case .request(let request) = arrival.content else { return address }
    address.id = request.id
    address.nonce = request.nonce ?? ""
    address.target = (try? topics[index].plan.target(of: request)) ?? nil
    return address
  }

  /// Returns the destination for the reply to a command.
  ///
  /// MQTT 5's response topic is used only if it is below the configured reply topic and is not a command topic, because
  /// an unauthorized sender must not choose where this kiosk publishes.
  private func destination(of arrival: CommandArrival, _ index: Int) -> CommandReply.Destination {
    if arrival.isTest { return .test }
    if let sender = arrival.sender { return .room(event: sender.event) }
    guard let topic = topics[index].plan.replyTopic else { return .nobody }
    guard let other = arrival.response?.topic, other.utf8.starts(with: (topic + "/").utf8), Action.isTopic(other),
      self.index(of: other) == nil
    else { return .topic(topic) }
    return .topic(other)
  }

  /// Whether a refused command gets a reply; counts the reply towards the limit.
  mutating func mayReply(
    to refusal: CommandRefusal, on index: Int, _ destination: CommandReply.Destination, at now: Instant
  ) -> Bool {
    switch destination {
    case .nobody: return false
    case .test: return true
    case .topic: break
    // An event that comes again has its answer.
    case .room: if refusal == .repeated { return false }
    }
    // An unauthorized sender could otherwise make the kiosk flood the room.
    if refusal == .retained || refusal == .stranger { return false }
    return topics[index].replies.takeUse(perMinute: Limits.refusalRepliesMax, at: now) == nil
  }
}

extension CommandPlan {
  /// Returns the request's target on this topic; `nil` for a URL, whose target depends on the signing secret.
  fileprivate func target(of request: CommandRequest) throws(CommandRefusal) -> CommandTarget? {
    switch request.form {
    case .target(let target): return target
    case .url: return nil
    case .number(let number):
      guard let firmware else { throw .malformed }
      switch number {
      case 1: return .output(OutputOrder(output: firmware.open, request: .pulse))
      case 2: return .output(OutputOrder(output: firmware.stop, request: .pulse))
      case 3: return .output(OutputOrder(output: firmware.close, request: .pulse))
      case 4: return .timedOpening
      case 5: return .report
      default: throw .notAllowed
      }
    case .word(let word):
      if outputs.count == 1, actions.isEmpty, let request = OutputRequest(ignoringCase: word) {
        return .output(OutputOrder(output: outputs[0], request: request))
      }
      guard actions.count == 1, outputs.isEmpty, ["run", "press"].contains(word.asciiLowercased) else {
        throw .malformed
      }
      return .action(actions[0])
    }
  }

  fileprivate func allows(_ target: CommandTarget) -> Bool {
    switch target {
    case .action(let name): actions.contains(name)
    case .output(let order): outputs.contains(order.output)
    case .timedOpening, .report: firmware != nil
    case .status, .history: isRoom
    case .person: isRoom && managesPeople
    case .check: asksChecks
    }
  }

  fileprivate var isLax: Bool { firmware?.isLax == true }

  fileprivate func checkTime(_ sentAt: Int64, isGuessed: Bool = false, at now: Moment) throws(CommandRefusal) {
    let (age, overflow) = now.unixSeconds.subtractingReportingOverflow(sentAt)
    guard !overflow else { throw sentAt < 0 ? .late(seconds: .max) : .early(seconds: .max) }
    let past = isGuessed ? min(windowSeconds, Limits.commandWindow.wholeMilliseconds / 1000) : windowSeconds
    let future = isLax && !isGuessed ? Limits.laxWindow.wholeMilliseconds / 1000 : past
    if age > past { throw .late(seconds: age) }
    if age < -future { throw .early(seconds: -age) }
  }

  /// Returns the target that the signature covers, its time, the signature's bytes, and the name of a URL's key.
  fileprivate func verify(
    _ request: CommandRequest, _ target: CommandTarget?, _ key: SecretKey?, _ indexes: ActionIndexes
  ) throws(CommandRefusal) -> (CommandTarget, Int64, [UInt8], signer: String?) {
    if case .url(let text) = request.form {
      guard let url = try? TagURL.parse(text), let signature = url.signature else { throw .malformed }
      guard let secret = url.verify(with: indexes.secrets(at: url.index)), let action = indexes.action(of: secret)
      else {
        throw .badSignature
      }
      if let refusal = secret.refusalOfPerson { throw .action(refusal) }
      if secret.person?.limits != nil { throw .action(.commandOfLimitedPerson(action: action.name)) }
      guard allows(.action(action.name)) else { throw .notAllowed }
      return (.action(action.name), url.timestamp, signature, secret.label ?? secret.id)
    }
    guard let target, let sentAt = request.unixSeconds, let hmac = request.hmac,
      let message = request.signedBytes(topic: topic)
    else { throw .unproved }
    guard let claimed = Hex.decode(hmac), claimed.count == MessageAuthenticator.size, let key,
      let expected = try? key.authenticate(message), LibCrypto.areEqual(expected, claimed)
    else { throw .badSignature }
    return (target, sentAt, claimed, nil)
  }
}

extension OutputRequest {
  /// Creates the request with the given name, ignoring case; Home Assistant uses upper case (`ON`).
  package init?(ignoringCase word: String) {
    self.init(rawValue: word.asciiLowercased)
  }
}
