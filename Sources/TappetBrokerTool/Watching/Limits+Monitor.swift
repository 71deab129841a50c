// Limits for 'mqtt monitor', and for the topics that other commands store.

import TappetCommandLine
import TappetCore

extension Limits {
  /// Maximum length of the publish line, in bytes.
  static let monitorLineSizeMax = 4096
  /// Maximum length of the summary of a message in the list, in bytes.
  static let monitorSummarySizeMax = 200
  /// Maximum total length of the topics that one run of 'mqtt clean' handles, in bytes.
  static let cleanedNamesSizeMax = 8 << 20
  /// Maximum time between redraws, so that the displayed uptime stays current.
  static let monitorTurn: Duration = .milliseconds(500)
}
