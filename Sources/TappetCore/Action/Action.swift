// The configured actions, which taps and presses trigger.

/// The handling of an accepted tap while the broker is unreachable.
package enum OfflinePolicy: Hashable, Sendable {
  /// Queues the message until the link is up again or the message expires.
  case queue
  /// Refuses the tap unless its message can be sent immediately.
  case drop
}

/// One configured action: a message to a topic, a request to a webhook, requests to outputs, or several of them.
///
/// It is validated when the configuration is loaded, and immutable, so all references share the same object.
package final class Action: Hashable, Sendable {
  /// Unique name, by which secrets refer to the action.
  package let name: String
  /// Title for display.
  package let title: String
  /// Value of `idx` on the action's tags, unless `ActionIndexes` assigns a different index.
  package let index: Int64
  /// Whether the configuration specifies the index; otherwise the index is the action's position.
  package let isIndexGiven: Bool
  /// Topic of the messages, without wildcards; `nil` if the action sends no messages.
  package var topic: String? { topicTemplate?.text }
  /// The topic as a template, which may contain placeholders for facts about the tap.
  let topicTemplate: PayloadTemplate?
  /// The requests to outputs, in order of execution.
  package let outputs: [OutputOrder]
  /// Template of the payload; empty if there is no topic.
  package let message: PayloadTemplate
  /// Template of the webhook request's body; `nil` if the action has no webhook.
  package let webhookBody: PayloadTemplate?
  /// The handling of messages while the broker is unreachable.
  package let offline: OfflinePolicy
  /// Time after the tap during which the message may be sent.
  package let expiresAfter: Duration
  /// Time after a tap during which the next tap of the same tag is ignored.
  package let cooldown: Duration
  /// Whether messages are published with MQTT's retain flag.
  package let isRetained: Bool
  /// Time within which a second request must confirm the action; `nil` means that it runs immediately.
  package let confirmWithin: Duration?
  /// The room in which the action is confirmed; `nil` means at the kiosk.
  package let confirmRoom: String?
  /// Whether a URL that this kiosk wrote to a tag is refused on any other tag.
  package let bindsUID: Bool
  /// Whether its tags unlock the buttons.
  package let unlocksPanel: Bool
  /// Whether its messages are held while Home Assistant is offline.
  package let awaitsHomeAssistant: Bool
  private let conditions: (times: ActionTimes?, requirements: [InputRequirement])
  private let use: (mode: ActionMode, job: InventoryJob)
  /// Message that is sent when the tag is removed, or at the second tap; `nil` if `mode` is `tap`.
  package let removal: ActionRemoval?

  /// Creates an action; omitted values have the configuration's defaults.
  ///
  /// A message with a timestamp token is dropped while the broker is unreachable and expires after 10 s; any other
  /// message is queued and expires after 24 h. In a literal topic, placeholders such as `%{uid}` are not replaced.
  @export(interface)
  package init(
    name: String, title: String, index: Int64, isIndexGiven: Bool = true, topic: String?, message: PayloadTemplate,
    offline: OfflinePolicy? = nil, expiresAfter: Duration? = nil, cooldown: Duration = .seconds(2),
    isRetained: Bool = false, confirmWithin: Duration? = nil, confirmRoom: String? = nil, bindsUID: Bool = false,
    unlocksPanel: Bool = false, outputs: [OutputOrder] = [], webhookBody: PayloadTemplate? = nil,
    hasLiteralTopic: Bool = false,
    awaitsHomeAssistant: Bool = false, times: ActionTimes? = nil, requirements: [InputRequirement] = [],
    mode: ActionMode = .tap, job: InventoryJob = .show, removal: ActionRemoval? = nil
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
    self.expiresAfter = expiresAfter ?? (usesTimestamp ? .seconds(10) : Limits.expiresAfterDefault)
    self.cooldown = cooldown
    self.isRetained = isRetained
    self.confirmWithin = confirmWithin
    self.confirmRoom = confirmRoom
    self.bindsUID = bindsUID
    self.unlocksPanel = unlocksPanel
    self.awaitsHomeAssistant = awaitsHomeAssistant
    conditions = (times, requirements)
    use = (mode, job)
    self.removal = removal
  }

  /// Times at which the action may run; `nil` means at any time.
  package var times: ActionTimes? { conditions.times }

  /// The levels that inputs must have for the action to run.
  package var requirements: [InputRequirement] { conditions.requirements }

  /// How the action's tags trigger it.
  package var mode: ActionMode { use.mode }

  /// The job that a card or a button of the action starts or ends; `show` if its tags represent things.
  package var job: InventoryJob { use.job }

  /// Whether one of the action's messages or its webhook body contains `%T`.
  package var usesTimestamp: Bool {
    message.usesTimestamp || webhookBody?.usesTimestamp ?? false || removal?.message.usesTimestamp ?? false
  }

  /// Whether a message to the broker contains `%T`, which discloses the token to all subscribers of the topic.
  package var publishesToken: Bool {
    topic != nil && (message.usesTimestamp || removal?.message.usesTimestamp ?? false)
  }

  /// Whether any tag content can cause one of the action's messages to be sent to the given topic.
  @export(interface)
  package func mayPublish(to topic: String, kiosk: String) -> Bool {
    var known = TapFacts()
    (known[.action], known[.kiosk]) = (name, kiosk)
    return [topicTemplate, removal?.topic].contains { $0?.mayBecome(topic, known) ?? false }
  }

  /// Whether any of the action's templates contains a placeholder for the given fact.
  func names(_ fact: TapFact) -> Bool {
    message.names(fact) || topicTemplate?.names(fact) ?? false || webhookBody?.names(fact) ?? false
      || removal?.names(fact) ?? false
  }

  /// Whether the text on the action's tags is needed: a template refers to the text, or it may be a box's code.
  var readsText: Bool { mode == .inventory || names(.text) }

  /// Whether the topic, the message or the webhook body contains a placeholder for any fact.
  var namesFacts: Bool {
    message.namesFacts || hasVaryingTopic || webhookBody?.namesFacts ?? false
  }

  /// Whether its topic depends on the tap.
  private var hasVaryingTopic: Bool { topicTemplate?.namesFacts ?? false }

  /// Topic for a tap whose facts are all empty; `nil` if the action sends no message.
  package var sampleTopic: String? { topicTemplate?.topic(with: TapFacts()) }

  /// Maximum size of a topic that a tap can produce, in bytes.
  package var topicSizeMax: Int { topicTemplate?.topicSizeMax ?? 0 }

  /// Whether `text` is a topic to which messages can be published.
  ///
  /// Wildcards are for subscriptions (MQTT 3.1.1 §4.7.1). Of the topics starting with $, which brokers define (§4.7.2),
  /// `$SYS/` is the broker's own state, and `$share/` a subscription; AWS IoT receives messages on `$aws/`.
  package static func isTopic(_ text: String) -> Bool {
    let isReserved = ["$SYS", "$share"].contains { text == $0 || text.begins(with: $0 + "/") }
    let hasWildcard = text.utf8.contains { $0 == 0x2B || $0 == 0x23 }
    return !isReserved && !hasWildcard && text.isOfMQTT && (1...Limits.topicSizeMax).contains(text.utf8.count)
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
      && one.times == other.times && one.requirements == other.requirements && one.mode == other.mode
      && one.job == other.job && one.removal == other.removal
  }

  /// Hashes the name, which identifies the action.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
