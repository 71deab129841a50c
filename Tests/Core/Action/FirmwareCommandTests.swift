// A topic that is served as the ESP32 firmware serves it (docs/formats.md, "ESP32 messages").

import Testing

@testable import TappetCore

@Suite struct FirmwareCommandTests {
  private static let key = "000102030405060708090a0b0c0d0e0f"

  private func story(
    isLax: Bool = false, wallOffset: Int64 = 1_790_000_000_000, openings: [TimedOpening] = []
  ) -> KioskScript {
    var panel = PanelPlan()
    panel.outputs = ["open", "stop", "close"].map { OutputPlan(name: $0) }
    let plan = CommandPlan(
      topic: "tt", trust: .token(TimestampKey(hex: Self.key)), outputs: ["open", "stop", "close"],
      firmware: FirmwareRole(open: "open", stop: "stop", close: "close", isLax: isLax))
    let story = KioskScript(panel: panel, commands: [plan])
    story.wallOffset = wallOffset
    var summary = OutboxSummary()
    summary.openings = openings
    story.start(summary: summary)
    openLines(story)
    story.at(6, .reader(.ready(device: "chip")))
    return story
  }

  private func openLines(_ story: KioskScript) {
    let time = max(story.time, 5)
    for index in 0...2 { story.at(time, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
  }

  /// Up, and past the time of what may have acted before the start.
  private func running(isLax: Bool = false) -> KioskScript {
    let story = story(isLax: isLax)
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(20_000, .timerFired)
    return story
  }

  private func opening(stopsAt: Int?, closesAt: Int) -> TimedOpening {
    func instant(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }
    return TimedOpening(topic: "tt", stopsAt: stopsAt.map(instant), closesAt: instant(closesAt))
  }

  private func arrival(_ number: Int64, token: String?) -> Event {
    var request = CommandRequest(.number(number))
    request.token = token
    return .commandArrived(CommandArrival(topic: "tt", size: 80, content: .request(request)))
  }

  private func token(_ story: KioskScript, at milliseconds: Int, ahead: Int64 = 0) throws -> String {
    try TimestampToken.seal(
      unixSeconds: story.moment(milliseconds).unixSeconds + ahead, key: #require(TimestampKey(hex: Self.key)))
  }

  @Test(arguments: [(Int64(1), 0), (2, 1), (3, 2)])
  func `commands 1 to 3 pulse their output for 700 ms`(_ number: Int64, _ output: Int) throws {
    let story = running()
    #expect(story.at(20_000, arrival(number, token: try token(story, at: 20_000)))[0] == "output \(output) on")
    #expect(story.sleep(until: 20_699).isEmpty)
    #expect(story.sleep(until: 20_700)[0] == "output \(output) off")
  }

  @Test func `command 4 opens, stops after 10 s, and closes after 60 s`() throws {
    let story = running()
    #expect(story.at(20_000, arrival(4, token: try token(story, at: 20_000)))[0] == "output 0 on")
    #expect(story.sleep(until: 29_999).allSatisfy { !$0.hasPrefix("output 1") })
    #expect(story.sleep(until: 30_000)[0] == "output 1 on")
    #expect(story.sleep(until: 79_999).allSatisfy { !$0.hasPrefix("output 2") })
    #expect(story.sleep(until: 80_000)[0] == "output 2 on")
    #expect(story.sleep(until: 200_000).allSatisfy { !$0.contains(" on") })
  }

  @Test func `a closing that would hit a car waits for it`() throws {
    let story = running()
    var settings = story.kiosk.settings
    settings.panel.inputs = [InputPlan(name: "driveway")]
    settings.panel.outputs[2].requirements = [InputRequirement(input: "driveway", level: .closed)]
    story.at(20_000, .reconfigured(settings, reconnect: false))
    openLines(story)
    story.at(20_000, .panel(.opened(.contact(0), isActive: true, debouncesItself: true)))
    #expect(story.at(20_000, arrival(4, token: try token(story, at: 20_000)))[0] == "output 0 on")
    #expect(!story.sleep(until: 85_000).contains("output 2 on"))
    let words = story.at(85_000, .panel(.contact(0, isOpen: false, at: story.moment(85_000).instant)))
    #expect((words + story.sleep(until: 87_000)).contains("output 2 on"))
  }

  @Test func `a reload does not affect a running command 4, whatever changes in the panel`() throws {
    for replacesPanel in [false, true] {
      let story = running()
      let words = story.at(20_000, arrival(4, token: try token(story, at: 20_000)))
      #expect(words.contains("note tt stops at 30000, closes at 80000"), "\(words)")
      var settings = story.kiosk.settings
      if replacesPanel { settings.panel.lockAfter = .seconds(30) }
      story.at(22_000, .reconfigured(settings, reconnect: false))
      // The lines come back after the moment of the stop.
      let stopsAt = replacesPanel ? 31_000 : 30_000
      _ = story.sleep(until: 30_500)
      if replacesPanel { openLines(story) }
      _ = story.sleep(until: stopsAt)
      #expect(story.kiosk.status.outputs.map(\.isOn) == [false, true, false])
      #expect(!story.sleep(until: 79_999).contains("output 2 on"))
      let last = story.sleep(until: 80_000)
      #expect(last.contains("output 2 on") && last.contains("note tt closed"), "\(last)")
    }
  }

  @Test func `a reload that removes the topic closes the output immediately`() throws {
    let story = running()
    story.at(20_000, arrival(4, token: try token(story, at: 20_000)))
    var settings = story.kiosk.settings
    settings.commands = []
    let words = story.at(22_000, .reconfigured(settings, reconnect: false))
    #expect(words.contains("output 2 on") && words.contains("note tt closed"), "\(words)")
    #expect(story.sleep(until: 120_000).allSatisfy { !$0.contains(" on") })
  }

  @Test(arguments: [(30_000, 30_000), (3_000, 3_000), (-5_000, 1_000), (1_000_000, 1_000)])
  func `a kiosk that was killed closes the output when due, or immediately if overdue`(_ closesAt: Int, _ expected: Int)
  {
    let story = story(openings: [opening(stopsAt: nil, closesAt: closesAt)])
    #expect(!story.sleep(until: expected - 1).contains("output 2 on"))
    let words = story.sleep(until: expected)
    #expect(words.contains("output 2 on") && words.contains("note tt closed"), "\(words)")
  }

  /// A stop that is late follows at the first attempt after the line is back; one that is over does not come again.
  @Test(arguments: [(8_000, 58_000, 8_000), (-2_000, 48_000, 1_000), (nil, 30_000, nil), (-60_000, -10_000, nil)])
  func `a kiosk that was killed stops the output when due`(_ stopsAt: Int?, _ closesAt: Int, _ expected: Int?) {
    let story = story(openings: [opening(stopsAt: stopsAt, closesAt: closesAt)])
    guard let expected else { return #expect(!story.sleep(until: 120_000).contains("output 1 on")) }
    #expect(!story.sleep(until: expected - 1).contains("output 1 on"))
    let words = story.sleep(until: expected)
    #expect(words.contains("output 1 on") && words.contains("note tt closes at \(closesAt)"), "\(words)")
    #expect(!story.sleep(until: closesAt - 1).contains("output 2 on"))
    #expect(story.sleep(until: closesAt).contains("output 2 on"))
  }

  @Test func `refusing a second command 4 does not affect the first one's stop and closing`() throws {
    let story = running()
    story.at(20_000, arrival(4, token: try token(story, at: 20_000)))
    story.at(21_000, .panel(.failed(.output(0), .line(.chipGone))))
    let words = story.at(22_000, arrival(4, token: try token(story, at: 22_000)))
    #expect(words.contains("report command refused output(TappetCore.OutputRefusal.unavailable)"), "\(words)")
    #expect(story.sleep(until: 30_000).contains("output 1 on"))
    #expect(story.sleep(until: 80_000).contains("output 2 on"))
  }

  @Test func `a stopped kiosk closes the output at its next start`() throws {
    let story = running()
    story.at(20_000, arrival(4, token: try token(story, at: 20_000)))
    #expect(!story.at(21_000, .stopRequested).contains("note tt closed"))
  }

  @Test func `a newer command replaces the rest of command 4`() throws {
    let story = running()
    story.at(20_000, arrival(4, token: try token(story, at: 20_000)))
    story.at(25_000, arrival(2, token: try token(story, at: 25_000)))
    #expect(story.sleep(until: 120_000).allSatisfy { !$0.contains(" on") })
  }

  @Test func `the state is reported on connect, every 600 s, and on command 5, which needs no token`() {
    let story = story()
    #expect(story.at(10, .link(.connected(sessionPresent: false))).contains("announce tt"))
    #expect(story.at(20_000, arrival(5, token: nil)).contains("announce tt"))
    let words = story.sleep(until: 600_009)
    #expect(!words.contains("announce tt"))
    #expect(story.sleep(until: 600_010).contains("announce tt"))
    story.at(600_020, .link(.lost(.closedByBroker)))
    #expect(!story.sleep(until: 1_300_000).contains("announce tt"))
  }

  @Test func `a flood of command 5 does not use up the limit of genuine commands`() throws {
    let story = running()
    let words = (0..<200).flatMap { _ in story.at(20_000, arrival(5, token: nil)) }
    #expect(words.count { $0 == "announce tt" } == 30)
    #expect(story.at(20_000, arrival(1, token: try token(story, at: 20_000)))[0] == "output 0 on")
  }

  @Test func `tokens that only the firmware's rule accepts are refused by default`() throws {
    let story = running()
    let now = 20_000
    func word(_ token: String?) -> String { story.at(now, arrival(1, token: token))[0] }
    #expect(word(nil) == "report command refused unproved")
    #expect(word(try token(story, at: now, ahead: -6)) == "report command refused late(seconds: 6)")
    #expect(word(try token(story, at: now, ahead: 3_600)) == "report command refused early(seconds: 3600)")
    let good = try token(story, at: now)
    #expect(word(good) == "output 0 on")
    #expect(word(good) == "report command refused repeated")
    #expect(story.at(now, arrival(6, token: try token(story, at: now)))[0] == "report command refused notAllowed")
  }

  @Test func `with 'lax' a token from the future acts repeatedly, and an old one does not act`() throws {
    let story = running(isLax: true)
    let future = try token(story, at: 20_000, ahead: 3_600)
    #expect(story.at(20_000, arrival(1, token: future))[0] == "output 0 on")
    #expect(story.at(21_000, arrival(2, token: future))[0] == "output 1 on")
    let old = try token(story, at: 21_000, ahead: -6)
    #expect(story.at(21_000, arrival(3, token: old))[0] == "report command refused late(seconds: 6)")
    let tooFar = try token(story, at: 21_000, ahead: 86_401)
    #expect(story.at(21_000, arrival(3, token: tooFar))[0] == "report command refused early(seconds: 86401)")
  }

  @Test func `none of 20,000 guesses acts, and a genuine command among them acts immediately`() throws {
    let story = running(isLax: true)
    var random = Randomness(seed: (1, 2, 3, 4))
    for number in 0..<20_000 {
      let time = 20_000 + number * 5
      var request = CommandRequest(.number(1))
      request.token = Hex.encode((0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      let guess = CommandArrival(topic: "tt", size: 80, content: .request(request))
      _ = story.kiosk.commandArrived(guess, at: story.moment(time))
      guard number % 4000 == 3999 else { continue }
      let words = story.at(time, arrival(3, token: try token(story, at: time)))
      #expect(words.contains("report command close pulse on tt"), "\(words)")
    }
    #expect(story.kiosk.status.commands[0].counts == CommandCounts(accepted: 5, refused: 20_000))
  }

  @Test func `guessed tokens make 'lax' strict until ten minutes have passed without one`() throws {
    let story = running(isLax: true)
    func guess(at time: Int) { story.at(time, arrival(1, token: String(repeating: "0", count: 32))) }
    for number in 0..<Limits.guessesMax - 1 { guess(at: 20_000 + number) }
    let future = try token(story, at: 20_000, ahead: 3_600)
    #expect(story.at(21_000, arrival(1, token: future))[0] == "output 0 on")
    guess(at: 21_000)
    let refused = story.at(22_000, arrival(1, token: future))
    #expect(refused.contains("report command refused early(seconds: 3598)"), "\(refused)")
    let now = try token(story, at: 22_000)
    #expect(story.at(22_000, arrival(2, token: now))[0] == "output 1 on")
    #expect(story.at(22_000, arrival(2, token: now))[0] == "report command refused repeated")
    _ = story.sleep(until: 620_999)
    #expect(story.at(620_999, arrival(1, token: future))[0] == "report command refused early(seconds: 3000)")
    #expect(story.at(621_000, arrival(1, token: future))[0] == "output 0 on")
  }

  @Test func `the app's tokens act as the vectors specify`() throws {
    for sample in try Vectors.load().tokens where sample.key.count == 32 {
      let story = story(wallOffset: sample.ts * 1000 - 20_000)
      guard let key = TimestampKey(hex: sample.key) else { continue }
      let plan = CommandPlan(
        topic: "tt", trust: .token(key), outputs: ["open", "stop", "close"],
        firmware: FirmwareRole(open: "open", stop: "stop", close: "close"))
      var settings = story.kiosk.settings
      settings.commands = [plan]
      story.at(10, .reconfigured(settings, reconnect: false))
      #expect(story.at(20_000, arrival(1, token: sample.token))[0] == "output 0 on")
    }
  }

  @Test func `reports are never taken for commands`() {
    let story = running()
    let report = CommandArrival(topic: "tt", size: 80, content: .report)
    #expect(story.at(20_000, .commandArrived(report)).isEmpty)
    #expect(story.kiosk.status.commands[0].counts == CommandCounts())
  }
}
