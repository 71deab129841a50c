// The configured actions: what a tap or a press does.

/// The fate of an accepted tap while the broker is away.
package enum OfflinePolicy: Hashable, Sendable {
  /// Kept until the link is back, or until it expires.
  case queue
  /// Refused unless it can be sent now.
  case drop
}

/// One configured action: a message to a topic, a request to a webhook, requests to outputs, or several of them.
///
/// A value from the configuration, checked at load. It never changes, so everyone holds a reference to the same object.
package final class Action: Hashable, Sendable {
  /// Unique among the actions; secrets belong to it.
  package let name: String
  /// Title for people.
  package let title: String
  /// The `idx` on its tags, unless `ActionIndexes` knows better.
  package let index: Int64
  /// Whether the configuration gives the index; otherwise it is the position.
  package let isIndexGiven: Bool
  /// Topic of its messages, without wildcards; `nil` means that it sends none.
  package var topic: String? { topicTemplate?.text }
  /// The same as a template, which may name facts about the tap.
  let topicTemplate: PayloadTemplate?
  /// The requests to outputs, in their order.
  package let outputs: [OutputOrder]
  /// The payload's template; empty without a topic.
  package let message: PayloadTemplate
  /// The template of the body for its webhook; `nil` means that it has none.
  package let webhookBody: PayloadTemplate?
  /// The fate of its messages while the broker is away.
  package let offline: OfflinePolicy
  /// How long after the tap the message may still be sent.
  package let expiresAfter: Duration
  /// How long after a tap the next tap of the same tag is ignored.
  package let cooldown: Duration
  /// MQTT's retain flag.
  package let isRetained: Bool
  /// The action runs only when it is requested again within this time; `nil` means at once.
  package let confirmWithin: Duration?
  /// The room in which somebody confirms it; `nil` means at the kiosk.
  package let confirmRoom: String?
  /// Whether a tag that was written here is refused when its URL comes from another tag.
  package let bindsUID: Bool
  /// Whether its tags unlock the buttons.
  package let unlocksPanel: Bool
  /// Whether its messages wait while Home Assistant is away.
  package let awaitsHomeAssistant: Bool
  /// When it may be done; `nil` means at every time.
  package let times: ActionTimes?
  /// How its tags set it off.
  package let mode: ActionMode
  /// The message when the tag leaves, or at the second tap; `nil` if `mode` is `tap`.
  package let removal: ActionRemoval?

  /// An action with the defaults of the configuration.
  ///
  /// A message with a timestamp token is dropped while the broker is away and expires after 10 s; any other is queued
  /// and expires after 24 h. In a literal topic `%{uid}` and the like have no meaning.
  @export(interface)
  package init(
    name: String, title: String, index: Int64, isIndexGiven: Bool = true, topic: String?, message: PayloadTemplate,
    offline: OfflinePolicy? = nil, expiresAfter: Duration? = nil, cooldown: Duration = .seconds(2),
    isRetained: Bool = false, confirmWithin: Duration? = nil, confirmRoom: String? = nil, bindsUID: Bool = false,
    unlocksPanel: Bool = false, outputs: [OutputOrder] = [], webhookBody: PayloadTemplate? = nil,
    hasLiteralTopic: Bool = false,
    awaitsHomeAssistant: Bool = false, times: ActionTimes? = nil, mode: ActionMode = .tap,
    removal: ActionRemoval? = nil
  ) {
    self.name = name
    self.title = title
    self.index = index
    self.isIndexGiven = isIndexGiven
    topicTemplate = topic.map {
      PayloadTemplate(configured: $0, format: hasLiteralTopic ? .literal : .text) ?? PayloadTemplate($0)
    }
    self.outputs = outputs
    self.message = message
    self.webhookBody = webhookBody
    let usesTimestamp = message.usesTimestamp || webhookBody?.usesTimestamp ?? false
    self.offline = offline ?? (usesTimestamp ? .drop : .queue)
    self.expiresAfter = expiresAfter ?? (usesTimestamp ? .seconds(10) : .seconds(24 * 3600))
    self.cooldown = cooldown
    self.isRetained = isRetained
    self.confirmWithin = confirmWithin
    self.confirmRoom = confirmRoom
    self.bindsUID = bindsUID
    self.unlocksPanel = unlocksPanel
    self.awaitsHomeAssistant = awaitsHomeAssistant
    self.times = times
    self.mode = mode
    self.removal = removal
  }

  /// Whether its message or its body has `%T`.
  package var usesTimestamp: Bool {
    message.usesTimestamp || webhookBody?.usesTimestamp ?? false || removal?.message.usesTimestamp ?? false
  }

  /// Whether a message to the broker has `%T`, which everybody who reads its topic then knows.
  package var publishesToken: Bool {
    topic != nil && (message.usesTimestamp || removal?.message.usesTimestamp ?? false)
  }

  /// Whether one of its messages may go to this topic, whatever is on a tag.
  @export(interface)
  package func mayPublish(to topic: String, kiosk: String) -> Bool {
    var known = TapFacts()
    (known[.action], known[.kiosk]) = (name, kiosk)
    return [topicTemplate, removal?.topic].contains { $0?.mayBecome(topic, known) ?? false }
  }

  /// Whether its topic, its message or its body names this fact.
  func names(_ fact: TapFact) -> Bool {
    message.names(fact) || topicTemplate?.names(fact) ?? false || webhookBody?.names(fact) ?? false
      || removal?.names(fact) ?? false
  }

  /// Whether the text on its tags matters: a message names it, or it may be a box's code.
  var readsText: Bool { mode == .inventory || names(.text) }

  /// Whether its topic, its message or its body names any fact.
  var namesFacts: Bool {
    message.namesFacts || hasVaryingTopic || webhookBody?.namesFacts ?? false
  }

  /// Whether its topic depends on the tap.
  private var hasVaryingTopic: Bool { topicTemplate?.namesFacts ?? false }

  /// A topic that a tap without facts would have; `nil` when it sends no message.
  package var sampleTopic: String? { topicTemplate?.topic(with: TapFacts()) }

  /// The size of the longest topic that a tap can have, in bytes.
  package var topicSizeMax: Int { topicTemplate?.topicSizeMax ?? 0 }

  /// Whether messages can be published to the topic `text`.
  ///
  /// MQTT 3.1.1 §4.7.1: wildcards are for subscriptions; §4.7.2: topics with $ belong to the server.
  package static func isTopic(_ text: String) -> Bool {
    let isForbidden = text.utf8.contains { $0 == 0x2B || $0 == 0x23 } || text.utf8.first == 0x24
    return !isForbidden && text.isOfMQTT && (1...Limits.topicSizeMax).contains(text.utf8.count)
  }

  /// Compares all fields.
  @export(interface)
  package static func == (one: Action, other: Action) -> Bool {
    one.name == other.name && one.title == other.title && one.index == other.index
      && one.isIndexGiven == other.isIndexGiven && one.topicTemplate == other.topicTemplate
      && one.message == other.message && one.offline == other.offline && one.expiresAfter == other.expiresAfter
      && one.cooldown == other.cooldown && one.isRetained == other.isRetained
      && one.confirmWithin == other.confirmWithin && one.confirmRoom == other.confirmRoom
      && one.bindsUID == other.bindsUID
      && one.unlocksPanel == other.unlocksPanel && one.outputs == other.outputs
      && one.webhookBody == other.webhookBody && one.awaitsHomeAssistant == other.awaitsHomeAssistant
      && one.times == other.times && one.mode == other.mode && one.removal == other.removal
  }

  /// Hashes the name, which identifies the action.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
