// Levels that actions and outputs require of the panel's contacts: each way to act is refused without them, nothing is
// half done, and nobody is locked in.

import Testing

@testable import TappetCore

@Suite struct KioskRequirementTests {
  private static let isShut = InputRequirement(input: "inner", level: .closed)

  /// A mantrap: the tag's action opens the outer door while the inner one is closed.
  private func story(
    ofAction: [InputRequirement] = [], ofOutput: [InputRequirement] = [Self.isShut], topic: String? = "home/light",
    confirmWithin: Duration? = nil
  ) -> KioskScript {
    let enter = Action(
      name: "light", title: "Enter", index: 1, topic: topic, message: PayloadTemplate(topic == nil ? "" : "in"),
      cooldown: .zero, confirmWithin: confirmWithin, outputs: [OutputOrder(output: "latch", request: .pulse)],
      requirements: ofAction)
    var panel = PanelPlan.pressing("light")
    var (latch, hold) = (OutputPlan(name: "latch", pulse: .seconds(3)), OutputPlan(name: "hold", isSafeOn: true))
    latch.requirements = ofOutput
    hold.requirements = ofOutput
    let motors = ["up", "down"].map { OutputPlan(name: $0, interlock: "drive", deadTime: .seconds(1)) }
    panel.outputs = [latch, hold] + motors
    panel.outputs[3].requirements = ofOutput
    var (front, exit) = (InputPlan(name: "front"), InputPlan(name: "exit"))
    front.output = "latch"
    (exit.kind, exit.output) = (.exit, "latch")
    panel.inputs = [InputPlan(name: "inner"), front, exit]
    let commands = CommandPlan(
      topic: "c", trust: .trusted, window: nil, actions: ["light"], outputs: ["latch"], replyTopic: "c/reply")
    let story = KioskScript([enter], panel: panel, commands: [commands])
    story.startAll()
    story.openButtons()
    for index in 0...3 { story.at(10, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
    for index in 0...2 { open(index, false, of: story) }
    story.at(25_000, .reader(.heartbeat))
    return story
  }

  private func open(_ index: Int, _ isOpen: Bool, of story: KioskScript) {
    story.at(story.time, .panel(.opened(.contact(index), isActive: isOpen, debouncesItself: true)))
  }

  private func move(_ index: Int, _ isOpen: Bool, of story: KioskScript, at milliseconds: Int) -> [String] {
    let instant = story.moment(milliseconds).instant
    return story.at(milliseconds, .panel(.contact(index, isOpen: isOpen, at: instant)))
  }

  private func command(_ target: CommandTarget) -> Event {
    .commandArrived(
      CommandArrival(topic: "c", size: 100, content: .request(CommandRequest(.target(target), id: "7"))))
  }

  private static let refused = ["light refused", "report refused light requires inner closed, not open"]

  @Test(arguments: [true, false])
  func `a tap, a press and a command are refused while a required level is missing, and nothing is half done`(
    _ isOfAction: Bool
  ) {
    let story = story(ofAction: isOfAction ? [Self.isShut] : [], ofOutput: isOfAction ? [] : [Self.isShut])
    _ = move(0, true, of: story, at: 26_000)
    #expect(story.tap(at: 26_100, .of(.lightSecret)) == Self.refused)
    #expect(story.press(0, at: 26_200) == Self.refused)
    #expect(story.at(26_300, .panel(.asked(action: "light", at: story.moment(26_300).instant))) == Self.refused)
    let words = story.at(26_400, command(.action("light")))
    #expect(words.contains { $0.hasPrefix("reply 7 refused") } && !words.contains("output 0 on"), "\(words)")
    #expect(story.kiosk.outboxCount == 0 && story.kiosk.counters.accepted == 0)
    _ = move(0, false, of: story, at: 27_000)
    #expect(story.tap(at: 27_100, .of(.lightSecret)).starts(with: ["output 0 on", "store light"]))
  }

  @Test func `an unknown level satisfies nothing, nor does one that is changing`() {
    let open = InputRequirement(input: "inner", level: .open)
    for requirement in [Self.isShut, open] {
      let story = story(ofAction: [requirement], ofOutput: [])
      story.at(26_000, .panel(.failed(.contact(0), .line(.chipGone))))
      let expected = "report refused light requires inner \(requirement.level.name), not unknown"
      #expect(story.tap(at: 26_100, .of(.lightSecret)).contains(expected))
      let isOpen = requirement.level == .open
      story.at(26_200, .panel(.opened(.contact(0), isActive: isOpen, debouncesItself: false)))
      _ = move(0, !isOpen, of: story, at: 26_300)
      #expect(story.tap(at: 26_320, .of(.lightSecret)).contains(expected))
    }
  }

  @Test func `each request that moves an output from its safe level is refused, and none that returns it`() {
    let story = story()
    story.at(25_000, .outputAsked("latch", .on))
    story.at(25_000, .outputAsked("hold", .off))
    _ = move(0, true, of: story, at: 26_000)
    for request in [OutputRequest.on, .pulse] {
      #expect(story.at(26_100, .outputAsked("latch", request)).contains("report output latch refused unmet inner"))
    }
    #expect(story.at(26_200, .outputAsked("hold", .on)).contains("output 1 on"))
    #expect(story.at(26_200, .outputAsked("hold", .off)).contains("report output hold refused unmet inner"))
    #expect(story.at(26_300, .outputAsked("latch", .toggle)).contains("output 0 off"))
    #expect(story.at(26_300, .outputAsked("latch", .toggle)).contains("report output latch refused unmet inner"))
    let words = story.at(26_400, command(.output(OutputOrder(output: "latch", request: .pulse))))
    #expect(words.contains { $0.hasPrefix("reply 7 refused") } && !words.contains("output 0 on"), "\(words)")
    #expect(story.at(26_500, .outputAsked("up", .on)).contains("output 2 on"), "it requires nothing")
  }

  @Test func `a pulse ends, whatever opens during it`() {
    let story = story()
    story.at(25_000, .outputAsked("latch", .pulse))
    _ = move(0, true, of: story, at: 26_000)
    #expect(story.sleep(until: 28_000).contains("output 0 off"))
  }

  @Test func `a request to exit is never prevented`() {
    let story = story()
    _ = move(0, true, of: story, at: 26_000)
    #expect(move(2, true, of: story, at: 26_100).contains("output 0 on"))
  }

  @Test func `a request that waits for a dead time is refused when the door opens`() {
    let story = story()
    story.at(25_000, .outputAsked("up", .on))
    #expect(story.at(25_100, .outputAsked("down", .on)).contains("report output 3 waits 1000"))
    #expect(move(0, true, of: story, at: 25_500).contains("report output down refused unmet inner"))
    #expect(!story.sleep(until: 28_000).contains("output 3 on"))
  }

  @Test func `a door that opens before the confirmation refuses it`() {
    let story = story(ofAction: [Self.isShut], ofOutput: [], topic: nil, confirmWithin: .seconds(5))
    #expect(story.press(0, at: 26_000).contains { $0.contains("confirming") })
    _ = move(0, true, of: story, at: 27_000)
    #expect(Set(story.press(0, at: 27_200)).isSuperset(of: Self.refused))
  }

  @Test func `a use of a ticket that is committed after the door has opened drives nothing`() throws {
    let story = story(ofAction: [Self.isShut], ofOutput: [], topic: nil)
    var ticket = TagSecret.lightSecret
    let limits = try PersonLimits(from: nil, until: nil, hours: [], uses: 1, ticket: "t1")
    ticket.person = Person(id: "1", name: "Ann", createdUnixSeconds: 1, limits: limits)
    story.at(25_000, .secretsLoaded([ticket]))
    #expect(story.tap(at: 26_000, .of(ticket)).contains("count t1"))
    guard case .store(.countUse(let id, _))? = story.lastEffects.first else {
      Issue.record("the use is not counted: \(story.lastEffects)")
      return
    }
    _ = move(0, true, of: story, at: 26_010)
    #expect(Set(story.at(26_020, .store(.counted(id)))).isSuperset(of: Self.refused))
  }
}
