// How many taps and presses came to what.

/// Counts since the start.
public struct Counters: Hashable, Sendable {
  /// Committed to the outbox.
  public var accepted = 0
  /// Acknowledged by the broker.
  public var delivered = 0
  /// Not accepted, whatever the reason.
  public var refused = 0
  /// Held tags and cooldowns.
  public var ignored = 0
  /// Accepted, but not delivered in time.
  public var expired = 0
  /// Accepted, but refused by the broker for good.
  public var undeliverable = 0

  /// All zero.
  public init() {}
}
