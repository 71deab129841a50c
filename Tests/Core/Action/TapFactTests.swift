import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct TapFactTests {
  private static let id = EntryID(high: 1, low: 0xABCD)

  private static func facts(_ values: [TapFact: String]) -> TapFacts {
    var facts = TapFacts()
    for (fact, value) in values { facts[fact] = value }
    return facts
  }

  private func sent(_ text: String, _ values: [TapFact: String], format: MessageFormat? = nil) throws -> String {
    let template = try #require(PayloadTemplate(configured: text, format: format))
    let filled = template.filled(with: TapFactTests.facts(values), id: TapFactTests.id)
    let kept = PayloadTemplate(filled.text, storedFilling: filled.storedFilling)
    #expect(kept == filled)
    return String(decoding: kept.fill(token: "<token>", id: TapFactTests.id), as: UTF8.self)
  }

  @Test func `every mention of a fact is replaced with its value`() throws {
    let values: [TapFact: String] = [
      .uid: "04a1", .tag: "Front door", .action: "bell", .kiosk: "lobby", .time: "2026-11-21T10:51:07Z",
      .unix: "1795258267", .text: "box 7", .person: "Ann Lee",
    ]
    for fact in TapFact.allCases { #expect(try sent("<%{\(fact.rawValue)}>", values) == "<\(values[fact] ?? "")>") }
    #expect(try sent("%{uid}%{uid} %{tag}", values) == "04a104a1 Front door")
    #expect(try sent("%{uid}", [:]) == "")
  }

  private static func thing(_ kind: InventoryKind, _ name: String) -> InventoryThing {
    guard let id = InventoryID([UInt8](1...16)) else { preconditionFailure() }
    return InventoryThing(id: id, kind: kind, name: name)
  }

  /// A touch of a box in which there is something.
  private static var shown: InventoryOutcome {
    var box = thing(.box, "Screws \"fine\"")
    (box.code, box.path, box.contentCount) = ("B-17", "House → Cellar → Shelf", 3)
    box.contents = [.init(name: "M4 x 20", quantity: 200), .init(name: "Drill", quantity: 1)]
    return InventoryOutcome(verb: "shown", thing: box, who: "Ann Lee")
  }

  @Test func `a touch in the inventory provides its own facts`() {
    var facts = TapFactTests.facts([.uid: "04a1", .time: "2026-11-21T10:51:07Z", .unix: "1795258267"])
    facts.add(TapFactTests.shown)
    let values: [TapFact: String] = [
      .uid: "04a1", .time: "2026-11-21T10:51:07Z", .unix: "1795258267", .verb: "shown", .kind: "box",
      .thing: "Screws \"fine\"", .id: "01020304-0506-0708-090a-0b0c0d0e0f10", .code: "B-17",
      .path: "House → Cellar → Shelf", .contents: "200 M4 x 20, Drill and 1 more", .quantity: "1", .who: "Ann Lee",
    ]
    for fact in TapFact.allCases { #expect(facts[fact] == values[fact] ?? "", "\(fact)") }
  }

  @Test func `an item has facts for its minimum and holder, and a change for its number and time`() {
    var item = TapFactTests.thing(.item, "M4")
    (item.quantity, item.minimum, item.holder) = (3, 10, "Ben")
    var facts = TapFactTests.facts([.time: "now", .unix: "now"])
    facts.add(
      InventoryOutcome(
        verb: "lent", thing: item, who: "Eve", change: 7, unixMilliseconds: 1_795_258_267_999, due: "2026-12-24",
        correction: StockCorrection(from: 4, to: 3)))
    let values: [TapFact: String] = [
      .verb: "lent", .kind: "item", .thing: "M4", .quantity: "3", .minimum: "10", .holder: "Ben", .who: "Eve",
      .due: "2026-12-24", .change: "7", .from: "4", .to: "3", .time: "2026-11-21T10:51:07Z", .unix: "1795258267",
    ]
    for (fact, value) in values { #expect(facts[fact] == value, "\(fact)") }
    #expect(facts[.code].isEmpty && facts[.contents].isEmpty)
    (item.holder, item.pieceHolders) = (nil, "Ben, Cy")
    facts.add(InventoryOutcome(verb: "shown", thing: item, who: "Eve"))
    #expect(facts[.holder] == "Ben, Cy")
  }

  @Test func `the message about a change is JSON, whatever the thing is named`() throws {
    var plan = InventoryPlan()
    #expect(plan.feed == nil)
    plan.topic = "tappet/kiosk/inventory"
    let feed = try #require(plan.feed)
    var outcome = TapFactTests.shown
    (outcome.verb, outcome.change, outcome.unixMilliseconds) = ("moved", 7, 0)
    outcome.thing?.holder = "Ben"
    var facts = TapFacts()
    facts.add(outcome)
    let filled = feed.message.filled(with: facts, id: TapFactTests.id)
    #expect(
      String(decoding: filled.fill(token: "", id: TapFactTests.id), as: UTF8.self) == """
        {"change": 7, "verb": "moved", "kind": "box", "id": "01020304-0506-0708-090a-0b0c0d0e0f10", \
        "name": "Screws \\"fine\\"", "code": "B-17", "path": "House → Cellar → Shelf", "quantity": 1, \
        "from": null, "to": null, "holder": "Ben", "by": "Ann Lee", "time": "1970-01-01T00:00:00Z"}
        """)
    outcome.correction = StockCorrection(from: 12, to: 20)
    facts.add(outcome)
    let counted = feed.message.filled(with: facts, id: TapFactTests.id).fill(token: "", id: TapFactTests.id)
    #expect(String(decoding: counted, as: UTF8.self).contains("\"from\": 12, \"to\": 20, "))
    #expect(feed.topicTemplate?.topic(with: facts) == "tappet/kiosk/inventory/change/moved")
  }

  @Test func `a message that is JSON stays JSON, whatever a tag contains`() throws {
    let text = "a \"b\" \\ \n\u{1B} %T %I é"
    let object = "{\"text\": \"%{text}\", \"otp\": \"%T\"}"
    #expect(
      try sent(object, [.text: text])
        == "{\"text\": \"a \\\"b\\\" \\\\ \\u000a\\u001b %T %I é\", \"otp\": \"<token>\"}")
    #expect(try sent(" [\"%{text}\"]\n", [.text: "\""]) == " [\"\\\"\"]\n")
    #expect(try sent("said \"%{text}\"", [.text: "\""]) == "said \"\"\"")
    #expect(try sent("{%{text}}", [.text: "\""], format: .text) == "{\"}")
    #expect(try sent("%{text}", [.text: "\""], format: .json) == "\\\"")
  }

  @Test func `placeholders in inserted text are not replaced, neither immediately nor on sending`() throws {
    #expect(try sent("%{text} %T %I", [.text: "%T%I%{uid}", .uid: "04"]).hasPrefix("%T%I%{uid} <token> 0000"))
    #expect(try sent("%{text}", [.text: "%T%I"]) == "%T%I")
    #expect(try sent("%{text}T", [.text: "%"]) == "%T")
    #expect(try sent("%T%{text}", [.text: "%I"]) == "<token>%I")
  }

  @Test(arguments: ["%{", "100%{}", "%{ uid}", "%{7}", "%{UID}", "%{{uid}}", "%{\"a\":1}", "{%{}"])
  func `a brace without a name is kept`(_ text: String) throws {
    #expect(try sent(text, [.uid: "04"]) == text)
  }

  @Test(arguments: ["%{uid", "%{uids}", "%{u}", "%{uid }", "a %{text} %{person"])
  func `an unknown or unfinished name is refused, unless the message is literal`(_ text: String) throws {
    #expect(PayloadTemplate(configured: text) == nil)
    #expect(try sent(text, [.text: "x"], format: .literal) == text)
  }

  @Test func `a fact fills exactly one level of a topic, and is never a wildcard`() throws {
    let template = try #require(PayloadTemplate(configured: "door/%{tag}/%{uid}", format: .text))
    #expect(template.topic(with: TapFactTests.facts([.tag: "a/b+c#\u{0}d$e", .uid: "04a1"])) == "door/a_b_c__d_e/04a1")
    #expect(template.topic(with: TapFacts()) == "door/none/none")
    let controls = template.topic(
      with: TapFactTests.facts([.tag: String(repeating: "\u{1}\u{9}\r\n\u{7F}", count: 800)]))
    #expect(Action.isTopic(controls) && controls.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    let long = template.topic(with: TapFactTests.facts([.tag: String(repeating: "é", count: 5_000)]))
    #expect(long.utf8.count <= template.topicSizeMax && Action.isTopic(long))
    let first = try #require(PayloadTemplate(configured: "%{text}", format: .text))
    #expect(Action.isTopic(first.topic(with: TapFactTests.facts([.text: "$SYS"]))))
    // The topics of an AWS IoT device's shadow.
    #expect(Action.isTopic("$aws/things/door/shadow/update") && !Action.isTopic("$SYS/broker/uptime"))
  }

  /// MQTT 5.0 §1.5.4, and the limits of the last plane.
  private static let refused: [UInt32] = [
    0x1, 0x1F, 0x7F, 0x80, 0x9F, 0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1_FFFE, 0x10_FFFF,
  ]

  @Test(arguments: refused)
  func `a character that no broker accepts is replaced in a topic, and refused in a configured topic`(
    _ point: UInt32
  ) throws {
    let text = "box " + String(Character(try #require(Unicode.Scalar(point)))) + " 1"
    let template = try #require(PayloadTemplate(configured: "room/%{text}", format: .text))
    #expect(template.topic(with: TapFactTests.facts([.text: text])) == "room/box _ 1")
    #expect(!Action.isTopic("room/" + text) && !BrokerSettings.isClientID(text))
  }

  @Test(arguments: ["é", "客", "\u{FDCF}", "\u{FFFD}", "\u{FEFF}", "\u{1F6AA}", "\u{10FFFD}"])
  func `other characters in a topic stay unchanged`(_ text: String) throws {
    let template = try #require(PayloadTemplate(configured: "room/%{text}", format: .text))
    #expect(template.topic(with: TapFactTests.facts([.text: text])) == "room/" + text)
    #expect(Action.isTopic("room/" + text) && BrokerSettings.isClientID(text))
  }

  @Test func `a long fact is truncated between characters`() throws {
    let cut = try sent("%{text}", [.text: String(repeating: "客", count: 1_000)])
    #expect(cut == String(repeating: "客", count: Limits.factSizeMax / 3))
  }

  @Test func `times are formatted as the C library formats them`() {
    var random = Randomness(seed: (1, 2, 3, 4))
    for _ in 0..<2_000 {
      let seconds = Int64(random.next() % 300_000_000_000) - 60_000_000_000
      let expected = WallTime.utc(unixMilliseconds: seconds * 1_000)?.replacing(".000Z", with: "Z")
      #expect(UTCTime(unixSeconds: seconds).text == expected)
    }
    #expect(UTCTime(unixSeconds: -1).text == "1969-12-31T23:59:59Z")
    #expect(UTCTime(unixSeconds: 951_782_400).text == "2000-02-29T00:00:00Z")
  }
}
