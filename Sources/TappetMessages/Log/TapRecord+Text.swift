// A row of the log of taps as a line for people.

import TappetCore
import TappetPlatform

extension TapRecord {
  /// When, what became of it, the action, the tag or what took its place, the person, the reason.
  ///
  /// With `hidesTags` a UID is cut to its last four digits, for those who need not know it.
  @export(interface)
  package func line(person: String?, hidesTags: Bool = false) -> String {
    let time = WallTime.second(unixMilliseconds: unixMilliseconds)
    let outcome = result.name + String(repeating: " ", count: max(0, 13 - result.name.utf8.count))
    var line = "\(time)  \(outcome)  \(action ?? "-")  \(who(hidesTags: hidesTags))"
    if let person { line += "  " + person }
    if let code { line += "  " + code }
    if count > 1 { line += "  \(count) taps" }
    return line
  }

  private func who(hidesTags: Bool) -> String {
    guard let uid else { return trigger?.name ?? "-" }
    let digits = Hex.encode(uid.bytes)
    return (hidesTags ? "…" + String(digits.suffix(4)) : digits) + (tag.map { " (\($0))" } ?? "")
  }
}
