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

/// A panel's wiring.
public struct PanelSettings: Hashable, Sendable {
  /// The virtual panel's socket; nil: there is none.
  public var simulator: String?
  /// Line and action's name.
  public var buttons: [ButtonSettings]
}

/// One button.
public struct ButtonSettings: Hashable, Sendable {
  /// Its line, by name.
  public var line: String
  /// The name of the action that a press sets off.
  public var press: String
}

extension KioskSettings {
  /// The part that the core needs.
  public init(_ configuration: Configuration) {
    var buttons: [String: String] = [:]
    for button in configuration.panel.buttons { buttons[button.line] = button.press }
    self.init(
      actions: configuration.actions, buttons: buttons, endpointCount: configuration.broker.endpoints.count,
      trustsClock: !configuration.checksClock, outboxCountMax: configuration.outboxCountMax,
      outboxSizeMax: configuration.outboxSizeMax)
  }
}
