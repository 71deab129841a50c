// Base64 (RFC 4648 §4), as used by webhook signatures and their secrets; libcrypto performs the conversion.

import COpenSSL

/// Base64 with padding.
package enum Base64 {
  /// Encodes the bytes, with padding.
  @export(interface)
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    // libcrypto adds a NUL.
    [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { digits, count in
      count = Int(EVP_EncodeBlock(digits.baseAddress, bytes, Int32(bytes.count)))
    }
  }

  /// Decodes Base64 digits; `nil` if the text is not valid Base64.
  ///
  /// The padding may be missing, as some senders omit it. The caller must wipe a secret.
  @export(interface)
  package static func decode(_ text: [UInt8]) -> [UInt8]? {
    var digits = text
    while digits.last == UInt8(ascii: "="), text.count - digits.count < 2 { digits.removeLast() }
    // libcrypto would skip spaces and hyphens, and would accept '=' as a digit.
    guard digits.count % 4 != 1, digits.allSatisfy({ isDigit($0) }) else { return nil }
    let padding = (4 - digits.count % 4) % 4
    digits += [UInt8](repeating: UInt8(ascii: "="), count: padding)
    var bytes = [UInt8](repeating: 0, count: digits.count / 4 * 3)
    guard Int(EVP_DecodeBlock(&bytes, digits, Int32(digits.count))) == bytes.count else { return nil }
    bytes.removeLast(padding)
    return bytes
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
  }
}
