// Quotes as spreadsheets and people write them, which libcsv does not accept.

import TappetCore

/// Hides quotes in unquoted fields from libcsv, as a byte that UTF-8 never contains (RFC 3629 §1).
struct CSVQuotes {
  private enum State { case start, unquoted, quoted, afterQuote }

  /// The separator of fields.
  var delimiter = UInt8(ascii: ",")
  private var state = State.start

  static let shield: UInt8 = 0xFF
  private static let quote = UInt8(ascii: "\"")

  /// Returns the next block with quotes in unquoted fields hidden; `nil` if it is not UTF-8.
  mutating func shielding(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var shielded = Array(bytes)
    for index in shielded.indices {
      let byte = shielded[index]
      if byte == Self.shield { return nil }
      let isEnd = byte == delimiter || byte == 0x0A || byte == 0x0D
      switch state {
      case .quoted: if byte == Self.quote { state = .afterQuote }
      case .start where byte == Self.quote: state = .quoted
      case .afterQuote where byte == Self.quote: state = .quoted
      case _ where isEnd: state = .start
      case .start: if byte != 0x20, byte != 0x09 { state = .unquoted }
      case .unquoted: if byte == Self.quote { shielded[index] = Self.shield }
      case .afterQuote: break
      }
    }
    return shielded
  }

  /// Returns a field with its hidden quotes.
  static func restored(_ field: UnsafeRawBufferPointer) -> [UInt8] { field.map { $0 == shield ? quote : $0 } }
}

/// A field in which a spreadsheet marked digits as text: `="00123"` or `'00123`.
package struct CSVTextMark {
  private let line: Int
  private let field: String
  /// The text inside.
  package let text: String

  /// Recognizes a field; `nil` if it has no mark.
  init?(_ field: String, line: Int) {
    let bytes = Array(field.utf8)
    if bytes.count > 3, bytes.starts(with: "=\"".utf8), bytes.last == UInt8(ascii: "\"") {
      let inner = bytes[2..<bytes.count - 1]
      guard !inner.contains(UInt8(ascii: "\"")) else { return nil }
      text = String(decoding: inner, as: UTF8.self)
    } else if let rest = CSV.unguarded(field), rest.utf8.allSatisfy({ $0.isASCIIDigit }) {
      text = rest
    } else {
      return nil
    }
    (self.line, self.field) = (line, field)
  }

  /// Human-readable report of the first mark of a file.
  package var sentence: String {
    @export(interface) get {
      "line \(line): \(field) was read as \(text); a spreadsheet marks digits as text like this, here and elsewhere"
    }
  }
}
