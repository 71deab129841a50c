// Comma-separated values as RFC 4180 has them, to standard output.

import TappetCore

/// Writes a table row by row.
package struct CSVWriter {
  private var text: [UInt8]

  /// Begins a table; `forExcel`: with a byte order mark, without which Excel does not take it for UTF-8.
  package init(forExcel: Bool = false) { text = forExcel ? [0xEF, 0xBB, 0xBF] : [] }

  /// Adds a row; prints what there is when it is worth it.
  @export(interface)
  package mutating func write(_ fields: [String]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      write(field)
    }
    text += [0x0D, 0x0A]
    if text.count >= Limits.tablePieceSize { flush() }
  }

  /// Prints the rest.
  package mutating func flush() {
    Output.write(bytes: text)
    text = []
  }

  /// Adds a field, with quotes where it needs them (RFC 4180 §2); spaces at an end would be lost without.
  private mutating func write(_ field: String) {
    let bytes = field.utf8
    let needsQuotes =
      bytes.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D } || bytes.first == 0x20
      || bytes.first == 0x09 || bytes.last == 0x20 || bytes.last == 0x09
    guard needsQuotes else { return text += bytes }
    text.append(0x22)
    for byte in bytes {
      if byte == 0x22 { text.append(byte) }
      text.append(byte)
    }
    text.append(0x22)
  }
}
