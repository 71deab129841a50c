// The configuration as typed values, all of them checked. ConfigurationParser makes it.

import TappetCore
import TappetPlatform

/// The content of kiosk.yaml.
package struct KioskConfiguration: Sendable {
  /// The broker's endpoints and the kiosk's identity there.
  package var broker: BrokerSettings
  /// The folder of the database.
  package var stateFolder: String
  /// Whether the broker's password is sealed in the store (`password: {stored: true}`).
  ///
  /// `broker.password` is `nil` until it is read from there.
  package var storesPassword = false
  /// The key for `%T`; `nil` when no action uses it.
  package var timestampKey: TimestampKey?
  /// Whether the key for `%T` is sealed in the store (`timestamp_key: {stored: true}`).
  ///
  /// `timestampKey` is `nil` until it is read from there.
  package var storesTimestampKey = false
  /// False with `reader: none`.
  package var hasReader = true
  /// libnfc's connection string; `nil` means the first reader that libnfc finds.
  package var readerDevice: String?
  /// The lights and buttons.
  package var panel: PanelSettings
  /// At least one; names and indexes are unique.
  package var actions: [Action]
  /// The tags that others wrote.
  package var foreignTags: [ExternalTag] = []
  /// The action of every tag that nobody here knows; `nil` means that there is none.
  package var unknownTags: Action?
  /// The settings of the inventory; `nil` when the kiosk has nothing to do with one.
  package var inventory: InventorySettings?
  /// The topics with commands; unique.
  package var commands: [CommandPlan] = []
  /// The site whose people the kiosk has; `nil` means that it belongs to none.
  package var site: SiteSettings?
  /// The webhooks of those actions that have one.
  ///
  /// Rooms are among them.
  package var webhooks: [WebhookEndpoint] = []
  /// The kiosk's session at a homeserver; `nil` without one.
  package var matrix: MatrixSettings?
  /// Whether the kiosk's state is published (`telemetry: {state: true}`).
  package var publishesState = false
  /// `nil` means that Home Assistant learns nothing.
  package var homeAssistant: HomeAssistantPlan?
  /// False with `clock: trust`.
  package var checksClock: Bool
  /// Maximum number of entries that may wait.
  package var outboxCountMax: Int
  /// Maximum size of all messages that may wait, in bytes.
  package var outboxSizeMax: Int
  /// How long the log of taps is kept; `nil` means that there is none (`history: none`).
  package var historyAge: Duration? = Limits.historyAge
  /// The control socket's path.
  package var controlSocket: String
  /// Number of secrets that an action may have.
  package var secretsPerActionMax = Limits.secretsPerActionMax
  /// The name of the time zone; `nil` means the machine's.
  package var timeZone: String?
  /// The days on which no hours apply.
  package var holidays: Set<CalendarDay> = []
}

/// A panel's wiring and the meaning of its parts.
package struct PanelSettings: Hashable, Sendable {
  /// The socket of a virtual panel, which replaces the real lines; `nil` without one.
  package var simulator: String?
  /// The board's profile, which knows the header's pins: an installed one by name, or any other by its path.
  package var profile: String?
  /// Label or path of the chip for lines that name none.
  package var chip: String?
  /// LEDs and buzzer; each at most once.
  package var indicators: [IndicatorSettings] = []
  /// Relays, door openers, drives.
  package var outputs: [OutputSettings] = []
  /// The panel's buttons.
  package var buttons: [ButtonSettings] = []
  /// Pairs of buttons, by index.
  package var chords: [ChordPlan] = []
  /// The buttons are locked after this time without use; `nil` means never.
  package var lockAfter: Duration?
  /// The sequence of buttons, by index, that unlocks the panel.
  package var unlockCode: [Int] = []
  /// The pattern of each light.
  package var patterns = LightPatterns()

  /// A panel with nothing on it.
  package init() {}

  /// The part of the settings that the core needs.
  package var plan: PanelPlan {
    var plans: [ButtonPlan] = []
    for button in buttons { plans.append(button.plan) }
    return PanelPlan(
      buttons: plans, chords: chords, outputs: outputs.map { $0.plan }, lockAfter: lockAfter, unlockCode: unlockCode)
  }

  /// The names of the chord's buttons; `nil` if there is no such chord.
  package func chordNames(_ index: Int) -> (first: String, second: String)? {
    guard chords.indices.contains(index) else { return nil }
    return (buttons[chords[index].first].plan.name, buttons[chords[index].second].plan.name)
  }

  /// All LEDs, and the buzzer, that are wired.
  package var wired: LightOutputs {
    var wired: LightOutputs = []
    for indicator in indicators { wired.formUnion(indicator.output) }
    return wired
  }

  /// The place in the file of whatever uses this LED of the kernel's.
  func place(ofLED name: String) -> String? {
    for indicator in indicators where indicator.target == .led(name) { return indicator.place }
    for output in outputs where output.target == .led(name) { return output.place }
    return nil
  }
}

