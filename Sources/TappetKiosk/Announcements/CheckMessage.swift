// State of the kiosk's parts, as printed by 'tappet check --running'. It contains only what the kiosk already knows: no
// device is opened, and nothing blocks.

import TappetCore
import TappetJSON
import TappetMessages

extension KioskView {
  /// Returns the response to the request with the given nonce; docs/json.schema.json lists the member names.
  @export(interface)
  package func checkMessage(nonce: String) -> JSON {
    let findings = parts.map { part, state in
      JSON.object([
        "part": .string(part.rawValue), "good": .bool(state.isGood), "code": .string(state.code),
        "text": .string(state.text.shortened(Limits.checkTextSizeMax)),
      ])
    }
    return .object([
      "nonce": .string(nonce), "version": .string(Version.text), "time": .time(unixMilliseconds: unixMilliseconds),
      "findings": .array(findings),
    ])
  }
}

extension String {
  /// Returns the first `sizeMax` bytes, followed by an ellipsis if the text was truncated.
  fileprivate func shortened(_ sizeMax: Int) -> String {
    guard utf8.count > sizeMax else { return self }
    var rest = sizeMax
    let scalars = unicodeScalars.prefix { scalar in
      rest -= scalar.utf8.count
      return rest >= 0
    }
    return String(String.UnicodeScalarView(scalars)) + "…"
  }
}
