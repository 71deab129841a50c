// Commands that a broker or a homeserver holds back or exchanges, over all topics, rooms and actions of a kiosk.

import Testing

@testable import TappetCore

@Suite struct CommandMixTests {
  /// A command, and what it changes.
  private struct Sent {
    var arrival: CommandArrival
    var line: RoomLine?
    var things: Set<String>
    var sentAt: Int64
  }

  private static let token = TimestampKey(hex: "000102030405060708090a0b0c0d0e0f")
  private static let outputs = [
    OutputPlan(name: "gate"), OutputPlan(name: "heater"), OutputPlan(name: "up", interlock: "drive"),
    OutputPlan(name: "down", interlock: "drive"),
  ]

  private static func action(_ name: String, _ index: Int64, _ orders: [OutputOrder]) -> Action {
    Action(name: name, title: name, index: index, topic: nil, message: PayloadTemplate(""), outputs: orders)
  }

  private static let actions = [
    action("warm", 1, [OutputOrder(output: "heater", request: .on)]),
    action("cold", 2, [OutputOrder(output: "heater", request: .off)]),
    action("leave", 3, [OutputOrder(output: "gate", request: .pulse), OutputOrder(output: "down", request: .on)]),
  ]

  private static func plan(_ topic: String, _ trust: CommandTrust, window: Duration? = .seconds(30)) -> CommandPlan {
    CommandPlan(
      topic: topic, trust: trust, window: window, actions: actions.map(\.name), outputs: outputs.map(\.name),
      perMinute: 600)
  }

  private static let plans = [
    plan("signed", .signed(.repeating(0x5A))), plan("signed2", .signed(.repeating(0x5A))), plan("token", .token(token)),
    plan("timed", .trusted), plan("plain", .trusted, window: nil),
    plan("#door:h", .room(RoomCommanders(users: ["@ann:h"]))),
  ]

  private func story() -> KioskScript {
    var panel = PanelPlan()
    panel.outputs = Self.outputs
    let story = KioskScript(Self.actions, panel: panel, commands: Self.plans, hasReader: false)
    story.startAll()
    for index in Self.outputs.indices {
      story.at(10, .panel(.opened(.output(index), isActive: false, debouncesItself: false)))
    }
    story.at(10, .rooms(.message(.ready)))
    story.at(20, .rooms(.message(.access(room: "#door:h", .open))))
    story.at(100_000, .timerFired)
    return story
  }

  private func things(of target: CommandTarget) -> Set<String> {
    func thing(_ output: String) -> String { ["up", "down"].contains(output) ? "drive" : output }
    switch target {
    case .output(let order): return [thing(order.output)]
    case .action(let name):
      return Set(Self.actions.first { $0.name == name }?.outputs.map { thing($0.output) } ?? []).union([name + "!"])
    case _: return []
    }
  }

