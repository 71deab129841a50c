// A row of Homebox's export: an item with its location as a path in one column, or a location.

import TappetCore
import TappetInventory

/// The paths of the locations that the rows of an export refer to.
struct HomeboxLocations {
  private var paths: Set<String> = []

  /// Adds the row's location and the locations that contain it.
  mutating func add(_ row: HomeboxRow) {
    for count in row.location.indices { paths.insert(Self.key(row.location.prefix(count + 1))) }
  }

  func contains(_ names: [String]) -> Bool { paths.contains(Self.key(names[...])) }

  private static func key(_ names: ArraySlice<String>) -> String { names.joined(separator: "\0") }
}

/// The values of one row; columns without a counterpart are appended to the notes.
struct HomeboxRow {
  private var values: [(name: String, text: String)] = []

  var isEmpty: Bool { values.isEmpty }

  mutating func take(_ text: String, _ name: String) {
    guard let text = text.trimmedLabel else { return }
    values.append((name, text))
  }

  private func value(_ name: String) -> String? { values.first { $0.name == name }?.text }

  /// The names of the locations that contain the row's entry, outermost first.
  var location: [String] {
    guard let text = value("location") else { return [] }
    return (InventoryPath.readings(of: text).first ?? [text]).filter { !$0.isEmpty }
  }

  /// Returns the entry of the row.
  ///
  /// The id of an item is derived from `HB.import_ref`, otherwise from `HB.asset_id`, so that importing the same file
  /// again updates the item.
  func record(_ locations: HomeboxLocations) throws(InventoryRowError) -> InventoryRecord {
    var record = InventoryRecord()
    guard let name = value("name") else { throw InventoryRowError(sentence: "HB.name is empty") }
    if let number = value("asset_id"), hasAssetID { record.barcodes = [number] }
    if isLocation(location + [name], locations) {
      for (index, name) in Self.joined(location + [name]).enumerated() { record.names[index] = name }
      return record
    }
    record.names[4] = name
    for (index, name) in path.enumerated() { record.names[index] = name }
    if let reference = value("import_ref") ?? (hasAssetID ? value("asset_id").map { "asset " + $0 } : nil) {
      record.id = InventoryID(Array(LibCrypto.digest(Array("homebox:\(reference)".utf8)).prefix(16)))
    }
    record.values.notes = notes
    if let text = value("quantity") { try record.take(Self.whole(text) ?? text, .quantity) }
    if let text = value("low_stock_threshold"), text != "0" { try record.take(Self.whole(text) ?? text, .minimum) }
    return record
  }

  /// Whether the row is a location: according to its address, or because other rows are in it.
  private func isLocation(_ path: [String], _ locations: HomeboxLocations) -> Bool {
    let parts = value("url")?.utf8.split(separator: UInt8(ascii: "/")) ?? []
    if parts.contains(where: { $0.elementsEqual("location".utf8) }) { return true }
    return !parts.contains { $0.elementsEqual("item".utf8) } && locations.contains(path)
  }

  /// Whether the item has an asset number in Homebox; `000-000` means none.
  private var hasAssetID: Bool { value("asset_id")?.utf8.contains { $0 != 0x30 && $0 != 0x2D } ?? false }

  /// Building, room, spot and box; if there are too few levels, the last level is repeated.
  private var path: [String] {
    var names = location.isEmpty ? ["Homebox"] : Self.joined(location)
    while names.count < 4 { names.append(names[names.count - 1]) }
    return names
  }

  /// Returns at most four names: if there are more, the first ones are joined.
  private static func joined(_ names: [String]) -> [String] {
    if names.count <= 4 { return names }
    return [names.dropLast(3).joined(separator: ", ")] + names.suffix(3)
  }

  /// Returns the whole part of a decimal number such as 2.5; `nil` for any other text.
  private static func whole(_ text: String) -> String? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, Int64(decimal: parts[0]) != nil, !parts[1].isEmpty,
      parts[1].allSatisfy({ $0.isASCIIDigit })
    else { return nil }
    return String(Substring(parts[0]))
  }

  /// The descriptions, and the columns without a counterpart, among them the exact number if it is not whole.
  private var notes: String {
    let known = ["name", "location", "import_ref", "description", "notes", "asset_id"]
    var lines = ["description", "notes"].compactMap { value($0) }
    for entry in values where !known.contains(entry.name) && entry.text != "false" && entry.text != "0" {
      let isNumber = entry.name == "quantity" || entry.name == "low_stock_threshold"
      if !isNumber || Self.hasFraction(entry.text) { lines.append(entry.name + ": " + entry.text) }
    }
    return lines.joined(separator: "\n")
  }

  /// The item's name and quantity, if the quantity is not whole.
  var fraction: String? {
    guard let name = value("name"), let text = value("quantity"), Self.hasFraction(text) else { return nil }
    return "\(text) of '\(name)'"
  }

  private static func hasFraction(_ text: String) -> Bool {
    guard let whole = whole(text) else { return false }
    return text.utf8.dropFirst(whole.utf8.count + 1).contains { $0 != UInt8(ascii: "0") }
  }
}
