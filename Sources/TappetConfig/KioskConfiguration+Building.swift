// A configuration that a program puts together itself, instead of a file.

import TappetCore

extension KioskConfiguration {
  /// Nothing but defaults: neither a broker's address nor an action.
  package static func bare() -> KioskConfiguration {
    let state = "/var/lib/tappet"
    return KioskConfiguration(
      broker: BrokerSettings(endpoints: [], clientID: ""), stateFolder: state, timestampKey: nil, readerDevice: nil,
      panel: PanelSettings(), actions: [], checksClock: true,
      outboxCountMax: Limits.outboxCountMax, outboxSizeMax: Limits.outboxSizeMax, controlSocket: state + "/control")
  }
}
