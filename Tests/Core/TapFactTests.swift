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

  @Test func `each fact takes the place of its name, as often as it is named`() throws {
    let values: [TapFact: String] = [
      .uid: "04a1", .tag: "Front door", .action: "bell", .kiosk: "lobby", .time: "2026-11-21T10:51:07Z",
      .unix: "1795258267", .text: "box 7", .person: "Ann Lee",
    ]
    for fact in TapFact.allCases { #expect(try sent("<%{\(fact.rawValue)}>", values) == "<\(values[fact] ?? "")>") }
    #expect(try sent("%{uid}%{uid} %{tag}", values) == "04a104a1 Front door")
    #expect(try sent("%{uid}", [:]) == "")
  }

  @Test func `a message that is JSON stays JSON, whatever a tag says`() throws {
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

  @Test func `inserted text is not examined again, neither now nor when it is sent`() throws {
    #expect(try sent("%{text} %T %I", [.text: "%T%I%{uid}", .uid: "04"]).hasPrefix("%T%I%{uid} <token> 0000"))
    #expect(try sent("%{text}", [.text: "%T%I"]) == "%T%I")
    #expect(try sent("%{text}T", [.text: "%"]) == "%T")
    #expect(try sent("%T%{text}", [.text: "%I"]) == "<token>%I")
  }

  @Test(arguments: ["%{", "100%{}", "%{ uid}", "%{7}", "%{UID}", "%{{uid}}", "%{\"a\":1}", "{%{}"])
  func `a brace without a name stays as it is`(_ text: String) throws {
    #expect(try sent(text, [.uid: "04"]) == text)
  }

  @Test(arguments: ["%{uid", "%{uids}", "%{u}", "%{uid }", "a %{text} %{person"])
  func `an unknown name, or one without an end, is refused unless the message is literal`(_ text: String) throws {
    #expect(PayloadTemplate(configured: text) == nil)
    #expect(try sent(text, [.text: "x"], format: .literal) == text)
  }

  @Test func `a topic has one level for each fact, and never a wildcard`() throws {
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
  }

  @Test func `a long fact is cut between its characters`() throws {
    let cut = try sent("%{text}", [.text: String(repeating: "客", count: 1_000)])
    #expect(cut == String(repeating: "客", count: Limits.factSizeMax / 3))
  }

  @Test func `times are as the C library writes them`() {
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
