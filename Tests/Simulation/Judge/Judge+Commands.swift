// The rules of commands, checked against what the world itself knows of each:
//   - Nothing unproved drives a line or has anything stored.
//   - A retained, repeated, late or early command never acts, not even after a restart.
//   - Of two commands about the same output or action, the older never acts after the newer, over all topics and rooms.
//   - A token that the kiosk made itself never acts.
//   - A message that a sender is promised is on the disk, and one that is called done the broker has.
//   - A check is answered once, to the nonce of who asked, where the topic may ask.
//   - A locked panel is locked for the topics that obey it.

import TappetCore

/// The world's own knowledge of the commands that it sent.
struct CommandBook {
  /// A command that is allowed to act in the current event.
  struct Allowed {
    var topic: String
    var target: CommandTarget
    /// `nil` where none is needed.
    var proof: String?
    var nonce: String?
    /// When it was sent; `nil` where no time is needed.
    var sentAt: Int64?
  }

  /// The newest command of a target that has acted.
  struct Newest {
    var sentAt: Int64
    var life: Int
    var clockEra: Int
  }

  /// When a proof acted.
  struct Acted {
    var life: Int
    var clockEra: Int
  }

  var allowed: Allowed?
  /// Whether the command of the current event has been accepted.
  var isAccepted = false
  /// Whether the check of the current event has been answered.
  var isAnswered = false
  var acted: [String: Acted] = [:]
  var newest: [String: Newest] = [:]
  /// A proved message, to be sent again.
  struct Sent {
    var arrival: CommandArrival
    var allowed: Allowed
    var unixSeconds: Int64
  }

  /// The newest of them.
  var sent: [Sent] = []
  /// Counts the times that the wall clock went back: no memory of a start helps against that.
  var clockEra = 0
}

extension Cast {
  static let tokenKey: TimestampKey = {
    guard let key = TimestampKey(hex: "000102030405060708090a0b0c0d0e0f") else { fatalError("32 digits") }
    return key
  }()

  static let signingKey: SecretKey = {
    guard let key = SecretKey([UInt8](repeating: 0x5A, count: SecretKey.size)) else { fatalError("32 bytes") }
    return key
  }()

  static let commands: [CommandPlan] = [
    CommandPlan(
      topic: "c/token", trust: .token(tokenKey), actions: ["light", "garage", "gate"], outputs: ["up", "down"],
      perMinute: 60, replyTopic: "c/token/reply"),
    CommandPlan(
      topic: "c/signed", trust: .signed(signingKey), window: .seconds(8), actions: ["brief"], outputs: ["up", "latch"],
      perMinute: 60, obeysLock: true, replyTopic: "c/signed/reply", asksChecks: true),
    CommandPlan(topic: "c/trusted", trust: .trusted, window: nil, outputs: ["lamp"]),
    // As Home Assistant's.
    CommandPlan(
      topic: "c/timed", trust: .trusted, actions: ["scene"], outputs: ["up", "latch"], perMinute: 60, obeysLock: true),
  ]
}

extension World {
  /// Sends a command: genuine mostly, else repeated, forged, retained, or of another time.
  func command(_ number: Int) {
    let plan = Cast.commands[abs(number) / 8 % Cast.commands.count]
    let wishes =
      plan.actions.map { CommandTarget.action($0) }
      + plan.outputs.flatMap { name in
        OutputRequest.allCases.map { .output(OutputOrder(output: name, request: $0)) }
      } + [.check]
    let target = wishes[abs(number) / 24 % wishes.count]
    switch abs(number) % 8 {
    case 4:
      guard !commands.sent.isEmpty else { return }
      // It may have been refused for a while; whether it has acted is judged when it acts.
      let again = commands.sent[abs(number) / 8 % commands.sent.count]
      let plan = Cast.commands.first { $0.topic == again.allowed.topic }
      let isFresh = Duration.seconds(abs(now.unixSeconds - again.unixSeconds)) <= plan?.window ?? .zero
      send(again.arrival, allowing: isFresh ? again.allowed : nil)
    case 5 where abs(number) / 32 % 2 == 1: sendOwnToken(target)
    case 5:
      var arrival = proved(target, plan, ahead: 0, seal: false).arrival
      if plan.window == nil { arrival.topic = "c/token" }
      send(arrival, allowing: nil)
    case 6:
      var arrival = proved(target, plan, ahead: 0).arrival
      arrival.isRetained = true
      send(arrival, allowing: nil)
    case 7:
      if plan.window == nil { return }
      send(proved(target, plan, ahead: number % 16 < 8 ? -30 : 30).arrival, allowing: nil)
    default:
      // Some were held back.
      let ahead = plan.window == nil ? 0 : -Int64(random.next() % 4)
      let (arrival, proof) = proved(target, plan, ahead: ahead)
      guard target != .check || plan.asksChecks else { return send(arrival, allowing: nil) }
      var allowed = CommandBook.Allowed(topic: plan.topic, target: target, proof: proof)
      allowed.sentAt = plan.window == nil ? nil : now.unixSeconds + ahead
      if case .request(let request) = arrival.content { allowed.nonce = request.nonce }
      let sent = CommandBook.Sent(arrival: arrival, allowed: allowed, unixSeconds: now.unixSeconds + ahead)
      send(arrival, allowing: allowed)
      if proof != nil { commands.sent = Array((commands.sent + [sent]).suffix(8)) }
    }
  }

  /// A command with a token that this kiosk has just put into a message.
  private func sendOwnToken(_ target: CommandTarget) {
    let arrival = proved(target, Cast.commands[0], ahead: 0).arrival
    guard case .request(let request) = arrival.content, let token = request.token else { return }
    tell(.tokenSealed(token, unixSeconds: now.unixSeconds))
    send(arrival, allowing: nil)
  }

