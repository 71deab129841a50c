// Comma-separated values by libcsv, strictly: a quote in the middle of a field is a mistake, and so is one without its
// partner. The one file that imports CCSV.

import CCSV
import TappetCore

/// Why a file is not a table.
enum CSVError: Error, Hashable {
  /// A quote that is not at the end of a field, or has no partner; the line on which the row begins.
  case quote(line: Int)
  case tooManyColumns(line: Int, max: Int)
  case fieldTooLong(line: Int, max: Int)
  case notUTF8(line: Int)
  case noMemory

  var sentence: String {
    switch self {
    case .quote(let line):
      "line \(line): a quote is in the wrong place, or never closed; double the quotes in a quoted field"
    case .tooManyColumns(let line, let max): "line \(line): more than \(max) columns"
    case .fieldTooLong(let line, let max): "line \(line): a field of more than \(max) bytes; is a quote missing?"
    case .notUTF8(let line): "line \(line) is not UTF-8; convert the file, as with: iconv -f WINDOWS-1252 -t UTF-8"
    case .noMemory: "the system has no memory left"
    }
  }
}

/// A row with the line on which it begins.
struct CSVRow {
  var line: Int
  var fields: [String]
}

/// Reads a table piece by piece, as it comes.
final class CSVReader {
  private var parser = csv_parser()
  private var row: [String] = []
  private var rows: [CSVRow] = []
  /// The line of the next character, and that on which the row began.
  private var line = 1
  private var start = 1
  private var fault: CSVError?
  private var hasStarted = false

  /// A reader without a row; `nil` when there is no memory.
  init?() {
    guard csv_init(&parser, UInt8(CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL)) == 0 else { return nil }
  }

  deinit { csv_free(&parser) }

  /// Takes the rows that are complete.
  func takeRows() -> [CSVRow] {
    defer { rows = [] }
    return rows
  }

  /// Reads the next piece; the first one decides between commas, semicolons and tabs.
  func read(_ bytes: [UInt8]) throws(CSVError) {
    if !hasStarted { begin(with: bytes) }
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let skipped = !hasStarted && bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    hasStarted = true
    let count = bytes.count - skipped
    let read = bytes.withUnsafeBytes { buffer in
      csv_parse(
        &parser, buffer.baseAddress.map { $0 + skipped }, count, { CSVReader.note(field: $0, $1, $2) },
        { CSVReader.note(end: $0, $1) }, Unmanaged.passUnretained(self).toOpaque())
    }
    if let fault { throw fault }
    if read != count { throw csv_error(&parser) == CSV_EPARSE ? .quote(line: start) : .noMemory }
    if parser.entry_pos > Limits.tableFieldSizeMax {
      throw .fieldTooLong(line: start, max: Limits.tableFieldSizeMax)
    }
  }

  /// Ends the last row.
  func finish() throws(CSVError) {
    let result = csv_fini(
      &parser, { CSVReader.note(field: $0, $1, $2) }, { CSVReader.note(end: $0, $1) },
      Unmanaged.passUnretained(self).toOpaque())
    if let fault { throw fault }
    if result != 0 { throw .quote(line: start) }
  }

  private func begin(with bytes: [UInt8]) {
    let first = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let marks = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(CSV_TAB)]
    let counts = marks.map { mark in first.filter { $0 == mark }.count }
    if counts[1] > counts[0] || counts[2] > counts[0] {
      csv_set_delim(&parser, counts[2] > counts[1] ? marks[2] : marks[1])
    }
  }

  // MARK: Called by libcsv

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
    guard let text = String(validating: field, as: UTF8.self), !text.utf8.contains(0) else {
      fault = .notUTF8(line: start)
      return
    }
    for byte in field where byte == UInt8(ascii: "\n") { line += 1 }
    row.append(text)
  }

  /// An empty line is not a row, and the line feed after a carriage return is one of them.
  private func endRow(_ character: Int32) {
    if !row.isEmpty, fault == nil { rows.append(CSVRow(line: start, fields: row)) }
    row = []
    if character == CSV_LF { line += 1 }
    start = line
  }
}
