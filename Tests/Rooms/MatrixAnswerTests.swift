// The members that are read of a homeserver's answer.

import TestSupport
import Testing

@testable import TappetCore
@testable import TappetRooms

@Suite struct MatrixAnswerTests {
  private func answer(_ text: String) -> MatrixAnswer { MatrixAnswer(Array(text.utf8)) }

  @Test(
    arguments: [
      (#"{"errcode":"M_FORBIDDEN","error":"no"}"#, "M_FORBIDDEN"), (#" { "errcode" : "M_\u0041" }"#, "M_A"),
      (#"{"error":"\"errcode\":\"M_UNKNOWN_TOKEN\"","errcode":"M_FORBIDDEN"}"#, "M_FORBIDDEN"),
      (#"{"body":"\"errcode\":\"M_UNKNOWN_TOKEN\""}"#, nil), (#"{"x":{"errcode":"M_UNKNOWN_TOKEN"}}"#, nil),
      (#"{"a \"errcode":"M_UNKNOWN_TOKEN"}"#, nil), (#"{"errcode":7}"#, nil), (#"["errcode"]"#, nil), ("<html>", nil),
      ("", nil), (#"{"errcode":"M_"#, nil),
    ] as [(String, String?)])
  func `an error is read from the member 'errcode', not from text within another member`(
    _ text: String, _ code: String?
  ) {
    #expect(answer(text).errorCode == code)
  }

  @Test(
    arguments: [
      ("0", 1), ("0.2", 1), ("1000", 1000), ("2001.5", 2002), ("1e300", 1 << 30), (#""5""#, nil), ("null", nil),
    ] as [(String, Int64?)])
  func `a pause is rounded up to whole milliseconds, and limited`(_ number: String, _ milliseconds: Int64?) {
    #expect(answer("{\"retry_after_ms\":\(number)}").retryAfter == milliseconds.map { .milliseconds($0) })
  }

  @Test(arguments: [("!a:h", "!a:h"), ("", nil), ("#b:h", nil), ("! ", nil), ("a", nil)] as [(String, String?)])
  func `only a valid id is accepted as a room`(_ id: String, _ room: String?) {
    #expect(answer("{\"room_id\":\"\(id)\"}").roomID == room)
  }

  @Test func `any bytes are parsed without a trap`() {
    var random = Randomness(seed: (1, 2, 3, 4))
    let pieces = ["{", "}", "\"", ":", " ", "errcode", "room_id", "event_id", "retry_after_ms", "99999999999999999999"]
    for _ in 0..<5_000 {
      let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      #expect(answer(text).errorCode == nil || text.contains("errcode"))
    }
  }
}
