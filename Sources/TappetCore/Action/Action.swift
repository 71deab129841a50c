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
/// A value from the configuration, checked when it was loaded.
public struct Action: Hashable, Sendable {
  /// Unique among the actions; secrets belong to it.
  public var name: String
  /// For people.
  public var title: String
  /// The `idx` on its tags.
  public var index: Int64
  /// Where it is published; no wildcards.
  public var topic: String
  /// The payload's template.
  public var message: PayloadTemplate
  /// What becomes of it while the broker is away.
  public var offline: OfflinePolicy
  /// How long after the tap it may still be sent.
  public var expiresAfter: Duration
  /// How long after a tap of a tag the same tag's next one is ignored.
  public var cooldown: Duration
  /// MQTT's retain flag.
  public var isRetained: Bool
  /// It is done only when it is asked for again within this time; nil: at once.
  public var confirmWithin: Duration?
  /// Whether a tag of it unlocks the buttons.
  public var unlocksPanel: Bool

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
}
