// An action that somebody confirms in a room: who may, for how long, once, and what ends the question.

import Testing

@testable import TappetCore

@Suite struct RoomQuestionTests {
  private let room = "#door:h"

  private func running(isHeard: Bool = true) -> KioskScript {
    let alarm = Action(
      name: "alarm", title: "Open the door", index: 6, topic: "home/alarm", message: PayloadTemplate("on"),
      cooldown: .zero, confirmWithin: .seconds(30), confirmRoom: room)
    let plan = CommandPlan(
      topic: room, trust: .room(RoomCommanders(users: ["@ann:h"], powerLevel: 50)), window: .seconds(30))
    let panel = PanelPlan(
      buttons: [button("a", [.press: "alarm"]), button("b", [.press: "light"])])
    let story = KioskScript([alarm, .light], panel: panel, commands: [plan])
    story.startAll()
    story.at(10, .secretsLoaded([.lightSecret, .alarmSecret]))
    story.openButtons()
    story.at(20, .rooms(.message(.ready)))
    if isHeard { story.at(20, .rooms(.message(.access(room: room, .open)))) }
    return story
  }

  /// The number of the question that was just asked.
  private func asked(_ story: KioskScript) -> UInt64 {
    for case .askRoom(let question) in story.lastEffects { return question.number }
    return 0
  }

  @discardableResult
  private func answer(
    _ number: UInt64, isYes: Bool = true, by user: String = "@ann:h", power: Int64? = nil, _ story: KioskScript,
    at time: Int
  ) -> [String] {
    story.at(
      time, .rooms(.message(.answered(RoomAnswer(question: number, user: user, power: power, isYes: isYes)))))
  }

  @Test func `a press posts a question in the room, and runs once a user confirms it`() {
    let story = running()
    #expect(
      story.press(0, at: 100) == [
        "ask #door:h: Open the door", "light confirming", "report confirming alarm by button within 30000 in #door:h",
      ])
    let number = asked(story)
    #expect(story.press(0, at: 300) == [])
    #expect(
      answer(number, story, at: 5_000) == [
        "end question confirmed(by: \"@ann:h\")", "store alarm", "light ready",
      ])
    #expect(answer(number, story, at: 5_001) == [])
  }

  @Test func `a tag that was taken away is verified again when the answer arrives`() {
    let story = running()
    let reading = TagReading.of(.alarmSecret)
    #expect(story.tap(at: 100, reading).contains("ask #door:h: Open the door"))
    let number = asked(story)
    #expect(!story.tap(at: 2_000, reading).contains { $0.hasPrefix("ask") || $0.hasPrefix("end question") })
    #expect(answer(number, story, at: 3_000).contains("store alarm"))
    story.tap(at: 10_000, reading)
    let second = asked(story)
    story.at(10_500, .secretsLoaded([.lightSecret]))
    let words = answer(second, story, at: 11_000)
    #expect(words.contains("light refused") && !words.contains("store alarm"), "\(words)")
  }

  @Test func `a no, a timeout, another tap or press, a reload or a process exit ends the question`() {
    for end in 0..<5 {
      let story = running()
      story.press(0, at: 100)
      let number = asked(story)
      let words: [String]
      switch end {
      case 0: words = answer(number, isYes: false, by: "@mod:h", power: 50, story, at: 1_000)
      case 1: words = story.sleep(until: 30_100)
      case 2: words = story.press(1, at: 1_000)
      case 3: words = story.at(1_000, .reconfigured(story.kiosk.settings, reconnect: false))
      default: words = story.at(1_000, .rooms(.ended(.signaled(9))))
      }
      let why = ["refused(by: \"@mod:h\")", "unanswered", "cancelled", "cancelled", "cancelled"][end]
      #expect(words.contains("end question \(why)") && words.contains("light refused"), "\(end): \(words)")
      #expect(!words.contains { $0.hasPrefix("store") }, "\(end): \(words)")
      #expect(!answer(number, story, at: 40_000).contains("store alarm"))
    }
  }

  @Test func `a stranger, a user with less power, or an answer to another question confirms nothing`() {
    let story = running()
    story.press(0, at: 100)
    let number = asked(story)
    #expect(answer(number, by: "@eve:h", story, at: 1_000) == ["report command refused stranger"])
    #expect(answer(number, by: "@eve:h", power: 49, story, at: 1_100) == ["report command refused stranger"])
    #expect(
      answer(number, isYes: false, by: "@eve:h", power: 0, story, at: 1_200) == ["report command refused stranger"])
    #expect(answer(number &+ 1, story, at: 1_300) == [])
    #expect(answer(number, by: "@eve:h", power: 50, story, at: 1_400).contains("store alarm"))
  }

  @Test func `if the kiosk does not receive a room's messages, the tap is refused immediately`() {
    let story = running(isHeard: false)
    #expect(
      story.press(0, at: 100) == ["light refused", "report refused nobody to ask about alarm"])
    #expect(story.tap(at: 200, .of(.alarmSecret)).contains("light refused"))
    let other = running()
    other.press(0, at: 100)
    #expect(
      other.at(200, .rooms(.message(.access(room: room, .closed)))).contains("end question cancelled"))
    #expect(other.press(0, at: 400).contains("report refused nobody to ask about alarm"))
  }
}
