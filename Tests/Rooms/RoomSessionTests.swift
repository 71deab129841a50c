// The steps of a session that listens in rooms, by a scripted clock and scripted responses.

import Foundation
import Testing

@testable import TappetCore
@testable import TappetRooms

@Suite struct RoomSessionTests {
  @Test func `a session requests nothing before it has all its rooms`() {
    var script = RoomScript()
    #expect(script.order(.session(path: "/session", ca: "")) == ["open"])
    script.tell(.opened(.device("D", user: "@kiosk:h")))
    #expect(script.order(.room("#a:h", readsPowers: true, asks: false)).isEmpty && script.wait().isEmpty)
    #expect(script.order(.begin(position: nil)) == ["confine", "ready", "room/%23a%3Ah"])
    #expect(script.answer(#"{"room_id":"!a:h"}"#) == ["state/m.room.create?format=event"])
    #expect(script.answer(#"{"errcode":"M_FORBIDDEN"}"#, status: 403) == ["sync present"])
  }

  @Test func `a session that only sends does not poll, and sleeps between its messages`() {
    var script = RoomScript()
    script.order(.session(path: "/session", ca: ""))
    script.tell(.opened(.device("D", user: "@kiosk:h")))
    #expect(script.order(.begin(position: nil)) == ["confine", "ready"])
    #expect(script.wait().isEmpty && script.session.deadline == nil)
    let id = EntryID(high: 0, low: 7)
    let order = RoomOrder.post(id, room: "!a:h", limit: .seconds(60), body: Array("{}".utf8))
    #expect(script.order(order) == ["sending m.room.encryption"])
    func answer(_ body: String, _ status: UInt16) -> [String] {
      script.tell(.answered(.sending, .answered(status: status, retryAfter: nil, body: Array(body.utf8))))
    }
    #expect(answer(#"{"errcode":"M_NOT_FOUND"}"#, 404) == ["sending " + id.hex])
    #expect(answer(#"{"event_id":"$x"}"#, 200).count == 1 && script.session.deadline == nil)
    #expect(script.tell(.abandoned) == ["end finished"])
  }

  @Test func `a session that only sends reports each message if its file is unusable`() {
    var script = RoomScript()
    script.order(.session(path: "/session", ca: ""))
    script.tell(.opened(.unusable(2)))
    #expect(script.order(.begin(position: nil)) == ["confine", "ready"])
    let words = script.order(.post(EntryID(high: 0, low: 7), room: "!a:h", limit: .seconds(60), body: []))
    #expect(words.count == 1 && words[0].contains("undelivered") && words[0].contains("fileUnusable"), "\(words)")
  }

  @Test func `an address without a room is reported once, and the other rooms are read`() {
    var script = RoomScript.begun()
    script.order(.room("#gone:h", readsPowers: false, asks: false))
    #expect(script.order(.begin(position: nil)).last == "room/%23gone%3Ah")
    #expect(
      script.answer(#"{"errcode":"M_NOT_FOUND"}"#, status: 404) == ["access #gone:h unknown", "sync present"])
  }

  @Test func `a predecessor's position is recorded only after its lines have arrived again`() {
    let cipher = ScriptedCipher()
    cipher.calls = [HTTPCall(path: "/keys/upload", body: [])]
    var script = RoomScript.begun(cipher)
    #expect(script.order(.begin(position: "D s0")) == ["confine", "ready", "sync s0", "ciphering upload"])
    // The keys are uploaded before the homeserver responds to /sync.
    #expect(script.tell(.answered(.ciphering, .answered(status: 200, retryAfter: nil, body: []))).isEmpty)
    cipher.lines = [RoomLine(room: "!a:h", event: "$1", user: "@ann:h", unixMilliseconds: 1, text: "!light")]
    #expect(
      script.answer(RoomScript.sync("s1")) == ["access !a:h open", "heard !light", "listening", "batch D s1"])
    #expect(script.wait().isEmpty, "the position is not recorded yet")
    #expect(script.order(.poll(position: "D s1")) == ["sync s1"] && cipher.recordedCount == 1)
  }

