// The session's file, the names of rooms, and the refusals of a homeserver.

import Testing

@testable import TappetCore

@Suite struct HomeserverSessionTests {
  @Test func `a refusal is permanent, and an expired token is retried`() {
    for (trouble, refusal) in [
      (TransportError.roomEncrypted, WebhookRefusal.roomEncrypted), (.roomClosed, .roomClosed),
      (.roomPlain, .roomPlain),
      (.roomUnknown, .roomUnknown), (.messageRefused, .messageRefused), (.redirectForbidden, .redirectForbidden),
    ] {
      #expect(WebhookDecision(trouble, code: 1, hasWorked: false) == .givenUp(refusal))
      #expect(WebhookRefusal(number: refusal.number) == refusal)
    }
    for trouble in [TransportError.tokenRefused, .notAHomeserver] {
      #expect(WebhookDecision(trouble, code: 1, hasWorked: true) == .again(.trouble(trouble, code: 1)))
    }
  }

  @Test func `a session round-trips, and anything else is refused`() throws {
    var token = Array("syt_abc".utf8)
    let session = HomeserverSession(
      homeserver: "https://h.example", user: "@k:h", device: "D", token: SecretBytes(taking: &token))
    let bytes = session.encoded.withBytes { Array($0) }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text == "homeserver https://h.example\nuser @k:h\ndevice D\ntoken syt_abc\n")
    let read = try #require(HomeserverSession(bytes))
    #expect(read.homeserver == session.homeserver && read.user == "@k:h" && read.device == "D")
    #expect(read.token.isEqual(to: session.token))
    for wrong in [
      "", "token x\n", text + "more x\n", text.replacing("syt_abc", with: "a\rb"),
      text.replacing("https", with: "http"),
      text.replacing("user @k:h\n", with: ""), text.replacing("syt_abc", with: ""),
    ] { #expect(HomeserverSession(Array(wrong.utf8)) == nil, "\(wrong)") }
    #expect(HomeserverSession(Array(text.replacing("https://h.example", with: "http://127.0.0.1:8008").utf8)) != nil)
  }

  @Test func `the first character distinguishes an id from an alias`() {
    for good in ["!a:h", "!a", "#a:h", "#ä b".replacing(" ", with: "") + ":h"] { #expect(RoomAddress.isValid(good)) }
    for bad in ["", "!", "a:h", "#a", "@a:h", "!a b:h", "!a\n:h", "!" + String(repeating: "a", count: 255)] {
      #expect(!RoomAddress.isValid(bad), "\(bad)")
    }
  }
}
