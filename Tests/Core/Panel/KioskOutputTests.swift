// From a tap, a press or a person to an output, past everything that may hold a message up.

import Testing

@testable import TappetCore

@Suite struct KioskOutputTests {
  /// Drives the gate, and sends nothing.
  private static let open = Action(
    name: "light", title: "Gate", index: 1, topic: nil, message: PayloadTemplate(""),
    outputs: [OutputOrder(output: "gate", request: .pulse)])
  /// Drives the gate and tells the broker, if there is one.
  private static let both = Action(
    name: "garage", title: "Garage", index: 2, topic: "home/garage", message: PayloadTemplate("open %T"),
    outputs: [OutputOrder(output: "gate", request: .pulse)])

  private func story(lockAfter: Duration? = nil) -> KioskScript {
    var panel = PanelPlan.pressing("light")
    panel.outputs = [OutputPlan(name: "gate", pulse: .milliseconds(700))]
    panel.lockAfter = lockAfter
    let story = KioskScript([Self.open, Self.both], panel: panel)
    return story
  }

  private func openGate(_ story: KioskScript) {
    story.openButtons()
    story.at(story.time, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
  }

  @Test func `a tap drives an output immediately, without a broker or a disk`() {
    let story = story()
    story.start()
    story.at(5, .reader(.ready(device: "chip")))
    openGate(story)
    #expect(
      story.tap(at: 1_000, .of(.lightSecret)) == [
        "output 0 on", "light accepted", "note light-1", "report output 0 on by light", "report performed light",
      ])
    let later = story.sleep(until: 1_800).filter { $0.contains("output") }
    #expect(later == ["output 0 off", "report output 0 off pulse over"])
    #expect(story.kiosk.counters.accepted == 1 && story.kiosk.outboxCount == 0)
    // One tap is one pulse: the tag's cooldown counts.
    #expect(story.tap(at: 1_900, .of(.lightSecret)).allSatisfy { !$0.contains("output") })
  }

  @Test func `replacing a panel switches its outputs off, and logs each`() {
    let story = story()
    story.start()
    openGate(story)
    story.at(5, .reader(.ready(device: "chip")))
    story.tap(at: 1_000, .of(.lightSecret))
    #expect(
      story.at(1_100, .panel(.closed)).filter { $0.contains("output") } == [
        "output 0 off", "report output 0 off closing",
      ])
    #expect(!story.sleep(until: 5_000).contains { $0.contains("output") })
  }

  @Test func `the door opens even if its message is refused, and the refusal is shown`() {
    let story = story()
    story.start()
    story.at(5, .reader(.ready(device: "chip")))
    openGate(story)
    let words = story.tap(at: 1_000, .of(.garageSecret))
    #expect(words.first == "output 0 on" && words.contains("light refused") && words.contains("note garage-1"))
  }

  @Test func `an output is driven together with sending its message`() {
    let story = story()
    story.startAll()
    openGate(story)
    let words = story.tap(at: 1_000, .of(.garageSecret))
    #expect(words == ["output 0 on", "store garage", "note garage-1", "report output 0 on by garage"])
  }

  @Test func `a locked panel drives nothing, except at a person's request`() {
    let story = story(lockAfter: .seconds(30))
    story.startAll()
    openGate(story)
    #expect(story.press(0, at: 100).allSatisfy { !$0.contains("output") })
    #expect(story.at(300, .outputAsked("gate", .on)) == ["output 0 on", "report output 0 on by a person"])
    #expect(story.at(400, .outputAsked("gaet", .on)) == ["report output gaet refused unknown"])
  }

  @Test func `a tag present at the start drives nothing until it is removed`() {
    let story = story()
    story.startAll()
    openGate(story)
    #expect(story.tap(at: 100, .of(.garageSecret), wasPresent: true) == ["light ready", "report held"])
    #expect(story.kiosk.counters.accepted == 0 && story.kiosk.outboxCount == 0)
    #expect(story.tap(at: 400, .of(.garageSecret)).first == "output 0 on")
  }

  @Test func `a group's dead time survives a reload with a different panel, and also applies at the start`() {
    var panel = PanelPlan()
    panel.outputs = ["gate", "down"].map { OutputPlan(name: $0, interlock: "drive", deadTime: .seconds(8)) }
    let story = KioskScript([Self.open], panel: panel)
    func openLines() {
      for index in 0...1 {
        story.at(story.time, .panel(.opened(.output(index), isActive: false, debouncesItself: false)))
      }
    }
    story.startAll()
    openLines()
    #expect(story.at(1_000, .outputAsked("gate", .on)).contains("report output 0 waits 7000"))
    #expect(story.sleep(until: 10_000).contains("output 0 on"))
    #expect(story.at(10_000, .outputAsked("gate", .off)).first == "output 0 off")
    var settings = story.kiosk.settings
    settings.panel.outputs.append(OutputPlan(name: "lamp"))
    story.at(10_100, .reconfigured(settings, reconnect: false))
    openLines()
    #expect(story.at(10_200, .outputAsked("down", .on)).contains("report output 1 waits 7900"))
  }

  @Test func `a forged tag drives nothing`() {
    let story = story()
    story.startAll()
    openGate(story)
    let words = story.tap(at: 100, .signed(index: 1, key: .repeating(0x99), uid: 7))
    #expect(words.contains("light refused") && words.allSatisfy { !$0.contains("output") })
  }

  @Test func `an output is off when its line returns, and before the kiosk stops`() {
    let story = story()
    story.startAll()
    openGate(story)
    story.at(100, .outputAsked("gate", .on))
    story.at(200, .panel(.failed(.output(0), .line(.chipGone))))
    #expect(story.kiosk.status.outputs == [KioskStatus.Output(isOn: false, isAvailable: false)])
    #expect(story.at(300, .outputAsked("gate", .on)) == ["report output gate refused unavailable"])
    openGate(story)
    story.at(400, .outputAsked("gate", .on))
    #expect(story.at(500, .stopRequested).first == "output 0 off")
    #expect(story.at(501, .outputAsked("gate", .on)).contains("report output gate refused closing"))
  }
}
