// From a message of the broker to an output or an action: everything that a command must pass, in its order.

import Testing

@testable import TappetCore

@Suite struct KioskCommandTests {
  private static let key = TimestampKey(hex: "000102030405060708090a0b0c0d0e0f")
  private static let other = TimestampKey(hex: "ff0102030405060708090a0b0c0d0e0f")

  private func plan(
    _ trust: CommandTrust, window: Duration? = Limits.commandWindow, perMinute: Int = 30, obeysLock: Bool = false
  ) -> CommandPlan {
    CommandPlan(
      topic: "c", trust: trust, window: window, actions: ["light", "garage"], outputs: ["gate", "down"],
      perMinute: perMinute, obeysLock: obeysLock, replyTopic: "c/reply")
  }

  private func story(_ plan: CommandPlan, lockAfter: Duration? = nil) -> KioskScript {
    var panel = PanelPlan.pressing("light")
    panel.outputs = [
      OutputPlan(name: "gate", interlock: "drive"), OutputPlan(name: "down", interlock: "drive"),
    ]
    panel.lockAfter = lockAfter
    return KioskScript(panel: panel, commands: [plan])
  }

  /// Up, with both lines, and past the time of what may have acted before the start.
  private func running(_ plan: CommandPlan, lockAfter: Duration? = nil) -> KioskScript {
    let story = story(plan, lockAfter: lockAfter)
    story.startAll()
    for index in 0...1 { story.at(10, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
    story.at(20_000, .timerFired)
    return story
  }

  private func arrival(_ request: CommandRequest, isRetained: Bool = false) -> Event {
    .commandArrived(CommandArrival(topic: "c", isRetained: isRetained, size: 100, content: .request(request)))
  }

  private func drive(_ name: String = "gate", _ request: OutputRequest = .pulse) -> CommandRequest {
    CommandRequest(.target(.output(OutputOrder(output: name, request: request))), id: "7")
  }

  private func seconds(_ story: KioskScript, at milliseconds: Int) -> Int64 { story.moment(milliseconds).unixSeconds }

  private func sealed(_ unixSeconds: Int64, by key: TimestampKey? = key, mark: UInt8 = 0) throws -> CommandRequest {
    var request = drive()
    request.token = try TimestampToken.seal(
      unixSeconds: unixSeconds, key: #require(key),
      random: [UInt8](repeating: mark, count: TimestampToken.randomSize))
    return request
  }

  // MARK: Effects

  @Test func `a trusted command drives an output, and its sender gets a reply when it is done`() {
    let story = running(plan(.trusted, window: nil))
    #expect(
      story.at(20_000, arrival(drive())) == [
        "output 0 on", "report command gate pulse on c", "report output 0 on by c", "reply 7 done to c/reply",
      ])
    #expect(story.kiosk.status.commands[0].counts == CommandCounts(accepted: 1))
  }

  @Test func `a command during a pulse of the opposite direction is accepted, and waits for the dead time`() {
    let story = running(plan(.trusted, window: nil))
    story.at(20_000, arrival(drive()))
    let words = story.at(20_100, arrival(drive("down")))
    #expect(words.first == "output 0 off" && words.last == "reply 7 accepted to c/reply")
    #expect(story.sleep(until: 20_600).contains("reply 7 done to c/reply"))
    #expect(story.kiosk.status.outputs.map(\.isOn) == [false, true])
  }

  @Test func `an action is reported as accepted when committed, and as done when the broker has its message`() throws {
    let story = running(plan(.trusted, window: nil))
    let request = CommandRequest(.target(.action("light")), id: "8")
    #expect(story.at(20_000, arrival(request)) == ["store light", "report command light on c"])
    let (words, entry) = story.commit(at: 20_005)
    #expect(words.contains("reply 8 accepted to c/reply") && words.contains("publish light"))
    let id = try #require(entry?.id)
    #expect(story.at(20_010, .link(.acknowledged(id))).contains("reply 8 done to c/reply"))
    #expect(story.at(20_011, .link(.acknowledged(id))).isEmpty)
  }

  @Test func `an action that cannot run is refused with its reason, and drives nothing`() {
    let story = running(plan(.trusted, window: nil))
    story.at(20_000, .link(.lost(.closedByBroker)))
    let words = story.at(20_001, arrival(CommandRequest(.target(.action("garage")), id: "9")))
    #expect(
      words.contains { $0.hasPrefix("report command refused action(") } && !words.contains { $0.contains("store") })
    #expect(words.contains { $0.hasPrefix("reply 9 refused action(") })
  }

