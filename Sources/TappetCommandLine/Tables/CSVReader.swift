// Strict CSV parsing with libcsv: text after a quoted field is an error, as is an unbalanced quote. A quote in an
// unquoted field, as in 19" shelf, is a character. The only file that imports CCSV.

import CCSV
import TappetCore

/// The reason why a file is not a valid table.
package enum CSVError: Error, Hashable {
  /// Text after a quoted field, or an unbalanced quote; `line` is the line on which the row starts.
  case quote(line: Int)
  case tooManyColumns(line: Int, max: Int)
  case fieldTooLong(line: Int, max: Int)
  case notUTF8(line: Int)
  /// The text is not in the encoding that was specified or marked.
  case notEncoded(line: Int, encoding: String)
  /// A NUL, which no table contains.
  case nul(line: Int)
  /// A spreadsheet in its native format.
  case workbook
  case noMemory

  package var sentence: String {
    @export(interface) get {
      switch self {
      case .quote(let line):
        "line \(line): misplaced or unclosed quote; within a field in quotes, double each quote"
      case .tooManyColumns(let line, let max): "line \(line): more than \(max) columns"
      case .fieldTooLong(let line, let max): "line \(line): a field is larger than \(max) bytes; is a quote missing?"
      case .notUTF8(let line):
        "line \(line) is not UTF-8; save the file as UTF-8, or import it with --encoding and its encoding, such as "
          + "WINDOWS-1252 (Windows), MACINTOSH (Mac) or IBM850 (DOS)"
      case .notEncoded(let line, let encoding): "line \(line) is not \(encoding); is the encoding correct?"
      case .nul(let line):
        "line \(line) contains a NUL character; remove it, or import UTF-16 with --encoding UTF-16LE or UTF-16BE"
      case .workbook: "the file is a workbook (such as .xlsx or .ods); save it as 'CSV UTF-8' in the spreadsheet first"
      case .noMemory: "the system is out of memory"
      }
    }
  }
}

/// A row with the line on which it starts.
package struct CSVRow {
  package var line: Int
  package var fields: [String]
}

