// What the kiosk orders: whoever performs it decides nothing.

/// One order.
public enum Effect: Sendable {
  /// Start tappet-reader; answered by `Event.reader(.ready)`, `.readerEnded` or `.readerNotStarted`.
  case startReader
  /// Kill tappet-reader at once; answered by `.readerEnded`.
  case killReader
  /// Let tappet-reader end by itself; answered by `.readerEnded`.
  case stopReader
  /// Connect to the endpoint of this index; answered by `LinkEvent.connected` or `.failed`.
  case connect(endpoint: Int)
  /// Disconnect in order; answered by `LinkEvent.disconnected`.
  case disconnect
  /// Fill the message with this second's token and send it; answered by `LinkEvent.acknowledged` or the link's end.
  indirect case publish(OutboxEntry, unixSeconds: Int64)
  /// Commit the entry; answered by `StoreEvent.stored` or `.storeFailed`.
  indirect case store(OutboxEntry)
  /// Remove the entries, whose outcome is told by the same event's reports: performed after them, so that whoever is killed
  /// in between has told it twice, and not never. Answered by `StoreEvent.removed`.
  indirect case forget([EntryID])
  /// A person's wish: remove and name the entry, with nil some of all of them, but for `sparing`, which are with the broker;
  /// answered by `StoreEvent.dropped` or `.dropFailed`.
  indirect case drop(EntryID?, sparing: [EntryID])
  /// Fetch the entries behind `sequence`, in order; answered by `StoreEvent.fetched` or `.fetchFailed`.
  case fetch(after: Int64, limit: Int, clockIsGood: Bool)
  /// Name the entries whose time is over, but for `sparing`, which are with the broker; answered by `StoreEvent.expired` or
  /// `.fetchExpiredFailed`.
  indirect case fetchExpired(clockIsGood: Bool, sparing: [EntryID])
  /// Try whether the store takes a write; answered by `StoreEvent.checked` or `.checkFailed`.
  case checkStore
  /// Remember that the secret was used.
  indirect case noteSecretUse(id: String, unixSeconds: Int64)
  /// Show it.
  case light(Light)
  /// Try the missing parts of the panel again; answered by `PanelEvent.opened` or `.failed` of each.
  case retryPanel
  /// Do not listen to a button any more, which bounces without end.
  case pauseButton(Int)
  /// Listen to it again; answered by `PanelEvent.opened` or `.failed`.
  case resumeButton(Int)
  /// Tell whoever listens: the log, the live view, the counters.
  case report(Report)
  /// Everything is at rest: end the process.
  case finish
}
