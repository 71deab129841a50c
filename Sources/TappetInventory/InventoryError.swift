// Errors of the inventory, as data; TappetMessages contains the texts.

import TappetCore
import TappetSQLite

/// Reason a change or a query was refused.
///
/// Nothing was changed in that case.
package indirect enum InventoryError: Error, Hashable, Sendable {
  /// An empty name or label.
  case emptyName(InventoryKind)
  /// An empty code of a box.
  case emptyCode
  /// Notes that exceed the maximum size in bytes.
  case tooLong(what: String, size: Int, max: Int)
  /// A name or a code that violates the naming rule.
  case name(what: String, NameFault)
  case notesWithNUL
  /// Another box has this code.
  case codeTaken(code: String, path: String)
  /// A barcode that is empty or contains a space.
  case wrongBarcode(String)
  /// Another entry has this code or barcode.
  case barcodeTaken(code: String, kind: InventoryKind, name: String)
  /// An import row with a box's code, but names that do not match this box.
  case codeElsewhere(code: String, path: String, row: String)
  /// A quantity or minimum outside the valid range.
  case wrongQuantity(Int64)
  /// More pieces are to be removed than exist.
  case tooFew(name: String, quantity: Int64)
  /// No entry of this kind matches the text.
  case unknown(InventoryKind, String)
  /// No box has this code.
  case unknownCode(String)
  /// No place of any kind matches the text.
  case unknownPlace(String)
  /// Several entries have this name.
  case ambiguous(InventoryKind, String, count: Int)
  /// An entry of this kind cannot be in a place of that kind.
  case wrongContainer(InventoryKind, InventoryKind?)
  /// An import row without a name.
  case emptyRow
  /// An import row that does not specify the place of its entry.
  case noContainer(InventoryKind)
  /// An import would leave less free disk space than `Limits.inventoryReserve`.
  case noRoom(path: String)
  /// Another person has reserved the item on one of the days.
  case reserved(InventoryReservation)
  /// Another person has the item until one of the days.
  case lent(InventoryLoan)
  /// A reservation that ends before it starts.
  case endsBeforeStart(CalendarDay, CalendarDay)
  /// The request would not change anything.
  case unchanged(InventoryKind)
  /// End of a trial, which rolls back all changes.
  case trialOver
  /// There is no change to undo.
  case nothingToUndo
  /// There is no change by this person to redo.
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
