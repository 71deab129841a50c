// The JSON of a homeserver's answer to a message or an error.

import TappetCore
import TappetJSON

extension MatrixAnswer {
  /// Reads an answer; what is not JSON has no members.
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
      retryAfterSeconds = UInt32(min(max(pause, 1) / 1000, 0x1p30).rounded(.up))
    }
  }
}
