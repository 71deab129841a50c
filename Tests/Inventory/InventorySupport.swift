// An inventory for one test, and a small store room to put into it.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetStore

/// An inventory in a folder that is gone when the test is over.
final class TestInventory {
  let folder = TemporaryFolder()
  let inventory: Inventory

  init() throws { inventory = try Inventory.open(folder: folder.path) }

  var path: String { folder.path + "/" + Inventory.fileName }

  /// Another connection, as another process has it.
  func reopened() throws -> Inventory { try Inventory.open(folder: folder.path) }

  @discardableResult
  func add(
    _ kind: InventoryKind, _ name: String, _ container: InventoryEntry? = nil,
    _ change: (inout InventoryEdit) -> Void = { _ in }
  ) throws -> InventoryEntry {
    var values = InventoryEdit()
    values.name = name
    change(&values)
    return try inventory.add(kind, to: container, values, by: "Ann")
  }

  /// House → Cellar → Shelf, and the place of that spot.
  func spot(_ names: [String] = ["House", "Cellar", "Shelf"]) throws -> InventoryEntry {
    let building = try add(.building, names[0])
    return try add(.spot, names[2], try add(.room, names[1], building))
  }

  func names(_ kind: InventoryKind) throws -> [String] {
    var names: [String] = []
    try inventory.forEach(kind) { entry in
      names.append(entry.name)
      return true
    }
    return names
  }

  func names(in place: InventoryEntry) throws -> [String] {
    var names: [String] = []
    try inventory.forEach(in: place) { entry in
      names.append(entry.name)
      return true
    }
    return names
  }

  func found(_ text: String, limit: Int64 = 50) throws -> [String] {
    var names: [String] = []
    try inventory.search(text, limit: limit) { entry in
      names.append(entry.name)
      return true
    }
    return names
  }

  /// Everything that is in the tables, by the sqlite3 shell, which quotes it: an id, as text, would end at its first
  /// zero, which for a minute in every five hours is before anything that tells two ids apart.
  func dump(_ tables: String = "place item") throws -> String {
    let parts = try tables.split(separator: " ").map { try sqlite("SELECT * FROM \($0) ORDER BY 1", ["-quote"]) }
    return parts.joined(separator: "\n--\n")
  }

  func sqlite(_ sql: String, _ options: [String] = []) throws -> String {
    let done = try Programs.run(try Programs.installed("sqlite3"), options + ["-cmd", ".timeout 10000", path, sql])
    try #require(done.status == 0, "\(done)")
    return done.output
  }

  /// SQLite's own judgement of the file, its foreign keys and the indexes of words.
  func isWhole() throws -> Bool {
    let sql = """
      PRAGMA integrity_check; PRAGMA foreign_key_check; INSERT INTO item_text (item_text) VALUES ('integrity-check');
      INSERT INTO place_text (place_text) VALUES ('integrity-check');
      INSERT INTO item_part (item_part) VALUES ('integrity-check');
      INSERT INTO place_part (place_part) VALUES ('integrity-check');
      """
    return try sqlite(sql) == "ok\n"
  }
}

extension Inventory {
  func assign(barcode: String, to entry: InventoryEntry) throws(InventoryError) {
    var edit = InventoryEdit()
    edit.barcode = barcode
    try self.edit(entry, edit, by: "Ann")
  }

  func remove(barcode: String, from entry: InventoryEntry) throws(InventoryError) {
    var edit = InventoryEdit()
    edit.removedBarcode = barcode
    try self.edit(entry, edit, by: "Ann")
  }
}
