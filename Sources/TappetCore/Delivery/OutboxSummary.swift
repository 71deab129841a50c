// The outbox's content in numbers.

/// The content of the store when it is opened.
package struct OutboxSummary: Hashable, Sendable {
  /// Number of entries.
  package var count: Int
  /// Number of bytes in their messages.
  package var size: Int
  /// When the first of them expires.
  package var earliestExpiry: Expiry?
  /// Number of entries for webhooks, which the others do not count.
  package var webhookCount = 0
  /// Number of bytes in their bodies.
  package var webhookSize = 0
  /// When the first of them expires.
  package var earliestWebhookExpiry: Expiry?
  /// The arrivals whose removal is owed.
  package var arrivals: [TagArrival] = []
  /// The number of accepted taps of each tag that is counted.
  package var tagCounts: [TagUID: Int64] = [:]
  /// The timed openings that were not closed.
  package var openings: [TimedOpening] = []
  /// The number of wrong codes since the panel was unlocked last.
  package var wrongCodes = 0
  /// The bundle of the site that is in force.
  package var site: SiteRecord?

  /// The summary of the webhooks alone.
  var ofWebhooks: OutboxSummary {
    OutboxSummary(count: webhookCount, size: webhookSize, earliestExpiry: earliestWebhookExpiry)
  }

  /// A summary of these numbers; without arguments, of an empty outbox.
  package init(count: Int = 0, size: Int = 0, earliestExpiry: Expiry? = nil) {
    self.count = count
    self.size = size
    self.earliestExpiry = earliestExpiry
  }
}
