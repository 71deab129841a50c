// Outbound delivery: the pending entries, the broker link, the webhook process, and the store behind both.

struct Deliveries: Sendable {
  var link: LinkState
  /// The entries for the broker.
  var outbox = Outbox(OutboxSummary())
  /// The actions whose messages the broker refuses for now.
  var refusals = RefusalBackoff()
  /// The entries for webhooks.
  var webhooks = Outbox(OutboxSummary())
  var webhookProcess = WebhookSupervision()
  var edits = RoomEdits()
  var store = StoreSupervision()
  /// Time since which the store has not responded to a pending request; `nil` if no request is pending.
  var storeSilentSince: Instant?

  /// The outbox for the given destination.
  subscript(destination: Destination) -> Outbox {
    // Accessed in place, because a copy would include all entries in memory.
    _read {
      switch destination {
      case .broker: yield outbox
      case .webhook: yield webhooks
      }
    }
    _modify {
      switch destination {
      case .broker: yield &outbox
      case .webhook: yield &webhooks
      }
    }
  }
}
