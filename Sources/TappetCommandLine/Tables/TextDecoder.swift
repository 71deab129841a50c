// Decodes a file with iconv(3): from the encoding that the user specified, or from UTF-16 or UTF-32 with a byte order
// mark. Any other text passes unchanged.

import CPlatform
import TappetCore

/// Converts a text to UTF-8, block by block.
package final class TextDecoder {
  private var converter: iconv_t?
  private var encoding: String
  private var hasStarted = false
  /// The start of a character that ends in the next block.
  private var pending: [UInt8] = []
  private var line = 1

  /// Creates a decoder; `nil` if the encoding is unknown.
  @export(interface)
  package init?(encoding: String?) {
    self.encoding = encoding ?? ""
    guard let encoding else { return }
    converter = Self.converter(encoding)
    if converter == nil { return nil }
  }

  deinit { if let converter { iconv_close(converter) } }

  private static func converter(_ encoding: String) -> iconv_t? {
    let converter = iconv_open("UTF-8", encoding)
    return converter == iconv_t(bitPattern: -1) ? nil : converter
  }

  /// Refuses an unknown encoding in the option --encoding.
  @export(interface)
  package static func usageError(_ arguments: Arguments) -> String? {
    guard let name = arguments.value("encoding"), TextDecoder(encoding: name) == nil else { return nil }
    return "unknown encoding '\(name)'; 'iconv -l' lists the names"
  }

  /// Decodes the next block; an empty block is the end of the file.
  @export(interface)
  package func decode(_ bytes: [UInt8]) throws(CSVError) -> [UInt8] {
    if !hasStarted, converter == nil, let name = Self.marked(bytes) {
      (encoding, converter) = (name, Self.converter(name))
    }
    hasStarted = true
    guard let converter else { return bytes }
    pending += bytes
    var decoded = [UInt8](repeating: 0, count: 8 * pending.count + 16)
    var (left, room) = (pending.count, decoded.count)
    pending.withUnsafeMutableBytes { source in
      decoded.withUnsafeMutableBytes { target in
        var from = source.baseAddress?.assumingMemoryBound(to: CChar.self)
        var to = target.baseAddress?.assumingMemoryBound(to: CChar.self)
        iconv(converter, &from, &left, &to, &room)
        // Some encodings keep a letter until they know that no accent follows.
        if bytes.isEmpty { iconv(converter, nil, nil, &to, &room) }
      }
    }
    decoded.removeLast(room)
    pending.removeFirst(pending.count - left)
    line += decoded.count { $0 == UInt8(ascii: "\n") }
    // A character has at most 4 bytes, in some encodings after an escape sequence of 4.
    guard left == 0 || left < 8 && !bytes.isEmpty else { throw .notEncoded(line: line, encoding: encoding) }
    return decoded
  }

  private static func marked(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
    return bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) ? "UTF-16" : nil
  }
}
