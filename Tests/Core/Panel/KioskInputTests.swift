// From a door's contact to what follows: permitted or forced, held open, relocked; and from a request to exit to the
// door.

import Testing

@testable import TappetCore

@Suite struct KioskInputTests {
  private static let open = Action(
    name: "light", title: "Door", index: 1, topic: nil, message: PayloadTemplate(""),
    outputs: [OutputOrder(output: "latch", request: .pulse)])
  private static let alarm = Action(
    name: "garage", title: "Alarm", index: 2, topic: "home/alarm", message: PayloadTemplate("on"),
    offline: .queue, expiresAfter: .seconds(60))

  private func story(
    relocks: Bool = false, lockAfter: Duration? = nil, homeAssistant: HomeAssistantPlan? = nil
  ) -> KioskScript {
    var panel = PanelPlan.pressing("light")
    panel.outputs = [OutputPlan(name: "latch", pulse: .seconds(3))]
    var door = InputPlan(name: "front")
    (door.output, door.heldOpen, door.relocks, door.onForced) = ("latch", .seconds(30), relocks, "garage")
    var exit = InputPlan(name: "exit")
    (exit.kind, exit.output) = (.exit, "latch")
    panel.inputs = [door, exit, InputPlan(name: "window")]
    panel.lockAfter = lockAfter
    let story = KioskScript([Self.open, Self.alarm], panel: panel, homeAssistant: homeAssistant)
    story.startAll()
    story.openButtons()
    story.at(story.time, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    for index in 0...2 { open(index, isOpen: false, of: story) }
    return story
  }

  @discardableResult
  private func open(_ index: Int, isOpen: Bool, of story: KioskScript) -> [String] {
    story.at(story.time, .panel(.opened(.contact(index), isActive: isOpen, debouncesItself: true)))
  }

  private func move(_ index: Int, _ isOpen: Bool, of story: KioskScript, at milliseconds: Int) -> [String] {
    let instant = story.moment(milliseconds).instant
    return story.at(milliseconds, .panel(.contact(index, isOpen: isOpen, at: instant)))
  }

  /// Lets time pass while the reader works; returns the effects on the way.
  private func rest(_ story: KioskScript, until milliseconds: Int) -> [String] {
    var words: [String] = []
    while story.time < milliseconds {
      let next = min(milliseconds, story.time + 1_000)
      words += story.sleep(until: next) + story.at(next, .reader(.heartbeat))
    }
    return words
  }

  @Test func `a door that a tag opened is opened with permission until ten seconds after the pulse`() {
    let story = story()
    story.tap(at: 1_000, .of(.lightSecret))
    #expect(move(0, true, of: story, at: 2_000).contains("report front opened permitted"))
    story.sleep(until: 4_900)
    #expect(move(0, false, of: story, at: 5_000).contains("report front closed changed after 3000"))
    story.sleep(until: 13_900)
    #expect(move(0, true, of: story, at: 14_000).contains("report front opened permitted"))
    _ = move(0, false, of: story, at: 14_005)
    let words = move(0, true, of: story, at: 14_010)
    #expect(words.contains("report front opened forced") && words.contains("store garage"))
  }

  @Test func `a door that nobody opened is forced, and its light lasts until it is closed`() {
    let story = story()
    let words = move(0, true, of: story, at: 1_000)
    #expect(words.contains("report front opened forced"))
    #expect(words.contains("store garage") && words.contains("light forced"))
    #expect(story.kiosk.inputStates[0].isForced)
    let later = move(0, false, of: story, at: 2_000)
    #expect(later.contains("report front closed changed after 1000") && later.contains("light ready"))
  }

  @Test func `a window without an output is never forced`() {
    #expect(move(2, true, of: story(), at: 1_000).contains("report window opened changed"))
  }

  @Test func `a door found open is neither forced nor opened, and its closing is reported`() {
    let story = story()
    story.at(1_000, .panel(.failed(.contact(0), .line(.chipGone))))
    #expect(story.kiosk.inputStates[0].level == .unknown)
    let words = open(0, isOpen: true, of: story)
    #expect(words.contains("report front opened found") && !words.contains("store garage"))
    #expect(move(0, false, of: story, at: 3_000).contains("report front closed changed"))
  }

  @Test func `a lost virtual panel leaves no input with a level`() {
    let story = story()
    story.at(1_000, .panel(.failed(.simulator, .simulatorAway(code: 0))))
    #expect(story.kiosk.inputStates.allSatisfy { $0.level == .unknown })
  }

  @Test func `a contact that bounces endlessly is ignored for a while, and read again`() {
    let story = story()
    story.at(900, .panel(.opened(.contact(2), isActive: false, debouncesItself: false)))
    let words = (0..<600).flatMap { move(2, $0 % 2 == 0, of: story, at: 1_000 + $0) }
    // The buttons come first.
    #expect(words.contains("pause 3") && words.contains("light fault"), "\(words)")
    #expect(rest(story, until: 40_000).contains("resume 3"))
    #expect(open(2, isOpen: true, of: story).contains("report window opened found"))
    #expect(story.kiosk.inputStates[2].level == .open)
  }

  @Test func `a request to exit opens the door of a locked panel, and the opening is permitted`() {
    let story = story(lockAfter: .seconds(30))
    let words = move(1, true, of: story, at: 1_000)
    #expect(words.contains("output 0 on") && words.contains("report output 0 on by exit exit"))
    _ = move(1, false, of: story, at: 1_200)
    story.sleep(until: 5_000)
    #expect(move(0, true, of: story, at: 6_000).contains("report front opened permitted"))
  }

  @Test func `an exit without a working output still makes the opening one with permission`() {
    let story = story()
    story.at(900, .panel(.failed(.output(0), .line(.chipGone))))
    #expect(move(1, true, of: story, at: 1_000).contains("report output latch refused unavailable"))
    #expect(move(0, true, of: story, at: 2_000).contains("report front opened permitted"))
  }

  @Test func `a request to exit from long ago opens nothing`() {
    let story = story()
    let instant = story.moment(1_000).instant
    let words = story.at(5_000, .panel(.contact(1, isOpen: true, at: instant)))
    #expect(words.contains("report output latch refused tooLate") && !words.contains("output 0 on"))
  }

  @Test func `a door that relocks ends the pulse when it opens, not before the shortest pulse`() {
    let story = story(relocks: true)
    story.tap(at: 1_000, .of(.lightSecret))
    #expect(!move(0, true, of: story, at: 1_010).contains("output 0 off"))
    #expect(story.sleep(until: 1_100).contains("report output 0 off relocked"))
    _ = move(0, false, of: story, at: 2_000)
    story.sleep(until: 9_000)
    story.at(9_000, .outputAsked("latch", .pulse))
    #expect(move(0, true, of: story, at: 9_500).contains("report output 0 off relocked"))
  }

  @Test func `an opening that nobody used is reported when it may no longer be used`() {
    let story = story()
    story.tap(at: 1_000, .of(.lightSecret))
    #expect(!story.sleep(until: 14_000).contains("report front not entered"))
    #expect(story.sleep(until: 14_050).contains("report front not entered"))
    #expect(!story.sleep(until: 60_000).contains("report front not entered"), "once")
  }

  @Test func `an opening that was used, or whose door was not closed for certain, is not reported`() {
    let used = story(relocks: true)
    used.tap(at: 1_000, .of(.lightSecret))
    _ = move(0, true, of: used, at: 2_000)
    _ = move(0, false, of: used, at: 3_000)
    let open = story()
    _ = move(0, true, of: open, at: 500)
    open.tap(at: 1_000, .of(.lightSecret))
    let unknown = story()
    unknown.tap(at: 1_000, .of(.lightSecret))
    unknown.at(2_000, .panel(.failed(.contact(0), .line(.chipGone))))
    self.open(0, isOpen: false, of: unknown)
    let again = story()
    again.at(1_000, .outputAsked("latch", .pulse))
    again.sleep(until: 9_000)
    again.at(9_000, .outputAsked("latch", .pulse))
    _ = move(0, true, of: again, at: 10_000)
    for story in [used, open, unknown, again] {
      #expect(!story.sleep(until: 60_000).contains("report front not entered"))
    }
  }

  @Test func `an output that was switched on is not relocked`() {
    let story = story(relocks: true)
    story.at(1_000, .outputAsked("latch", .on))
    #expect(!move(0, true, of: story, at: 2_000).contains("output 0 off"))
  }

  @Test func `a door held open is shown and reported, and its end as well`() {
    let story = story()
    story.at(1_000, .outputAsked("latch", .pulse))
    _ = move(0, true, of: story, at: 1_500)
    let words = rest(story, until: 31_500)
    #expect(words.contains("report front held open for 30000") && words.contains("light door-open"))
    #expect(!rest(story, until: 600_000).contains { $0.contains("held open") })
    let end = move(0, false, of: story, at: 600_500)
    #expect(end.contains("report front closed changed after 599000, at last") && end.contains("light ready"))
  }

  @Test func `a reload with a different panel forgets every level`() {
    let story = story()
    var settings = story.kiosk.settings
    settings.panel.inputs[0].heldOpen = .seconds(60)
    story.at(1_000, .reconfigured(settings, reconnect: false))
    #expect(story.kiosk.inputStates.allSatisfy { $0.level == .unknown })
    #expect(open(0, isOpen: true, of: story).contains("report front opened found"))
  }

  @Test func `Home Assistant receives each state once, and all on each connection`() {
    let story = story(homeAssistant: HomeAssistantPlan())
    func announced(_ words: [String]) -> [String] { words.filter { $0.hasPrefix("announce") && $0.contains("front") } }
    let words = move(0, true, of: story, at: 1_000)
    #expect(words.contains { $0.contains("input 0 open forced since") })
    #expect(words.contains { $0.contains("front forced") })
    #expect(!story.at(1_500, .timerFired).contains { $0.contains("input 0") })
    story.at(2_000, .link(.lost(.closedByBroker)))
    story.sleep(until: 9_000)
    let all = story.at(9_000, .link(.connected(sessionPresent: false)))
    #expect(all.contains { $0.contains("input 0 open forced") } && all.contains { $0.contains("input 2 closed found") })
    // An exit has no state.
    #expect(!all.contains { $0.contains("input 1") })
    let unknown = story.at(10_000, .panel(.failed(.contact(0), .line(.chipGone))))
    #expect(unknown.contains { $0.contains("input 0 unknown lost") })
  }
}