  @Test func `a single word is enough if a topic has one output`() {
    var plan = plan(.trusted, window: nil)
    plan.actions = []
    plan.outputs = ["gate"]
    let story = running(plan)
    #expect(story.at(20_000, arrival(CommandRequest(.word("ON")))).first == "output 0 on")
    #expect(
      story.at(20_001, arrival(CommandRequest(.word("press")))) == [
        "report command refused malformed", "reply - refused malformed to c/reply",
      ])
  }

  @Test func `a signed check is answered once, with its nonce, and only if the topic allows checks`() throws {
    let key = try #require(SecretKey([UInt8](repeating: 0x5A, count: SecretKey.size)))
    var plan = plan(.signed(key))
    plan.asksChecks = true
    func question(_ story: KioskScript, nonce: String) throws -> Event {
      var request = CommandRequest(.target(.check), id: "9", unixSeconds: seconds(story, at: 20_000))
      request.nonce = nonce
      request.hmac = Hex.encode(try key.authenticate(try #require(request.signedBytes(topic: "c"))))
      return arrival(request)
    }
    let story = running(plan)
    #expect(
      story.at(20_000, try question(story, nonce: "nonce-01")) == [
        "report command check on c", "announce check nonce-01", "reply 9 done to c/reply",
      ])
    #expect(story.at(20_001, try question(story, nonce: "nonce-01")).first == "report command refused repeated")
    #expect(story.at(20_002, try question(story, nonce: "nonce-02")).contains("announce check nonce-02"))
    plan.asksChecks = false
    let other = running(plan)
    #expect(other.at(20_000, try question(other, nonce: "nonce-03")).first == "report command refused notAllowed")
  }

  // MARK: Refusals

  @Test func `a retained command never acts and gets no reply, but is counted`() {
    let story = running(plan(.trusted, window: nil))
    #expect(story.at(20_000, arrival(drive(), isRetained: true)) == ["report command refused retained"])
    #expect(story.kiosk.status.commands[0].counts == CommandCounts(accepted: 0, refused: 1, retained: 1))
  }

  @Test func `a message that is too large or not a command is refused`() {
    let story = running(plan(.trusted, window: nil))
    func at(_ size: Int, _ content: CommandArrival.Content) -> [String] {
      story.at(20_000, .commandArrived(CommandArrival(topic: "c", size: size, content: content)))
    }
    #expect(at(1 << 20, .unread).first == "report command refused tooLarge(size: 1048576)")
    #expect(at(10, .malformed).first == "report command refused malformed")
    #expect(story.at(20_000, arrival(drive("lamp"))).first == "report command refused notAllowed")
    #expect(
      story.at(20_000, arrival(CommandRequest(.target(.action("scene"))))).first == "report command refused notAllowed")
    let elsewhere = CommandArrival(topic: "d", size: 10, content: .request(drive()))
    #expect(story.at(20_000, .commandArrived(elsewhere)).isEmpty)
  }

  @Test func `a token acts once, within its window, and only under its key`() throws {
    let story = running(plan(.token(Self.key)))
    let now = seconds(story, at: 20_000)
    func word(_ request: CommandRequest) -> String { story.at(20_000, arrival(request))[0] }
    #expect(word(drive()) == "report command refused unproved")
    #expect(word(try sealed(now, by: Self.other)) == "report command refused badToken")
    #expect(word(try sealed(now - 6)) == "report command refused late(seconds: 6)")
    #expect(word(try sealed(now + 6)) == "report command refused early(seconds: 6)")
    #expect(word(try sealed(60)) == "report command refused late(seconds: \(now - 60))")
    #expect(word(try sealed(now)) == "output 0 on")
    var again = try sealed(now)
    #expect(word(again) == "report command refused repeated")
    again.token = again.token?.uppercased()
    #expect(word(again) == "report command refused repeated")
    #expect(word(try sealed(now, mark: 1)) == "report command gate pulse on c")
  }

  @Test func `tokens from before the start, or received while the clock is wrong, are refused`() throws {
    let story = story(plan(.token(Self.key)))
    story.startAll()
    let atStart = try sealed(seconds(story, at: 0))
    #expect(story.at(3_000, arrival(atStart))[0] == "report command refused justStarted")
    story.at(20_000, .clockChecked(isSynchronized: false))
    let fresh = try sealed(seconds(story, at: 20_000))
    #expect(story.at(20_000, arrival(fresh))[0] == "report command refused clockUnknown")
    // A topic that needs no time does not care.
    let trusted = running(plan(.trusted, window: nil))
    trusted.at(20_000, .clockChecked(isSynchronized: false))
    #expect(trusted.at(20_000, arrival(drive())).first == "output 0 on")
  }

  @Test func `setting the clock back does not make a token act again`() throws {
    let story = running(plan(.token(Self.key)))
    let token = try sealed(seconds(story, at: 20_000))
    #expect(story.at(20_000, arrival(token))[0] == "output 0 on")
    story.at(40_000, arrival(try sealed(seconds(story, at: 40_000))))
    story.wallOffset -= 20_000
    #expect(story.at(40_001, arrival(token))[0] == "report command refused repeated")
  }

  @Test func `after a clock that was a day ahead for a minute, the next genuine command acts`() throws {
    let story = running(plan(.token(Self.key)))
    story.wallOffset += 86_400_000
    #expect(story.at(20_000, arrival(try sealed(seconds(story, at: 20_000))))[0] == "output 0 on")
    let ofThatDay = try sealed(seconds(story, at: 40_000))
    story.at(40_000, arrival(ofThatDay))
    story.wallOffset -= 86_400_000
    #expect(story.at(60_000, arrival(try sealed(seconds(story, at: 60_000))))[0] == "output 0 on")
    story.at(86_440_000, .timerFired)  // Now that day has come.
    #expect(story.at(86_440_000, arrival(ofThatDay))[0] == "report command refused repeated")
  }

  @Test func `correcting the clock soon after the start does not make earlier tokens act`() throws {
    let story = story(plan(.token(Self.key)))
    story.wallOffset -= 20_000
    story.startAll()
    story.at(6_500, arrival(try sealed(seconds(story, at: 6_500))))
    story.wallOffset += 20_000
    let beforeTheStart = try sealed(story.moment(0).unixSeconds + 4)
    #expect(story.at(8_000, arrival(beforeTheStart))[0] == "report command refused justStarted")
  }

  @Test func `a flood of genuine commands on one topic neither blocks other topics nor extends their windows`() throws {
    let lamp = CommandPlan(
      topic: "lamp", trust: .token(Self.other), window: .seconds(60), outputs: ["gate"], perMinute: 600)
    let story = story(plan(.token(Self.key)))
    var settings = story.kiosk.settings
    settings.commands.append(lamp)
    story.startAll()
    story.at(10, .reconfigured(settings, reconnect: false))
    story.at(10, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    func atGate(_ time: Int) throws -> [String] { story.at(time, arrival(try sealed(seconds(story, at: time)))) }
    #expect(try atGate(7_000).contains("report command gate pulse on c"))
    var isFull = false
    for number in 0..<1_500 {
      let time = 70_000 + number * 100
      var request = CommandRequest(.target(.output(OutputOrder(output: "gate", request: .on))))
      request.token = try TimestampToken.seal(unixSeconds: seconds(story, at: time) + 59, key: #require(Self.other))
      let words = story.at(time, .commandArrived(CommandArrival(topic: "lamp", size: 100, content: .request(request))))
      isFull = isFull || words.contains("report command refused memoryFull")
    }
    #expect(isFull)
    #expect(try atGate(220_000).contains("report command gate pulse on c"))
  }

  @Test func `a token acts once across all topics of its key`() throws {
    var other = plan(.token(Self.key), window: .seconds(60))
    other.topic = "d"
    let story = story(plan(.token(Self.key)))
    var settings = story.kiosk.settings
    settings.commands.append(other)
    story.startAll()
    story.at(10, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    story.at(10, .reconfigured(settings, reconnect: false))
    let token = try sealed(seconds(story, at: 100_000))
    func elsewhere(_ time: Int, _ topic: String) -> [String] {
      story.at(time, .commandArrived(CommandArrival(topic: topic, size: 100, content: .request(token))))
    }
    #expect(story.at(100_000, arrival(token))[0] == "output 0 on")
    #expect(elsewhere(130_000, "d").contains("report command refused repeated"))
    // Nor on one that takes the place of both.
    settings.commands = [other]
    settings.commands[0].topic = "e"
    story.at(130_000, .reconfigured(settings, reconnect: false))
    #expect(elsewhere(130_001, "e")[0] == "report command refused justStarted")
  }

  @Test func `a trusted command that needs a time is refused if it is late or has no time`() {
    let story = running(plan(.trusted))
    var request = drive()
    #expect(story.at(20_000, arrival(request))[0] == "report command refused unproved")
    request.unixSeconds = seconds(story, at: 20_000) - 60
    #expect(story.at(20_000, arrival(request))[0] == "report command refused late(seconds: 60)")
    request.unixSeconds = .min
    #expect(story.at(20_000, arrival(request))[0].hasPrefix("report command refused late"))
    request.unixSeconds = seconds(story, at: 20_000)
    #expect(story.at(20_000, arrival(request))[0] == "output 0 on")
  }

  @Test func `a locked panel refuses commands if the topic is configured so`() {
    let story = running(plan(.trusted, window: nil, obeysLock: true), lockAfter: .seconds(30))
    #expect(
      story.at(20_000, arrival(drive())) == [
        "report command refused locked", "reply 7 refused locked to c/reply",
      ])
    let other = running(plan(.trusted, window: nil), lockAfter: .seconds(30))
    #expect(other.at(20_000, arrival(drive()))[0] == "output 0 on")
  }

  @Test func `a topic's commands are limited per minute, and refused ones flood neither log nor replies`() {
    let story = running(plan(.trusted, window: nil, perMinute: 3))
    var words: [String] = []
    for _ in 0..<200 { words += story.at(20_000, arrival(drive("gate", .off))) }
    #expect(words.count { $0 == "reply 7 done to c/reply" } == 3)
    #expect(words.count { $0.hasPrefix("report command refused tooMany") } == Limits.reportedRefusalsMax)
    #expect(words.count { $0.hasPrefix("reply 7 refused") } == Limits.refusalRepliesMax)
    let rest = 197 - Limits.reportedRefusalsMax
    #expect(story.sleep(until: 80_000).contains("report \(rest) more commands refused"))
    #expect(story.at(80_000, arrival(drive())).first == "output 0 on")
  }

  // MARK: Signatures

  private func signedStory() -> KioskScript {
    running(plan(.signed(.repeating(0x5A)), window: .seconds(5)))
  }

  private func signed(_ story: KioskScript, _ unixSeconds: Int64, topic: String = "c") throws -> CommandRequest {
    var request = drive()
    request.unixSeconds = unixSeconds
    request.nonce = "0123456789abcdef"
    request.hmac = Hex.encode(try SecretKey.repeating(0x5A).authenticate(#require(request.signedBytes(topic: topic))))
    return request
  }

  @Test func `a signature covers the whole command, including its topic`() throws {
    let story = signedStory()
    let now = seconds(story, at: 20_000)
    let good = try signed(story, now)
    var changed = [good, good, good, good]
    changed[0].form = .target(.output(OutputOrder(output: "gate", request: .on)))
    changed[1].id = "8"
    changed[2].unixSeconds = now + 1
    changed[3].nonce = "0123456789abcdeg"
    for request in changed + [try signed(story, now, topic: "d")] {
      #expect(story.at(20_000, arrival(request))[0] == "report command refused badSignature")
    }
    #expect(story.at(20_000, arrival(try signed(story, now - 6)))[0] == "report command refused late(seconds: 6)")
    #expect(story.at(20_000, arrival(good))[0] == "output 0 on")
    #expect(story.at(20_000, arrival(good))[0] == "report command refused repeated")
  }

  @Test func `an action URL acts once, while it is fresh, and only for its own action`() throws {
    let story = signedStory()
    func url(_ index: Int64, _ time: Int64, _ byte: UInt8) throws -> Event {
      arrival(CommandRequest(.url(try TagURL.sign(index: index, timestamp: time, key: .repeating(byte)).text())))
    }
    let now = seconds(story, at: 20_000)
    #expect(story.at(20_000, try url(1, now, 0x99))[0] == "report command refused badSignature")
    #expect(story.at(20_000, try url(1, now - 3_600, 0x11))[0] == "report command refused late(seconds: 3600)")
    #expect(story.at(20_000, try url(1, now, 0x11))[0] == "store light")
    #expect(story.at(20_000, try url(1, now, 0x11))[0] == "report command refused repeated")
  }

  @Test func `an action URL of a suspended person does nothing`() throws {
    let story = signedStory()
    var secret = TagSecret.lightSecret
    secret.person = Person(id: "1", name: "Ann", isSuspended: true, createdUnixSeconds: 1)
    story.at(20_000, .secretsLoaded([secret]))
    let url = try TagURL.sign(index: 1, timestamp: seconds(story, at: 20_000), key: .repeating(0x11))
    let words = story.at(20_000, arrival(CommandRequest(.url(url.text()))))
    #expect(words[0].hasPrefix("report command refused action(") && words[0].contains("personSuspended"), "\(words)")
  }

  @Test func `signatures match those of other implementations`() throws {
    let vectors = try CommandVectors.load()
    let key = try secretKey(vectors.key)
    for vector in vectors.commands {
      #expect(Hex.encode(try key.authenticate(Array(vector.message.utf8))) == vector.hmac)
    }
    var request = drive("gate", .pulse)
    request.unixSeconds = 1_790_000_010
    request.nonce = "0123456789abcdef"
    #expect(request.signedBytes(topic: "home/lobby/signed") == Array(vectors.commands[0].message.utf8))
  }

  // MARK: Replies and subscriptions

  @Test func `MQTT 5's response topic is used within the configured one, and correlation data is returned`() {
    let story = running(plan(.trusted, window: nil))
    func reply(to topic: String) -> CommandReply? {
      var arrival = CommandArrival(topic: "c", size: 10, content: .request(drive("gate", .off)))
      arrival.response = CommandResponse(topic: topic, correlation: [1, 2, 3])
      story.at(20_000, .commandArrived(arrival))
      return story.lastEffects.compactMap { if case .reply(let reply) = $0 { reply } else { nil } }.last
    }
    #expect(reply(to: "c/reply/me")?.address.destination == .topic("c/reply/me"))
    for stranger in ["home/garage", "c/reply/#", "c/replyx", ""] {
      #expect(reply(to: stranger)?.address.destination == .topic("c/reply"))
    }
    #expect(reply(to: "c/reply/me")?.address.correlation == [1, 2, 3])
  }

  @Test func `without a reply topic only the embedding program learns the outcome`() {
    var plan = plan(.trusted, window: nil)
    plan.replyTopic = nil
    let story = running(plan)
    #expect(story.at(20_000, arrival(drive("gate", .on))).contains("reply 7 done to nobody"), "\(story.lastEffects)")
    #expect(story.at(20_001, arrival(drive("pump", .on))) == ["report command refused notAllowed"])
  }

  @Test func `a denied topic is reported once, and again when subscribing to it succeeds`() {
    let story = running(plan(.trusted, window: nil))
    #expect(story.at(20_000, .commandsSubscribed(0, isGranted: false)) == ["report c denied"])
    #expect(story.at(20_001, .commandsSubscribed(0, isGranted: false)).isEmpty)
    #expect(story.at(20_002, .commandsSubscribed(0, isGranted: true)) == ["report c subscribed"])
    story.at(20_003, .link(.lost(.closedByBroker)))
    #expect(story.kiosk.status.commands[0].isSubscribed == nil)
    #expect(story.at(20_004, .commandsSubscribed(9, isGranted: true)).isEmpty)
  }

  @Test func `accepted proofs and counters survive a reload`() throws {
    let story = running(plan(.token(Self.key)))
    let token = try sealed(seconds(story, at: 20_000))
    story.at(20_000, arrival(token))
    story.at(20_001, .reconfigured(story.kiosk.settings, reconnect: false))
    #expect(story.at(20_002, arrival(token))[0] == "report command refused repeated")
    #expect(story.kiosk.status.commands[0].counts == CommandCounts(accepted: 1, refused: 1))
  }
}
