// Errors of the inventory as data; TappetMessages contains the messages.

import TappetCore
import TappetSQLite

/// Reason why a change or a query was refused.
///
/// If an error is thrown, nothing was changed.
package indirect enum InventoryError: Error, Hashable, Sendable {
  /// An empty name or label.
  case emptyName(InventoryKind)
  /// An empty box code.
  case emptyCode
  /// A loan to, or a reservation for, a person without a name.
  case emptyPerson
  /// Notes that exceed the maximum size; `size` and `max` are in bytes.
  case tooLong(what: String, size: Int, max: Int)
  /// A name or code that violates the naming rule.
  case name(what: String, NameFault)
  case notesWithNUL
  /// The code is already used by another box.
  case codeTaken(code: String, path: String)
  /// A barcode that is empty or contains a space.
  case wrongBarcode(String)
  /// A code or barcode with the form of the links on Tappet's own labels.
  case reservedCode(String)
  /// The code or barcode is already used by another entry.
  case barcodeTaken(code: String, kind: InventoryKind, name: String)
  /// An import row that contains a box's code, but whose names do not match that box.
  case codeElsewhere(code: String, path: String, row: String)
  /// An import row that contains a new code and the label of a box with another code.
  ///
  /// The code of the box is `nil` if an earlier row added the box without a code.
  case codeDiffers(path: String, code: String?, row: String)
  /// A quantity or minimum outside the valid range.
  case wrongQuantity(Int64)
  /// The request would remove more pieces than exist.
  case tooFew(name: String, quantity: Int64)
  /// The request is for more pieces than are here, because people have the others, or than exist.
  case tooFewHere(name: String, here: Int64)
  /// The person has fewer pieces than are to be returned.
  case tooFewLent(person: String, quantity: Int64)
  /// The request does not specify which of several people is meant.
  case severalPeople(name: String, [String])
  /// No entry of the given kind matches the text.
  case unknown(InventoryKind, String)
  /// No box has the given code.
  case unknownCode(String)
  /// No place of any kind matches the text.
  case unknownPlace(String)
  /// Several entries have the given name.
  case ambiguous(InventoryKind, String, count: Int)
  /// An entry of the first kind cannot be in a place of the second kind.
  case wrongContainer(InventoryKind, InventoryKind?)
  /// An import row without a name.
  case emptyRow
  /// An import row that does not specify the place of its entry.
  case noContainer(InventoryKind)
  /// An import would leave less free disk space than `Limits.inventoryReserve`.
  case noRoom(path: String)
  /// Another person has reserved the item for one of the requested days.
  case reserved(InventoryReservation)
  /// The entry is lent to another person, in whole or in part, possibly on one of the requested days.
  case lent(InventoryLoan)
  /// A reservation whose last day is before its first day.
  case endsBeforeStart(CalendarDay, CalendarDay)
  /// The request would not change anything.
  case unchanged(InventoryKind)
  /// Rolls back all changes at the end of a trial, or of an import that changes nothing.
  case trialOver
  /// There is no change to undo.
  case nothingToUndo
  /// The person has no undone change to redo.
  case nothingToRedo
  /// A later change affects the same entries.
  case changedSince(InventoryChange)
  /// The database reported an error.
  case store(DatabaseError)
}

/// Runs a database operation, and converts its error.
func stored<Result: ~Copyable>(
  _ body: () throws(DatabaseError) -> Result
) throws(InventoryError) -> Result {
  do throws(DatabaseError) { return try body() } catch { throw .store(error) }
}
