// The C functions of an inventory (tappet.h, "inventory"), including the checks of their arguments.

import CPlatform
import CTappet
import TappetCore
import TappetInventory

/// Calls `body` with the object; the arguments are checked before the object's state.
func useInventory(_ inventory: OpaquePointer?, _ body: (InventoryObject) throws(Failure) -> Int32) -> Int32 {
  Objects.use(inventory, as: .inventory) {
    let object = unsafeDowncast($0, to: InventoryObject.self)
    do throws(Failure) { return try body(object) } catch { return object.fail(error) }
  }
}

// MARK: Arguments

/// Parses an id from the caller.
func identity(_ id: UnsafePointer<CChar>?) throws(Failure) -> InventoryID {
  guard let id = text(id, sizeMax: 36).flatMap({ InventoryID(text: $0) }) else {
    throw Failure(.argument, "an id must be 32 hexadecimal digits in five groups")
  }
  return id
}

/// Checks the name of the person who makes a change.
func person(_ name: UnsafePointer<CChar>?) throws(Failure) -> String {
  guard let name = shortText(name, sizeMax: Limits.secretLabelSizeMax)?.trimmedLabel, name.nameFault() == nil else {
    throw Failure(.argument, "the name of the person must be 1 to \(Limits.secretLabelSizeMax) bytes on one line")
  }
  return name
}

/// Reads text that the inventory itself validates; returns `nil` for NULL.
func words(_ words: UnsafePointer<CChar>?, _ what: String) throws(Failure) -> String? {
  if words == nil { return nil }
  guard let words = text(words, sizeMax: Limits.inventoryNotesSizeMax) else {
    throw Failure(.argument, "the \(what) must be UTF-8 of at most \(Limits.inventoryNotesSizeMax) bytes")
  }
  return words
}

/// Checks the size of the caller's result structure.
func check(_ result: UnsafeMutablePointer<tappet_inventory_entry>?) throws(Failure) {
  if let result, result.pointee.size < MemoryLayout<tappet_inventory_entry>.size {
    throw Failure(.argument, "the entry's size is not set to sizeof(struct tappet_inventory_entry)")
  }
}

/// Checks a result structure that must not be NULL.
func require(_ result: UnsafeMutablePointer<tappet_inventory_entry>?) throws(Failure) {
  guard result != nil else { throw Failure(.argument) }
  try check(result)
}

extension InventoryEdit {
  fileprivate init(_ values: UnsafePointer<tappet_inventory_values>?) throws(Failure) {
    guard let values = values?.pointee, values.size >= MemoryLayout<tappet_inventory_values>.size else {
      throw Failure(
        .argument, "the values are NULL, or their size is not set to sizeof(struct tappet_inventory_values)")
    }
    self.init()
    name = try words(values.name, "name")
    code = try words(values.code, "QR code")
    notes = try words(values.notes, "notes")
    quantity = values.quantity?.pointee
    if let minimum = values.minimum?.pointee { self.minimum = .some(minimum == -1 ? nil : minimum) }
  }

  /// Rejects values that entries of this kind do not have.
  fileprivate func check(for kind: InventoryKind) throws(Failure) {
    if code != nil, kind != .box { throw Failure(.argument, "only a box can have a QR code") }
    if notes != nil || quantity != nil || minimum != nil, kind != .item {
      throw Failure(.argument, "only an item can have notes, a quantity and a minimum")
    }
  }
}

// MARK: The object

/// Creates an inventory object that is not open yet.
@_cdecl("tappet_inventory_new") @implementation
public func tappet_inventory_new(_ result: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  guard let result else { return ErrorCode.argument.rawValue }
  return Objects.issue(InventoryObject(), to: result)
}

/// Closes and frees an inventory.
@_cdecl("tappet_inventory_free") @implementation
public func tappet_inventory_free(_ inventory: OpaquePointer?) { Objects.free(inventory, as: .inventory) }

/// Opens the inventory in a state folder; creates the folder and the database if they do not exist.
@_cdecl("tappet_inventory_open") @implementation
public func tappet_inventory_open(_ inventory: OpaquePointer?, _ path: UnsafePointer<CChar>?) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    guard let path = text(path, sizeMax: Int(PATH_MAX) - 1), !path.isEmpty else {
      throw Failure(.argument, "the path is NULL, empty or too long")
    }
    try object.open(path)
    return 0
  }
}

/// Retrieves the failure of the last failed call.
@_cdecl("tappet_inventory_last_error") @implementation
public func tappet_inventory_last_error(
  _ inventory: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_failure>?
) -> Int32 {
  lastError(inventory, .inventory, result)
}

// MARK: Changes

/// Adds an entry.
@_cdecl("tappet_inventory_add") @implementation
public func tappet_inventory_add(
  _ inventory: OpaquePointer?, _ kind: tappet_inventory_kind, _ container: UnsafePointer<CChar>?,
  _ values: UnsafePointer<tappet_inventory_values>?, _ by: UnsafePointer<CChar>?,
  _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try check(result)
    guard let kind = InventoryKind(rawValue: Int64(kind.rawValue) - 1) else {
      throw Failure(.argument, "unknown kind of entry")
    }
    let (edit, who) = (try InventoryEdit(values), try person(by))
    try edit.check(for: kind)
    let place = try container.map { (id) throws(Failure) in try object.thing(try identity(id)) }
    let added = try object.ask { (inventory) throws(InventoryError) in
      try inventory.add(kind, to: place, edit, by: who)
    }
    try object.report(added, to: result)
    return 0
  }
}

