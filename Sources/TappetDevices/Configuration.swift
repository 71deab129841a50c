// The configuration as typed values, every one of them checked. ConfigFile makes it.

import TappetCore

/// Everything that kiosk.yaml says.
public struct Configuration: Sendable {
  /// Where the broker is and who we are.
  public var broker: BrokerSettings
  /// Where the database is.
  public var stateFolder: String
  /// The key for `%T`; nil: no action uses it.
  public var timestampKey: TimestampKey?
  /// The key for `%T` is sealed in the store (`timestamp_key: {stored: true}`), and `timestampKey` nil until it is read there.
  public var storesTimestampKey = false
  /// libnfc's connection string; nil: the first reader that libnfc finds.
  public var readerDevice: String?
  /// Where lights are shown and buttons are.
  public var panel: PanelSettings
  /// At least one; names and indexes are unique.
  public var actions: [Action]
  /// False: `clock: trust`.
  public var checksClock: Bool
  /// Entries that may wait.
  public var outboxCountMax: Int
  /// Bytes of messages that may wait.
  public var outboxSizeMax: Int
  /// The control socket's path.
  public var controlSocket: String
}

/// A panel's wiring, and what it means.
public struct PanelSettings: Hashable, Sendable {
  /// The virtual panel's socket, whose lines take the place of real ones; nil: there is none.
  public var simulator: String?
  /// The board's profile, which knows the header's pins: one of ours by name, or one's own by its path.
  public var profile: String?
  /// The chip of the lines that name none: its label or its path.
  public var chip: String?
  /// LEDs and buzzer; each output at most once.
  public var outputs: [OutputSettings] = []
  /// The buttons.
  public var buttons: [ButtonSettings] = []
  /// Pairs of buttons, by index.
  public var chords: [ChordPlan] = []
  /// Without use for so long the buttons are locked.
  public var lockAfter: Duration?
  /// The buttons, by index, that unlock it.
  public var unlockCode: [Int] = []
  /// How each light looks.
  public var patterns = LightPatterns()

  /// A panel with nothing on it.
  public init() {}

  /// The part that the core needs.
  public var plan: PanelPlan {
    var plans: [ButtonPlan] = []
    for button in buttons { plans.append(button.plan) }
    return PanelPlan(buttons: plans, chords: chords, lockAfter: lockAfter, unlockCode: unlockCode)
  }

  /// All outputs that are wired.
  public var wired: LightOutputs {
    var wired: LightOutputs = []
    for output in outputs { wired.formUnion(output.output) }
    return wired
  }
}

/// What makes an output's light or sound.
public enum OutputTarget: Hashable, Sendable {
  /// A GPIO line.
  case line(PanelLine)
  /// A kernel LED, by its name under /sys/class/leds.
  case led(String)
}

/// One LED, a part of an RGB LED, or the buzzer.
public struct OutputSettings: Hashable, Sendable {
  /// Exactly one.
  public var output: LightOutputs
  /// Where it is.
  public var target: OutputTarget
  /// Its place in the file: `panel.leds.status`.
  public var place: String
}

/// One button.
public struct ButtonSettings: Hashable, Sendable {
  /// Its name and what it does.
  public var plan: ButtonPlan
  /// Where it is.
  public var line: PanelLine
}

extension KioskSettings {
  /// The part that the core needs.
  public init(_ configuration: Configuration) {
    self.init(
      actions: configuration.actions, panel: configuration.panel.plan,
      endpointCount: configuration.broker.endpoints.count, trustsClock: !configuration.checksClock,
      outboxCountMax: configuration.outboxCountMax, outboxSizeMax: configuration.outboxSizeMax)
  }
}
