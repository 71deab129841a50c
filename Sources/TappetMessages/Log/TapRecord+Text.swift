// Formats a row of the tap log as a human-readable line.

import TappetConfig
import TappetCore
import TappetPlatform

extension TapRecord {
  /// Returns a line with the time, the outcome, the action, the tag, who it was, the destination, and the reason.
  ///
  /// With `hidesTags`, a UID is truncated to its last four digits, for readers who do not need the full UID.
  @export(interface)
  package func line(_ configuration: KioskConfiguration, person: String?, hidesTags: Bool = false) -> String {
    let time = WallTime.second(unixMilliseconds: unixMilliseconds)
    let outcome = result.name + String(repeating: " ", count: max(0, 13 - result.name.utf8.count))
    let digits = uid.map { Hex.encode($0.bytes) }.map { hidesTags ? TagUID.masked($0) : $0 }
    let by = by ?? person
    var line = "\(time)  \(outcome)  \(action ?? "-")  \(digits ?? by ?? trigger?.name ?? "-")"
    if let tag { line += " (\(tag))" }
    if digits != nil, let by { line += "  " + by }
    if let destination, destination != .broker || configuration.hasBothDestinations(action) {
      line += "  " + configuration.kind(of: destination, for: action)
    }
    if let code { line += "  " + code }
    if count > 1 { line += "  \(count) taps" }
    return line
  }
}
