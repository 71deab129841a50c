// A CSV file of people, read completely into memory.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

/// The rows of a CSV file of people.
struct PeopleTable {
  private(set) var rows: [PeopleRow] = []
  private let path: String
  /// Column index of each column in `PeopleColumn.obeyed`.
  private var places: [Int?] = []
  private var columnCount = 0
  /// Indexes of the unnamed columns, which must be empty.
  private var unnamed: [Int] = []

  /// Reads a file.
  init(_ path: String, encoding: String?) throws(CommandFailure) {
    self.path = path
    try CSVFile.read(path, encoding: encoding, sizeMax: Limits.peopleTableSizeMax) { (row) throws(CommandFailure) in
      try take(row)
    }
    if places.isEmpty { throw refusal("the file is empty; its first line must name the columns, including 'name'") }
  }

  /// Returns an error about the file.
  func refusal(_ sentence: String) -> CommandFailure { CSVFile.refusal(path, sentence) }

  private mutating func take(_ row: CSVRow) throws(CommandFailure) {
    guard !places.isEmpty else { return try takeHeader(row) }
    // Spreadsheets write empty columns next to a table.
    guard row.fields.count >= columnCount, row.fields.dropFirst(columnCount).allSatisfy({ $0.isEmpty }) else {
      let hint = row.fields.count > columnCount ? "; a field that contains the separator needs quotes" : ""
      throw refusal(
        "line \(row.line): the row contains \(row.fields.count) fields, but the first line contains \(columnCount)"
          + hint)
    }
    if let index = unnamed.first(where: { !row.fields[$0].isEmpty }) {
      throw refusal("line \(row.line): column \(index + 1) contains a value, but has no name in the first line")
    }
    let fields = places.map { place in place.map { row.fields[$0] } }
    guard fields.reduce(0, { $0 + ($1?.utf8.count ?? 0) }) <= Limits.peopleRowSizeMax else {
      throw refusal("line \(row.line): the row is longer than \(Limits.peopleRowSizeMax) bytes; is a quote missing?")
    }
    guard rows.count < Limits.peopleRowsMax else {
      throw refusal("line \(row.line): the table has more than \(Limits.peopleRowsMax) rows; split it")
    }
    rows.append(PeopleRow(line: row.line, fields: fields))
  }

  private mutating func takeHeader(_ row: CSVRow) throws(CommandFailure) {
    var names = row.fields.map { ($0.trimmedLabel ?? "").asciiLowercased }
    while names.last?.isEmpty == true { names.removeLast() }
    unnamed = names.indices.filter { names[$0].isEmpty }
    let known = PeopleColumn.allCases.map { $0.rawValue }
    let unknown = names.filter { !$0.isEmpty && !known.contains($0) }
    if unknown.count == names.count { throw refusal("line \(row.line) does not name the columns, such as 'name'") }
    if !unknown.isEmpty {
      let words = unknown.count == 1 ? "unknown column" : "unknown columns"
      throw refusal(
        "line \(row.line): \(words) '\(unknown.joined(separator: "', '"))'; the columns are "
          + known.joined(separator: ", "))
    }
    for (index, name) in names.enumerated() where !name.isEmpty {
      if names[..<index].contains(name) { throw refusal("line \(row.line): duplicate column '\(name)'") }
    }
    guard names.contains(PeopleColumn.name.rawValue) else {
      throw refusal("line \(row.line): the column 'name' is missing")
    }
    columnCount = names.count
    places = PeopleColumn.obeyed.map { column in names.firstIndex(of: column.rawValue) }
  }

  // MARK: Requests

  /// The rows, split into pieces that each fit into one request.
  var pieces: [[PeopleRow]] {
    var pieces: [[PeopleRow]] = [[]]
    var size = 0
    for row in rows {
      let more = row.json.encoded().count + 1
      if size + more > Limits.peoplePieceSizeMax {
        pieces.append([])
        size = 0
      }
      pieces[pieces.count - 1].append(row)
      size += more
    }
    return pieces
  }
}
