// An inventory for C (tappet.h, "inventory"), and its entries in C form. Text is copied for C: text in a result is
// valid until the next result, and text in a list entry only during the callback.

import CPlatform
import CTappet
import TappetCore
import TappetInventory
import TappetSQLite
import TappetStore

/// An inventory object that C refers to by a ticket.
final class InventoryObject: LibraryObject {
  private var inventory: Inventory?
  private var pinned = PinnedBuffers()

  init() { super.init(kind: .inventory) }

  deinit { pinned.clear() }

  /// Opens the inventory in a state folder.
  func open(_ folder: String) throws(Failure) {
    guard inventory == nil else { throw Failure(.state, "the inventory is already open") }
    do throws(DatabaseError) { inventory = try Inventory.open(folder: folder) } catch { throw Failure(.store(error)) }
  }

  /// Queries or changes the open inventory.
  func ask<Result>(_ body: (Inventory) throws(InventoryError) -> Result) throws(Failure) -> Result {
    guard let inventory else { throw Failure(.state, "the inventory is not open") }
    do throws(InventoryError) { return try body(inventory) } catch { throw Failure(error) }
  }

  /// Returns the entry with this id; `nil` if it does not exist.
  func find(_ id: InventoryID) throws(Failure) -> InventoryEntry? {
    try ask { (inventory) throws(InventoryError) in try inventory.entry(id) }
  }

  /// Returns the entry with this id; throws if it does not exist.
  func thing(_ id: InventoryID) throws(Failure) -> InventoryEntry {
    guard let found = try find(id) else { throw Failure(.argument, "the inventory has no entry with id \(id.text)") }
    return found
  }

  /// Writes an entry to the caller's structure.
  func report(_ entry: InventoryEntry, to result: UnsafeMutablePointer<tappet_inventory_entry>?) throws(Failure) {
    guard let result else { return }
    let facts = try ask { (inventory) throws(InventoryError) in try InventoryFacts(entry, in: inventory) }
    pinned.clear()
    facts.write(to: &result.pointee, &pinned)
  }

  /// Calls the callback with each entry from `read` until the object is freed; returns the number of entries.
  func report(
    _ callback: tappet_inventory_callback?, _ context: UnsafeMutableRawPointer?,
    of read: (Inventory, (InventoryEntry) throws(InventoryError) -> Bool) throws(InventoryError) -> Void
  ) throws(Failure) -> Int32 {
    var entries: [InventoryEntry] = []
    try ask { (inventory) throws(InventoryError) in
      try read(inventory) { entry in
        entries.append(entry)
        return true
      }
    }
    guard let callback else { return Int32(clamping: entries.count) }
    let facts = try ask { (inventory) throws(InventoryError) in
      try entries.map { (entry) throws(InventoryError) in try InventoryFacts(entry, in: inventory) }
    }
    return report(facts) { (facts, pinned) in
      var entry = tappet_inventory_entry()
      entry.size = MemoryLayout<tappet_inventory_entry>.size
      facts.write(to: &entry, &pinned)
      callback(context, &entry)
    }
  }

  /// Calls `tell` with each value until the object is freed; returns the number of values.
  func report<Value>(_ values: [Value], _ tell: (Value, inout PinnedBuffers) -> Void) -> Int32 {
    for value in values where !isFreed {
      var pinned = PinnedBuffers()
      defer { pinned.clear() }
      tell(value, &pinned)
    }
    return Int32(clamping: values.count)
  }
}

extension InventoryKind {
  /// The kind as C knows it.
  var forC: tappet_inventory_kind { tappet_inventory_kind(rawValue: UInt32(rawValue) + 1) }
}

/// The fields of an entry, for conversion to C.
private struct InventoryFacts {
  private let entry: InventoryEntry
  private let container: String
  private let location: String
  private let holder: String

  init(_ entry: InventoryEntry, in inventory: Inventory) throws(InventoryError) {
    self.entry = entry
    container = try inventory.container(of: entry)?.id.text ?? ""
    location = try inventory.location(of: entry).path
    holder = try inventory.loans(of: entry).people
  }

  /// Writes all members of the structure except `size`.
  func write(to result: inout tappet_inventory_entry, _ pinned: inout PinnedBuffers) {
    let isItem = entry.kind == .item
    result.kind = entry.kind.forC
    withUnsafeMutableBytes(of: &result.id) { $0.copyBytes(from: Array(entry.id.text.utf8) + [0]) }
    withUnsafeMutableBytes(of: &result.container_id) { $0.copyBytes(from: Array(container.utf8) + [0]) }
    result.is_low = entry.isLow
    result.reserved = 0
    result.name = pinned.text(entry.name) ?? staticText("")
    result.location = pinned.text(location) ?? staticText("")
    result.code = entry.kind == .box ? pinned.text(entry.code) : nil
    result.notes = isItem ? pinned.text(entry.notes) : nil
    result.photo = entry.photo.flatMap { pinned.text($0.path) }
    result.quantity = isItem ? entry.quantity : 0
    result.minimum = entry.minimum ?? -1
    result.created_unix_milliseconds = entry.createdUnixMilliseconds
    result.holder = holder.isEmpty ? nil : pinned.text(holder)
  }
}
