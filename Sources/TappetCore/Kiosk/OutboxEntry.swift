// An accepted tap on its way to the broker, as the store keeps it.

/// A 128-bit random name of an entry: `%I`, 32 lower-case hex digits in print.
///
/// Never reused.
public struct EntryID: Hashable, Sendable {
  /// The first 8 bytes, big-endian.
  public let high: UInt64
  /// The last 8 bytes, big-endian.
  public let low: UInt64

  /// From its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Nil for anything but 32 ASCII hexadecimal digits, of either case.
  public init?(hex text: String) {
    guard let bytes = Hex.decode(text), bytes.count == 16 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The id as 32 lower-case ASCII digits.
  public var hexDigits: [UInt8] {
    Array(unsafeUninitializedCapacity: 32) { digits, count in
      for place in 0..<32 {
        let half = place < 16 ? high : low
        digits[place] = Hex.digit(UInt8(truncatingIfNeeded: half >> (60 - 4 * (place & 15))) & 0x0F)
      }
      count = 32
    }
  }

  /// The id as text: 32 lower-case digits.
  public var hex: String { String(decoding: hexDigits, as: UTF8.self) }
}

/// What set it off; decides which light says that it was delivered.
public enum Trigger: UInt8, Hashable, Sendable {
  case tag = 1
  case button = 2
}

/// Until when an entry may be sent.
public enum Expiry: Hashable, Sendable {
  /// Accepted since this machine started: immune to steps of the wall clock.
  case at(Instant)
  /// Accepted before this machine's last start: only the wall clock (milliseconds since 1970) can tell, once it is good.
  case atUnixMilliseconds(Int64)
}

/// One accepted tap that is not yet acknowledged by the broker.
public struct OutboxEntry: Hashable, Sendable {
  /// Given by the store at its commit, rising: the order of acceptance.
  public var sequence: Int64
  /// The same as `acceptedUnixMilliseconds` on the monotonic clock; nil when it was fetched from the store.
  public var acceptedAt: Instant?
  /// Until when it may be sent.
  public var expiry: Expiry
  private let acceptance: Acceptance

  /// What stays as it was at the tap.
  ///
  /// By reference: an entry is handed to the store, to the broker, into the outbox and into a report.
  private final class Acceptance: Sendable {
    let id: EntryID
    let action: String
    let topic: String
    let message: PayloadTemplate
    let isRetained: Bool
    let trigger: Trigger
    let unixMilliseconds: Int64

    init(
      id: EntryID, action: String, topic: String, message: PayloadTemplate, isRetained: Bool, trigger: Trigger,
      unixMilliseconds: Int64
    ) {
      self.id = id
      self.action = action
      self.topic = topic
      self.message = message
      self.isRetained = isRetained
      self.trigger = trigger
      self.unixMilliseconds = unixMilliseconds
    }
  }

  /// An entry; `sequence` is 0 until the store has committed it.
  public init(
    sequence: Int64 = 0, id: EntryID, action: String, topic: String, message: PayloadTemplate, isRetained: Bool,
    trigger: Trigger, acceptedUnixMilliseconds: Int64, acceptedAt: Instant? = nil, expiry: Expiry
  ) {
    self.sequence = sequence
    self.acceptedAt = acceptedAt
    self.expiry = expiry
    acceptance = Acceptance(
      id: id, action: action, topic: topic, message: message, isRetained: isRetained, trigger: trigger,
      unixMilliseconds: acceptedUnixMilliseconds)
  }

  /// Its name in the world.
  public var id: EntryID { acceptance.id }
  /// The action's name; its title and cooldown may have changed since.
  public var action: String { acceptance.action }
  /// The topic at the time of the tap.
  public var topic: String { acceptance.topic }
  /// The message at the time of the tap, unfilled: `%T` is sealed when it is sent.
  public var message: PayloadTemplate { acceptance.message }
  /// MQTT's retain flag at the time of the tap.
  public var isRetained: Bool { acceptance.isRetained }
  /// A tag or a button.
  public var trigger: Trigger { acceptance.trigger }
  /// When it was accepted, milliseconds since 1970 by the wall clock of that time.
  public var acceptedUnixMilliseconds: Int64 { acceptance.unixMilliseconds }

  /// All fields, whoever made them.
  public static func == (one: OutboxEntry, other: OutboxEntry) -> Bool {
    one.sequence == other.sequence && one.acceptedAt == other.acceptedAt && one.expiry == other.expiry
      && one.id == other.id && one.action == other.action && one.topic == other.topic && one.message == other.message
      && one.isRetained == other.isRetained && one.trigger == other.trigger
      && one.acceptedUnixMilliseconds == other.acceptedUnixMilliseconds
  }

  /// Its id tells it from others.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
