// Conversion of PEM from the forms found in files to the form that OpenSSL reads: lines that are not indented and end
// with a line feed. Configurations indent the lines, old editors end them with a carriage return, JSON contains `\n`,
// and Windows editors write UTF-16.

import CPlatform
import TappetBase

package enum PEMText {
  /// Rewrites the content of a file in place; returns the new size, and wipes the bytes that are no longer used.
  ///
  /// DER is left unchanged.
  @export(interface)
  package static func tidy(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    var size = bytes.count
    func keep(_ count: Int) {
      LibCrypto.wipe(UnsafeMutableRawBufferPointer(rebasing: bytes[count..<size]))
      size = count
    }
    let order =
      bytes.prefix(2).elementsEqual([0xFF, 0xFE]) ? 0 : bytes.prefix(2).elementsEqual([0xFE, 0xFF]) ? 1 : nil
    if let order {
      for index in 0..<size / 2 { bytes[index] = bytes[2 * index + order] }
      keep(size / 2)
    }
    let begin: StaticString = "-----BEGIN "
    guard size > 0, let base = bytes.baseAddress,
      memmem(base, size, begin.utf8Start, begin.utf8CodeUnitCount) != nil
    else { return size }
    let marks: [UInt8] = [0xEF, 0xBB, 0xBF, 0xFF, UInt8(ascii: "\"")]
    var count = 0
    var index = 0
    while index < size {
      // Byte order marks and enclosing quotes are treated as spaces.
      var byte = marks.contains(bytes[index]) ? 0x20 : bytes[index]
      index += 1
      if byte == UInt8(ascii: "\\"), index < size {
        // Base64 contains no backslashes.
        byte = bytes[index] == UInt8(ascii: "n") ? UInt8(ascii: "\n") : UInt8(ascii: " ")
        index += 1
      }
      if byte == UInt8(ascii: "\r") {
        byte = index < size && bytes[index] == UInt8(ascii: "\n") ? UInt8(ascii: " ") : UInt8(ascii: "\n")
      }
      let isAtEdge = count == 0 || bytes[count - 1] == UInt8(ascii: "\n")
      if isAtEdge && (byte == 0x20 || byte == 0x09) { continue }
      bytes[count] = byte
      count += 1
    }
    keep(count)
    return size
  }
}
