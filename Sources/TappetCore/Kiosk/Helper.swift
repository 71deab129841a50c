// The processes beside the kiosk, and why one of them does not run.

/// A process that the kiosk starts and watches.
package enum Helper: Hashable, Sendable {
  /// The process tappet-reader, with the NFC reader; its events are `Event.reader`, `.readerEnded` and
  /// `.readerNotStarted`.
  case reader
  /// The process tappet-webhook, as it sends; its events are in `WebhookEvent`.
  case webhooks
  /// The process tappet-inventory, with the database and the scanner; its events are in `InventoryEvent`.
  case inventory
  /// The process that hears what others say in rooms; its events are in `RoomEvent`.
  case rooms
}

/// Why a helper does not run although it should; the reader has `ReaderLoss`.
package enum HelperLoss: Hashable, Sendable {
  case ended(ProcessEnd)
  case silent
  case malformed
  /// It could not be started; an errno.
  case notStarted(code: Int32)
}
