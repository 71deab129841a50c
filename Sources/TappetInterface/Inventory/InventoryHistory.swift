// Changes and barcodes for C (tappet.h, "inventory"): lists, undo and redo.

import CTappet
import TappetCore
import TappetInventory

// MARK: Undo

/// Undoes or redoes a change; returns 1, or 0 if there is none.
private func revert(
  _ inventory: OpaquePointer?, by: UnsafePointer<CChar>?,
  _ body: (Inventory, String) throws(InventoryError) -> InventoryChange
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let who = try person(by)
    return try object.ask { (inventory) throws(InventoryError) in
      do throws(InventoryError) { _ = try body(inventory, who) } catch {
        switch error {
        case .nothingToUndo, .nothingToRedo: return 0
        case _: throw error
        }
      }
      return 1
    }
  }
}

/// Undoes the last change that has not been undone yet, regardless of who made it.
@_cdecl("tappet_inventory_undo") @implementation
public func tappet_inventory_undo(_ inventory: OpaquePointer?, _ by: UnsafePointer<CChar>?) -> Int32 {
  revert(inventory, by: by) { (inventory, who) throws(InventoryError) in try inventory.undo(by: who) }
}

/// Undoes the change with the given number, regardless of who made it.
@_cdecl("tappet_inventory_undo_change") @implementation
public func tappet_inventory_undo_change(
  _ inventory: OpaquePointer?, _ number: Int64, _ by: UnsafePointer<CChar>?
) -> Int32 {
  revert(inventory, by: by) { (inventory, who) throws(InventoryError) in try inventory.undo(number: number, by: who) }
}

/// Redoes the change that the person undid last.
@_cdecl("tappet_inventory_redo") @implementation
public func tappet_inventory_redo(_ inventory: OpaquePointer?, _ by: UnsafePointer<CChar>?) -> Int32 {
  revert(inventory, by: by) { (inventory, who) throws(InventoryError) in try inventory.redo(by: who) }
}

/// Lists the changes that can be undone or redone, newest first.
@_cdecl("tappet_inventory_list_changes") @implementation
public func tappet_inventory_list_changes(
  _ inventory: OpaquePointer?, _ callback: tappet_inventory_change_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let changes = try object.ask { (inventory) throws(InventoryError) in try inventory.changes() }
    guard let callback else { return Int32(clamping: changes.count) }
    return object.report(changes) { (each, pinned) in
      var change = tappet_inventory_change()
      change.size = MemoryLayout<tappet_inventory_change>.size
      change.number = each.number
      change.kind = each.kind.forC
      change.is_undone = each.isTakenBack
      change.verb = pinned.text(each.verb.name) ?? staticText("")
      change.name = pinned.text(each.name) ?? staticText("")
      change.by = pinned.text(each.who) ?? staticText("")
      change.entry_count = each.thingCount
      change.unix_milliseconds = each.unixMilliseconds
      callback(context, &change)
    }
  }
}

// MARK: Barcodes

/// Changes the barcodes of an entry.
private func editBarcodes(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ barcode: UnsafePointer<CChar>?,
  by: UnsafePointer<CChar>?, _ record: (inout InventoryEdit, String) -> Void
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let (id, who) = (try identity(id), try person(by))
    guard let code = try words(barcode, "barcode") else { throw Failure(.argument) }
    var edit = InventoryEdit()
    record(&edit, code)
    let entry = try object.thing(id)
    try object.ask { (inventory) throws(InventoryError) in _ = try inventory.edit(entry, edit, by: who) }
    return 0
  }
}

/// Adds a barcode to an entry.
@_cdecl("tappet_inventory_add_barcode") @implementation
public func tappet_inventory_add_barcode(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ barcode: UnsafePointer<CChar>?,
  _ by: UnsafePointer<CChar>?
) -> Int32 {
  editBarcodes(inventory, id, barcode, by: by) { $0.barcode = $1 }
}

/// Removes a barcode from an entry.
@_cdecl("tappet_inventory_remove_barcode") @implementation
public func tappet_inventory_remove_barcode(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ barcode: UnsafePointer<CChar>?,
  _ by: UnsafePointer<CChar>?
) -> Int32 {
  editBarcodes(inventory, id, barcode, by: by) { $0.removedBarcode = $1 }
}

/// Lists the barcodes of an entry.
@_cdecl("tappet_inventory_list_barcodes") @implementation
public func tappet_inventory_list_barcodes(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ callback: tappet_inventory_barcode_callback?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let entry = try object.thing(try identity(id))
    let codes = try object.ask { (inventory) throws(InventoryError) in try inventory.barcodes(of: entry) }
    guard let callback else { return Int32(clamping: codes.count) }
    return object.report(codes) { (code, pinned) in callback(context, pinned.text(code) ?? staticText("")) }
  }
}
