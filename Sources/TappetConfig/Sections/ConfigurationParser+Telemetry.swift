// The part `telemetry:` of kiosk.yaml: what the kiosk publishes about itself.

import TappetCore

extension YAMLReader {
  /// `{state: true}`: whether the state is published.
  mutating func telemetry(_ node: YAMLNode?) -> Bool {
    guard let node, let mapping = mapping(node, keys: ["state"]) else { return false }
    return flag(required("state", in: mapping)) ?? false
  }
}
