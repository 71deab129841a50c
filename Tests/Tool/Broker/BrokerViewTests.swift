// The facts that the broker tool finds in messages: topics, changed members, tokens.

import TappetCore
import Testing

@testable import TappetBroker
@testable import TappetBrokerTool

@Suite struct BrokerViewTests {
  private func message(_ topic: String, _ payload: String) -> LinkMessage {
    LinkMessage(
      topic: topic, payload: Array(payload.utf8), size: payload.utf8.count, qos: 1, isRetained: false)
  }

  @Test func `only changed members are reported`() {
    var difference = PayloadDifference()
    #expect(difference.changes(message("a", #"{"state":{"power":"off","level":1}}"#)) == nil)
    let changed = difference.changes(message("a", #"{"state":{"power":"on","level":1},"new":true}"#))
    #expect(changed == #"new: (nothing) → true, state.power: "off" → "on""#)
    #expect(difference.changes(message("a", #"{"state":{"power":"on","level":1}}"#)) == "new: gone")
    #expect(difference.changes(message("a", #"{"state":{"power":"on","level":1}}"#)) == "(no change)")
    #expect(difference.changes(message("b", #"{"a":1}"#)) == nil && difference.changes(message("a", "text")) == nil)
  }

  @Test func `long topics are counted, and kept as far as their bytes fit`() {
    let topics = (0..<200).map { "\($0)/" + String(repeating: "x", count: 60_000) }
    var kept = RetainedTopics()
    for topic in topics + topics { kept.add(topic, size: 1) }
    #expect(kept.sizes.count == 139 && kept.leftCount == 2 * 61)
  }

  @Test func `a tree shows as many levels as fit, in order, with the rates of the last second`() {
    var tree = TopicTree()
    for _ in 0..<3 { tree.add("home/light/state", value: "on", atSecond: 7) }
    tree.add("home/meter", value: "12", atSecond: 8)
    tree.add("garden", value: "dry", atSecond: 8)
    tree.add("home", value: "x", atSecond: 8)
    let all = tree.rows(10, atSecond: 8)
    #expect(all.map(\.name) == ["garden", "home", "light", "state", "meter"])
    #expect(all.map(\.depth) == [0, 0, 1, 2, 1] && all.map(\.messages) == [1, 5, 3, 3, 1])
    #expect(all.map(\.rate) == [0, 3, 3, 3, 0] && all.map(\.value) == ["dry", "x", nil, "on", "12"])
    let short = tree.rows(4, atSecond: 9)
    #expect(short.map(\.name) == ["garden", "home", "light", "meter"] && short.map(\.hidden) == [0, 0, 1, 0])
    #expect(short.map(\.rate) == [1, 2, 0, 1])
    #expect(tree.rows(1, atSecond: 99).map(\.name) == ["garden"] && tree.count == 4 && tree.messages == 6)
  }

  @Test func `the busiest topics are first, without the messages of the levels below them`() {
    var tree = TopicTree()
    for (topic, count) in [("home", 1), ("home/light", 3), ("home/meter/power", 2), ("", 1)] {
      for _ in 0..<count { tree.add(topic, value: "x", atSecond: 7) }
    }
    let rows = tree.busiest(3, atSecond: 8)
    #expect(rows.map(\.name) == ["home/light", "home/meter/power", "home"])
    #expect(rows.map(\.messages) == [3, 2, 1] && rows.map(\.rate) == [3, 2, 1])
    #expect(tree.busiest(9, atSecond: 9).map(\.name).last == "")
  }

  @Test func `a tree of too many topics counts the others, and finds its first lines quickly`() {
    var tree = TopicTree()
    for number in 0..<Limits.treeNodesMax + 5 { tree.add("t/\(number)", value: "", atSecond: 0) }
    #expect(tree.uncounted == 7 && tree.count == Limits.treeNodesMax - 2)
    #expect(tree.rows(3, atSecond: 0).map(\.name) == ["t"])
    var deep = TopicTree()
    deep.add(String(repeating: "/", count: 65_535), value: "x", atSecond: 0)
    deep.add(String(repeating: "a/", count: 199) + "b", value: "x", atSecond: 0)
    #expect(deep.uncounted == 1 && deep.count == 1)
    #expect(deep.rows(Limits.treeNodesMax, atSecond: 0).last?.name == "b")
    var flat = TopicTree()
    for number in 0..<5000 { flat.add("\(number * 7919 % 5000)", value: "", atSecond: 0) }
    #expect(flat.rows(4, atSecond: 0).map(\.name) == ["0", "1", "10", "100"])
    #expect(flat.rows(5000, atSecond: 0).map(\.name) == (0..<5000).map { String($0) }.sorted())
  }

  @Test func `the newest messages are kept, and long ones are truncated`() throws {
    var recent = RecentMessages(brokerWords: [])
    for number in 0..<Limits.recentMessagesMax + 3 { recent.add(message("a", "\(number)"), at: Int64(number)) }
    #expect(recent.entries.map { $0.unixMilliseconds } == (3..<53).map { Int64($0) })
    recent.add(message("b", String(repeating: "x", count: 20_000)), at: 99)
    let last = try #require(recent.entries.last)
    #expect(last.message.payload.count == Limits.recentPayloadSizeMax && last.message.size == 20_000)
  }

  @Test func `each reason for which a connection was lost is counted`() {
    var statistics = ConnectionStatistics()
    func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
    statistics.connected(at: at(1))
    statistics.received(bytes: 10)
    for second in [2, 5] {
      statistics.lost(.closedByBroker)
      statistics.connected(at: at(Int64(second) + 1))
    }
    statistics.lost(.keepaliveExpired)
    #expect(statistics.uptime(at: at(9)) == .zero && statistics.lines(at: at(9))[0] == "not connected")
    statistics.connected(at: at(10))
    let lines = statistics.lines(at: at(12))
    #expect(lines[0] == "up for 2.0 s" && lines[1] == "received 1 message, 10 bytes; published 0, 0 bytes")
    #expect(lines[2] == "3 reconnects" && statistics.losses.map(\.count) == [2, 1])
    #expect(lines[3].hasPrefix("  2 × ") && lines.count == 5)
  }

  @Test(arguments: [
    ("#", "a/b", true), ("a/#", "a", true), ("a/#", "ab", false), ("+/b", "a/b", true), ("+", "a/b", false),
    ("a/+", "a/", true), ("a/b", "a/b/c", false), ("#", "$SYS/x", false), ("$SYS/#", "$SYS/x", true), ("/", "/", true),
  ])
  func `a topic matches a filter as the specification requires`(_ filter: String, _ topic: String, _ fits: Bool) {
    #expect(filter.matches(topic: topic) == fits)
  }

  @Test func `tokens are found in messages, and only tokens of this key are opened`() throws {
    let key = try #require(TimestampKey(hex: Array(String(repeating: "1f", count: 16).utf8)[...]))
    let other = try #require(TimestampKey(hex: Array(String(repeating: "2e", count: 16).utf8)[...]))
    let token = try TimestampToken.seal(unixSeconds: 1_800_000_000, key: key)
    let payload = Array(#"{"otp-auth":"\#(token)","id":"0011"}"#.utf8)
    #expect(TokenDecoder.candidates(payload) == [token])
    let longer = Array((token + "0").utf8)
    #expect(TokenDecoder.candidates(longer).isEmpty && TokenDecoder.candidates([]).isEmpty)
    #expect(TokenDecoder(key: key).note(payload, at: 1_800_000_003).hasSuffix(", 3 s old]"))
    #expect(TokenDecoder(key: key).note(payload, at: 1_799_999_999).hasSuffix(", 1 s ahead]"))
    // A token has no signature: with another key, one in 256 seems to be valid.
    let opened = try (0..<20).count { _ in
      let token = try TimestampToken.seal(unixSeconds: 1_800_000_000, key: key)
      return !TokenDecoder(key: other).note(Array(#""\#(token)""#.utf8), at: 1_800_000_003).isEmpty
    }
    #expect(opened <= 4)
  }
}
