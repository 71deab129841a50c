// The requests that keep a last will pending, by a scripted clock and scripted responses.

import TappetCore
import Testing

@testable import TappetRooms

@Suite struct RoomWillKeeperTests {
  private let capable = #"{"capabilities":{"org.matrix.msc4140.delayed_events":{"max_delay_ms":86400000}}}"#
  private var now = Instant(nanoseconds: 1_000_000_000)
  private let cipher = ScriptedCipher()
  private var keeper: RoomWillKeeper

  init() {
    cipher.encryptedRooms = []
    let will = RoomWill(room: "!a:h", body: #"{"msgtype":"m.notice","body":"gone"}"#, after: .seconds(300))
    keeper = RoomWillKeeper(will, mark: "kiosk", cipher, random: Randomness(seed: (1, 2, 3, 4)), at: now)
  }

  /// The end of the path of the next request, after the pause before it.
  private mutating func request() -> String {
    if let due = keeper.dueAt { now = max(now, due) }
    guard let call = keeper.nextCall(at: now), let path = call.path else { return "none" }
    let words = path.split(separator: "/").suffix(2).joined(separator: "/")
    let body = call.body.isEmpty ? "" : " " + String(decoding: call.body, as: UTF8.self)
    return String(words.prefix { $0 != "?" }) + body
  }

  private mutating func answer(_ body: String, status: UInt16 = 200) {
    keeper.handle(.answered(status: status, retryAfter: nil, body: Array(body.utf8)), at: now)
  }

  private let notFound = #"{"errcode":"M_NOT_FOUND"}"#

  /// Everything up to a scheduled message with this id.
  private mutating func schedule(as id: String = "d1", listing list: String = "[]") {
    #expect(request() == "v3/capabilities")
    answer(capable)
    #expect(request() == "org.matrix.msc4140/delayed_events")
    answer(#"{"delayed_events":\#(list)}"#)
    #expect(request() == "state/m.room.encryption")
    answer(notFound, status: 404)
    let sent = request()
    #expect(sent.hasSuffix(#" {"msgtype":"m.notice","body":"gone","org.tappet.last_will":"kiosk"}"#), "\(sent)")
    answer(#"{"delay_id":"\#(id)"}"#)
    #expect(keeper.takeMessages() == [.scheduled])
  }

  @Test mutating func `a last will is renewed at a third of its delay, after checking the room`() {
    schedule()
    for _ in 0..<3 {
      let before = now
      #expect(request() == "state/m.room.encryption" && now - before == .seconds(100))
      answer(notFound, status: 404)
      #expect(request() == #"delayed_events/d1 {"action":"restart"}"#)
      answer("{}")
    }
    #expect(keeper.takeMessages().isEmpty)
  }

  @Test mutating func `a previous process's last will is cancelled once the new one is scheduled`() {
    schedule(
      listing: """
        [{"delay_id":"old","content":{"org.tappet.last_will":"kiosk"}},
        {"delay_id":"of-another","content":{"org.tappet.last_will":"hall"}},{"delay_id":"call","content":{}},
        {"content":{"org.tappet.last_will":"kiosk"}}]
        """)
    let before = now
    #expect(request() == #"delayed_events/old {"action":"cancel"}"# && now == before)
    answer(notFound, status: 404)
    #expect(request() == "state/m.room.encryption" && now - before == .seconds(100))
  }

  @Test mutating func `a last will that the homeserver no longer has counts as posted, and another is scheduled`() {
    schedule()
    _ = request()
    answer(notFound, status: 404)
    _ = request()
    answer(notFound, status: 404)
    #expect(keeper.takeMessages() == [.posted])
    #expect(request().contains("gone"))
    answer(#"{"delay_id":"d2"}"#)
    #expect(keeper.takeMessages() == [.scheduled])
  }

  @Test(arguments: [
    (#"{"capabilities":{"org.matrix.msc4140.delayed_events":{"max_delay_ms":0}}}"#, RoomWillState.unsupported),
    (
      #"{"capabilities":{"org.matrix.msc4140.delayed_events":{"max_delay_ms":60000}}}"#,
      .tooLong(secondsMax: 60)
    ),
  ])
  mutating func `a homeserver without delayed events is asked again after an hour`(
    _ limits: String, _ state: RoomWillState
  ) {
    _ = request()
    answer(limits)
    #expect(keeper.takeMessages() == [state])
    let before = now
    #expect(request() == "v3/capabilities" && now - before == .seconds(3600))
    answer(limits)
    #expect(keeper.takeMessages().isEmpty)
  }

  @Test mutating func `without the capability, the homeserver's versions determine the support`() {
    _ = request()
    answer(#"{"capabilities":{}}"#)
    #expect(request() == "client/versions")
    answer(#"{"unstable_features":{"org.matrix.msc4140":true}}"#)
    #expect(request() == "org.matrix.msc4140/delayed_events")
  }

  @Test mutating func `a homeserver that ignores the delay is not tried again`() {
    _ = request()
    answer(capable)
    _ = request()
    answer(#"{"errcode":"M_UNRECOGNIZED"}"#, status: 404)
    _ = request()
    answer(notFound, status: 404)
    _ = request()
    answer(#"{"event_id":"$e"}"#)
    #expect(keeper.takeMessages() == [.unsupported])
    let before = now
    #expect(request() == "v3/capabilities" && now - before == .seconds(3600))
  }

  @Test mutating func `a room that was encrypted in the meantime gets no plain text`() {
    schedule()
    _ = request()
    answer(#"{"algorithm":"m.megolm.v1.aes-sha2"}"#)
    #expect(keeper.takeMessages() == [.failed(.trouble(.roomEncrypted, code: 200))])
    #expect(request() == #"delayed_events/d1 {"action":"cancel"}"#)
    answer("{}")
    #expect(request() == "state/m.room.encryption")
  }

  @Test mutating func `a known encrypted room gets no plain text, even if the homeserver denies its encryption`() {
    cipher.encryptedRooms = ["!a:h"]
    _ = request()
    answer(capable)
    _ = request()
    answer(#"{"delayed_events":[]}"#)
    #expect(request() == "state/m.room.encryption")
    answer(notFound, status: 404)
    #expect(keeper.takeMessages() == [.failed(.trouble(.roomEncrypted, code: 404))])
    #expect(request() == "state/m.room.encryption")
  }

  @Test mutating func `a rate-limited or failed request is repeated under the same transaction, and then reported`() {
    _ = request()
    answer(capable)
    _ = request()
    answer(#"{"delayed_events":[]}"#)
    _ = request()
    answer(notFound, status: 404)
    let sent = request()
    var pauses: [Duration] = []
    for _ in 0..<5 {
      let before = now
      answer(#"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}"#, status: 429)
      #expect(request() == sent)
      pauses.append(now - before)
    }
    #expect(pauses == [2, 2, 4, 8, 16].map { .seconds($0) })
    #expect(keeper.takeMessages() == [.failed(.status(429))])
    answer(#"{"delay_id":"d1"}"#)
    #expect(keeper.takeMessages() == [.scheduled])
  }

  @Test mutating func `a stop cancels a last will, even while it is being scheduled, and retries`() {
    schedule()
    keeper.end(at: now)
    #expect(keeper.isCancelling && request() == #"delayed_events/d1 {"action":"cancel"}"#)
    answer("", status: 502)
    #expect(request() == #"delayed_events/d1 {"action":"cancel"}"#)
    answer("{}")
    #expect(keeper.takeMessages() == [.cancelled] && !keeper.isCancelling && keeper.dueAt == nil)
    #expect(request() == "none")
  }

  @Test mutating func `a session that ends before or while it schedules a last will leaves none pending`() {
    var other = keeper
    other.end(at: now)
    #expect(other.takeMessages() == [.cancelled] && other.dueAt == nil)
    _ = request()
    answer(capable)
    _ = request()
    answer(#"{"delayed_events":[]}"#)
    _ = request()
    answer(notFound, status: 404)
    _ = request()
    keeper.end(at: now)
    #expect(keeper.takeMessages().isEmpty)
    answer(#"{"delay_id":"d1"}"#)
    #expect(request() == #"delayed_events/d1 {"action":"cancel"}"#)
    answer(notFound, status: 404)
    #expect(keeper.takeMessages().last == .cancelled)
  }

  @Test mutating func `a stop retries a failed cancellation immediately, and then pauses between attempts`() {
    schedule(listing: #"[{"delay_id":"old","content":{"org.tappet.last_will":"kiosk"}}]"#)
    #expect(request() == #"delayed_events/old {"action":"cancel"}"#)
    answer("", status: 502)
    let before = now
    keeper.end(at: now)
    #expect(request() == #"delayed_events/old {"action":"cancel"}"# && now == before)
    answer("", status: 502)
    #expect(request() == #"delayed_events/old {"action":"cancel"}"# && now - before == .milliseconds(500))
    answer("{}")
    #expect(request() == #"delayed_events/d1 {"action":"cancel"}"#)
    answer("{}")
    #expect(keeper.takeMessages() == [.cancelled] && request() == "none")
  }
}
