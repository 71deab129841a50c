// The messages to rooms, against scripted responses and a scripted cipher.

import TappetCore
import Testing

@testable import TappetRooms

@Suite struct RoomOutboxTests {
  private let cipher = ScriptedCipher()
  private let plain = #"{"errcode":"M_NOT_FOUND"}"#
  private let encrypted = #"{"algorithm":"m.megolm.v1.aes-sha2"}"#
  private let limit = #"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":7000}"#
  private let event = #"{"event_id":"$x"}"#
  private var outbox = RoomOutbox()
  private var now = Instant(nanoseconds: 1_000_000_000)

  init() {
    cipher.encryptedRooms = []
    outbox.encrypt(by: cipher, RoomEncryption(devices: .all, allowsPlain: true))
  }

  private mutating func post(_ number: UInt64, in room: String = "!a:h") {
    outbox.append(.entry(EntryID(high: 0, low: number), Array("{}".utf8)), to: room, at: now)
  }

  private mutating func reply(in room: String = "!a:h") { outbox.append(.reply("no", to: "$1"), to: room, at: now) }

  /// The last part of the path of the next request; `nil` if none is due.
  private mutating func next(mayAskForKeys: Bool = true) -> String? {
    let words: (HTTPCall) -> String = { ($0.path ?? "").split(separator: "/").suffix(1).joined() }
    switch outbox.nextRequest(mayAskForKeys: mayAskForKeys, at: now) {
    case .send(let call):
      // A homeserver that hangs must be noticed, but may take its time for the members of a large room.
      #expect((call.timeout == .seconds(10)) == (words(call) != "joined_members"), "\(words(call))")
      return words(call)
    case .keys(let call): return "keys: " + words(call)
    case nil: return nil
    }
  }

  private mutating func answer(_ body: String, _ status: UInt16 = 200) {
    outbox.sent(.answered(status: status, retryAfter: nil, body: Array(body.utf8)), at: now)
  }

  private mutating func wait() { now = max(now, outbox.deadline ?? now) }

  private mutating func outcomes() -> [RoomOutbox.Outcome] { outbox.takeEnds().map { $0.outcome } }

  private func number(_ low: UInt64) -> String { EntryID(high: 0, low: low).hex }

  /// Answers the check of a room without encryption; returns the request that sends.
  private mutating func send() -> String? {
    #expect(next() == "m.room.encryption")
    answer(plain, 404)
    return next()
  }

  @Test mutating func `a message is not sent after its time limit, however slow the preceding requests are`() {
    outbox.append(.entry(EntryID(high: 0, low: 7), Array("{}".utf8)), to: "!a:h", within: .seconds(15), at: now)
    #expect(next() == "m.room.encryption")
    now = now + .seconds(16)
    answer(plain, 404)
    #expect(next() == nil && outcomes() == [.failed(.timedOut, code: 0)])
  }

  @Test mutating func `an entry's message is sent once, whatever its outcome`() {
    post(7)
    #expect(send() == number(7))
    answer(event)
    #expect(outcomes() == [.accepted(event: "$x")] && next() == nil && outbox.deadline == nil)
    post(8)
    #expect(next() == number(8), "the room is known for a burst")
    answer(limit, 429)
    #expect(outcomes() == [.answered(status: 429, retryAfter: .seconds(7))] && outbox.deadline == nil)
    post(9)
    #expect(next() == number(9))
    outbox.sent(.failed(.timedOut, code: 28), at: now)
    #expect(outcomes() == [.failed(.timedOut, code: 28)] && outbox.deadline == nil)
  }

  @Test mutating func `a rate-limited reply is sent again under the same number`() {
    reply()
    #expect(send() == "%241-reply")
    answer(limit, 429)
    #expect(outcomes().isEmpty && next() == nil)
    let before = now
    wait()
    #expect(now - before == .seconds(7) && send() == "%241-reply")
    answer(event)
    #expect(outcomes() == [.accepted(event: "$x")])
  }

