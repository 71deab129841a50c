// Reads an import file row by row: a table, or JSON with one object per line.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetInventory
import TappetJSON
import TappetMessages
import TappetPlatform

/// The rows of an import file.
final class InventoryFile {
  struct Row {
    var line: Int
    var record: InventoryRecord
  }

  private enum Format {
    case table(CSVReader)
    case json
  }

  private let path: String
  private let file: FileDescriptor
  private let decoder: TextDecoder
  private let format: Format
  private var header: InventoryHeader?
  private var rows: [Row] = []
  /// The rows of a Homebox export, which are interpreted together: a location is one in which other rows are.
  private var homeboxRows: [CSVRow] = []
  private var nextRow = 0
  private var pending: [UInt8] = []
  private var line = 0
  private var isOver = false
  /// Names of unknown members of JSON objects that were reported.
  private var ignored: Set<String> = []

  /// Opens a file; `format` is `csv` or `json`, or `nil` to derive it from the file name.
  init(_ path: String, format name: String?, encoding: String?) throws(CommandFailure) {
    self.path = path
    guard let decoder = TextDecoder(encoding: encoding), let reader = CSVReader() else {
      throw .failed(CSVError.noMemory.sentence)
    }
    self.decoder = decoder
    file = try CSVFile.reading(path) { () throws(SystemError) in try FileDescriptor.open(path, O_RDONLY) }
    let isJSON = name == "json" || name == nil && path.utf8.suffix(5).elementsEqual(".json".utf8)
    format = isJSON ? .json : .table(reader)
  }

  /// Returns the next row; `nil` after the last row.
  func next() throws(CommandFailure) -> Row? {
    while nextRow == rows.count {
      if isOver { return nil }
      rows = []
      nextRow = 0
      try readMore()
    }
    nextRow += 1
    return rows[nextRow - 1]
  }

  private func readMore() throws(CommandFailure) {
    var bytes = try CSVFile.reading(path) { () throws(SystemError) in try file.read(sizeMax: Limits.tablePieceSize) }
    isOver = bytes.isEmpty
    do throws(CSVError) { bytes = try decoder.decode(bytes) } catch { throw refusal(error.sentence) }
    switch format {
    case .table(let reader):
      do throws(CSVError) {
        try reader.read(bytes)
        if isOver { try reader.finish() }
      } catch { throw refusal(error.sentence) }
      for row in reader.takeRows() { try take(row) }
      guard isOver else { return }
      if header == nil { throw refusal("the file is empty") }
      try takeHomeboxRows()
      if let mark = reader.textMark { Output.printError("note: \(path): \(mark.sentence)") }
    case .json: try takeLines(bytes)
    }
  }

  private func take(_ row: CSVRow) throws(CommandFailure) {
    do throws(InventoryRowError) {
      if let header, header.isOfHomebox {
        homeboxRows.append(row)
      } else if let header {
        rows.append(Row(line: row.line, record: try header.record(row.fields, HomeboxLocations())))
      } else {
        let header = try InventoryHeader(row.fields)
        if !header.ignored.isEmpty {
          Output.printError("warning: \(path): these columns are ignored: " + header.ignored.joined(separator: ", "))
        }
        self.header = header
      }
    } catch { throw refusal("line \(row.line): \(error.sentence)") }
  }

  private func takeHomeboxRows() throws(CommandFailure) {
    guard let header else { return }
    var locations = HomeboxLocations()
    var fractions: [String] = []
    for row in homeboxRows {
      let row = header.homeboxRow(row.fields)
      locations.add(row)
      if let fraction = row.fraction { fractions.append(fraction) }
    }
    if let first = fractions.first {
      let items = plural(fractions.count, "item has", "items have")
      Output.printError(
        "note: \(path): \(items) a quantity that is not whole, such as \(first): the quantity is its whole part, and "
          + "the notes contain the exact number")
    }
    for row in homeboxRows {
      do throws(InventoryRowError) {
        rows.append(Row(line: row.line, record: try header.record(row.fields, locations)))
      } catch { throw refusal("line \(row.line): \(error.sentence)") }
    }
    homeboxRows = []
  }

  // MARK: JSON

  private func takeLines(_ bytes: [UInt8]) throws(CommandFailure) {
    // The pending bytes do not contain the end of a line.
    let searched = pending.count
    pending += bytes
    var start = 0
    while let end = pending[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
      try take(line: pending[start..<end])
      start = end + 1
    }
    pending.removeFirst(start)
    guard pending.count <= Limits.jsonLineSizeMax else {
      throw refusal("line \(line + 1): more than \(Limits.jsonLineSizeMax) bytes")
    }
    if isOver, !pending.isEmpty { try take(line: pending[...]) }
  }

  private func take(line bytes: ArraySlice<UInt8>) throws(CommandFailure) {
    line += 1
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    var text = bytes.drop { isSpace($0) }
    while let last = text.last, isSpace(last) || last == UInt8(ascii: ",") { text = text.dropLast() }
    if text.isEmpty || text.elementsEqual("[".utf8) || text.elementsEqual("]".utf8) { return }
    guard String(validating: text, as: UTF8.self) != nil else {
      throw refusal(CSVError.notUTF8(line: line).sentence)
    }
    let content = Array(text)
    let facts = JSONText(content)
    guard !facts.hasNUL, !facts.hasEscapedNUL else {
      throw refusal("line \(line) contains a NUL character, \\u0000; remove it")
    }
    guard facts.valueCount <= Limits.jsonValuesMax else {
      throw refusal(
        "line \(line) contains more than \(Limits.jsonValuesMax) values (convert an array with jq -c '.[]')")
    }
    guard let json = JSON(decoding: content, isAlone: true) else {
      throw refusal("line \(line) is not a JSON object, as each line must be (convert an array with jq -c '.[]')")
    }
    for object in json.elements ?? [json] {
      do throws(InventoryRowError) { rows.append(Row(line: line, record: try record(object))) } catch {
        throw refusal("line \(line): \(error.sentence)")
      }
    }
  }

  private func record(_ json: JSON) throws(InventoryRowError) -> InventoryRecord {
    guard case .object(let members) = json else { throw InventoryRowError(sentence: "the value is not an object") }
    var record = InventoryRecord()
    for member in members {
      guard let column = InventoryColumn.allCases.first(where: { $0.rawValue == member.name }) else {
        if ignored.count < 10, ignored.insert(member.name).inserted {
          Output.printError("warning: \(path): line \(line): the member '\(member.name)' is ignored")
        }
        continue
      }
      switch member.value {
      case .string(let text): try record.take(text, column)
      case .number(let number): try record.take("\(number)", column)
      case .null: try record.take("", column)
      default: throw InventoryRowError(sentence: "\(member.name) must be text or a whole number")
      }
    }
    return record
  }

  private func refusal(_ sentence: String) -> CommandFailure {
    .refused("\(path): \(sentence); nothing was changed", FailureCode.fileMalformed)
  }
}
