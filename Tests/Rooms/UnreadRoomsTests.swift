// Unread messages in a space, as responses to /sync state them, and the filter that requests them.

import Foundation
import TappetJSON
import Testing

@testable import TappetCore
@testable import TappetRooms

@Suite struct UnreadRoomsTests {
  private var unread: UnreadRooms

  init() { unread = UnreadRooms("!s:h") }

  private static let space = """
    "state":{"events":[{"type":"m.room.create","state_key":"","content":{"type":"m.space"}},
      {"type":"m.space.child","state_key":"!a:h","content":{"via":["h"]}},
      {"type":"m.space.child","state_key":"!b:h","content":{"via":["h"]}},
      {"type":"m.space.child","state_key":"!s:h","content":{"via":["h"]}},
      {"type":"m.space.child","state_key":"!inner:h","content":{"via":["h"]}},
      {"type":"m.space.child","state_key":"!gone:h","content":{}}]}
    """
  private static let inner = """
    "state":{"events":[{"type":"m.room.create","state_key":"","content":{"type":"m.space"}},
      {"type":"m.space.child","state_key":"!s:h","content":{"via":["h"]}}]}
    """

  private static func counts(_ unread: String, _ mentions: String = "0") -> String {
    #""unread_notifications":{"notification_count":\#(unread),"highlight_count":\#(mentions)}"#
  }

  private static func mark(_ isMarked: Bool, _ type: String = "m.marked_unread") -> String {
    #""account_data":{"events":[{"type":"\#(type)","content":{"unread":\#(isMarked)}}]}"#
  }

  private static func child(_ room: String, _ via: String) -> String {
    #""timeline":{"events":[{"type":"m.space.child","state_key":"\#(room)","content":{\#(via)}}]}"#
  }

