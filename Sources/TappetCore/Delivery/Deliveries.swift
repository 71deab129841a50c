// The ways out: the entries that wait, the broker's connection, the process for webhooks, and the disk under both.

struct Deliveries: Sendable {
  var link: LinkState
  /// The entries for the broker.
  var outbox = Outbox(OutboxSummary())
  /// The entries for webhooks.
  var webhooks = Outbox(OutboxSummary())
  var webhookProcess = WebhookSupervision()
  var store = StoreSupervision()
  /// Since when the store owes an answer, counted from its last one; `nil` means that it owes none.
  var storeSilentSince: Instant?

  /// The outbox for this destination.
  subscript(destination: Destination) -> Outbox {
    get { destination == .broker ? outbox : webhooks }
    // In place: a copy would be one of all entries in memory.
    _modify {
      switch destination {
      case .broker: yield &outbox
      case .webhook: yield &webhooks
      }
    }
  }
}
