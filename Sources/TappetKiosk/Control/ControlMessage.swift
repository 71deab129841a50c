// A message on the control socket: one JSON object, and after a NUL its one secret value. That value is never part of
// the JSON, whose strings are copied by everyone who reads them and wiped by nobody.
//
//     {"request":"secret-add"} NUL smpshare://secret?…

import TappetCore
import TappetJSON

/// A request or an answer.
package struct ControlMessage {
  /// The JSON object.
  package var json: JSON
  /// The secret after the NUL.
  package var secretPayload: SecretBytes?

  /// A message with this content.
  package init(_ json: JSON, enclosing secretPayload: SecretBytes?) {
    self.json = json
    self.secretPayload = secretPayload
  }

  /// Decodes a message; `nil` when it does not begin with a JSON value.
  ///
  /// The caller wipes `bytes`.
  @export(interface)
  package init?(_ bytes: UnsafeRawBufferPointer) {
    let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
    guard let json = JSON(decoding: Array(bytes[..<end])) else { return nil }
    self.json = json
    if end < bytes.endIndex {
      secretPayload = SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
    }
  }

  /// Encodes a message; the caller wipes the bytes.
  @export(interface)
  package static func encode(_ json: JSON, enclosing secretPayload: SecretBytes?) -> [UInt8] {
    let head = json.encoded()
    guard let secretPayload else { return head }
    return [UInt8](unsafeUninitializedCapacity: head.count + 1 + secretPayload.count) { buffer, count in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      memory.copyBytes(from: head)
      memory[head.count] = 0
      secretPayload.withBytes {
        UnsafeMutableRawBufferPointer(rebasing: memory[(head.count + 1)...]).copyMemory(from: $0)
      }
      count = head.count + 1 + secretPayload.count
    }
  }
}
