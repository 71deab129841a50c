// tappet-inventory: where it is, and how it is started.

import CPlatform
import TappetConfig
import TappetCore
import TappetPlatform

/// Where tappet-inventory is.
package enum InventoryHelper {
  /// TAPPET_INVENTORY, else where it is installed.
  package static var path: String {
    if let path = secure_getenv("TAPPET_INVENTORY") { return String(cString: path) }
    return InstalledPrograms.locate("tappet-inventory")
  }
}

extension Runtime {
  func startInventory() {
    do throws(SystemError) {
      try helpers.inventory.start(InventoryHelper.path, "--socket", ["--state", configuration.stateFolder], reactor)
    } catch { return inbox.append(.inventory(.notStarted(code: error.code))) }
    helpers.inventory.send(InventoryOrder.begin(scanner: configuration.inventory?.scanner ?? "").encode())
  }

  func inventoryChanged(_ notice: HelperNotice<InventoryMessage>) {
    switch notice {
    case .message(let message): feed(.inventory(.message(message)))
    case .malformed: feed(.inventory(.malformed))
    case .ended(let end): feed(.inventory(.ended(end)))
    }
  }
}