  @Test mutating func `a refused reply is final, and a queued reply is sent only once`() {
    reply()
    reply()
    #expect(send() == "%241-reply")
    answer(#"{"errcode":"M_TOO_LARGE"}"#, 413)
    #expect(outcomes().map { $0.isFinal } == [true] && next() == nil)
    reply()
    for _ in 0..<Limits.roomAnswerTriesMax {
      #expect(send() == "%241-reply")
      answer(#"{"errcode":"M_UNKNOWN_TOKEN"}"#, 401)
      wait()
    }
    #expect(outcomes().map { $0.isFinal } == [false] && next() == nil, "after the next login, the kiosk replies again")
  }

  @Test mutating func `a message to an encrypted room waits for its keys, and is then encrypted`() {
    cipher.needs = [HTTPCall(path: "/keys/claim", body: [])]
    post(7)
    #expect(next() == "m.room.encryption")
    answer(encrypted)
    #expect(cipher.knownRooms == ["!a:h"] && next() == "joined_members")
    answer(#"{"joined":{"@ann:h":{}}}"#)
    #expect(next(mayAskForKeys: false) == nil && next() == "keys: claim")
    #expect(next() == nil, "the response is pending")
    _ = cipher.called(.answered(status: 200, retryAfter: nil, body: []))
    outbox.keysAnswered(.answered(status: 200, retryAfter: nil, body: []), isValid: true, at: now)
    guard case .send(let call) = outbox.nextRequest(mayAskForKeys: true, at: now) else {
      Issue.record("nothing is sent")
      return
    }
    #expect(call.path?.contains("/send/m.room.encrypted/") == true)
    #expect(String(decoding: call.body, as: UTF8.self) == "secret {}")
  }

  @Test mutating func `a damaged list of members is reported as a fault, and does not count as an empty room`() {
    post(7)
    #expect(next() == "m.room.encryption")
    answer(encrypted)
    #expect(next() == "joined_members")
    answer("{}")
    #expect(next() == nil && outcomes() == [.failed(.notAHomeserver, code: 200)])
  }

  @Test mutating func `a known encrypted room gets no plain text, even if the homeserver denies its encryption`() {
    cipher.encryptedRooms = ["!a:h"]
    post(7)
    #expect(next() == "m.room.encryption")
    answer(plain, 404)
    #expect(next() == "joined_members")
    answer(#"{"joined":{}}"#)
    cipher.needs = nil
    #expect(next() == nil)
    #expect(outcomes() == [.failed(.other, code: 5)], "nothing can be encrypted")
  }

  @Test mutating func `a failed or damaged response about keys fails the message, but is not a refusal`() {
    cipher.encryptedRooms = ["!a:h"]
    cipher.needs = [HTTPCall(path: "/keys/claim", body: [])]
    let responses: [(HTTPOutcome, RoomOutbox.Outcome)] = [
      (.answered(status: 200, retryAfter: nil, body: []), .failed(.notAHomeserver, code: 200)),
      (.answered(status: 502, retryAfter: nil, body: []), .answered(status: 502, retryAfter: nil)),
      (.failed(.unreachable, code: 7), .failed(.unreachable, code: 7)),
    ]
    for (response, outcome) in responses {
      post(7)
      if next() == "m.room.encryption" {
        answer(encrypted)
        #expect(next() == "joined_members")
      }
      answer(#"{"joined":{}}"#)
      #expect(next() == "keys: claim")
      outbox.keysAnswered(response, isValid: false, at: now)
      #expect(outcomes() == [outcome] && next() == nil)
    }
  }

  @Test mutating func `the messages of a room keep their order, and a pause does not delay other rooms`() {
    reply()
    post(7)
    post(8, in: "!b:h")
    #expect(send() == "%241-reply")
    #expect(next() == nil, "one request at a time")
    answer(limit, 429)
    #expect(send() == number(8) && outbox.deadline == now + Limits.roomPostMax)
    answer(event)
    #expect(next() == nil && outbox.deadline == now + .seconds(7))
    wait()
    #expect(send() == "%241-reply")
    answer(event)
    #expect(next() == number(7))
  }

  @Test mutating func `a message that cannot be sent in time fails`() {
    reply()
    post(7)
    #expect(next() == "m.room.encryption")
    wait()
    #expect(next() == nil && outcomes() == [.failed(.timedOut, code: 0)], "the one whose request has no response waits")
    answer(plain, 404)
    #expect(next() == nil && outcomes() == [.failed(.timedOut, code: 0)] && outbox.deadline == nil)
  }

  @Test mutating func `a reply is sent again after an intermediary's page`() {
    outbox.append(.reaction("\u{2705}", to: "$1", isFinal: true), to: "!a:h", at: now)
    let pages: [(status: UInt16, body: String)] = [
      (200, "<html>log in</html>"), (200, "{}"), (302, ""), (404, "<html>"),
    ]
    for page in pages {
      #expect(next() == "%241-e29c85")
      answer(page.body, page.status)
      #expect(outcomes().isEmpty, "\(page)")
      wait()
    }
    #expect(next() == "%241-e29c85")
    answer(event)
    #expect(outcomes() == [.accepted(event: "$x")])
  }

  @Test mutating func `a refusal and the response to a receipt are final, and a newer receipt replaces an older one`() {
    outbox.append(.reaction("\u{2705}", to: "$1", isFinal: true), to: "!a:h", at: now)
    #expect(next() == "%241-e29c85")
    answer(#"{"errcode":"M_FORBIDDEN"}"#, 403)
    #expect(outcomes() == [.failed(.roomClosed, code: 403)])
    for event in ["$1", "$2", "$3"] {
      outbox.append(.receipt(of: event), to: "!a:h", at: now)
      if event == "$1" { #expect(next() == "%241") }
    }
    answer("{}")
    #expect(next() == "%243")
    answer("{}")
    #expect(outcomes() == [.accepted(event: nil), .accepted(event: nil)] && next() == nil)
  }

  @Test mutating func `a question that is closed before it is sent is dropped`() {
    outbox.append(.question(1, "Open?"), to: "!a:h", at: now)
    #expect(!outbox.remove(question: 1) && outbox.deadline == nil)
    outbox.append(.question(2, "Open?"), to: "!a:h", at: now)
    #expect(send() == "question-2" && outbox.remove(question: 2), "it is being sent")
  }

  @Test mutating func `without a cipher, an encrypted room gets nothing`() {
    outbox = RoomOutbox()
    post(7)
    post(8)
    #expect(next() == "m.room.encryption")
    answer(encrypted)
    #expect(outcomes() == [.failed(.roomEncrypted, code: 200)])
    #expect(send() == number(8), "it is checked again")
  }
}
