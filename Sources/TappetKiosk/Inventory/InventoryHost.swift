// The inventory process, tappet-inventory: its program, and how it is started.

import CPlatform
import TappetConfig
import TappetCore
import TappetPlatform

/// The program that runs as tappet-inventory: tappet-tool with an option.
package enum InventoryHelper {
  /// Option that specifies the descriptor number of the socket.
  package static let option = "--inventory-socket"
  /// The same option for the process that serves the page.
  package static let pageOption = "--stock-socket"

  /// `TAPPET_INVENTORY` if set, otherwise the installed tappet-tool.
  package static var path: String {
    if let path = secure_getenv("TAPPET_INVENTORY") { return String(cString: path) }
    return InstalledPrograms.locate("tappet-tool")
  }
}

extension Runtime {
  func startInventory() {
    do throws(SystemError) {
      try helpers.inventory.start(
        InventoryHelper.path, InventoryHelper.option, ["--state", configuration.stateFolder], reactor)
    } catch { return inbox.append(.inventory(.notStarted(code: error.code))) }
    let settings = configuration.inventory ?? InventorySettings()
    let order = InventoryOrder.begin(scanner: settings.scanner ?? "", layout: settings.scannerLayout)
    helpers.inventory.send(order.encode())
  }

  func inventoryChanged(_ notice: HelperNotice<InventoryMessage>) {
    switch notice {
    case .message(let message): feed(.inventory(.message(message)))
    case .malformed: feed(.inventory(.malformed))
    case .ended(let end): feed(.inventory(.ended(end)))
    }
  }
}
