// The rooms of an account, as responses to /sync make them, and the counts of spaces.

import Foundation
import TestSupport
import Testing

@testable import TappetCore
@testable import TappetMatrixTool

@Suite struct RoomTableTests {
  private func event(_ type: String, _ content: [String: Any], key: String? = "", id: String = "$s", at time: Int = 0)
    -> [String: Any]
  {
    var event: [String: Any] = [
      "type": type, "sender": "@ann:h", "event_id": id, "origin_server_ts": time, "content": content,
    ]
    event["state_key"] = key
    return event
  }

  /// Reads a response, which must be valid.
  private func read(_ answer: [UInt8], into table: inout RoomTable) throws {
    guard table.read(answer) else { throw TestFault("not read: \(String(decoding: answer, as: UTF8.self))") }
  }

  private func message(_ text: String, id: String, at time: Int) -> [String: Any] {
    event("m.room.message", ["body": text], key: nil, id: id, at: time)
  }

  private func room(
    state: [[String: Any]] = [], _ timeline: [[String: Any]] = [], unread: Int = 0, mentions: Int = 0,
    marked: Bool? = nil
  ) -> [String: Any] {
    var room: [String: Any] = [
      "state": ["events": state], "timeline": ["events": timeline],
      "unread_notifications": ["notification_count": unread, "highlight_count": mentions],
    ]
    if let marked {
      room["account_data"] = ["events": [["type": "m.marked_unread", "content": ["unread": marked]]]]
    }
    return room
  }

  private func answer(_ join: [String: Any], leave: [String] = [], muted: [String]? = nil, _ next: String = "s")
    throws -> [UInt8]
  {
    var answer: [String: Any] = [
      "next_batch": next,
      "rooms": ["join": join, "leave": Dictionary(uniqueKeysWithValues: leave.map { ($0, [String: String]()) })],
    ]
    if let muted {
      let rules = muted.map { room in
        [
          "enabled": true, "actions": [String](),
          "conditions": [["kind": "event_match", "key": "room_id", "pattern": room]],
        ] as [String: Any]
      }
      answer["account_data"] = ["events": [["type": "m.push_rules", "content": ["global": ["override": rules]]]]]
    }
    return Array(try JSONSerialization.data(withJSONObject: answer))
  }

  @Test(arguments: ["!a:h\nfailed  !b:h", "!a:h\u{1B}[2J", "a", ""])
  func `a room with an invalid id is not listed`(_ id: String) throws {
    var table = RoomTable()
    let member = event("m.room.member", ["membership": "invite"], key: "@kiosk:h")
    let rooms: [String: Any] = [
      "join": [id: room(), "!good:h": room()], "invite": [id: ["invite_state": ["events": [member]]]],
    ]
    try read(JSONSerialization.data(withJSONObject: ["next_batch": "s", "rooms": rooms]).map { $0 }, into: &table)
    #expect(table.ordered.map { $0.id } == ["!good:h"] && table.orderedInvitations.isEmpty)
  }

  @Test func `a space is highlighted by any of its rooms, but not by counts if all rooms are muted`() throws {
    for flags in 0..<256 {
      let (one, other) = (flags & 15, flags >> 4)
      func child(_ bits: Int) -> [String: Any] {
        room(unread: bits & 1, mentions: bits >> 1 & 1, marked: bits & 4 != 0)
      }
      let children = ["!a:h", "!b:h"].map { event("m.space.child", ["via": ["h"]], key: $0) }
      let space = room(state: [event("m.room.create", ["type": "m.space"])] + children)
      var table = RoomTable()
      let muted = [(one, "!a:h"), (other, "!b:h")].filter { $0.0 & 8 != 0 }.map { $0.1 }
      try read(answer(["!s:h": space, "!a:h": child(one), "!b:h": child(other)], muted: muted), into: &table)
      let entries = ListedEntry.entries(table.ordered)
      #expect(entries.map(\.room.id) == ["!s:h"])
      let counts = try #require(entries.first).counts
      let (isMuted, isMarked) = (one & other & 8 != 0, (one | other) & 4 != 0)
      let (hasUnread, hasMention) = ((one | other) & 3 != 0, (one | other) & 2 != 0)
      let unread = [one, other].filter { $0 & 1 != 0 }.count
      #expect(counts.unread == Int64(unread) && counts.isMuted == isMuted, "\(flags)")
      #expect(counts.isMarkedUnread == isMarked, "\(flags)")
      let isHighlighted = isMarked || !isMuted && hasUnread
      #expect(counts.isHighlighted == isHighlighted, "\(flags)")
      #expect(counts.showsMentions == (!isMuted && hasMention), "\(flags)")
    }
  }

