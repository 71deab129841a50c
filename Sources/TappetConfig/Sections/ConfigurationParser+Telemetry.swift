// Parser for the `telemetry:` section of kiosk.yaml: the kiosk's published state.

import TappetCore

extension YAMLReader {
  /// Reads `{state: true}`; returns whether the state is published.
  mutating func telemetry(_ node: YAMLNode?) -> Bool {
    guard let node, let mapping = mapping(node, keys: ["state"]) else { return false }
    guard flag(required("state", in: mapping)) == true else { return false }
    requireBroker(for: mapping["state"])
    return true
  }
}
