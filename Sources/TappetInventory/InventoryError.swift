// Why the inventory refuses something, as facts; TappetMessages has the sentences.

import TappetCore
import TappetSQLite

/// A reason to refuse a change or a question.
///
/// Nothing was changed then.
package indirect enum InventoryError: Error, Hashable, Sendable {
  /// A name or a label without a character.
  case emptyName(InventoryKind)
  /// A box's code without a character.
  case emptyCode
  /// Notes with too many bytes.
  case tooLong(what: String, size: Int, max: Int)
  /// A name or a code that breaks the rule of names.
  case name(what: String, NameFault)
  case notesWithNUL
  /// Another box has this code.
  case codeTaken(code: String, path: String)
  /// A row of an import has a box's code, and other names than that box.
  case codeElsewhere(code: String, path: String, row: String)
  /// A quantity or minimum that nothing can have.
  case wrongQuantity(Int64)
  /// More pieces are to be taken than there are.
  case tooFew(name: String, quantity: Int64)
  /// There is nothing of this kind that is meant by these words.
  case unknown(InventoryKind, String)
  /// No box has this code.
  case unknownCode(String)
  /// No place of any kind is meant by these words.
  case unknownPlace(String)
  /// Several things have this name.
  case ambiguous(InventoryKind, String, count: Int)
  /// Something of this kind cannot be in a place of that kind.
  case wrongContainer(InventoryKind, InventoryKind?)
  /// A row of an import without a name.
  case emptyRow
  /// A row of an import that does not say where its thing is.
  case noContainer(InventoryKind)
  /// An import would leave less of the disk than `Limits.inventoryReserve`.
  case noRoom(path: String)
  /// Everything is as it was.
  case unchanged(InventoryKind)
  /// The end of a trial, which takes everything back.
  case trialOver
  /// There is no change to take back.
  case nothingToUndo
  /// There is no change of this person's to make again.
  case nothingToRedo
  /// A later change is about the same things.
  case changedSince(InventoryChange)
  /// The database does not work.
  case store(DatabaseError)
}

/// Runs what only the database can refuse.
func stored<Result: ~Copyable>(
  _ body: () throws(DatabaseError) -> Result
) throws(InventoryError) -> Result {
  do throws(DatabaseError) { return try body() } catch { throw .store(error) }
}
