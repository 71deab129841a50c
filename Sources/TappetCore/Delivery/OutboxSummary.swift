// The contents of the outbox in numbers.

/// A summary of the store's contents when it is opened.
package struct OutboxSummary: Hashable, Sendable {
  /// Number of entries.
  package var count: Int
  /// Total size of the messages in bytes.
  package var size: Int
  /// Earliest expiry among the entries.
  package var earliestExpiry: Expiry?
  /// Number of webhook entries, which `count` does not include.
  package var webhookCount = 0
  /// Total size of the webhook bodies in bytes.
  package var webhookSize = 0
  /// Earliest expiry among the webhook entries.
  package var earliestWebhookExpiry: Expiry?
  /// The target with which each action's webhook has worked (`WebhookEndpoint.target`).
  package var workedWebhooks: [String: Int64] = [:]
  /// The tag arrivals whose removal is pending.
  package var arrivals: [TagArrival] = []
  /// The number of accepted taps of each counted tag.
  package var tagCounts: [TagUID: Int64] = [:]
  /// The timed openings that are not closed yet.
  package var openings: [TimedOpening] = []
  /// The number of wrong codes since the panel was last unlocked.
  package var wrongCodes = 0
  /// Position up to which the commands from rooms are recorded; `nil` if there is none.
  package var roomPosition: String?
  /// The recorded commands from rooms, as far as they could still be sent again.
  package var roomCommands: [RecordedCommand] = []
  /// Whether messages in rooms may have to be edited.
  package var hasRoomEdits = false
  /// The site's bundle that is in force.
  package var site: SiteRecord?

  /// The summary of the webhook entries only.
  var ofWebhooks: OutboxSummary {
    OutboxSummary(count: webhookCount, size: webhookSize, earliestExpiry: earliestWebhookExpiry)
  }

  /// Creates a summary from the given numbers; the defaults describe an empty outbox.
  package init(count: Int = 0, size: Int = 0, earliestExpiry: Expiry? = nil) {
    self.count = count
    self.size = size
    self.earliestExpiry = earliestExpiry
  }
}
