// A configuration built by a program instead of read from a file.

import TappetCore

extension KioskConfiguration {
  /// Default state folder of a configuration.
  static let usualState = "/var/lib/tappet"

  /// Returns the default control socket in a state folder.
  static func controlSocket(in state: String) -> String { state + "/control" }

  /// Returns a configuration with default values, and without a broker or any actions.
  @export(interface)
  package static func bare() -> KioskConfiguration {
    let state = usualState
    return KioskConfiguration(
      broker: nil, stateFolder: state, timestampKey: nil,
      panel: PanelSettings(), actions: [], checksClock: true,
      outboxCountMax: Limits.outboxCountMax, outboxSizeMax: Limits.outboxSizeMax,
      controlSocket: controlSocket(in: state))
  }
}
