// What the outbox holds, in numbers.

/// What waits in the store when it is opened.
public struct OutboxSummary: Hashable, Sendable {
  /// Entries.
  public var count: Int
  /// Bytes of their messages.
  public var size: Int
  /// When the first of them expires.
  public var earliestExpiry: Expiry?

  /// A summary; without arguments, of an empty outbox.
  public init(count: Int = 0, size: Int = 0, earliestExpiry: Expiry? = nil) {
    self.count = count
    self.size = size
    self.earliestExpiry = earliestExpiry
  }
}
