// JSON parsing of a homeserver's response to a message, or of an error response.

import TappetCore
import TappetJSON

extension MatrixAnswer {
  /// Parses a response; if it is not JSON, the result has no members.
  @export(interface)
  package init(_ bytes: [UInt8]) {
    self = JSONNode.read(bytes) { MatrixAnswer($0) } ?? MatrixAnswer()
  }

  private init(_ answer: JSONNode) {
    self.init()
    isObject = answer.isObject
    errorCode = answer["errcode"]?.text
    eventID = answer["event_id"]?.text
    roomID = answer["room_id"]?.text.flatMap { RoomDestination.isRoom($0) && $0.begins(with: "!") ? $0 : nil }
    if let pause = answer["retry_after_ms"]?.number {
      retryAfter = .milliseconds(Int64(min(max(pause, 1), 0x1p30).rounded(.up)))
    }
  }
}