  /// Reads a response with these rooms; returns what is new.
  private mutating func read(_ join: [String: String], leave: [String] = [], whole: Bool = false, muted: String? = nil)
    -> RoomUnread?
  {
    let rooms = join.map { "\"\($0)\":{\($1)}" }.joined(separator: ",")
    let left = leave.map { "\"\($0)\":{}" }.joined(separator: ",")
    let rule = muted.map { room in
      #"""
      "account_data":{"events":[{"type":"m.push_rules","content":{"global":{"override":[{"enabled":true,"actions":[],
        "conditions":[{"kind":"event_match","key":"room_id","pattern":"\#(room)"}]}]}}}]},
      """#
    }
    let text = "{\"next_batch\":\"s\",\(rule ?? "")\"rooms\":{\"join\":{\(rooms)},\"leave\":{\(left)}}}"
    var copy = unread
    let answer = SyncAnswer(Array(text.utf8), of: "@me:h", in: []) { copy.read($0, isWhole: whole) }
    #expect(answer != nil, "\(text)")
    unread = copy
    return unread.takeNews()
  }

  private func counted(_ rooms: UInt32, _ messages: UInt32 = 0, _ mentions: UInt32 = 0) -> RoomUnread {
    .counted(rooms: rooms, messages: messages, mentions: mentions)
  }

  private mutating func begin() {
    let join = [
      "!s:h": Self.space, "!a:h": Self.counts("0"), "!b:h": Self.counts("0"), "!out:h": Self.counts("5", "1"),
    ]
    #expect(read(join, whole: true) == counted(0))
  }

  @Test mutating func `nothing is counted before a response with all rooms`() {
    #expect(read(["!s:h": Self.space, "!a:h": Self.counts("2")]) == nil)
    #expect(read(["!s:h": Self.space, "!a:h": Self.counts("2")], whole: true) == counted(1, 2))
    #expect(read([:]) == nil)
  }

  @Test mutating func `messages in the space's rooms count until they are read, and those of other rooms do not`() {
    begin()
    #expect(read(["!out:h": Self.counts("6")]) == nil)
    #expect(read(["!a:h": Self.counts("1", "1"), "!b:h": Self.counts("2")]) == counted(2, 3, 1))
    #expect(read(["!a:h": "\"timeline\":{\"events\":[]}"]) == nil)
    #expect(read(["!a:h": Self.counts("0"), "!b:h": Self.counts("0")]) == counted(0))
  }

  @Test mutating func `unread marks of both types count, including the space's own, but not a nested space's`() {
    begin()
    #expect(read(["!a:h": Self.mark(true, "com.famedly.marked_unread")]) == counted(1))
    #expect(read(["!s:h": Self.mark(true)]) == counted(2))
    #expect(read(["!a:h": Self.mark(false), "!s:h": Self.mark(false)]) == counted(0))
    #expect(read(["!inner:h": Self.inner + "," + Self.mark(true) + "," + Self.counts("7")]) == nil)
    #expect(read(["!s:h": Self.counts("4")]) == nil)
  }

  @Test mutating func `a muted room does not count until it is unmuted`() {
    begin()
    #expect(read(["!a:h": Self.counts("3")], muted: "!a:h") == nil)
    #expect(read([:], muted: "!b:h") == counted(1, 3))
  }

  @Test mutating func `the count changes when rooms enter or leave the space, or the kiosk joins or leaves them`() {
    begin()
    #expect(read(["!s:h": Self.child("!out:h", #""via":["h"]"#)]) == counted(1, 5, 1))
    #expect(read(["!s:h": Self.child("!out:h", "")]) == counted(0))
    #expect(read(["!s:h": Self.child("!new:h", #""via":["h"]"#)]) == nil)
    #expect(read(["!new:h": Self.counts("1")]) == counted(1, 1))
    #expect(read([:], leave: ["!new:h"]) == counted(0))
    #expect(read(["!a:h": Self.counts("1")]) == counted(1, 1))
    // A room that the kiosk left while it was not listening is not in a response with all rooms.
    #expect(read(["!s:h": Self.space], whole: true) == counted(0))
  }

  @Test mutating func `without the space, or after leaving it, nothing is counted, which is reported`() {
    #expect(read(["!a:h": Self.counts("2")], whole: true) == .closed)
    #expect(read(["!s:h": Self.space]) == counted(1, 2))
    #expect(read([:], leave: ["!s:h"]) == .closed)
  }

  @Test mutating func `a single room is counted on its own`() {
    unread = UnreadRooms("!a:h")
    #expect(read(["!a:h": Self.counts("2"), "!b:h": Self.counts("3")], whole: true) == counted(1, 2))
  }

  @Test mutating func `counts that are strings, negative or huge are harmless`() {
    begin()
    for count in ["-1", "\"3\"", "null", "{}", "1e300", "0.5"] {
      #expect(read(["!a:h": Self.counts(count, count)]) == nil, "\(count)")
    }
    #expect(read(["!a:h": Self.counts("9e18"), "!b:h": Self.counts("9e18")]) == counted(2, 2_000_000))
    #expect(read(["!a:h": #""unread_notifications":5,"state":7,"account_data":[1]"#]) == counted(1, 1_000_000))
  }

  @Test mutating func `an address is resolved first, and an unknown one is reported`() {
    unread = UnreadRooms("#home:h")
    #expect(unread.needsID && !unread.isWanted && unread.takeNews() == nil)
    unread.resolve("!s:h")
    #expect(!unread.needsID && unread.isWanted)
    unread = UnreadRooms("#home:h")
    unread.resolve(nil)
    #expect(!unread.needsID && !unread.isWanted && unread.takeNews() == .unknown)
  }

  @Test mutating func `after an oversized response counting pauses, and ends after repeated ones`() {
    begin()
    #expect(unread.overflow() && !unread.isWanted && unread.takeNews() == nil)
    let isFirst = unread.overflow()
    #expect(!isFirst)
    #expect(read(["!a:h": Self.counts("9")], whole: true) == nil)
    #expect(unread.resume() && unread.isWanted && !unread.resume())
    #expect(read(["!s:h": Self.space, "!a:h": Self.counts("1")], whole: true) == counted(1, 1))
    #expect(unread.overflow() && unread.resume())
    #expect(unread.overflow() && !unread.isWanted && unread.takeNews() == .tooLarge)
    #expect(!unread.resume() && !unread.overflow() && unread.takeNews() == nil)
  }

  @Test func `the filter includes unread counts, but message texts only for commands`() throws {
    func filter(_ change: (inout SyncFilter) -> Void) throws -> [String: Any] {
      var filter = SyncFilter(
        rooms: [], readsPowers: false, readsReactions: false, readsCiphertexts: false, user: "@me:h")
      change(&filter)
      return try #require(
        try JSONSerialization.jsonObject(with: Data(filter.text.utf8)) as? [String: Any], "\(filter.text)")
    }
    func part(_ filter: [String: Any], _ name: String) -> [String: Any] {
      (filter["room"] as? [String: Any])?[name] as? [String: Any] ?? [:]
    }
    let plain = try filter { $0.rooms = ["!d:h"] }
    #expect((plain["room"] as? [String: Any])?["rooms"] as? [String] == ["!d:h"] && plain["event_fields"] == nil)
    #expect(part(plain, "ephemeral")["types"] as? [String] == [] && part(plain, "timeline")["limit"] as? Int == 20)
    let alone = try filter { $0.readsUnread = true }
    #expect((alone["room"] as? [String: Any])?["rooms"] == nil && part(alone, "timeline")["limit"] as? Int == 1)
    #expect((alone["event_fields"] as? [String])?.contains("content.via") == true)
    #expect((alone["event_fields"] as? [String])?.contains("content.body") == false)
    #expect(part(alone, "ephemeral")["types"] as? [String] == ["m.receipt"])
    #expect((part(alone, "timeline")["types"] as? [String])?.contains("m.room.encrypted") == true)
    #expect((alone["account_data"] as? [String: Any])?["types"] as? [String] == ["m.push_rules"])
    let both = try filter {
      $0.rooms = ["!d:h"]
      ($0.readsUnread, $0.isWhole, $0.startsInPresent) = (true, true, true)
    }
    #expect(both["event_fields"] == nil && part(both, "timeline")["limit"] as? Int == 1)
    #expect(part(both, "ephemeral")["types"] as? [String] == [])
  }
}
