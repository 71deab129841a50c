// A configuration that a program puts together by itself, in place of a file.

import TappetCore

extension Configuration {
  /// Nothing but defaults: neither a broker's address nor an action.
  public static func bare() -> Configuration {
    let state = "/var/lib/tappet"
    return Configuration(
      broker: BrokerSettings(endpoints: [], clientID: ""), stateFolder: state, timestampKey: nil, readerDevice: nil,
      panel: PanelSettings(simulator: nil, buttons: []), actions: [], checksClock: true,
      outboxCountMax: Limits.outboxCountMax, outboxSizeMax: Limits.outboxSizeMax, controlSocket: state + "/control")
  }
}

extension PanelSettings {
  /// A button that sets off the action `press`; false when there is one at this line.
  public mutating func addButton(line: String, press: String) -> Bool {
    guard !buttons.contains(where: { $0.line == line }) else { return false }
    buttons.append(ButtonSettings(line: line, press: press))
    return true
  }
}
