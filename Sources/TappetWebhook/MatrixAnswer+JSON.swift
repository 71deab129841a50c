// The JSON of a homeserver's answer to a message or an error, read with cJSON.

import CJSON
import TappetCore

extension MatrixAnswer {
  /// Reads an answer; what is not JSON has no members.
  @export(interface)
  package init(_ bytes: [UInt8]) {
    self.init()
    guard let tree = SyncAnswer.tree(bytes) else { return }
    defer { cJSON_Delete(tree) }
    isObject = cJSON_IsObject(tree) != 0
    errorCode = SyncAnswer.text(tree, "errcode")
    eventID = SyncAnswer.text(tree, "event_id")
    roomID = SyncAnswer.text(tree, "room_id").flatMap { RoomDestination.isRoom($0) && $0.begins(with: "!") ? $0 : nil }
    if let pause = SyncAnswer.member(tree, "retry_after_ms"), cJSON_IsNumber(pause) != 0 {
      retryAfterSeconds = UInt32(min(max(pause.pointee.valuedouble, 1) / 1000, 0x1p30).rounded(.up))
    }
  }
}
