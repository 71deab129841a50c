// Writes comma-separated values in the format of RFC 4180 to standard output. No field is a formula to a spreadsheet
// (`CSV.guarded`), and `CSVReader` reads each one back unchanged.

import TappetCore

/// Writes a table row by row.
package struct CSVWriter {
  private var text: [UInt8]

  /// Starts a table; `forExcel` adds a byte order mark, which Excel needs to detect UTF-8.
  package init(forExcel: Bool = false) { text = forExcel ? [0xEF, 0xBB, 0xBF] : [] }

  /// Adds a row; prints the buffer when it is large enough.
  @export(interface)
  package mutating func write(_ fields: [String]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      write(field)
    }
    text += [0x0D, 0x0A]
    if text.count >= Limits.tablePieceSize { flush() }
  }

  /// Prints the remaining rows.
  package mutating func flush() {
    Output.write(bytes: text)
    text = []
  }

  /// Adds a field, quoted if necessary (RFC 4180 §2); without quotes, leading and trailing spaces would be lost.
  private mutating func write(_ field: String) {
    let field = CSV.guarded(field)
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
