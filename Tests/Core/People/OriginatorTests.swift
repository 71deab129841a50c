// The originator of an entry: who caused a tap, a press or a command, and no one who caused another.

import Testing

@testable import TappetCore

@Suite struct OriginatorTests {
  private static let room = "#door:h"

  private func entry(_ story: KioskScript) -> OutboxEntry? { story.lastEffects.compactMap { $0.storedEntry }.last }

  private func by(_ story: KioskScript) -> Originator? { entry(story)?.by }

  /// A kiosk with an action that says who caused it, and with one that asks in a room.
  private func running() throws -> KioskScript {
    let message = try #require(PayloadTemplate(configured: "%{by}", format: nil))
    let told = Action(
      name: "told", title: "Told", index: 6, topic: "home/told", message: message, cooldown: .zero,
      webhookBody: message)
    let asked = Action(
      name: "asked", title: "Asked", index: 7, topic: "home/asked", message: PayloadTemplate("on"), cooldown: .zero,
      confirmWithin: .seconds(30), confirmRoom: Self.room)
    var panel = PanelPlan.pressing("told", "light", "asked")
    panel.outputs = [OutputPlan(name: "gate")]
    let story = KioskScript(
      [told, asked, .light], panel: panel,
      commands: [
        CommandPlan(topic: "c", trust: .trusted, window: nil, actions: ["told"], outputs: ["gate"]),
        CommandPlan(topic: Self.room, trust: .room(RoomCommanders(users: ["@ann:h"])), actions: ["told"]),
      ])
    story.startAll()
    let ann = Person(id: "1", name: "Ann Lee", createdUnixSeconds: 0)
    var owned = TagSecret.of(told, id: "told-1", byte: 0x44)
    owned.person = ann
    var labelled = TagSecret.of(told, id: "told-2", byte: 0x55)
    labelled.label = "spare"
    story.at(10, .secretsLoaded([owned, labelled, TagSecret.of(asked, id: "asked-1", byte: 0x66)]))
    story.openButtons()
    story.at(10, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    story.at(20, .rooms(.message(.ready)))
    story.at(20, .rooms(.message(.access(room: Self.room, .open))))
    return story
  }

  private func command(_ target: CommandTarget, statedSender: String? = nil) -> Event {
    var request = CommandRequest(.target(target))
    request.statedSender = statedSender
    return .commandArrived(CommandArrival(topic: "c", size: 9, content: .request(request)))
  }

  @Test func `the message and the webhook name a tag's owner or label, a button, a device and a topic`() throws {
    let story = try running()
    func told(_ name: String, _ origin: Originator) throws {
      let stored = try #require(entry(story))
      #expect(stored.by == origin && stored.forWebhook?.by == origin)
      #expect(stored.message.text.contains(name) && stored.forWebhook?.message.text.contains(name) == true)
    }
    story.tap(at: 100, .signed(index: 6, key: .repeating(0x44)))
    try told("Ann Lee", .tag)
    story.tap(at: 1_000, .signed(index: 6, key: .repeating(0x55), uid: 2))
    try told("tag spare", .tag)
    story.press(0, at: 2_000)
    try told("button b0", .button("b0"))
    story.at(3_000, .panel(.asked(action: "told", by: PressCaller(number: 7, device: "Hall tablet"))))
    try told("page Hall tablet", .page(device: "Hall tablet"))
    story.at(4_000, .panel(.asked(action: "told")))
    try told("program", .program)
    story.at(5_000, command(.action("told"), statedSender: "Eve"))
    try told("topic c, unverified Eve", .command(topic: "c", unverified: "Eve"))
    story.press(1, at: 6_000)
    #expect(by(story) == .button("b1") && entry(story)?.by?.text == "button b1")
  }

  @Test func `a user in a room is named by a line and by a confirmation, and not with the next press`() throws {
    let story = try running()
    func answer(at time: Int) {
      guard case .room(let question, _, _, _) = story.kiosk.panel.confirmation?.source else { return }
      let answer = RoomAnswer(question: question.number, user: "@ann:h", power: nil, isYes: true)
      story.at(time, .rooms(.message(.answered(answer))))
    }
    story.press(2, at: 1_000)
    answer(at: 2_000)
    #expect(by(story) == .user("@ann:h", room: Self.room, confirming: .button) && entry(story)?.trigger == .button)
    story.press(1, at: 3_000)
    #expect(by(story) == .button("b1"))
    story.tap(at: 4_000, .signed(index: 7, key: .repeating(0x66), uid: 3))
    answer(at: 5_000)
    #expect(by(story) == .user("@ann:h", room: Self.room, confirming: .tag) && entry(story)?.trigger == .tag)
    let line = RoomLine(
      room: Self.room, event: "$1", user: "@ann:h", unixMilliseconds: story.moment(40_000).unixMilliseconds, power: nil,
      text: "!told")
    story.at(40_000, .rooms(.message(.heard(line))))
    story.at(40_000, .rooms(.message(.batch(position: "$1"))))
    story.at(40_000, .store(.roomCommandsRecorded))
    #expect(by(story) == .user("@ann:h", room: Self.room) && entry(story)?.message.text.contains("@ann:h") == true)
  }

  @Test func `an output names who switched it, and a refusal who was refused`() throws {
    let story = try running()
    func cause() -> OutputCause? {
      for case .report(.output(let report)) in story.lastEffects { return report.cause }
      return nil
    }
    story.at(100, .outputAsked("gate", .on, by: .page(device: "Hall tablet")))
    #expect(cause() == .request(.page(device: "Hall tablet")))
    story.at(200, .outputAsked("gate", .off))
    #expect(cause() == .request(.tool))
    story.at(300, command(.output(OutputOrder(output: "gate", request: .on))))
    #expect(cause() == .request(.command(topic: "c")))
    let phone = PressCaller(number: 7, device: "Phone")
    story.at(20_000, .panel(.asked(action: "told", by: phone, at: story.moment(9_000).instant)))
    for case .report(.tap(.refused(let by, _, _, _))) in story.lastEffects { #expect(by == .page(device: "Phone")) }
    #expect(story.lastEffects.contains { if case .report(.tap(.refused)) = $0 { true } else { false } })
  }
}
