// Bounds of 'mqtt monitor', and of the topics that other commands keep.

import TappetCommandLine
import TappetCore

extension Limits {
  /// Bytes of the line that is published.
  static let monitorLineSizeMax = 4096
  /// Bytes of a message in the list.
  static let monitorSummarySizeMax = 200
  /// Bytes of the topics that one run of 'mqtt clean' takes.
  static let cleanedNamesSizeMax = 8 << 20
  /// Bytes of the topics that 'mqtt top' counts.
  static let ratedNamesSizeMax = 8 << 20
  /// The longest time between two drawings: the uptime counts.
  static let monitorTurn: Duration = .milliseconds(500)
}
