// The inventory, as the commands need it.

import TappetConfig
import TappetInventory
import TappetMessages
import TappetSQLite
import TappetStore

/// Runs what the inventory can refuse.
package func judged<Result>(_ body: () throws(InventoryError) -> Result) throws(CommandFailure) -> Result {
  do throws(InventoryError) { return try body() } catch {
    if case .store = error { throw .failed(error.sentence, error.code) }
    throw .refused(error.sentence, error.code)
  }
}

extension Inventory {
  /// The inventory of the configuration's state folder.
  package static func of(_ configuration: KioskConfiguration) throws(CommandFailure) -> Inventory {
    try judged { () throws(InventoryError) in
      do throws(DatabaseError) { return try Inventory.open(folder: configuration.stateFolder) } catch {
        throw .store(error)
      }
    }
  }
}