/// Parses a table incrementally.
package final class CSVReader {
  private var parser = csv_parser()
  private var row: [String] = []
  private var rows: [CSVRow] = []
  /// Line of the next character, and line on which the row started.
  private var line = 1
  private var start = 1
  private var fault: CSVError?
  private var hasStarted = false
  /// Whether the last line ended with a carriage return, so that a following line feed is part of that line end.
  private var endsWithReturn = false
  private var quotes = CSVQuotes()
  /// The first field that was marked as text for a spreadsheet.
  package private(set) var textMark: CSVTextMark?

  /// Creates a reader; `nil` if out of memory.
  package init?() {
    guard csv_init(&parser, UInt8(CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL)) == 0 else { return nil }
  }

  deinit { csv_free(&parser) }

  /// Removes and returns the complete rows.
  package func takeRows() -> [CSVRow] {
    defer { rows = [] }
    return rows
  }

  /// Parses the next block; the first block determines the separator: comma, semicolon or tab.
  @export(interface)
  package func read(_ bytes: [UInt8]) throws(CSVError) {
    if bytes.isEmpty { return }
    let skipped = try hasStarted ? 0 : begin(with: bytes)
    hasStarted = true
    let count = bytes.count - skipped
    guard let shielded = quotes.shielding(bytes[skipped...]) else {
      let before = bytes[skipped...].prefix { $0 != CSVQuotes.shield }
      throw .notUTF8(line: line + before.count { $0 == UInt8(CSV_LF) })
    }
    let read = shielded.withUnsafeBytes { buffer in
      csv_parse(
        &parser, buffer.baseAddress, count, { CSVReader.note(field: $0, $1, $2) },
        { CSVReader.note(end: $0, $1) }, Unmanaged.passUnretained(self).toOpaque())
    }
    if let fault { throw fault }
    if read != count { throw csv_error(&parser) == CSV_EPARSE ? .quote(line: start) : .noMemory }
    if parser.entry_pos > Limits.tableFieldSizeMax {
      throw .fieldTooLong(line: start, max: Limits.tableFieldSizeMax)
    }
  }

  /// Completes the last row.
  package func finish() throws(CSVError) {
    let result = csv_fini(
      &parser, { CSVReader.note(field: $0, $1, $2) }, { CSVReader.note(end: $0, $1) },
      Unmanaged.passUnretained(self).toOpaque())
    if let fault { throw fault }
    if result != 0 { throw .quote(line: start) }
  }

  /// Returns the number of bytes before the table: a byte order mark, and Excel's `sep=;`.
  private func begin(with bytes: [UInt8]) throws(CSVError) -> Int {
    if bytes.starts(with: [0x50, 0x4B, 3, 4]) { throw .workbook }
    // With NUL bytes, quotes and line ends would be misinterpreted.
    if let first = bytes.firstIndex(of: 0) {
      throw .nul(line: bytes[..<first].count { $0 == UInt8(CSV_LF) } + 1)
    }
    let isEnd = { (byte: UInt8) in byte == UInt8(CSV_LF) || byte == UInt8(CSV_CR) }
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let first = bytes[mark...].prefix { !isEnd($0) }
    let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(CSV_TAB)]
    if first.count == 5, first.starts(with: "sep=".utf8), let separator = first.last {
      setDelimiter(separator)
      let rest = bytes[first.endIndex...]
      let size = rest.starts(with: [UInt8(CSV_CR), UInt8(CSV_LF)]) ? 2 : min(1, rest.count)
      (line, start) = (2, 2)
      return first.endIndex + size
    }
    let counts = separators.map { mark in first.filter { $0 == mark }.count }
    if counts[1] > counts[0] || counts[2] > counts[0] {
      setDelimiter(counts[2] > counts[1] ? separators[2] : separators[1])
    }
    return mark
  }

  private func setDelimiter(_ byte: UInt8) {
    csv_set_delim(&parser, byte)
    quotes.delimiter = byte
  }

  // MARK: libcsv callbacks

  private static func note(
    field: UnsafeMutableRawPointer?, _ size: Int, _ context: UnsafeMutableRawPointer?
  ) {
    guard let context else { return }
    let reader = Unmanaged<CSVReader>.fromOpaque(context).takeUnretainedValue()
    reader.append(UnsafeRawBufferPointer(start: field, count: size))
  }

  private static func note(end character: Int32, _ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<CSVReader>.fromOpaque(context).takeUnretainedValue().endRow(character)
  }

  private func append(_ field: UnsafeRawBufferPointer) {
    guard fault == nil else { return }
    guard row.count < Limits.tableColumnsMax else {
      fault = .tooManyColumns(line: start, max: Limits.tableColumnsMax)
      return
    }
    guard field.count <= Limits.tableFieldSizeMax else {
      fault = .fieldTooLong(line: start, max: Limits.tableFieldSizeMax)
      return
    }
    guard let text = String(validating: CSVQuotes.restored(field), as: UTF8.self) else {
      fault = .notUTF8(line: start)
      return
    }
    guard !text.utf8.contains(0) else {
      fault = .nul(line: start)
      return
    }
    for byte in field where byte == UInt8(ascii: "\n") { line += 1 }
    endsWithReturn = false
    let mark = CSVTextMark(text, line: start)
    textMark = textMark ?? mark
    row.append(mark?.text ?? CSV.unguarded(text) ?? text)
  }

  /// Completes a row; drops an empty row, because spreadsheets leave empty rows after a table.
  private func endRow(_ character: Int32) {
    if row.contains(where: { !$0.isEmpty }), fault == nil { rows.append(CSVRow(line: start, fields: row)) }
    row = []
    if character == CSV_CR || !endsWithReturn { line += 1 }
    endsWithReturn = character == CSV_CR
    start = line
  }
}
