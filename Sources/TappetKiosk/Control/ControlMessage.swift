// A message on the control socket: one JSON object, optionally followed by a NUL and one secret value. The secret is
// never part of the JSON, because JSON strings are copied when read and never wiped.
//
//     {"request":"secret-add"} NUL smpshare://secret?…

import TappetCore
import TappetJSON

/// A request or a response.
package struct ControlMessage {
  /// The JSON object.
  package var json: JSON
  /// The secret value after the NUL, if any.
  package var secretPayload: SecretBytes?

  /// Creates a message with the given JSON object and secret value.
  package init(_ json: JSON, enclosing secretPayload: SecretBytes?) {
    self.json = json
    self.secretPayload = secretPayload
  }

  /// Decodes a message; `nil` if it does not start with a JSON value.
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
