// The kiosk's configuration, as far as the core needs it.

/// The part of the configuration that the core needs.
package struct KioskSettings: Sendable {
  /// The configured actions; their names and indexes are unique.
  package var actions: [Action] {
    didSet { facts = ActionFacts(actions) }
  }
  private var facts: ActionFacts
  /// The tags that others wrote.
  package var foreignTags = ForeignTags()
  /// The action of every tag that nobody here knows; `nil` means that there is none.
  package var unknownTags: Action?
  /// The plan for the inventory; `nil` means that there is none.
  package var inventory: InventoryPlan?
  /// The name of the site whose people the kiosk has; `nil` means that it belongs to none.
  package var site: String?
  /// The topics with commands; unique.
  package var commands: [CommandPlan]
  /// The rooms that actions write to.
  package var rooms = RoomPlan()
  /// The kiosk's name in messages: its client id.
  package var kioskName: String
  /// The buttons and their actions, which are named as in `actions`.
  package var panel: PanelPlan
  /// Whether there is a reader.
  package var hasReader = true
  /// Number of endpoints to try in turn; at least 1.
  package var endpointCount: Int
  /// Index of the endpoint that worked last, which is tried first.
  package var firstEndpoint = 0
  /// Until when, in seconds since 1970, MQTT 5 is not tried with an endpoint, by its index; 0 if it speaks MQTT 5.
  package var fallbacks: [Int: Int64]
  /// `clock: trust`: `%T` is sealed even while the kernel calls the clock unsynchronised.
  package var trustsClock: Bool
  /// Whether the kiosk's state is published.
  package var publishesState: Bool
  /// Home Assistant's part; `nil` means that it learns nothing.
  package var homeAssistant: HomeAssistantPlan?
  /// Whether the broker keeps messages that an earlier configuration published about the kiosk.
  package var hasAnnounced = false
  /// The time zone and the holidays.
  package var calendar = LocalCalendar()
  /// The largest number of waiting entries.
  package var outboxCountMax: Int
  /// The largest number of bytes in all waiting messages.
  package var outboxSizeMax: Int

  /// Settings with the default bounds.
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
    self.endpointCount = max(1, endpointCount)
    self.fallbacks = fallbacks
    self.trustsClock = trustsClock
    self.publishesState = publishesState
    self.homeAssistant = homeAssistant
    self.kioskName = kioskName
    self.outboxCountMax = outboxCountMax
    self.outboxSizeMax = outboxSizeMax
  }

  /// Whether a message has `%T`, a command a time, or an action hours.
  package var usesTimestamp: Bool {
    facts.usesTimestamp || unknownTags?.usesTimestamp ?? false || commands.contains { $0.needsClock }
  }
  /// Whether the broker keeps anything about the kiosk but its status.
  var announces: Bool { publishesState || homeAssistant != nil || hasAnnounced }
  /// Whether a message names the number of a tag's taps.
  var countsTaps: Bool { facts.countsTaps || unknownTags?.names(.count) ?? false }
  /// Whether an action has a webhook.
  var usesWebhooks: Bool { facts.usesWebhooks }
  /// The names of the actions whose messages wait while Home Assistant is away.
  var awaitingActions: [String] { facts.awaitingActions }
  /// The longest cooldown of all actions.
  var cooldownMax: Duration { max(facts.cooldownMax, unknownTags?.cooldown ?? .zero) }
}

/// Facts about all actions, found once and not for each tap: a tap takes as long with 256 actions as with one.
private struct ActionFacts: Sendable {
  var usesTimestamp = false
  var usesWebhooks = false
  var countsTaps = false
  var awaitingActions: [String] = []
  var cooldownMax: Duration = .zero

  init(_ actions: [Action]) {
    for action in actions {
      usesTimestamp = usesTimestamp || action.usesTimestamp || action.times?.allowsUnknownClock == false
      countsTaps = countsTaps || action.names(.count)
      usesWebhooks = usesWebhooks || action.webhookBody != nil
      if action.awaitsHomeAssistant { awaitingActions.append(action.name) }
      cooldownMax = max(cooldownMax, action.cooldown)
    }
  }
}