  @Test func `a space without rooms is not muted, and a room's own mark counts`() throws {
    var table = RoomTable()
    let space = room(state: [event("m.room.create", ["type": "m.space"])], marked: true)
    try read(answer(["!s:h": space, "!a:h": room(unread: 2)], muted: ["!a:h", "!s:h"]), into: &table)
    let entries = ListedEntry.entries(table.ordered)
    #expect(entries.map(\.room.id) == ["!a:h", "!s:h"])
    #expect(entries.map { $0.counts.isMuted } == [true, false])
    #expect(entries.map { $0.counts.isHighlighted } == [false, true])
    #expect(entries[0].lines == ["!a:h  -  -  2 unread  muted"], "\(entries[0].lines)")
    #expect(entries[1].lines == ["!s:h  -  -  space  marked unread"], "\(entries[1].lines)")
  }

  @Test func `counts that are too large are limited, and negative counts are ignored`() throws {
    let space = room(
      state: [event("m.room.create", ["type": "m.space"])]
        + ["!a:h", "!b:h", "!c:h"].map { event("m.space.child", ["via": ["h"]], key: $0) })
    let huge = room(unread: 9_000_000_000_000_000_000, mentions: 2_000_000_000)
    var table = RoomTable()
    try read(answer(["!s:h": space, "!a:h": huge, "!b:h": huge, "!c:h": room(unread: -5)]), into: &table)
    let counts = try #require(ListedEntry.entries(table.ordered).first).counts
    #expect(counts.unread == 2 * Limits.roomUnreadMax && counts.mentions == 2 * Limits.roomUnreadMax)
  }

