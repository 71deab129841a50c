// The columns of an inventory table.

import TappetCommandLine
import TappetCore
import TappetInventory
import TappetPlatform

/// The columns of an export, all of which can be imported.
enum InventoryColumn: String, CaseIterable {
  case building
  case room
  case spot
  case box
  case item
  case code
  case barcodes
  case notes
  case quantity
  case minimum
  case photo
  case photoHash = "photo_sha256"
  case created = "created_at"
  case id
  case container = "in"
}

/// The reason why a row of a file is invalid.
struct InventoryRowError: Error {
  var sentence: String
}

extension InventoryRecord {
  /// Returns the field for a column.
  func field(_ column: InventoryColumn) -> String {
    let isItem = kind == .item
    return switch column {
    case .building: names[0]
    case .room: names[1]
    case .spot: names[2]
    case .box: names[3]
    case .item: names[4]
    case .code: code ?? ""
    case .barcodes: barcodes.joined(separator: " ")
    case .notes: values.notes ?? ""
    case .quantity: isItem ? values.quantity.map { "\($0)" } ?? "" : ""
    case .minimum: (values.minimum ?? nil).map { "\($0)" } ?? ""
    case .photo: (values.photo ?? nil)?.path ?? ""
    case .photoHash: (values.photo ?? nil).map { Hex.encode($0.hash) } ?? ""
    case .created: createdUnixMilliseconds.flatMap { WallTime.utc(unixMilliseconds: $0) } ?? ""
    case .id: id?.text ?? ""
    case .container: container?.text ?? ""
    }
  }

  /// Sets the value of a column from a field; an empty field clears the notes, the minimum or the photo.
  mutating func take(_ text: String, _ column: InventoryColumn) throws(InventoryRowError) {
    switch column {
    case .building: names[0] = text
    case .room: names[1] = text
    case .spot: names[2] = text
    case .box: names[3] = text
    case .item: names[4] = text
    case .code: if !text.isEmpty { code = text }
    case .barcodes: barcodes = text.split(separator: " ").map { String($0) }
    case .notes: values.notes = text
    case .quantity: if !text.isEmpty { values.quantity = try Self.number(text, column) }
    case .minimum: values.minimum = .some(text.isEmpty ? nil : try Self.number(text, column))
    case .photo: try takePhoto(path: text)
    case .photoHash: try takePhoto(hash: text)
    case .created:
      if text.isEmpty { return }
      guard let time = WallTime.unixMilliseconds(utc: text) else {
        throw InventoryRowError(sentence: "created_at must be a time such as 2026-11-21T10:51:07.250Z, not '\(text)'")
      }
      createdUnixMilliseconds = time
    case .id: id = try Self.identity(text, column)
    case .container: container = try Self.identity(text, column)
    }
  }

  private static func number(_ text: String, _ column: InventoryColumn) throws(InventoryRowError) -> Int64 {
    // Spreadsheets may write 5 as 5.0 or 5,00; but 5.000 or 5,000 may be five thousand.
    let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
    }
    let isWhole = parts.count == 1 || !parts[1].isEmpty && parts[1].allSatisfy { $0 == UInt8(ascii: "0") }
    guard !isWhole || parts.count == 1 || parts[1].count != 3 else {
      throw InventoryRowError(
        sentence: "\(column.rawValue) may be one or a thousand times as much: '\(text)'; write it without a separator")
    }
    guard isWhole, let number = Int64(decimal: parts[0]) else {
      throw InventoryRowError(sentence: "\(column.rawValue) must be a whole number, not '\(text)'")
    }
    return number
  }

  private static func identity(_ text: String, _ column: InventoryColumn) throws(InventoryRowError) -> InventoryID? {
    if text.isEmpty { return nil }
    guard let id = InventoryID(text: text) else {
      throw InventoryRowError(
        sentence: "\(column.rawValue) must be an id from an export, not '\(text)'; omit the column")
    }
    return id
  }

  /// Sets the photo's path; if there is no hash, the photo counts as changed.
  private mutating func takePhoto(path: String) throws(InventoryRowError) {
    let hash = (values.photo ?? nil)?.hash ?? [UInt8](repeating: 0, count: 32)
    values.photo = .some(path.isEmpty ? nil : InventoryPhoto(path: path, hash: hash))
  }

  private mutating func takePhoto(hash text: String) throws(InventoryRowError) {
    guard !text.isEmpty, var photo = values.photo ?? nil else { return }
    guard let hash = Hex.decode(text), hash.count == 32 else {
      throw InventoryRowError(sentence: "photo_sha256 must be 64 hexadecimal digits, not '\(text)'")
    }
    photo.hash = hash
    values.photo = .some(photo)
  }
}

