// A kiosk that is held up: what took place a long time ago has no effect any more, and nothing counts as hung.

import Testing

@testable import TappetCore

@Suite struct KioskLateTests {
  private static let gate = Action(
    name: "light", title: "Gate", index: 1, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    outputs: [OutputOrder(output: "gate", request: .pulse)])

  private func running(_ gestures: [Gesture: String] = [.press: "light"]) -> KioskScript {
    var panel = PanelPlan(buttons: [button("a", gestures)])
    panel.outputs = [OutputPlan(name: "gate"), OutputPlan(name: "latch", isSafeOn: true)]
    let story = KioskScript([Self.gate, .alarm], panel: panel)
    story.startAll()
    story.at(10, .secretsLoaded([.lightSecret, .alarmSecret]))
    story.openButtons()
    for index in 0...1 { story.at(10, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
    return story
  }

  private func edge(_ isActive: Bool, from past: Int, read now: Int, _ story: KioskScript) -> [String] {
    story.at(now, .panel(.edge(input: 0, isActive: isActive, at: story.moment(past).instant)))
  }

  @Test(arguments: [(3_000, true), (3_001, false), (15_000, false)])
  func `a press stays valid for three seconds`(_ age: Int, _ acts: Bool) {
    let story = running()
    let words = edge(true, from: 20_000 - age, read: 20_000, story)
    #expect(words.contains("output 0 on") == acts, "\(words)")
    #expect(words.contains("report refused \(age) ms late") == !acts, "\(words)")
    #expect(story.kiosk.counters.refused == (acts ? 0 : 1))
    let released = edge(false, from: 20_060 - age, read: 20_000, story)
    #expect(!released.contains { $0.contains("output") || $0.contains("late") }, "\(released)")
    // The next one counts again.
    _ = story.sleep(until: 29_000)
    #expect(story.edge(0, true, at: 30_000).contains("output 0 on"))
  }

  @Test func `a hold that was complete long ago, or a short press that ended then, does nothing`() {
    for end in [1_060, 9_000] {
      let story = running([.press: "light", .hold: "light"])
      #expect(story.edge(0, true, at: 1_000).isEmpty)
      let words = edge(false, from: end, read: 16_000, story) + story.at(16_000, .timerFired)
      #expect(!words.contains { $0.hasPrefix("output") }, "\(words)")
      #expect(words.contains { $0.hasSuffix("ms late") }, "\(words)")
    }
  }

  @Test func `a tag's age is measured from its frame`() {
    for (age, acts) in [(3_000, true), (12_000, false)] {
      let story = running()
      let reading = TagReading.of(.lightSecret)
      let sentAt = story.moment(20_000 - age).instant
      story.at(20_000, .reader(.tagArrived(reading.uid), sentAt: sentAt))
      let words = story.at(20_000, .reader(.tagRead(reading), sentAt: sentAt))
      #expect(words.contains("output 0 on") == acts, "\(words)")
      #expect(words.contains("report refused \(age) ms late") == !acts, "\(words)")
    }
  }

  @Test func `a tag held while the kiosk was stalled is not taken as confirmed`() {
    let story = running()
    let reading = TagReading.of(.alarmSecret)
    story.at(20_000, .reader(.tagArrived(reading.uid)))
    #expect(story.at(20_000, .reader(.tagRead(reading))).contains { $0.contains("confirm") })
    let words = story.at(40_000, .reader(.heartbeat))
    #expect(words.contains("report refused 15000 ms late") && !words.contains("store alarm"), "\(words)")
  }

  @Test func `a program's delayed request is refused, unless it makes an output safe`() {
    let story = running()
    let past = story.moment(5_000).instant
    #expect(story.at(20_000, .panel(.asked(action: "light", at: past))).contains("report refused 15000 ms late"))
    let late = "report output gate refused tooLate"
    #expect(story.at(20_000, .outputAsked("gate", .on, by: .program, at: past)) == [late])
    #expect(story.at(20_000, .outputAsked("gate", .on, by: .program)).contains("output 0 on"))
    #expect(story.at(20_000, .outputAsked("gate", .toggle, by: .program, at: past)) == [late])
    #expect(story.at(20_000, .outputAsked("gate", .off, by: .program, at: past)).contains("output 0 off"))
    #expect(story.at(20_000, .outputAsked("latch", .off, by: .program, at: past)).contains { $0.hasSuffix("tooLate") })
  }

  @Test func `a request that waits for a dead time that ended long ago is dropped`() {
    var panel = PanelPlan()
    panel.outputs = ["up", "down"].map { OutputPlan(name: $0, interlock: "drive", deadTime: .seconds(1)) }
    let story = KioskScript([], panel: panel)
    story.startAll()
    for index in 0...1 { story.at(10, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
    story.at(5_000, .outputAsked("up", .on))
    #expect(story.at(6_000, .outputAsked("down", .on)).contains("report output 1 waits 1000"))
    let words = story.at(20_000, .timerFired)
    #expect(words.contains("report output down refused tooLate") && !words.contains("output 1 on"), "\(words)")
    #expect(story.at(20_000, .outputAsked("down", .on)).contains("output 1 on"))
  }

  @Test func `a command delayed in the process, or a line whose commit took too long, is refused as late`() {
    let topic = CommandPlan(topic: "c", trust: .trusted, window: nil, outputs: ["gate"])
    let room = CommandPlan(
      topic: "#door:h", trust: .room(RoomCommanders(users: ["@ann:h"])), window: .seconds(30), outputs: ["gate"])
    var panel = PanelPlan()
    panel.outputs = [OutputPlan(name: "gate")]
    let story = KioskScript([], panel: panel, commands: [topic, room], hasReader: false)
    story.startAll()
    story.at(10, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    let target = CommandTarget.output(OutputOrder(output: "gate", request: .on))
    var arrival = CommandArrival(topic: "c", size: 9, content: .request(CommandRequest(.target(target))))
    arrival.receivedAt = story.moment(5_000).instant
    #expect(story.at(20_000, .commandArrived(arrival)) == ["report command refused late(seconds: 15)"])
    arrival.receivedAt = story.moment(19_000).instant
    #expect(story.at(20_000, .commandArrived(arrival)).contains("output 0 on"))
    story.at(20_000, .outputAsked("gate", .off))
    story.at(20_000, .rooms(.message(.ready)))
    story.at(20_000, .rooms(.message(.access(room: "#door:h", .open))))
    let line = RoomLine(
      room: "#door:h", event: "$1", user: "@ann:h", unixMilliseconds: story.moment(30_000).unixMilliseconds, power: nil,
      text: "!gate on")
    story.at(30_000, .rooms(.message(.heard(line))))
    story.at(30_000, .rooms(.message(.batch(position: "1"))))
    #expect(story.at(70_000, .store(.roomCommandsRecorded)).contains("report command refused late(seconds: 40)"))
  }

  @Test func `a reader counts as silent only after all its messages have been handled`() {
    let story = running()
    story.at(10_000, .reader(.heartbeat))
    #expect(!story.at(60_000, .clockChecked(isSynchronized: true)).contains("kill reader"))
    #expect(!edge(true, from: 59_900, read: 60_000, story).contains("kill reader"))
    story.at(60_000, .reader(.heartbeat, sentAt: story.moment(59_500).instant))
    #expect(!story.at(60_000, .timerFired).contains("kill reader"))
    #expect(story.at(120_000, .timerFired).contains("kill reader"))
  }
}