/// The device that an LED, the buzzer or an output drives.
package enum OutputTarget: Hashable, Sendable {
  /// A GPIO line.
  case line(PanelLine)
  /// A kernel LED, by its name under /sys/class/leds.
  case led(String)
}

/// One LED, a part of an RGB LED, or the buzzer.
package struct IndicatorSettings: Hashable, Sendable {
  /// Exactly one of them.
  package var output: LightOutputs
  /// Its place on the board.
  package var target: OutputTarget
  /// Its place in the file: `panel.leds.status`.
  package var place: String
}

/// One output of the panel.
package struct OutputSettings: Hashable, Sendable {
  /// Its name and its limits.
  package var plan: OutputPlan
  /// Its place on the board.
  package var target: OutputTarget
  /// Its place in the file: `panel.outputs[0]`.
  package var place: String
}

/// A button of the panel.
package struct ButtonSettings: Hashable, Sendable {
  /// Its name and its gestures.
  package var plan: ButtonPlan
  /// Its place on the board.
  package var line: PanelLine
}

extension KioskConfiguration {
  /// A topic of this kiosk that lies below another one.
  @export(interface)
  package func topic(below topic: String) -> String? {
    let topics =
      commands.map { $0.topic } + actions.compactMap { $0.sampleTopic }
      + [broker.statusTopic + "/status", unknownTags?.sampleTopic ?? "", site?.topic ?? ""]
    return topics.first { $0.utf8.starts(with: (topic + "/").utf8) }
  }

  /// The topics with commands, with the key for `%T` where they have none of their own.
  package var commandPlans: [CommandPlan] {
    commands.map { plan in
      guard case .token(nil) = plan.trust else { return plan }
      var plan = plan
      plan.trust = .token(timestampKey)
      return plan
    }
  }
}

extension KioskSettings {
  /// The part of the settings that the core needs.
  @export(interface)
  package init(_ configuration: KioskConfiguration) {
    self.init(
      actions: configuration.actions, panel: configuration.panel.plan,
      endpointCount: configuration.broker.endpoints.count, trustsClock: !configuration.checksClock,
      commands: configuration.commandPlans, publishesState: configuration.publishesState,
      homeAssistant: configuration.homeAssistant,
      kioskName: configuration.broker.clientID,
      outboxCountMax: configuration.outboxCountMax, outboxSizeMax: configuration.outboxSizeMax)
    hasReader = configuration.hasReader
    foreignTags = ForeignTags(configuration.foreignTags)
    unknownTags = configuration.unknownTags
    inventory = configuration.inventory?.plan
    site = configuration.site?.name
    rooms.actions = Set(configuration.webhooks.filter { $0.room != nil }.map { $0.action })
    rooms.areEncrypted = configuration.matrix?.encryption != nil && !rooms.actions.isEmpty
    calendar = LocalCalendar(
      holidays: configuration.holidays, secondsEastOfUTC: { WallTime.secondsEastOfUTC(unixSeconds: $0) })
  }
}
