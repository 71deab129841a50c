// A configuration that a program puts together itself, instead of a file.

import TappetCore

extension KioskConfiguration {
  /// The state folder of a configuration that names none.
  static let usualState = "/var/lib/tappet"

  /// The control socket of a configuration that names none.
  static func controlSocket(in state: String) -> String { state + "/control" }

  /// Nothing but defaults: neither a broker's address nor an action.
  @export(interface)
  package static func bare() -> KioskConfiguration {
    let state = usualState
    return KioskConfiguration(
      broker: BrokerSettings(endpoints: [], clientID: ""), stateFolder: state, timestampKey: nil, readerDevice: nil,
      panel: PanelSettings(), actions: [], checksClock: true,
      outboxCountMax: Limits.outboxCountMax, outboxSizeMax: Limits.outboxSizeMax,
      controlSocket: controlSocket(in: state))
  }
}
