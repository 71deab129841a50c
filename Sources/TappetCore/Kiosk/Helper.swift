// The kiosk's helper processes, and the reasons why a helper is not running.

/// A process that the kiosk starts and monitors.
package enum Helper: Hashable, Sendable {
  /// The process tappet-reader, which controls the NFC reader; its events are `Event.reader`, `.readerEnded` and
  /// `.readerNotStarted`.
  case reader
  /// The process tappet-webhook in its sending mode; its events are in `WebhookEvent`.
  case webhooks
  /// The process tappet-inventory, which manages the database and the scanner; its events are in `InventoryEvent`.
  case inventory
  /// The process tappet-matrix; its events are in `RoomEvent`.
  case rooms
}

/// The reason why a helper is not running although it should be; the reader uses `ReaderLoss`.
package enum HelperLoss: Hashable, Sendable {
  case ended(ProcessEnd)
  case silent
  case malformed
  /// The process could not be started; `code` is the errno.
  case notStarted(code: Int32)
}
