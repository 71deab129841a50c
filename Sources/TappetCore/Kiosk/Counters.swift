// The numbers of taps and presses by outcome.

/// Counts since the start.
package struct Counters: Hashable, Sendable {
  /// Taps and presses committed to the outbox.
  package var accepted = 0
  /// Entries acknowledged by the broker.
  package var delivered = 0
  /// Taps and presses not accepted, for any reason.
  package var refused = 0
  /// Tags held on the reader, and taps within a cooldown.
  package var ignored = 0
  /// Accepted entries that were not delivered in time.
  package var expired = 0
  /// Accepted entries that the broker permanently refused.
  package var undeliverable = 0

  /// The counts for webhooks.
  package var webhooks = Webhooks()

  /// Counts of entries that go to a webhook.
  package struct Webhooks: Hashable, Sendable {
    /// Entries that the server accepted.
    package var delivered = 0
    /// Requests that must be retried.
    package var again = 0
    /// Entries given up after a permanent failure.
    package var givenUp = 0
    /// Entries that were not delivered in time.
    package var expired = 0
  }

  /// Creates counters that are all zero.
  package init() {}
}
