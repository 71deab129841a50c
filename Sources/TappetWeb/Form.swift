// The fields of a form (application/x-www-form-urlencoded), as a browser or the page's script sends them.

import TappetBase

/// The fields of a form; a missing field is empty.
struct Form {
  private var fields: [(name: String, value: String)] = []

  /// Decodes a body; `nil` if a field is not UTF-8 or contains a NUL, after which C libraries would see nothing.
  init?(_ body: [UInt8]) {
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Form.decode(parts[0]), let value = Form.decode(parts.count > 1 ? parts[1] : []) else {
        return nil
      }
      fields.append((name, value))
    }
  }

  subscript(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

  private static func decode(_ text: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), let value = Hex.decode(rest.prefix(2)), value.count == 1 {
        bytes.append(value[0])
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}
