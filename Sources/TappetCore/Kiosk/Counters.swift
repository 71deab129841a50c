// The numbers of taps and presses by outcome.

/// Counts since the start.
package struct Counters: Hashable, Sendable {
  /// Committed to the outbox.
  package var accepted = 0
  /// Acknowledged by the broker.
  package var delivered = 0
  /// Not accepted, for any reason.
  package var refused = 0
  /// Tags held on the reader, and taps within a cooldown.
  package var ignored = 0
  /// Accepted, but not delivered in time.
  package var expired = 0
  /// Accepted, but permanently refused by the broker.
  package var undeliverable = 0

  /// The counts for webhooks.
  package var webhooks = Webhooks()

  /// Counts of entries that go to a webhook.
  package struct Webhooks: Hashable, Sendable {
    /// Answered with success.
    package var delivered = 0
    /// Requests that have to be retried.
    package var again = 0
    /// Given up after a permanent failure.
    package var givenUp = 0
    /// Not delivered in time.
    package var expired = 0
  }

  /// Counters that are all zero.
  package init() {}
}
