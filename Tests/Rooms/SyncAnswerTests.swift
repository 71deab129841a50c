// Responses to /sync: valid, damaged, oversized and malicious ones.

import TappetCore
import Testing

@testable import TappetRooms

@Suite struct SyncAnswerTests {
  private static let line = event("$1", #""msgtype":"m.text","body":"!gate on""#)

  private static func event(_ id: String, _ content: String, by user: String = "@ann:h") -> String {
    #"{"type":"m.room.message","event_id":"\#(id)","sender":"\#(user)","origin_server_ts":5,"content":{\#(content)}}"#
  }

  private static func state(_ type: String, _ content: String) -> String {
    #"{"type":"\#(type)","state_key":"","event_id":"$s","sender":"@ann:h","content":{\#(content)}}"#
  }

  private func answer(
    _ events: String..., in room: String = "!open:h", part: String = "join", next: String = "s1"
  ) -> SyncAnswer? {
    let timeline = #"{"timeline":{"events":[\#(events.joined(separator: ","))]}}"#
    return read(#"{"next_batch":"\#(next)","rooms":{"\#(part)":{"\#(room)":\#(timeline)}}}"#, in: room)
  }

  private func read(_ text: String, in room: String = "!a:h") -> SyncAnswer? {
    SyncAnswer(Array(text.utf8), of: "@kiosk:h", in: [room])
  }

  private func lines(_ answer: SyncAnswer?) -> [String]? {
    answer?.rooms.first?.changes.compactMap { change -> String? in
      if case .line(let line) = change { line.text } else { nil }
    }
  }

  @Test func `a truncated or damaged response is refused`() {
    let whole = #"{"next_batch":"s1","rooms":{"join":{"!a:h":{"timeline":{"events":[\#(Self.line)]}}}}}"#
    #expect(lines(read(whole)) == ["!gate on"])
    for end in whole.indices { #expect(read(String(whole[..<end])) == nil, "\(whole[..<end])") }
    for text in [
      "<html>502</html>", "[]", "null", #"{"next_batch":""}"#, #"{"next_batch":1}"#, #"{"rooms":{"join":{}}}"#,
      String(repeating: "[", count: 100_000),
    ] { #expect(read(text) == nil, "\(text.prefix(40))") }
  }

  @Test func `values of the wrong type are omitted, and the line after them is read`() {
    let wrong = [
      "1", "null", "[]", #"{"type":"m.room.message"}"#, #"{"type":1,"content":{}}"#,
      Self.event("$a", #""msgtype":"m.text","body":["!gate on"]"#), Self.event("$b", #""msgtype":7,"body":"!gate on""#),
      Self.line.replacing(#""@ann:h""#, with: "{}"), Self.line.replacing(#""$1""#, with: "[]"),
      Self.line.replacing(":5,", with: #":"5","#),
      #"{"type":"m.reaction","sender":"@a:h","content":{"m.relates_to":[]}}"#,
      #"{"type":"m.room.power_levels","state_key":"","content":{"users":[1,{}],"users_default":1e400}}"#,
    ]
    #expect(lines(answer(wrong.joined(separator: ","), Self.line)) == ["!gate on"])
    for rooms in ["1", "[]", #"{"join":[1]}"#, #"{"join":{"!a:h":1}}"#, #"{"join":{"!a:h":{"timeline":[]}}}"#] {
      let answer = read(#"{"next_batch":"s1","rooms":\#(rooms)}"#)
      #expect(answer?.next == "s1" && answer?.rooms.allSatisfy { $0.changes.isEmpty } == true, "\(rooms)")
    }
  }

  @Test(arguments: ["1e400", "-1e400", "9223372036854775808", "-9223372036854775809", "0.5", "-1"])
  func `any value of a time, level or count is read without a trap`(_ number: String) {
    let levels = Self.state("m.room.power_levels", #""users":{"@ann:h":\#(number)},"users_default":\#(number)"#)
    let line = Self.line.replacing(#""origin_server_ts":5"#, with: #""origin_server_ts":\#(number)"#)
    #expect(lines(answer(levels, line)) == ["!gate on"])
    let counts = #"{"next_batch":"s1","device_one_time_keys_count":{"signed_curve25519":\#(number)}}"#
    #expect(read(counts) != nil)
  }

  @Test func `a line of one megabyte is skipped, and the next one is read`() {
    let long = Self.event("$0", #""msgtype":"m.text","body":"!gate on\#(String(repeating: " ", count: 1 << 20))""#)
    #expect(lines(answer(long, Self.line)) == ["!gate on"])
    let id = String(repeating: "a", count: 1 << 20)
    #expect(lines(answer(Self.event("$" + id, #""msgtype":"m.text","body":"!gate on""#))) == [])
  }

  @Test func `a hundred events of thirty thousand values are omitted, and the line among them is read`() {
    let bomb = "[" + Array(repeating: "0", count: 31_000).joined(separator: ",") + "]"
    let bombs = Array(repeating: Self.event("$0", #""z":\#(bomb)"#), count: 50).joined(separator: ",")
    let found = answer(bombs, Self.line, bombs)
    #expect(lines(found) == ["!gate on"] && found?.rooms.first?.lacksEvents == true)
    #expect(answer(Self.line)?.rooms.first?.lacksEvents == false)
    let waiting = read(#"{"next_batch":"s1","to_device":{"events":[\#(bombs),{"type":"a"}]}}"#)
    #expect(waiting?.next == "s1" && waiting?.news.toDevice.last == Array(#"{"type":"a"}"#.utf8))
  }

  @Test func `an id, type or line with a NUL is not mistaken for the text before the NUL`() {
    for (old, new) in [
      ("@ann:h", #"@ann:h\u0000x"#), ("!gate on", #"!gate on\u0000x"#), ("m.text", #"m.text\u0000"#),
    ] {
      let line = Self.line.replacing(old, with: new)
      let read = answer(line)?.rooms.first?.changes.first
      if case .line(let line)? = read { #expect(line.user != "@ann:h" || line.text != "!gate on", "\(line)") }
    }
  }

  @Test func `lines from before the kiosk joined are omitted, and lines from before it was renamed are kept`() {
    func member(_ user: String, _ membership: String, after previous: String) -> String {
      Self.state("m.room.member", #""membership":"\#(membership)""#).replacing(
        #""state_key":"""#, with: #""state_key":"\#(user)","unsigned":{"prev_content":{"membership":"\#(previous)"}}"#)
    }
    let later = Self.event("$2", #""msgtype":"m.text","body":"!gate off""#)
    let levels = Self.state("m.room.power_levels", #""users":{"@ann:h":50}"#)
    let joined = answer(levels, Self.line, member("@kiosk:h", "join", after: "invite"), later)
    #expect(lines(joined) == ["!gate off"] && joined?.rooms.first?.changes.count == 2)
    for other in [
      member("@kiosk:h", "join", after: "join"), member("@ben:h", "join", after: "leave"),
      member("@kiosk:h", "invite", after: "leave"), Self.event("$3", #""membership":"join""#, by: "@kiosk:h"),
    ] { #expect(lines(answer(Self.line, other, later)) == ["!gate on", "!gate off"], "\(other)") }
  }

  @Test func `corrections and notices are omitted`() {
    let new = #""m.new_content":{"msgtype":"m.text","body":"!gate on"}"#
    let replaces = #""m.relates_to":{"rel_type":"m.replace","event_id":"$1"}"#
    let text = #""msgtype":"m.text","body":"!gate on""#
    for content in ["\(text),\(new),\(replaces)", "\(text),\(new)", "\(text),\(replaces)"] {
      #expect(lines(answer(Self.event("$2", content))) == [], "\(content)")
    }
    #expect(lines(answer(Self.event("$2", #""msgtype":"m.notice","body":"!gate on""#))) == [])
  }

  @Test(arguments: ["!a/b%:h", "!\u{E9}:h", "!:h", "#a", ""])
  func `any room id is accepted, and each event keeps its id`(_ room: String) {
    let read = answer(Self.event("$a/b%2F", #""msgtype":"m.text","body":"!gate on""#), in: room)
    #expect(read?.rooms.map(\.id) == [room] && read?.rooms.first?.newest == "$a/b%2F")
  }

  @Test func `a room with a tombstone is replaced, and a room that removed or banned the kiosk is left`() {
    #expect(answer(Self.state("m.room.tombstone", #""replacement_room":"!new:h""#))?.rooms.first?.isReplaced == true)
    #expect(answer(Self.state("m.room.tombstone", #""replacement_room":1"#))?.rooms.first?.isReplaced == false)
    for membership in ["leave", "ban"] {
      let member = #"{"type":"m.room.member","state_key":"@kiosk:h","content":{"membership":"\#(membership)"}}"#
      #expect(answer(member, part: "leave")?.rooms.first?.isLeft == true)
    }
  }

  @Test func `reactions keep their sender and event, and only a yes or a no is a reaction`() {
    func reaction(_ key: String, by user: String) -> String {
      let relation = #"{"rel_type":"m.annotation","event_id":"$q","key":"\#(key)"}"#
      return #"{"type":"m.reaction","sender":"\#(user)","content":{"m.relates_to":\#(relation)}}"#
    }
    let read = answer(
      reaction("\u{2705}", by: "@eve:h"), reaction("\u{1F44D}", by: "@ann:h"), reaction("\u{274C}", by: "@ann:h"))
    let found = read?.rooms.first?.changes.compactMap { change -> String? in
      if case .reaction(let event, let user, let isYes) = change { "\(event) \(user) \(isYes)" } else { nil }
    }
    #expect(found == ["$q @eve:h true", "$q @ann:h false"])
  }

  @Test func `a request from the present reads only one event of each room`() {
    var filter = SyncFilter(rooms: ["!a:h"], readsPowers: false, readsReactions: false, readsCiphertexts: false)
    #expect(filter.text.contains(#""limit":20,"#))
    filter.startsInPresent = true
    #expect(filter.text.contains(#""limit":1,"#))
  }

  @Test func `only a state event marks a room as encrypted or replaced`() throws {
    for (key, isState) in [(#","state_key":"""#, true), (#","state_key":"x""#, false), ("", false)] {
      let encryption = #"{"type":"m.room.encryption","sender":"@eve:h","content":{"algorithm":"a"}\#(key)}"#
      let tombstone = #"{"type":"m.room.tombstone","sender":"@eve:h","content":{"replacement_room":"!b:h"}\#(key)}"#
      let room = try #require(answer(encryption, tombstone)?.rooms.first)
      #expect(room.isEncrypted == isState && room.isReplaced == isState, "\(key)")
    }
  }

  @Test func `a position that is too long to pass on is refused`() {
    let longest = String(repeating: "n", count: Limits.roomPositionSizeMax)
    #expect(answer(next: longest)?.next == longest)
    #expect(answer(next: longest + "n") == nil && answer(next: "") == nil)
    let message = RoomMessage.batch(position: "DEVICE " + longest).encode()
    #expect(message.count <= Limits.roomWireSizeMax)
  }

  @Test func `joins and leaves change the members, a gap may, and a new display name does not`() {
    func member(_ now: String, _ before: String?) -> String {
      let past = before.map { #","unsigned":{"prev_content":{"membership":"\#($0)"}}"# } ?? ""
      return #"{"type":"m.room.member","state_key":"@b:h","sender":"@b:h","content":{"membership":"\#(now)"}\#(past)}"#
    }
    func changes(_ events: String...) -> Bool? {
      answer(events.joined(separator: ","))?.rooms.first?.changesMembers
    }
    #expect(changes(member("join", nil)) == true && changes(member("leave", "join")) == true)
    #expect(changes(member("join", "join")) == false && changes(Self.line) == false)
    let limited = #"{"next_batch":"s1","rooms":{"join":{"!a:h":{"timeline":{"limited":true,"events":[]}}}}}"#
    #expect(read(limited)?.rooms.first?.changesMembers == true)
    let list = #"{"joined":{"@a:h":{"display_name":"A"},"@b:h":{}}}"#
    #expect(SyncAnswer.members(Array(list.utf8)) == ["@a:h", "@b:h"])
    for text in [#"{"joined":[]}"#, "{}", "<html>"] { #expect(SyncAnswer.members(Array(text.utf8)) == nil) }
  }
}