  @Test func `the next poll waits until the kiosk has recorded the position after the last lines`() {
    var script = RoomScript.begun()
    script.order(.begin(position: nil))
    script.answer(RoomScript.sync("s1"))
    #expect(script.order(.poll(position: "D s1")) == ["sync s1"])
    #expect(script.answer(RoomScript.sync("s2")) == ["listening", "sync s2"], "nothing was passed on")
    #expect(
      script.answer(RoomScript.sync("s3", ["light"])) == [
        "heard !light", "listening", "batch D s3", "sending %24light",
      ])
    #expect(script.wait().isEmpty && script.session.deadline == nil)
    #expect(script.order(.poll(position: "D s1")) == ["sync s3"], "the commit may have failed")
  }

  @Test func `lines before the first response are not commands, unless a predecessor could have read them`() {
    var script = RoomScript.begun()
    script.order(.begin(position: nil))
    #expect(!script.answer(RoomScript.sync("s1", ["old"])).contains("heard !old"))
    script = RoomScript.begun()
    script.order(.begin(position: "D s0"))
    #expect(script.answer(RoomScript.sync("s1", ["missed"])).contains("heard !missed"))
    script = RoomScript.begun()
    #expect(script.order(.begin(position: "E s0")).last == "sync present", "another device has recorded it")
  }

  @Test func `a line decrypted during a poll is passed on immediately, and the poll's end waits for its commit`() {
    let cipher = ScriptedCipher()
    var script = RoomScript.begun(cipher)
    script.order(.begin(position: nil))
    script.answer(RoomScript.sync("s1"))
    cipher.calls = [HTTPCall(path: "/keys/claim", body: [])]
    #expect(script.order(.poll(position: "D s1")) == ["sync s1", "ciphering claim"])
    cipher.lines = [RoomLine(room: "!a:h", event: "$1", user: "@ann:h", unixMilliseconds: 1, text: "!light")]
    let done = HTTPOutcome.answered(status: 200, retryAfter: nil, body: [])
    #expect(script.tell(.answered(.ciphering, done)) == ["heard !light", "batch D s1"])
    #expect(script.answer(RoomScript.sync("s2")) == ["listening"] && script.wait().isEmpty)
    #expect(script.order(.poll(position: "D s1")) == ["sync s2"])
  }

  @Test func `an unknown position is replaced with the present, but an intermediary's page changes nothing`() {
    var script = RoomScript.begun()
    script.order(.begin(position: "D s0"))
    #expect(script.answer("<html>", status: 400) == ["failed notAHomeserver"])
    #expect(script.wait() == ["sync s0"])
    #expect(script.answer(#"{"errcode":"M_UNKNOWN_POS"}"#, status: 400) == ["failed notAHomeserver"])
    #expect(script.wait() == ["sync present"])
  }

  @Test func `a rate limit delays the next poll, and a late response to an earlier request is dropped`() {
    var script = RoomScript.begun()
    script.order(.begin(position: nil))
    #expect(script.answer(#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":7000}"#, status: 429) == ["failed 429"])
    #expect(script.answer(RoomScript.sync("s1", ["light"])).isEmpty)
    let before = script.now
    #expect(script.wait() == ["sync present"] && script.now - before == .seconds(7))
  }

  @Test func `a refused token or unusable files end the session after a pause`() {
    var script = RoomScript.begun()
    script.order(.begin(position: nil))
    #expect(script.answer(#"{"errcode":"M_UNKNOWN_TOKEN"}"#, status: 401) == ["failed tokenRefused"])
    #expect(script.wait() == ["end needsSuccessor"] && script.session.deadline == nil)
    #expect(script.order(.poll(position: nil)).isEmpty, "nothing follows the end")
    script = RoomScript.begun()
    script.tell(.opened(.unusable(13)))
    #expect(script.order(.begin(position: nil)) == ["confine", "ready", "failed fileUnusable"])
    #expect(script.wait() == ["end needsSuccessor"])
  }

  @Test func `the last will is cancelled before the end, within a time limit, and only if ordered`() {
    func scheduled() -> RoomScript {
      var script = RoomScript.begun()
      script.order(.will(RoomWill(room: "!a:h", body: "{}", after: .seconds(300)), mark: "kiosk"))
      #expect(script.order(.begin(position: nil)).last == "willing capabilities")
      for (body, status) in [
        (#"{"capabilities":{"org.matrix.msc4140.delayed_events":{"max_delay_ms":86400000}}}"#, 200),
        (#"{"delayed_events":[]}"#, 200), (#"{"errcode":"M_NOT_FOUND"}"#, 404), (#"{"delay_id":"d"}"#, 200),
      ] as [(String, UInt16)] {
        script.tell(.answered(.willing, .answered(status: status, retryAfter: nil, body: Array(body.utf8))))
      }
      return script
    }
    var script = scheduled()
    #expect(script.tell(.abandoned) == ["end finished"], "the kiosk has died")
    script = scheduled()
    #expect(script.order(.cancelWill) == ["willing d"])
    #expect(script.tell(.abandoned).isEmpty)
    #expect(
      script.tell(.answered(.willing, .answered(status: 200, retryAfter: nil, body: Array("{}".utf8)))) == [
        "end finished"
      ])
    script = scheduled()
    script.order(.cancelWill)
    script.tell(.abandoned)
    #expect(script.wait() == ["end finished"], "the homeserver does not respond")
  }
}