/// Changes the values of an entry.
@_cdecl("tappet_inventory_edit") @implementation
public func tappet_inventory_edit(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ values: UnsafePointer<tappet_inventory_values>?,
  _ by: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try check(result)
    let (id, edit, who) = (try identity(id), try InventoryEdit(values), try person(by))
    let old = try object.thing(id)
    try edit.check(for: old.kind)
    let edited = try object.ask { (inventory) throws(InventoryError) in try inventory.edit(old, edit, by: who) }
    try object.report(edited, to: result)
    return 0
  }
}

/// Adds pieces to an item, or removes pieces from it.
@_cdecl("tappet_inventory_adjust") @implementation
public func tappet_inventory_adjust(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ pieces: Int64, _ by: UnsafePointer<CChar>?,
  _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try check(result)
    let (id, who) = (try identity(id), try person(by))
    let old = try object.thing(id)
    guard old.kind == .item else { throw Failure(.argument, "only an item can have a quantity") }
    let changed = try object.ask { (inventory) throws(InventoryError) in
      try inventory.adjust(old, by: pieces, by: who)
    }
    try object.report(changed, to: result)
    return 0
  }
}

/// Moves an entry and its contents to a different place.
@_cdecl("tappet_inventory_move") @implementation
public func tappet_inventory_move(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ container: UnsafePointer<CChar>?,
  _ by: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try check(result)
    let (id, container, who) = (try identity(id), try identity(container), try person(by))
    let (old, place) = (try object.thing(id), try object.thing(container))
    let moved = try object.ask { (inventory) throws(InventoryError) in try inventory.move(old, to: place, by: who) }
    try object.report(moved, to: result)
    return 0
  }
}

/// Removes an entry and its contents.
@_cdecl("tappet_inventory_remove") @implementation
public func tappet_inventory_remove(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ by: UnsafePointer<CChar>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let (id, who) = (try identity(id), try person(by))
    let old = try object.thing(id)
    try object.ask { (inventory) throws(InventoryError) in try inventory.remove(old, by: who) }
    return 0
  }
}

// MARK: Queries

/// Retrieves an entry by its id.
@_cdecl("tappet_inventory_get") @implementation
public func tappet_inventory_get(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try require(result)
    let id = try identity(id)
    guard let found = try object.find(id) else { return 0 }
    try object.report(found, to: result)
    return 1
  }
}

/// Retrieves the box whose QR code contains exactly the given text.
@_cdecl("tappet_inventory_get_by_code") @implementation
public func tappet_inventory_get_by_code(
  _ inventory: OpaquePointer?, _ code: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try require(result)
    guard let code = try words(code, "QR code") else { throw Failure(.argument) }
    guard let box = try object.ask({ (inventory) throws(InventoryError) in try inventory.box(code: code) }) else {
      return 0
    }
    try object.report(box, to: result)
    return 1
  }
}

/// Retrieves the only entry that a text matches.
@_cdecl("tappet_inventory_resolve") @implementation
public func tappet_inventory_resolve(
  _ inventory: OpaquePointer?, _ kind: tappet_inventory_kind, _ text: UnsafePointer<CChar>?,
  _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try require(result)
    let wanted = InventoryKind(rawValue: Int64(kind.rawValue) - 1)
    if wanted == nil, kind != TAPPET_INVENTORY_KIND_ANY { throw Failure(.argument, "unknown kind of entry") }
    guard let text = try words(text, "text") else { throw Failure(.argument) }
    let found = try object.ask { (inventory) throws(InventoryError) -> InventoryEntry? in
      do throws(InventoryError) {
        guard let wanted else { return try inventory.resolve(anything: text) }
        return try inventory.resolve(text, wanted)
      } catch {
        switch error {
        case .unknown, .unknownCode, .unknownPlace: return nil
        case _: throw error
        }
      }
    }
    guard let found else { return 0 }
    try object.report(found, to: result)
    return 1
  }
}

/// Finds entries by the words in their names and notes, and boxes by their codes.
@_cdecl("tappet_inventory_find") @implementation
public func tappet_inventory_find(
  _ inventory: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ limit: Int, _ callback: tappet_inventory_callback?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    guard let text = try words(text, "text") else { throw Failure(.argument) }
    // A size_t beyond Int.max arrives as a negative number.
    let limit = limit < 0 ? Int64(Int32.max) : min(Int64(limit), Int64(Int32.max))
    return try object.report(callback, context) { (inventory, add) throws(InventoryError) in
      try inventory.search(text, limit: limit, add)
    }
  }
}

/// Lists the direct contents of a place, oldest first.
@_cdecl("tappet_inventory_list") @implementation
public func tappet_inventory_list(
  _ inventory: OpaquePointer?, _ container: UnsafePointer<CChar>?, _ callback: tappet_inventory_callback?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let place = try container.map { (id) throws(Failure) in try object.thing(try identity(id)) }
    return try object.report(callback, context) { (inventory, add) throws(InventoryError) in
      guard let place else { return try inventory.forEach(.building, add) }
      try inventory.forEach(in: place, add)
    }
  }
}

/// Lists the items whose quantity is below their minimum, newest first.
@_cdecl("tappet_inventory_list_low") @implementation
public func tappet_inventory_list_low(
  _ inventory: OpaquePointer?, _ callback: tappet_inventory_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try object.report(callback, context) { (inventory, add) throws(InventoryError) in
      try inventory.forEachLowItem(add)
    }
  }
}
