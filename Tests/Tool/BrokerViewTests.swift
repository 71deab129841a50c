// The facts that the broker tool finds in messages: rates by topic, changed members, tokens.

import TappetCore
import Testing

@testable import TappetBroker
@testable import TappetTool

@Suite struct BrokerViewTests {
  private func message(_ topic: String, _ payload: String) -> LinkMessage {
    LinkMessage(
      topic: topic, payload: Array(payload.utf8), size: payload.utf8.count, qos: 1, isRetained: false)
  }

  @Test func `rates are counted over the last second, minute and hour, and forgotten afterwards`() {
    var rates = TopicRates()
    for second in 0..<120 {
      rates.add("steady", bytes: 10, atSecond: Int64(second))
      if second == 100 { for _ in 0..<50 { rates.add("burst", bytes: 1, atSecond: 100) } }
    }
    let rows = rates.top(9, byBytes: false, atSecond: 119)
    #expect(rows.map(\.topic) == ["steady", "burst"])
    #expect(rows[0].second.messages == 1 && rows[0].second.bytes == 10)
    #expect((50...60).contains(rows[0].minute.messages) && rows[0].hour.messages == 120)
    #expect(rows[1].second.messages == 0 && rows[1].minute.messages == 50)
    let later = rates.top(9, byBytes: true, atSecond: 119 + 60)
    #expect(later.allSatisfy { $0.minute.messages == 0 && $0.hour.messages > 0 })
    #expect(rates.top(9, byBytes: false, atSecond: 8000).allSatisfy { $0.hour.messages == 0 })
    #expect(rates.top(1, byBytes: true, atSecond: 119 + 60).count == 1 && rates.count == 2 && rates.uncounted == 0)
  }

  @Test func `only the members that changed are named`() {
    var difference = PayloadDifference()
    #expect(difference.changes(message("a", #"{"state":{"power":"off","level":1}}"#)) == nil)
    let changed = difference.changes(message("a", #"{"state":{"power":"on","level":1},"new":true}"#))
    #expect(changed == #"new: (nothing) → true, state.power: "off" → "on""#)
    #expect(difference.changes(message("a", #"{"state":{"power":"on","level":1}}"#)) == "new: gone")
    #expect(difference.changes(message("a", #"{"state":{"power":"on","level":1}}"#)) == "(no change)")
    #expect(difference.changes(message("b", #"{"a":1}"#)) == nil && difference.changes(message("a", "text")) == nil)
  }

  @Test func `tokens are found in messages, and only the key's own are opened`() throws {
    let key = try #require(TimestampKey(hex: Array(String(repeating: "1f", count: 16).utf8)[...]))
    let other = try #require(TimestampKey(hex: Array(String(repeating: "2e", count: 16).utf8)[...]))
    let token = try TimestampToken.seal(unixSeconds: 1_800_000_000, key: key)
    let payload = Array(#"{"otp-auth":"\#(token)","id":"0011"}"#.utf8)
    #expect(TokenDecoder.candidates(payload) == [token])
    let longer = Array((token + "0").utf8)
    #expect(TokenDecoder.candidates(longer).isEmpty && TokenDecoder.candidates([]).isEmpty)
    #expect(TokenDecoder(key: key).note(payload, at: 1_800_000_003).hasSuffix(", 3 s old]"))
    #expect(TokenDecoder(key: key).note(payload, at: 1_799_999_999).hasSuffix(", 1 s ahead]"))
    #expect(TokenDecoder(key: other).note(payload, at: 1_800_000_003).isEmpty)
  }
}
