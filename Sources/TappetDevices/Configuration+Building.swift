// A configuration that a program puts together by itself, in place of a file.

import TappetCore

extension Configuration {
  /// Nothing but defaults: neither a broker's address nor an action.
  public static func bare() -> Configuration {
    let state = "/var/lib/tappet"
    return Configuration(
      broker: BrokerSettings(endpoints: [], clientID: ""), stateFolder: state, timestampKey: nil, readerDevice: nil,
      panel: PanelSettings(), actions: [], checksClock: true,
      outboxCountMax: Limits.outboxCountMax, outboxSizeMax: Limits.outboxSizeMax, controlSocket: state + "/control")
  }
}
