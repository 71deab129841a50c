// The helper processes of a kiosk.

import CPlatform
import TappetCore

/// The kiosk's side of its helper processes; none runs before the core starts it.
struct Helpers {
  let reader = ReaderHost()
  let webhooks = WebhookHost()
  let inventory = HelperHost(sizeMax: Limits.inventoryMessageSizeMax) { try? InventoryMessage(decoding: $0) }
  let stock = StockHost()
  let tools = ToolHost()
  let rooms = HelperHost(sizeMax: Limits.roomWireSizeMax) { try? RoomMessage(decoding: $0) }

  /// Returns whether the process is one of the helpers.
  func contains(_ process: pid_t) -> Bool {
    [reader.processID, webhooks.processID, inventory.processID, stock.processID, rooms.processID].contains(process)
      || tools.processIDs.contains(process)
  }

  func stop(_ helper: Helper) {
    switch helper {
    case .reader: reader.stop()
    case .webhooks: webhooks.stop()
    case .inventory: inventory.stop()
    case .rooms: rooms.stop()
    }
  }

  func kill(_ helper: Helper) {
    switch helper {
    case .reader: reader.kill()
    case .webhooks: webhooks.kill()
    case .inventory: inventory.kill()
    case .rooms: rooms.kill()
    }
  }
}
