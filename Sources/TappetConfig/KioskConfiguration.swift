// The configuration as typed, validated values, created by `ConfigurationParser`.

import TappetCore
import TappetPlatform

/// The content of kiosk.yaml.
package struct KioskConfiguration: Sendable {
  /// Endpoints of the broker, and the kiosk's identity at the broker; `nil` if there is no broker.
  package var broker: BrokerSettings?
  /// The folder that contains the database.
  package var stateFolder: String
  /// Whether the broker's password is sealed in the store (`password: {stored: true}`).
  ///
  /// `broker.password` is `nil` until it is read from the store.
  package var storesPassword = false
  /// The key for `%T`; `nil` if no action uses it.
  package var timestampKey: TimestampKey?
  /// Whether the key for `%T` is sealed in the store (`timestamp_key: {stored: true}`).
  ///
  /// `timestampKey` is `nil` until it is read from the store.
  package var storesTimestampKey = false
  /// The reader to use; `nil` for `reader: none`.
  package var reader: ReaderSettings? = ReaderSettings()
  /// The lights and buttons.
  package var panel: PanelSettings
  /// One or more actions, with unique names and indexes.
  package var actions: [Action]
  /// External tags, which were written by other systems.
  package var foreignTags: [ExternalTag] = []
  /// Action for unknown tags; `nil` if there is none.
  package var unknownTags: Action?
  /// Settings of the inventory; `nil` if the kiosk does not use one.
  package var inventory: InventorySettings?
  /// Command topics, of which no two are the same.
  package var commands: [CommandPlan] = []
  /// The site that provides the kiosk's people; `nil` if the kiosk belongs to no site.
  package var site: SiteSettings?
  /// Settings of the page; `nil` if the kiosk has none.
  package var web: PageSettings?
  /// Webhooks of the actions, including rooms.
  package var webhooks: [WebhookEndpoint] = []
  /// Settings of the session on a Matrix homeserver; `nil` if there is no session.
  package var matrix: MatrixSettings?
  /// Whether the kiosk's state is published (`telemetry: {state: true}`).
  package var publishesState = false
  /// Home Assistant settings; `nil` if nothing is published for Home Assistant.
  package var homeAssistant: HomeAssistantPlan?
  /// Whether the clock is checked; false for `clock: trust`.
  package var checksClock: Bool
  /// Maximum number of pending entries.
  package var outboxCountMax: Int
  /// Maximum size of all pending messages, in bytes.
  package var outboxSizeMax: Int
  /// Retention time of the tap log; `nil` means that there is no log (`history: none`).
  package var historyAge: Duration? = Limits.historyAge
  /// The control socket's path.
  package var controlSocket: String
  /// Maximum number of secrets per action.
  package var secretsPerActionMax = Limits.secretsPerActionMax
  /// The time zone and the holidays.
  package var calendar = CalendarSettings()
  /// The files that are missing or cannot be used, if they are tolerated (`NamedFiles`).
  package var warnings: [ConfigurationProblem] = []

  /// Whether the hours of actions and people can be checked: the configured time zone is installed, and was set when
  /// the program started.
  package var knowsHours: Bool { calendar.timeZone.map { WallTime.isAdopted(timeZone: $0) } ?? true }
}

/// The time zone and the holidays, to which the hours of actions and people refer.
package struct CalendarSettings: Hashable, Sendable {
  /// Name of the time zone; `nil` means the system's time zone.
  package var timeZone: String?
  /// Holidays, on which actions with `hours` are refused.
  package var holidays: Set<CalendarDay> = []
}

/// Wiring of a panel and the function of its parts.
package struct PanelSettings: Hashable, Sendable {
  /// Path of the socket of a virtual panel, which replaces the physical lines; `nil` if there is no virtual panel.
  package var simulator: String?
  /// The board profile, which defines the header's pins: the name of an installed profile, or the path of a file.
  package var profile: String?
  /// Label or path of the chip for lines that do not specify one.
  package var chip: String?
  /// LEDs and the buzzer, each at most once.
  package var indicators: [IndicatorSettings] = []
  /// Outputs such as relays, door openers and drives.
  package var outputs: [OutputSettings] = []
  /// The inputs whose level is a state, such as a door's contact.
  package var inputs: [InputSettings] = []
  /// The panel's buttons.
  package var buttons: [ButtonSettings] = []
  /// Pairs of buttons that are pressed together, by index.
  package var chords: [ChordPlan] = []
  /// Idle time after which the buttons are locked; `nil` means never.
  package var lockAfter: Duration?
  /// The sequence of buttons, by index, that unlocks the panel; empty if there is no code.
  package var unlockCode: [Int] = []
  /// The pattern of each light.
  package var patterns = LightPatterns()

  package init() {}

  /// The part of the settings used by the core.
  package var plan: PanelPlan {
    var plans: [ButtonPlan] = []
    for button in buttons { plans.append(button.plan) }
    return PanelPlan(
      buttons: plans, chords: chords, outputs: outputs.map { $0.plan }, inputs: inputs.map { $0.plan },
      lockAfter: lockAfter, unlockCode: unlockCode)
  }

  /// Returns the names of the chord's buttons; `nil` if there is no such chord.
  package func chordNames(_ index: Int) -> (first: String, second: String)? {
    guard chords.indices.contains(index) else { return nil }
    return (buttons[chords[index].first].plan.name, buttons[chords[index].second].plan.name)
  }

  /// All wired LEDs and the buzzer, if wired.
  package var wired: LightOutputs {
    var wired: LightOutputs = []
    for indicator in indicators { wired.formUnion(indicator.output) }
    return wired
  }

  /// Returns the place in the file of the indicator or output that uses this kernel LED.
  func place(ofLED name: String) -> String? {
    for indicator in indicators where indicator.target == .led(name) { return indicator.place }
    for output in outputs where output.target == .led(name) { return output.place }
    return nil
  }
}

