// The processes that a kiosk may have beside it.

import TappetCore

/// The kiosk's side of its helper processes; none runs before the core starts it.
struct Helpers {
  let reader = ReaderHost()
  let webhooks = WebhookHost()
  let inventory = HelperHost(sizeMax: Limits.inventoryMessageSizeMax) { InventoryMessage(decoding: $0) }
  let rooms = HelperHost(sizeMax: Limits.roomWireSizeMax) { RoomMessage(decoding: $0) }
}
