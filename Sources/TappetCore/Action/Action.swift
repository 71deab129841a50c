// What a tap or a press makes happen.

/// What becomes of an accepted tap while the broker is away.
public enum OfflinePolicy: Hashable, Sendable {
  /// Kept until the link is back, or until it expires.
  case queue
  /// Refused unless it can be sent now.
  case drop
}

/// One configured action: a message to a topic.
///
/// A value from the configuration, checked when it was loaded. It never changes: everybody has a reference to the same.
public final class Action: Hashable, Sendable {
  /// Unique among the actions; secrets belong to it.
  public let name: String
  /// For people.
  public let title: String
  /// The `idx` on its tags.
  public let index: Int64
  /// Where it is published; no wildcards.
  public let topic: String
  /// The payload's template.
  public let message: PayloadTemplate
  /// What becomes of it while the broker is away.
  public let offline: OfflinePolicy
  /// How long after the tap it may still be sent.
  public let expiresAfter: Duration
  /// How long after a tap of a tag the same tag's next one is ignored.
  public let cooldown: Duration
  /// MQTT's retain flag.
  public let isRetained: Bool
  /// It is done only when it is asked for again within this time; nil: at once.
  public let confirmWithin: Duration?
  /// Whether a tag of it unlocks the buttons.
  public let unlocksPanel: Bool

  /// An action with the defaults of the configuration: a message with a timestamp token is dropped when the broker is
  /// away and expires after 10 s, any other is queued for 24 h.
  public init(
    name: String, title: String, index: Int64, topic: String, message: PayloadTemplate, offline: OfflinePolicy? = nil,
    expiresAfter: Duration? = nil, cooldown: Duration = .seconds(2), isRetained: Bool = false,
    confirmWithin: Duration? = nil, unlocksPanel: Bool = false
  ) {
    self.name = name
    self.title = title
    self.index = index
    self.topic = topic
    self.message = message
    self.offline = offline ?? (message.usesTimestamp ? .drop : .queue)
    self.expiresAfter = expiresAfter ?? (message.usesTimestamp ? .seconds(10) : .seconds(24 * 3600))
    self.cooldown = cooldown
    self.isRetained = isRetained
    self.confirmWithin = confirmWithin
    self.unlocksPanel = unlocksPanel
  }

  /// Whether messages can be published there.
  ///
  /// MQTT 3.1.1 §4.7.1: wildcards are for subscriptions; §4.7.2: topics with $ belong to the server.
  public static func isTopic(_ text: String) -> Bool {
    let isForbidden = text.utf8.contains { $0 == 0x2B || $0 == 0x23 || $0 == 0 } || text.utf8.first == 0x24
    return !isForbidden && (1...Limits.topicSizeMax).contains(text.utf8.count)
  }

  /// All fields.
  public static func == (one: Action, other: Action) -> Bool {
    one.name == other.name && one.title == other.title && one.index == other.index && one.topic == other.topic
      && one.message == other.message && one.offline == other.offline && one.expiresAfter == other.expiresAfter
      && one.cooldown == other.cooldown && one.isRetained == other.isRetained
      && one.confirmWithin == other.confirmWithin && one.unlocksPanel == other.unlocksPanel
  }

  /// Its name tells it from others.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