/// The GPIO line or kernel LED behind an LED, the buzzer or an output.
package enum OutputTarget: Hashable, Sendable {
  /// A GPIO line.
  case line(PanelLine)
  /// A kernel LED, by its name under /sys/class/leds.
  case led(String)
}

/// One LED, one colour of an RGB LED, or the buzzer.
package struct IndicatorSettings: Hashable, Sendable {
  /// The indicator, with exactly one bit set.
  package var output: LightOutputs
  /// GPIO line or kernel LED of the indicator.
  package var target: OutputTarget
  /// Place in the file, such as `panel.leds.status`.
  package var place: String
}

/// One output of the panel.
package struct OutputSettings: Hashable, Sendable {
  /// Name and limits of the output.
  package var plan: OutputPlan
  /// GPIO line or kernel LED of the output.
  package var target: OutputTarget
  /// Place in the file, such as `panel.outputs[0]`.
  package var place: String
}

/// An input of the panel whose level is a state.
package struct InputSettings: Hashable, Sendable {
  package var plan: InputPlan
  /// GPIO line of the input; its active level means open.
  package var line: PanelLine
}

/// A button of the panel.
package struct ButtonSettings: Hashable, Sendable {
  /// Name and gestures of the button.
  package var plan: ButtonPlan
  /// GPIO line of the button.
  package var line: PanelLine
}

extension KioskConfiguration {
  /// Returns a topic of this kiosk below `topic`, if any.
  @export(interface)
  package func topic(below topic: String) -> String? {
    let topics =
      commands.map { $0.topic } + actions.compactMap { $0.sampleTopic }
      + [broker.map { $0.statusTopic + "/status" } ?? "", unknownTags?.sampleTopic ?? "", site?.topic ?? ""]
    return topics.first { $0.utf8.starts(with: (topic + "/").utf8) }
  }

  /// Command topics with their keys: a topic with tokens but without a separate key uses the key for `%T`.
  package var commandPlans: [CommandPlan] {
    @export(interface) get {
      commands.map { plan in
        guard case .token(nil) = plan.trust else { return plan }
        var plan = plan
        plan.trust = .token(timestampKey)
        return plan
      }
    }
  }
}

/// The settings of the reader.
package struct ReaderSettings: Sendable {
  /// libnfc's connection string; `nil` means the first reader that libnfc finds.
  package var device: String?

  /// Creates the settings of a reader.
  package init(device: String? = nil) { self.device = device }
}

extension KioskSettings {
  /// Creates the part of the settings used by the core.
  @export(interface)
  package init(_ configuration: KioskConfiguration) {
    self.init(
      actions: configuration.actions, panel: configuration.panel.plan,
      endpointCount: configuration.broker?.endpoints.count ?? 0, trustsClock: !configuration.checksClock,
      commands: configuration.commandPlans, publishesState: configuration.publishesState,
      homeAssistant: configuration.homeAssistant,
      kioskName: configuration.broker?.clientID ?? NetworkIdentity.hostName() ?? "",
      outboxCountMax: configuration.outboxCountMax, outboxSizeMax: configuration.outboxSizeMax)
    hasReader = configuration.reader != nil
    foreignTags = ForeignTags(configuration.foreignTags)
    unknownTags = configuration.unknownTags
    inventory = configuration.inventory?.plan
    site = configuration.site?.name
    for webhook in configuration.webhooks { webhookTargets[webhook.action] = webhook.target }
    for post in configuration.matrix?.posts ?? [] {
      rooms.actions[post.action] = post.room
      if post.reportsOutcome { rooms.reporting.insert(post.action) }
    }
    rooms.areEncrypted = configuration.matrix?.encryption != nil && !rooms.actions.isEmpty
    rooms.inviters = configuration.matrix?.inviters ?? []
    rooms.will = configuration.matrix?.lastWill
    rooms.unread = configuration.matrix?.unread
    let knowsHours = configuration.knowsHours
    calendar = LocalCalendar(
      holidays: configuration.calendar.holidays,
      secondsEastOfUTC: { knowsHours ? WallTime.secondsEastOfUTC(unixSeconds: $0) : nil })
  }
}
