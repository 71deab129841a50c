// The part of the kiosk's configuration that the core needs.

/// The part of the configuration that the core needs.
package struct KioskSettings: Sendable {
  /// The configured actions; their names and indexes are unique.
  package var actions: [Action] {
    didSet { facts = ActionFacts(actions) }
  }
  private var facts: ActionFacts
  /// The external tags, which were not written by this program.
  package var foreignTags = ForeignTags()
  /// The action for all unknown tags; `nil` means that there is none.
  package var unknownTags: Action?
  /// The inventory plan; `nil` if there is no inventory.
  package var inventory: InventoryPlan?
  /// The name of the site that shares its people with the kiosk; `nil` if the kiosk belongs to no site.
  package var site: String?
  /// The command topics; each is unique.
  package var commands: [CommandPlan]
  /// The target of each action's webhook (`WebhookEndpoint.target`).
  package var webhookTargets: [String: Int64] = [:]
  /// The rooms that actions write to.
  package var rooms = RoomPlan()
  /// The kiosk's name in messages: its client id.
  package var kioskName: String
  /// The buttons and their actions, which are referenced by their names in `actions`.
  package var panel: PanelPlan
  /// Whether there is a reader.
  package var hasReader = true
  /// Number of endpoints to try in turn; 0 means that there is no broker.
  package var endpointCount: Int
  /// Index of the endpoint that worked last, which is tried first.
  package var firstEndpoint = 0
  /// End of each endpoint's fallback to MQTT 3.1.1, in seconds since 1970, by endpoint index; 0 if it supports MQTT 5.
  package var fallbacks: [Int: Int64]
  /// Whether `clock: trust` is set: `%T` is sealed even while the kernel reports the clock as unsynchronized.
  package var trustsClock: Bool
  /// Whether the kiosk's state is published.
  package var publishesState: Bool
  /// The Home Assistant plan; `nil` if nothing is announced to Home Assistant.
  package var homeAssistant: HomeAssistantPlan?
  /// Whether the broker retains messages about the kiosk from an earlier configuration.
  package var hasAnnounced = false
  /// The time zone and the holidays.
  package var calendar = LocalCalendar()
  private var outboxMax: (count: Int, size: Int)
  /// The maximum number of pending entries.
  package var outboxCountMax: Int {
    get { outboxMax.count }
    set { outboxMax.count = newValue }
  }
  /// The maximum total size of all pending messages in bytes.
  package var outboxSizeMax: Int { outboxMax.size }

  /// Creates settings in which omitted limits have default values.
  @export(interface)
  package init(
    actions: [Action], panel: PanelPlan = PanelPlan(), endpointCount: Int = 1, fallbacks: [Int: Int64] = [:],
    trustsClock: Bool = false, commands: [CommandPlan] = [], publishesState: Bool = false,
    homeAssistant: HomeAssistantPlan? = nil, kioskName: String = "",
    outboxCountMax: Int = Limits.outboxCountMax, outboxSizeMax: Int = Limits.outboxSizeMax
  ) {
    self.actions = actions
    facts = ActionFacts(actions)
    self.panel = panel
    self.commands = commands
    self.endpointCount = max(0, endpointCount)
    self.fallbacks = fallbacks
    self.trustsClock = trustsClock
    self.publishesState = publishesState
    self.homeAssistant = homeAssistant
    self.kioskName = kioskName
    outboxMax = (outboxCountMax, outboxSizeMax)
  }

  /// Whether a message uses `%T`, a command contains a time, or an action is limited to certain hours.
  package var usesTimestamp: Bool {
    facts.usesTimestamp || unknownTags?.usesTimestamp ?? false || commands.contains { $0.needsClock }
  }
  /// Whether the broker retains anything about the kiosk besides its status.
  var announces: Bool { publishesState || announcesInventory || homeAssistant != nil || hasAnnounced }
  /// Whether the lists of the inventory and the results of touches are published.
  package var announcesInventory: Bool { inventory.map { $0.topic != nil || homeAssistant != nil } ?? false }
  /// Whether a message includes a tag's tap count.
  var countsTaps: Bool { facts.countsTaps || unknownTags?.names(.count) ?? false }
  /// Whether a tap may send a message to the broker.
  var tapsNeedBroker: Bool {
    endpointCount > 0
      && (facts.publishes || unknownTags?.topic != nil || homeAssistant != nil || inventory?.topic != nil)
  }
  /// Whether an action has a webhook.
  var usesWebhooks: Bool { facts.usesWebhooks }
  /// The names of the actions whose messages wait while Home Assistant is offline.
  var awaitingActions: [String] { facts.awaitingActions }
  /// The longest cooldown of all actions.
  var cooldownMax: Duration { max(facts.cooldownMax, unknownTags?.cooldown ?? .zero) }
}

/// Properties of all actions, computed once so that a tap takes as long with 256 actions as with one.
private struct ActionFacts: Sendable {
  var usesTimestamp = false
  var usesWebhooks = false
  var publishes = false
  var countsTaps = false
  var awaitingActions: [String] = []
  var cooldownMax: Duration = .zero

  init(_ actions: [Action]) {
    for action in actions {
      usesTimestamp = usesTimestamp || action.usesTimestamp || action.times?.allowsUnknownClock == false
      countsTaps = countsTaps || action.names(.count)
      usesWebhooks = usesWebhooks || action.webhookBody != nil
      publishes = publishes || action.topic != nil
      if action.awaitsHomeAssistant { awaitingActions.append(action.name) }
      cooldownMax = max(cooldownMax, action.cooldown)
    }
  }
}
