// The ways out: the entries that wait, the broker's connection, the process for webhooks, and the disk under both.

struct Deliveries: Sendable {
  var link: LinkSupervision
  /// The entries for the broker.
  var outbox = Outbox(OutboxSummary())
  /// The entries for webhooks.
  var webhooks = Outbox(OutboxSummary())
  var webhookProcess = WebhookSupervision()
  var store = StoreSupervision()
  /// Since when the store owes an answer, counted from its last one; `nil` means that it owes none.
  var storeSilentSince: Instant?
}
