// Loans and reservations for C (tappet.h, "inventory"). A quantity of 0 means everything; a day is text.

import CTappet
import TappetCore
import TappetInventory

// MARK: Arguments

/// Parses a day from the caller; returns `nil` for NULL.
private func day(_ pointer: UnsafePointer<CChar>?) throws(Failure) -> CalendarDay? {
  if pointer == nil { return nil }
  guard let day = text(pointer, sizeMax: 10).flatMap({ CalendarDay($0) }) else {
    throw Failure(.argument, "a day must be written as 2026-12-24")
  }
  return day
}

/// Parses a day that must not be NULL.
private func required(_ pointer: UnsafePointer<CChar>?) throws(Failure) -> CalendarDay {
  guard let day = try day(pointer) else { throw Failure(.argument) }
  return day
}

/// Reads a person's name that must not be NULL.
private func borrower(_ name: UnsafePointer<CChar>?) throws(Failure) -> String {
  guard let name = try words(name, "person's name") else { throw Failure(.argument) }
  return name
}

// MARK: Loans

/// Lends an item, pieces of it, or a box to a person.
@_cdecl("tappet_inventory_lend") @implementation
public func tappet_inventory_lend(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ whom: UnsafePointer<CChar>?, _ quantity: Int64,
  _ due: UnsafePointer<CChar>?, _ by: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try check(result)
    let (id, name, due, who) = (try identity(id), try borrower(whom), try day(due), try person(by))
    let entry = try object.lendable(id)
    try object.ask { (inventory) throws(InventoryError) in
      try inventory.lend(entry, to: name, quantity: quantity == 0 ? nil : quantity, until: due, by: who)
    }
    try object.report(entry, to: result)
    return 0
  }
}

/// Ends a loan, or returns some of the pieces.
@_cdecl("tappet_inventory_return") @implementation
public func tappet_inventory_return(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ whom: UnsafePointer<CChar>?, _ quantity: Int64,
  _ by: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<tappet_inventory_entry>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    try check(result)
    let (id, name) = (try identity(id), try words(whom, "person's name"))
    let who = try person(by)
    let entry = try object.lendable(id)
    try object.ask { (inventory) throws(InventoryError) in
      try inventory.takeBack(entry, from: name, quantity: quantity == 0 ? nil : quantity, by: who)
    }
    try object.report(entry, to: result)
    return 0
  }
}

/// Lists the loans of an entry, or all loans.
@_cdecl("tappet_inventory_list_loans") @implementation
public func tappet_inventory_list_loans(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ callback: tappet_inventory_loan_callback?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let subject = try id.map { (id) throws(Failure) in try object.thing(try identity(id)) }
    let loans = try object.ask { (inventory) throws(InventoryError) in
      var loans: [(entry: InventoryEntry, loan: InventoryLoan)] = []
      if let subject {
        loans = try inventory.loans(of: subject).map { (subject, $0) }
      } else {
        try inventory.forEachLoan { (entry, loan) throws(InventoryError) in
          loans.append((entry, loan))
          return true
        }
      }
      return loans
    }
    guard let callback else { return Int32(clamping: loans.count) }
    return object.report(loans) { (each, pinned) in
      var loan = tappet_inventory_loan()
      loan.size = MemoryLayout<tappet_inventory_loan>.size
      loan.kind = each.entry.kind.forC
      withUnsafeMutableBytes(of: &loan.id) { $0.copyBytes(from: Array(each.entry.id.text.utf8) + [0]) }
      loan.is_overdue = each.loan.isOverdue
      loan.name = pinned.text(each.entry.name) ?? staticText("")
      loan.person = pinned.text(each.loan.person) ?? staticText("")
      loan.due_day = each.loan.due.flatMap { pinned.text($0.text) }
      loan.quantity = each.loan.quantity ?? 0
      loan.since_unix_milliseconds = each.loan.unixMilliseconds
      callback(context, &loan)
    }
  }
}

// MARK: Reservations

/// Reserves an item, or pieces of it, for a person.
@_cdecl("tappet_inventory_reserve") @implementation
public func tappet_inventory_reserve(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ whom: UnsafePointer<CChar>?, _ quantity: Int64,
  _ first: UnsafePointer<CChar>?, _ last: UnsafePointer<CChar>?, _ by: UnsafePointer<CChar>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let (id, name, who) = (try identity(id), try borrower(whom), try person(by))
    let reservation = InventoryReservation(
      person: name, first: try required(first), last: try required(last), quantity: quantity == 0 ? nil : quantity)
    let item = try object.item(id)
    try object.ask { (inventory) throws(InventoryError) in try inventory.reserve(item, reservation, by: who) }
    return 0
  }
}

/// Cancels a reservation.
@_cdecl("tappet_inventory_unreserve") @implementation
public func tappet_inventory_unreserve(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ whom: UnsafePointer<CChar>?,
  _ first: UnsafePointer<CChar>?, _ by: UnsafePointer<CChar>?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let (id, name, first) = (try identity(id), try words(whom, "person's name"), try required(first))
    let who = try person(by)
    let item = try object.item(id)
    try object.ask { (inventory) throws(InventoryError) in
      try inventory.unreserve(item, from: first, for: name, by: who)
    }
    return 0
  }
}

/// Lists the current and future reservations of an item, or of all items.
@_cdecl("tappet_inventory_list_reservations") @implementation
public func tappet_inventory_list_reservations(
  _ inventory: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ callback: tappet_inventory_reservation_callback?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  useInventory(inventory) { (object) throws(Failure) in
    let subject = try id.map { (id) throws(Failure) in try object.thing(try identity(id)) }
    let found = try object.ask { (inventory) throws(InventoryError) in
      var found: [(item: InventoryEntry, reservation: InventoryReservation)] = []
      if let subject {
        found = try inventory.reservations(of: subject).map { (subject, $0) }
      } else {
        try inventory.forEachReservation { (item, reservation) throws(InventoryError) in
          found.append((item, reservation))
          return true
        }
      }
      return found
    }
    guard let callback else { return Int32(clamping: found.count) }
    return object.report(found) { (each, pinned) in
      var reservation = tappet_inventory_reservation()
      reservation.size = MemoryLayout<tappet_inventory_reservation>.size
      withUnsafeMutableBytes(of: &reservation.id) { $0.copyBytes(from: Array(each.item.id.text.utf8) + [0]) }
      reservation.name = pinned.text(each.item.name) ?? staticText("")
      reservation.person = pinned.text(each.reservation.person) ?? staticText("")
      reservation.first_day = pinned.text(each.reservation.first.text) ?? staticText("")
      reservation.last_day = pinned.text(each.reservation.last.text) ?? staticText("")
      reservation.quantity = each.reservation.quantity ?? 0
      callback(context, &reservation)
    }
  }
}

extension InventoryObject {
  /// Returns the item or box with this id; throws if it cannot be lent.
  fileprivate func lendable(_ id: InventoryID) throws(Failure) -> InventoryEntry {
    let entry = try thing(id)
    guard entry.kind.isLendable else { throw Failure(.argument, "only an item or a box can be lent") }
    return entry
  }

  /// Returns the item with this id; throws if it is something else.
  fileprivate func item(_ id: InventoryID) throws(Failure) -> InventoryEntry {
    let entry = try thing(id)
    guard entry.kind == .item else { throw Failure(.argument, "only an item can be reserved") }
    return entry
  }
}
