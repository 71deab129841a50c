// The condition of the kiosk's parts for the one who asked, as 'tappet check --running' prints it: what the kiosk knows
// already. No device is opened and nothing is waited for.

import TappetCore
import TappetJSON
import TappetMessages

extension KioskView {
  /// The parts by name, in the order in which they are shown; only those that this kiosk has.
  private var parts: [(name: String, part: Part?)] {
    [
      ("reader", reader), ("broker", broker), ("disk", disk), ("panel", panel), ("webhooks", webhooks),
      ("rooms", rooms), ("inventory", inventory), ("site", site?.part),
    ]
  }

  /// The answer to the question with this nonce; docs/json.md has the names.
  @export(interface)
  package func checkMessage(nonce: String) -> JSON {
    let findings = parts.compactMap { name, part in
      part.map { part in
        JSON.object([
          "part": .string(name), "good": .bool(part.isGood), "code": .string(part.code),
          "text": .string(part.text.shortened(Limits.checkTextSizeMax)),
        ])
      }
    }
    return .object([
      "nonce": .string(nonce), "version": .string(Version.text), "time": .time(unixMilliseconds: unixMilliseconds),
      "findings": .array(findings),
    ])
  }
}

extension String {
  /// The first `sizeMax` bytes, and a sign that there were more.
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
