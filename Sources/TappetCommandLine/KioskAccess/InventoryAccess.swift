// Access to the inventory, for the commands.

import TappetConfig
import TappetInventory
import TappetMessages
import TappetSQLite
import TappetStore

/// Runs an operation on the inventory and converts its errors.
package func judged<Result>(_ body: () throws(InventoryError) -> Result) throws(CommandFailure) -> Result {
  do throws(InventoryError) { return try body() } catch {
    if case .store = error { throw .failed(error.sentence, error.code) }
    throw .refused(error.sentence, error.code)
  }
}

extension Inventory {
  /// Opens the inventory in the configured state folder.
  package static func of(_ configuration: KioskConfiguration) throws(CommandFailure) -> Inventory {
    try judged { () throws(InventoryError) in
      do throws(DatabaseError) { return try Inventory.open(folder: configuration.stateFolder) } catch {
        throw .store(error)
      }
    }
  }
}
