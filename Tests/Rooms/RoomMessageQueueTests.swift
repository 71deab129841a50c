// The kiosk's answers in a room, against scripted responses.

import TappetCore
import Testing

@testable import TappetRooms

@Suite struct RoomMessageQueueTests {
  private var queue = RoomMessageQueue()
  private var now = Instant(nanoseconds: 1_000_000_000)

  /// Sends the next message, which gets this response; returns its end, if it is not sent again.
  private mutating func send(_ status: UInt16, _ body: String) -> RoomMessageQueue.End? {
    if let due = queue.dueAt { now = max(now, due) }
    let message = queue.next(at: now)
    #expect(message != nil)
    return queue.sent(.answered(status: status, retryAfter: nil, body: Array(body.utf8)), at: now)
  }

  @Test mutating func `an answer is sent again after a page of an intermediary`() {
    queue.append(.init(to: "$1", in: "!a:h", .reaction, "\u{2705}"), at: now)
    let pages: [(status: UInt16, body: String)] = [
      (200, "<html>log in</html>"), (200, "{}"), (302, ""), (404, "<html>"),
    ]
    for page in pages { #expect(send(page.status, page.body) == nil, "\(page)") }
    let end = send(200, #"{"event_id":"$x"}"#)
    #expect(end?.isAnswered == true && end?.event == "$x" && end?.message.settles == "$1")
  }

  @Test mutating func `a refusal and a receipt's response are final, and an answer without one is given up unsettled`()
  {
    queue.append(.init(to: "$1", in: "!a:h", .reaction, "\u{2705}"), at: now)
    #expect(send(403, #"{"errcode":"M_FORBIDDEN"}"#)?.isAnswered == true)
    queue.append(.init(reading: "$1", in: "!a:h"), at: now)
    #expect(send(200, "{}")?.isAnswered == true)
    queue.append(.init(to: "$2", in: "!a:h", .reply, "no"), at: now)
    for _ in 1..<Limits.roomAnswerTriesMax { #expect(send(200, "<html>") == nil) }
    #expect(send(200, "<html>")?.isAnswered == false && queue.dueAt == nil)
  }

  @Test mutating func `a question that is closed before it was sent leaves nothing due`() {
    queue.append(.init(asking: 1, in: "!a:h", "Open?"), at: now)
    #expect(!queue.remove(question: 1) && queue.dueAt == nil)
  }
}
