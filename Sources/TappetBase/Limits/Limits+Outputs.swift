// Limits of the panel's outputs.

extension Limits {
  /// Maximum age of a press, a tap or a program's request that is still acted upon; the person may have left since.
  package static let touchAgeMax: Duration = .seconds(3)
  /// Maximum size of the record of safe levels: 30 outputs and lights, with names and paths.
  package static let safeLevelsSizeMax = 64 * 1024
  /// Maximum number of outputs on a panel.
  package static let outputsMax = 16
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