/// The meaning of each column in a file.
struct InventoryHeader {
  private enum Meaning {
    case own(InventoryColumn)
    case homebox(String)
    case ignored
  }

  private var meanings: [Meaning] = []
  /// Names of unknown columns, which are ignored.
  private(set) var ignored: [String] = []

  /// Parses the header row.
  init(_ names: [String]) throws(InventoryRowError) {
    var seen: Set<String> = []
    for name in names {
      let key = (name.trimmedLabel ?? "").asciiLowercased
      if let column = InventoryColumn.allCases.first(where: { $0.rawValue == key }) {
        meanings.append(.own(column))
      } else if key.begins(with: "hb.") {
        meanings.append(.homebox(String(key.dropFirst(3))))
      } else {
        meanings.append(.ignored)
        if !key.isEmpty { ignored.append(name) }
      }
      if !key.isEmpty, !seen.insert(key).inserted {
        throw InventoryRowError(sentence: "there are two columns named '\(name)'")
      }
    }
    let known = seen.contains { key in InventoryKind.allCases.contains { $0.name == key } || key == "hb.name" }
    if !known {
      throw InventoryRowError(
        sentence: "the first line must name the columns, including building, room, spot, box, item or HB.name")
    }
  }

  /// Whether the columns are those of an export of Homebox.
  var isOfHomebox: Bool { meanings.contains { if case .homebox = $0 { true } else { false } } }

  /// Returns the values of a row in Homebox's columns.
  func homeboxRow(_ fields: [String]) -> HomeboxRow {
    var row = HomeboxRow()
    for (text, meaning) in zip(fields, meanings) { if case .homebox(let name) = meaning { row.take(text, name) } }
    return row
  }

  /// Converts a row to an inventory record; `locations` are those of all rows of a Homebox export.
  func record(_ fields: [String], _ locations: HomeboxLocations) throws(InventoryRowError) -> InventoryRecord {
    var record = InventoryRecord()
    // Spreadsheets write empty columns next to a table.
    guard fields.dropFirst(meanings.count).allSatisfy({ $0.isEmpty }) else {
      throw InventoryRowError(sentence: "\(fields.count) fields, but \(meanings.count) columns")
    }
    for (text, meaning) in zip(fields, meanings) {
      switch meaning {
      case .own(let column):
        if column == .code || column == .barcodes { try Self.requireExact(text, column) }
        try record.take(text, column)
      case .homebox, .ignored: break
      }
    }
    if let kind = record.kind, kind != .item, record.values.quantity != nil {
      throw InventoryRowError(
        sentence:
          "the row has a quantity, but no item: it would add the \(kind.name) '\(record.names[Int(kind.rawValue)])'; "
          + "is it a total? Remove the row, or the quantity")
    }
    let homebox = homeboxRow(fields)
    return homebox.isEmpty ? record : try homebox.record(locations)
  }

  /// Throws for a code such as `4.00638E+12`, to which a spreadsheet rounds a long number.
  private static func requireExact(_ text: String, _ column: InventoryColumn) throws(InventoryRowError) {
    for code in text.utf8.split(separator: UInt8(ascii: " ")) {
      let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
      let rest = code.drop { isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
      guard rest.count < code.count, rest.starts(with: "E+".utf8), rest.count > 2, rest.dropFirst(2).allSatisfy(isDigit)
      else { continue }
      let sentence = "\(column.rawValue) was rounded by a spreadsheet: '\(text)'; format the column as text"
      throw InventoryRowError(sentence: sentence + ", and enter it again")
    }
  }
}
