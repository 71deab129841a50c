// Access to the inventory, for the commands.

import CPlatform
import TappetConfig
import TappetCore
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

extension Arguments {
  /// The name of the person making a change: --by, otherwise the user name.
  package var who: String {
    if let name = value("by")?.trimmedLabel { return name.escaped }
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "\(getuid())" }
    return String(cString: name)
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
