// Limits of the panel's outputs.

extension Limits {
  /// Outputs of one panel.
  package static let outputsMax = 16
  /// Default pulse length: a door opener or a gate drive detects it; the ESP32 firmware uses the same.
  package static let pulseDefault: Duration = .milliseconds(700)
  /// The shortest pulse that a relay follows.
  package static let pulseMin: Duration = .milliseconds(20)
  /// Longest time of an output; a larger value is a unit error, or not a pulse.
  package static let outputTimeMax: Duration = .seconds(24 * 3600)
  /// Default dead time, after which a motor has stopped and a contactor has dropped out.
  package static let deadTimeDefault: Duration = .milliseconds(500)
  /// Shortest dead time; relays release more slowly, so that a shorter one would protect nothing.
  package static let deadTimeMin: Duration = .milliseconds(50)
  /// Longest dead time; a larger value is a unit error.
  package static let deadTimeMax: Duration = .seconds(60)
}