  @Test func `a rule with a second condition, a disabled rule, and a rule that notifies do not mute`() throws {
    let one = ["kind": "event_match", "key": "room_id", "pattern": "!a:h"]
    let sender = ["kind": "event_match", "key": "sender", "pattern": "@ben:h"]
    let rules: [[String: Any]] = [
      ["enabled": true, "actions": [String](), "conditions": [one, sender]],
      ["enabled": false, "actions": [String](), "conditions": [one]],
      ["enabled": true, "actions": ["notify"], "conditions": [one]],
      ["enabled": true, "actions": [String](), "conditions": [sender]], ["actions": 1], [:],
    ]
    var whole = try #require(
      try JSONSerialization.jsonObject(with: Data(try answer(["!a:h": room()]))) as? [String: Any])
    whole["account_data"] = ["events": [["type": "m.push_rules", "content": ["global": ["override": rules]]]]]
    var table = RoomTable()
    try read(Array(try JSONSerialization.data(withJSONObject: whole)), into: &table)
    #expect(table.rooms["!a:h"]?.counts.isMuted == false)
  }

  @Test func `entries are sorted by newest message, a space by its rooms' newest, and silent ones last`() throws {
    let space = room(
      state: [
        event("m.room.create", ["type": "m.space"]), event("m.space.child", ["via": ["h"]], key: "!a:h"),
        event("m.space.child", ["via": ["h"]], key: "!b:h"), event("m.space.child", [:], key: "!gone:h"),
      ], [message("not shown", id: "$0", at: 99)])
    let join = [
      "!s:h": space, "!a:h": room([message("a", id: "$1", at: 10)]), "!b:h": room([message("b", id: "$2", at: 30)]),
      "!c:h": room([message("c", id: "$3", at: 20)]), "!d:h": room([message("d", id: "$4", at: 40)]),
      "!gone:h": room(), "!e:h": room(),
    ]
    var table = RoomTable()
    try read(answer(join), into: &table)
    let entries = ListedEntry.entries(table.ordered)
    #expect(entries.map(\.room.id) == ["!d:h", "!s:h", "!c:h", "!e:h", "!gone:h"])
    #expect(entries[1].children.map(\.id) == ["!b:h", "!a:h"])
    #expect(entries[1].newest?.time == 30)
  }

  @Test func `later state in the timeline replaces earlier state, unless its event has no state key`()
    throws
  {
    let a = room(
      state: [event("m.room.name", ["name": "Old"])],
      [
        message("hello", id: "$1", at: 1), event("m.room.name", ["name": "New"]),
        event("m.room.name", ["name": "Forged"], key: nil), event("m.room.encryption", [:], key: nil),
      ])
    var table = RoomTable()
    try read(answer(["!a:h": a]), into: &table)
    let found = try #require(table.rooms["!a:h"])
    #expect(found.name == "New" && !found.isEncrypted && found.newest?.content == .text("hello"))
  }

  @Test func `changes accumulate: messages arrive once, corrections and removals apply, and rooms are left`() throws {
    var table = RoomTable()
    try read(answer(["!a:h": room([message("one", id: "$1", at: 1)]), "!b:h": room()], "s1"), into: &table)
    var earlier = table
    let two = [message("two", id: "$2", at: 2), message("three\nlines", id: "$3", at: 3)]
    try read(answer(["!a:h": room(two, unread: 2)], leave: ["!b:h"], "s2"), into: &table)
    #expect(table.next == "s2" && table.rooms["!b:h"] == nil && table.rooms["!a:h"]?.counts.unread == 2)
    #expect(table.arrivals(since: earlier).map { $0.message.text } == ["two", "three lines"])
    earlier = table
    let correction = event(
      "m.room.message",
      [
        "body": "* 3", "m.new_content": ["body": "3"], "m.relates_to": ["rel_type": "m.replace", "event_id": "$3"],
      ], key: nil, id: "$4", at: 4)
    try read(answer(["!a:h": room([correction])], "s3"), into: &table)
    #expect(table.rooms["!a:h"]?.newest?.text == "3" && table.arrivals(since: earlier).isEmpty)
    let removal = event("m.room.redaction", ["redacts": "$3"], key: nil, id: "$5", at: 5)
    try read(answer(["!a:h": room([removal])], "s4"), into: &table)
    #expect(table.rooms["!a:h"]?.newest?.text == "(removed)")
    // All rooms are read again: what is known already does not arrive a second time.
    var again = RoomTable()
    let all = [message("two", id: "$2", at: 2), message("3", id: "$3", at: 3), message("four", id: "$6", at: 6)]
    try read(answer(["!a:h": room(all)], "s5"), into: &again)
    #expect(again.arrivals(since: table).map { $0.message.text } == ["four"])
  }

  @Test func `text written by strangers cannot move the cursor or end a line`() throws {
    var table = RoomTable()
    let evil = "\u{1B}[2J\n\u{202E}" + String(repeating: "x", count: 600)
    let a = room(state: [event("m.room.name", ["name": evil])], [message(evil, id: "$1", at: 1)])
    try read(answer(["!a:h": a]), into: &table)
    let found = try #require(table.rooms["!a:h"])
    let texts = [found.title, found.line, try #require(found.newest).text]
    for text in texts { #expect(!text.unicodeScalars.contains { $0 == "\n" || $0 == "\u{1B}" || $0 == "\u{202E}" }) }
    #expect(texts[2].hasSuffix("x…"))
  }

  @Test func `counts of any size are summed up`() throws {
    let children = ["!a:h", "!b:h"].map { event("m.space.child", ["via": ["h"]], key: $0) }
    let space = room(state: [event("m.room.create", ["type": "m.space"])] + children)
    var table = RoomTable()
    let many = room(unread: 1 << 62, mentions: 1 << 62)
    try read(answer(["!s:h": space, "!a:h": many, "!b:h": many]), into: &table)
    let counts = try #require(ListedEntry.entries(table.ordered).first).counts
    #expect(counts.unread == 2 * Limits.roomUnreadMax && counts.mentions == counts.unread)
  }

  @Test func `an invitation with two inviters has no definite inviter`() throws {
    func invitation(_ senders: String...) throws -> Invitation? {
      let events = senders.map { sender in
        [
          "type": "m.room.member", "sender": sender, "state_key": "@other:h", "content": ["membership": "invite"],
        ] as [String: Any]
      }
      var table = RoomTable()
      let rooms = ["invite": ["!i:h": ["invite_state": ["events": events]]]]
      try read(
        Array(try JSONSerialization.data(withJSONObject: ["next_batch": "s", "rooms": rooms])), into: &table)
      return table.invitations["!i:h"]
    }
    #expect(try invitation("@ann:h", "@ann:h")?.sender == "@ann:h")
    let forged = try #require(try invitation("@eve:h", "@ann:h"))
    #expect(forged.sender == nil)
    #expect(forged.line.hasSuffix("invited by an unknown user"))
  }

  @Test func `a malformed response is refused, and the table stays unchanged`() throws {
    var table = RoomTable()
    try read(answer(["!a:h": room()], "s1"), into: &table)
    for text in ["", "[]", "{}", #"{"next_batch":""}"#, #"{"next_batch":5}"#, #"{"next_batch":"s2","#] {
      let isRead = table.read(Array(text.utf8))
      #expect(!isRead && table.next == "s1", "\(text)")
    }
    for text in [
      #"{"next_batch":"s2","rooms":[1]}"#,
      #"{"next_batch":"s3","rooms":{"join":{"!a:h":5,"!b:h":{"timeline":{"events":[1,{},{"type":"m.reaction"}]}}}}}"#,
      #"{"next_batch":"s4","rooms":{"join":{"!a:h":{"unread_notifications":{"notification_count":1e300}}}}}"#,
      #"{"next_batch":"s5","rooms":{"invite":{"!i:h":null}},"account_data":{"events":{"a":[]}}}"#,
    ] { try read(Array(text.utf8), into: &table) }
    #expect(table.rooms["!a:h"]?.counts.unread == 0 && table.invitations["!i:h"]?.sender == nil)
  }
}
