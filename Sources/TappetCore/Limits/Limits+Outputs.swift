// Limits of the panel's outputs.

extension Limits {
  /// Outputs of one panel.
  package static let outputsMax = 16
  /// A door opener or a gate's drive notices a pulse of this length; the ESP32 firmware has the same.
  package static let pulseDefault: Duration = .milliseconds(700)
  /// The shortest pulse that a relay follows.
  package static let pulseMin: Duration = .milliseconds(20)
  /// A longer time is a mistake in the unit, or no pulse.
  package static let outputTimeMax: Duration = .seconds(24 * 3600)
  /// A motor has stopped after this time, and a contactor has dropped out.
  package static let deadTimeDefault: Duration = .milliseconds(500)
  /// Relays release more slowly than this; a shorter dead time would protect nothing.
  package static let deadTimeMin: Duration = .milliseconds(50)
  /// A longer dead time is a mistake in the unit.
  package static let deadTimeMax: Duration = .seconds(60)
}