  private func send(
    _ target: CommandTarget, on plan: CommandPlan, at sentAt: Int64, number: Int
  ) throws -> Sent {
    var request = CommandRequest(.target(target), unixSeconds: sentAt)
    request.nonce = "nonce-\(number)"
    switch plan.trust {
    case .token(let key): request.token = try TimestampToken.seal(unixSeconds: sentAt, key: #require(key))
    case .signed:
      let message = try #require(request.signedBytes(topic: plan.topic))
      request.hmac = Hex.encode(try SecretKey.repeating(0x5A).authenticate(message))
    case .trusted: if plan.window == nil { request.unixSeconds = nil }
    case .room: break
    }
    var sent = Sent(
      arrival: CommandArrival(topic: plan.topic, size: 100, content: .request(request)), things: things(of: target),
      sentAt: sentAt)
    if plan.isRoom {
      sent.line = RoomLine(
        room: plan.topic, event: "$\(number)", user: "@ann:h", unixMilliseconds: sentAt * 1000, power: nil,
        text: "!" + target.text)
    }
    return sent
  }

  private func acts(_ words: [String]) -> Bool {
    words.contains { $0.hasPrefix("report command ") && !$0.hasPrefix("report command refused") }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `of 1,000 held and reordered commands, the newest always wins`(
    _ seed: UInt64
  ) throws {
    let story = story()
    var random = Randomness(seed: (seed, 2, 3, 4))
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    var (acted, seen): ([String: Int64], [String: Int64]) = ([:], [:])
    var (number, overtaken, pending) = (0, 0, Sent?.none)

    func judge(_ sent: Sent, _ words: [String]) {
      let newest = sent.things.compactMap { seen[$0] }.max() ?? 0
      let isActing = acts(words)
      if isActing {
        #expect(sent.things.allSatisfy { (acted[$0] ?? 0) <= sent.sentAt }, "\(sent) acts against a newer one")
        for thing in sent.things { acted[thing] = max(acted[thing] ?? 0, sent.sentAt) }
      } else {
        overtaken += 1
        #expect(words.contains("report command refused overtaken"), "\(words)")
      }
      #expect(isActing || sent.sentAt < newest, "\(sent) is the newest, and refused: \(words)")
    }
    func commit() {
      guard let line = pending else { return }
      pending = nil
      judge(line, story.at(story.time, .store(.roomCommandsRecorded)))
      if let event = line.line?.event { story.at(story.time, .rooms(.message(.settled(event: event)))) }
    }

    while number < 1_000 {
      let base = story.moment(story.time).unixSeconds
      var round: [Sent] = []
      for second in 0..<Int64(2 + pick(4)) {
        number += 1
        let target: CommandTarget =
          pick(3) == 0
          ? .action(Self.actions[pick(3)].name)
          : .output(OutputOrder(output: Self.outputs[pick(4)].name, request: OutputRequest.allCases[pick(4)]))
        round.append(try send(target, on: Self.plans[pick(Self.plans.count)], at: base + second, number: number))
      }
      // All of them are sent before the first arrives.
      story.at(story.time + round.count * 1_000, .timerFired)
      while !round.isEmpty {
        var sent = round.remove(at: pick(round.count))
        let time = story.time + 1_000 + pick(3_000)
        if sent.arrival.topic == "plain" { sent.sentAt = story.moment(time).unixSeconds }
        if sent.line != nil { commit() }
        for thing in sent.things { seen[thing] = max(seen[thing] ?? 0, sent.sentAt) }
        guard let line = sent.line else {
          judge(sent, story.at(time, .commandArrived(sent.arrival)))
          if pick(2) == 0 { commit() }
          continue
        }
        story.at(time, .rooms(.message(.heard(line))))
        _ = story.at(time, .rooms(.message(.batch(position: line.event))))
        pending = sent
      }
      commit()
      _ = story.sleep(until: story.time + 5_000)
    }
    #expect(overtaken > 150, "only \(overtaken) of \(number) were overtaken")
  }

  @Test func `after command 2, an older command 1 of the phone does not open the gate`() throws {
    var panel = PanelPlan()
    panel.outputs = ["open", "stop", "close"].map { OutputPlan(name: $0) }
    let plan = CommandPlan(
      topic: "tt", trust: .token(Self.token), outputs: ["open", "stop", "close"],
      firmware: FirmwareRole(open: "open", stop: "stop", close: "close"))
    let story = KioskScript(panel: panel, commands: [plan])
    story.startAll()
    for index in 0...2 { story.at(10, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
    story.at(20_000, .timerFired)
    func send(_ number: Int64, secondsAgo: Int64) throws -> [String] {
      var request = CommandRequest(.number(number))
      request.token = try TimestampToken.seal(
        unixSeconds: story.moment(story.time).unixSeconds - secondsAgo, key: #require(Self.token))
      return story.at(story.time, .commandArrived(CommandArrival(topic: "tt", size: 80, content: .request(request))))
    }
    #expect(try send(2, secondsAgo: 0)[0] == "output 1 on")
    #expect(try send(1, secondsAgo: 2) == ["report command refused overtaken"])
    #expect(try send(3, secondsAgo: 0)[0] == "output 2 on")
  }
}