  private func send(_ arrival: CommandArrival, allowing allowed: CommandBook.Allowed?) {
    send(.commandArrived(arrival), allowing: allowed)
  }

  /// Sends what may act as a command, or may not.
  func send(_ event: Event, allowing allowed: CommandBook.Allowed?) {
    commands.allowed = allowed
    (commands.isAccepted, commands.isAnswered) = (false, false)
    tell(event)
    if allowed?.target == .check, isUp, commands.isAccepted, !commands.isAnswered {
      fail("a check was accepted, not answered")
    }
    commands.allowed = nil
  }

  private func proved(
    _ target: CommandTarget, _ plan: CommandPlan, ahead seconds: Int64, seal: Bool = true
  ) -> (arrival: CommandArrival, proof: String?) {
    var request = CommandRequest(.target(target), id: "7", unixSeconds: now.unixSeconds + seconds)
    var proof: String?
    switch plan.trust {
    case .room: break
    case .trusted: if !seal { request.unixSeconds = nil }
    case .token:
      let bytes = (0..<TimestampToken.randomSize).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let token = try? TimestampToken.seal(unixSeconds: now.unixSeconds + seconds, key: Cast.tokenKey, random: bytes)
      request.token = seal ? token : String(repeating: "0", count: 32)
      proof = request.token
    case .signed:
      request.nonce = String(random.next())
      let message = request.signedBytes(topic: plan.topic) ?? []
      let code = (try? Cast.signingKey.authenticate(message)).map { Hex.encode($0) }
      request.hmac = seal ? code : String(repeating: "0", count: 64)
      proof = request.hmac
    }
    return (CommandArrival(topic: plan.topic, size: 200, content: .request(request)), proof)
  }

  // MARK: Rules

  /// A command was accepted.
  func judgeCommand(on topic: String, _ target: CommandTarget) {
    guard let allowed = commands.allowed, allowed.topic == topic, allowed.target == target else {
      return fail("a command on \(topic) acts, which was forged, repeated, retained or of another time")
    }
    if commands.isAccepted { fail("one command acts twice") }
    commands.isAccepted = true
    let plan = Cast.commands.first { $0.topic == topic }
    if plan?.obeysLock == true, settings.panel.lockAfter != nil, book.isLocked {
      fail("a command on \(topic) acts while the panel is locked")
    }
    judgeOrder(allowed)
    if topic == Cast.room.topic { return judgeActing(allowed.proof ?? "") }
    guard let proof = allowed.proof else { return }
    if let before = commands.acted[proof], before.life == life || before.clockEra == commands.clockEra {
      fail("a repeated command acts")
    }
    commands.acted[proof] = CommandBook.Acted(life: life, clockEra: commands.clockEra)
  }

  /// A clock that went back makes newer ones older.
  private func judgeOrder(_ allowed: CommandBook.Allowed) {
    var names: [String] = []
    switch allowed.target {
    case .output(let order): names = [order.output]
    case .action(let name):
      let action = settings.actions.first { $0.name == name }
      names = [name] + (action?.outputs ?? []).map { $0.output }
    case .timedOpening, .report, .status, .check, .history, .person: return
    }
    for name in names {
      // Lines of a drive are switched together.
      let name = settings.panel.outputs.first { $0.name == name }?.interlock ?? name
      if let newest = commands.newest[name], newest.clockEra == commands.clockEra, newest.life == life,
        let sentAt = allowed.sentAt, sentAt < newest.sentAt
      {
        fail("a command for \(name) acts after a newer one")
      }
      guard allowed.sentAt != nil || clockIsGood else { continue }
      commands.newest[name] = CommandBook.Newest(
        sentAt: allowed.sentAt ?? now.unixSeconds, life: life, clockEra: commands.clockEra)
    }
  }

  /// A sender learns how far the message of a command is.
  func judgeReply(_ reply: CommandReply, after event: Event) {
    if case .room(let line) = reply.address.destination {
      let isRepeated = room.told[line] == reply.result
      judgeAnswer(to: line, reply.result)
      if isRepeated { return }
    }
    guard case .action(let name)? = reply.address.target,
      Cast.actions.contains(where: { $0.name == name && $0.topic != nil })
    else { return }
    switch (reply.result, event) {
    case (.refused, _), (.expired, _), (.interrupted, _), (.accepted, .store(.outbox(_, .stored))),
      (.done, .link(.acknowledged)), (.done, .delivered):
      break
    case (.accepted, _): fail("a command for \(name) was promised before it was on the disk")
    case (.done, _): fail("a command for \(name) was called done before the broker had it")
    }
  }

  /// Something happens that a command for this action must have asked for.
  func judgeCommand(for action: String) {
    guard case .action(action)? = commands.allowed?.target else {
      return fail("\(action) happened, and no proved command asked for it")
    }
  }

  /// The parts' condition is published for the sender of this nonce.
  func judgeCheck(_ nonce: String) {
    guard commands.allowed?.target == .check, commands.allowed?.nonce == nonce else {
      return fail("a check was answered, and no proved command asked for it")
    }
    if commands.isAnswered { fail("one check is answered twice") }
    commands.isAnswered = true
  }

  /// An output is switched by a command for itself.
  func judgeCommand(forOutput name: String, on topic: String) {
    guard case .output(let order)? = commands.allowed?.target, order.output == name, commands.allowed?.topic == topic
    else { return fail("\(name) was switched, and no proved command asked for it") }
  }
}
