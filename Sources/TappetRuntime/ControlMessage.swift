// A message on the control socket: one JSON object, and behind a NUL the one value in it that is secret. It is never part of
// the JSON, whose texts are copied by everyone who looks at them and wiped by nobody.
//
//     {"request":"secret-add"} NUL smpshare://secret?…

import TappetCore
import TappetDevices

/// One request or answer.
public struct ControlMessage {
  /// What it says.
  public var json: JSON
  /// What it encloses.
  public var enclosure: SecretBytes?

  /// A message.
  public init(_ json: JSON, enclosing enclosure: SecretBytes?) {
    self.json = json
    self.enclosure = enclosure
  }

  /// Nil when it does not begin with a JSON value.
  ///
  /// `bytes` are the caller's to wipe.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
    guard let json = JSON(decoding: Array(bytes[..<end])) else { return nil }
    self.json = json
    if end < bytes.endIndex { enclosure = SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])) }
  }

  /// The bytes, for the caller to wipe.
  public static func encode(_ json: JSON, enclosing enclosure: SecretBytes?) -> [UInt8] {
    let head = json.encoded()
    guard let enclosure else { return head }
    return [UInt8](unsafeUninitializedCapacity: head.count + 1 + enclosure.count) { buffer, count in
      let memory = UnsafeMutableRawBufferPointer(buffer)
      memory.copyBytes(from: head)
      memory[head.count] = 0
      enclosure.withBytes { UnsafeMutableRawBufferPointer(rebasing: memory[(head.count + 1)...]).copyMemory(from: $0) }
      count = head.count + 1 + enclosure.count
    }
  }
}
