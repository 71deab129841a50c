// Bounds of 'mqtt monitor'.

import TappetCore

extension Limits {
  /// Bytes of the line that is published.
  static let monitorLineSizeMax = 4096
  /// Bytes of a message in the list.
  static let monitorSummarySizeMax = 200
  /// The longest time between two drawings: the uptime counts.
  static let monitorTurn: Duration = .milliseconds(500)
}
