// Limits of the panel's outputs and of the inputs at doors.

extension Limits {
  /// Maximum age of a press, a tap or a program's request that is still acted upon; the person may have left since.
  package static let touchAgeMax: Duration = .seconds(3)
  /// Maximum size of the record of safe levels: 30 outputs and lights, with names and paths.
  package static let safeLevelsSizeMax = 64 * 1024
  /// Maximum number of outputs on a panel.
  package static let outputsMax = 16
  /// Maximum number of inputs on a panel whose level is a state.
  package static let inputsMax = 16
  /// Default time for which a contact at a door must be steady: a door bounces in its frame for longer than a button.
  package static let inputDebounceDefault: Duration = .milliseconds(50)
  /// How long after the end of a pulse a door may be opened because of it: people push the door when they are ready.
  package static let openingUseMax: Duration = .seconds(10)
  /// Shortest configurable time of an open door; a shorter one would report each person who walks through it.
  package static let heldOpenMin: Duration = .seconds(1)
  /// The pause between two reports of a door that stays open.
  package static let heldOpenRepeat: Duration = .seconds(600)
  /// Default pulse length: long enough for a door opener or a gate drive, and the same as in the ESP32 firmware.
  package static let pulseDefault: Duration = .milliseconds(700)
  /// Minimum pulse length; a relay does not follow a shorter pulse.
  package static let pulseMin: Duration = .milliseconds(20)
  /// Longest configurable time of an output; a larger value is a unit error, or not a pulse.
  package static let outputTimeMax: Duration = .seconds(24 * 3600)
  /// Default dead time; by its end, a motor has stopped and a contactor has released.
  package static let deadTimeDefault: Duration = .milliseconds(500)
  /// Shortest configurable dead time; relays release more slowly, so a shorter one would protect nothing.
  package static let deadTimeMin: Duration = .milliseconds(50)
  /// Longest configurable dead time; a larger value is a unit error.
  package static let deadTimeMax: Duration = .seconds(60)
}
