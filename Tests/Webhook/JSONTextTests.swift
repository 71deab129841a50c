// The bounds of a JSON text, which hold before cJSON takes memory for it.

import TappetCore
import Testing

@testable import TappetJSON

@Suite struct JSONTextTests {
  private func list(_ count: Int) -> String { "[" + Array(repeating: "0", count: count).joined(separator: ",") + "]" }

  private func bounded(_ text: String, _ valuesMax: Int, _ part: JSONText.Part = .none) -> String? {
    JSONText.bounded(Array(text.utf8), valuesMax: valuesMax, omitting: part).map { String(decoding: $0, as: UTF8.self) }
  }

  private func valueCount(_ json: JSON) -> Int {
    switch json {
    case .array(let elements): 1 + elements.reduce(0) { $0 + valueCount($1) }
    case .object(let members): 1 + members.reduce(0) { $0 + valueCount($1.value) }
    case .null, .bool, .number, .string: 1
    }
  }

  @Test func `text with more values than the limit is not parsed, whatever its size`() {
    let (most, more) = (list(Limits.jsonValuesMax - 1), list(Limits.jsonValuesMax))
    #expect(JSON(decoding: Array(most.utf8))?.elements?.count == Limits.jsonValuesMax - 1)
    let isParsed = JSON(decoding: Array(more.utf8)) != nil
    #expect(!isParsed)
    #expect(JSON(decoding: Array(more.utf8), valuesMax: Limits.jsonValuesMax + 1) != nil)
    // Brackets and commas in a text are not counted.
    let text = JSON.string(more + #"\"[{"#).encoded()
    #expect(JSON(decoding: text)?.text == more + #"\"[{"#)
  }

  @Test func `a number is encoded with all its digits`() {
    for number in [0, -1, 999_999_999_999_999, 1_000_000_000_000_000, 9_007_199_254_740_991, .min, .max] as [Int64] {
      let text = JSON.number(number).encoded()
      #expect(text == Array(String(number).utf8))
      #expect(!JSON.exactNumbers.contains(number) || JSON(decoding: text) == .number(number))
    }
  }

  @Test func `no text has more values than counted beforehand`() {
    var random = Randomness(seed: (1, 2, 3, 4))
    let pieces = ["[", "]", "{", "}", ",", "\"", "\\", "\"a\":", "0", "[]", "{}", "\"\\\"\"", "null", " "]
    var parsed = 0
    for _ in 0..<50_000 {
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      guard let json = JSON(decoding: Array(text.utf8)) else { continue }
      parsed += 1
      #expect(valueCount(json) <= JSONText(Array(text.utf8)).valueCount, "\(text)")
    }
    #expect(parsed > 1000)
  }

  @Test func `oversized elements and members are omitted, and the rest of the text is read`() {
    let bomb = list(400)
    let events = #"{"events":[{"a":1},{"z":\#(bomb)},[[\#(bomb)]],"\#(bomb)",{"b":"}"}],"n":[2]}"#
    #expect(bounded(events, 300, .elements) == #"{"events":[{"a":1},null,[[null]],"\#(bomb)",{"b":"}"}],"n":[2]}"#)
    let keys = #"{"keys":{"@a:h":{"D":{"k":1}},"@b:h":{"D":{"k":\#(bomb)},"E":{"k":2}}}}"#
    #expect(bounded(keys, 300, .level(3)) == #"{"keys":{"@a:h":{"D":{"k":1}},"@b:h":{"D":null,"E":{"k":2}}}}"#)
    #expect(bounded(events, 300) == nil && bounded(keys, 300, .elements) == nil)
    #expect(bounded(bomb + "]", 300, .elements) == nil)
    // Many that are too large together are omitted, too.
    let many = "[" + Array(repeating: list(40), count: 100).joined(separator: ",") + "]"
    #expect(bounded(many, 500, .elements) == "[" + Array(repeating: "null", count: 100).joined(separator: ",") + "]")
    #expect(bounded(String(repeating: "[", count: 2000) + bomb, 300, .elements) == nil)
  }

  @Test func `a NUL does not end a string`() {
    #expect(
      JSON(decoding: Array(#"["a\u0000b","\\u0000"]"#.utf8)) == .array([.string("a\u{FFFD}b"), .string(#"\u0000"#)]))
    #expect(JSON(decoding: Array("[\"a\0b\"]".utf8)) == nil)
    #expect(JSON(decoding: Array("{\"a\\u0000\":1}\0".utf8))?["a"] == nil)
  }
}
