// Limits of 'mqtt monitor', and of the topics that other commands store.

import TappetCommandLine
import TappetCore

extension Limits {
  /// Bytes of the publish line.
  static let monitorLineSizeMax = 4096
  /// Bytes of a message in the list.
  static let monitorSummarySizeMax = 200
  /// Total bytes of the topics that one run of 'mqtt clean' handles.
  static let cleanedNamesSizeMax = 8 << 20
  /// Total bytes of the topics that 'mqtt top' counts.
  static let ratedNamesSizeMax = 8 << 20
  /// Maximum time between two redraws, since the uptime is shown.
  static let monitorTurn: Duration = .milliseconds(500)
}
