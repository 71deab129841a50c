// The screen of 'inventory watch' as rows of text. Reads no inventory and draws nothing.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages

/// The screen of `tappet inventory watch`.
struct InventoryScreen {
  /// The displayed facts about an entry.
  struct Facts {
    var title: String
    var place = ""
    var contents: [(text: String, isLow: Bool)] = []
    /// Number of entries in the box or location.
    var count: Int64 = 0
  }

  /// The entry of the last tap; `nil` before the first tap.
  var facts: Facts?
  /// The result of the last tap, as a sentence.
  var sentence = ""
  /// Whether the last tap was refused.
  var isRefused = false
  /// Whether a second tap would have an effect.
  var isAsking = false
  /// The current fault of the kiosk or the inventory, as a sentence; empty if there is none.
  var notice = ""

  /// Whether a log record from the kiosk is about the inventory.
  static func isShown(_ event: String, _ record: JSON) -> Bool {
    let others = [
      "inventory-person", "inventory-number", "inventory-job-started", "inventory-job-ended", "inventory-count-ended",
      "inventory-count-delayed", "inventory-audit-ended", "inventory-audit-delayed",
    ]
    if others.contains(event) || TouchResult.allCases.contains(where: { "inventory-" + $0.rawValue == event }) {
      return true
    }
    guard event == "tap-refused", let code = record["code"]?.text else { return false }
    return InventoryFault.allCases.contains { $0.code == code }
  }

  /// Returns all rows of a screen of the given size.
  func rows(columns: Int, rows: Int) -> [ScreenRow] {
    func full(_ text: String) -> String {
      text + String(repeating: " ", count: max(0, columns - text.unicodeScalars.count))
    }
    var shown = [ScreenRow(text: full("  " + (facts?.title ?? "Tap a tag, or scan a code")), isReverse: true)]
    shown.append(ScreenRow(text: ""))
    if let facts {
      if !facts.place.isEmpty { shown += [ScreenRow(text: "  " + facts.place), ScreenRow(text: "")] }
      let space = max(0, rows - shown.count - 4)
      let isCut = facts.contents.count > space || facts.count > Int64(facts.contents.count)
      let fitting = facts.contents.prefix(isCut ? max(0, space - 1) : space)
      shown += fitting.map { ScreenRow(text: "  " + $0.text, colour: $0.isLow ? .yellow : nil) }
      if isCut { shown.append(ScreenRow(text: "  … and \(facts.count - Int64(fitting.count)) more")) }
    }
    let bottom = [
      ScreenRow(text: isRefused ? "  " + sentence : "", colour: .red),
      ScreenRow(
        text: isAsking ? "  Tap the second tag or code" : isRefused ? "" : "  " + sentence, colour: .yellow),
      ScreenRow(text: notice.isEmpty ? "" : "  " + notice, colour: .red),
      ScreenRow(text: "  q quits"),
    ]
    let space = max(0, rows - bottom.count)
    if shown.count > space { shown.removeLast(shown.count - space) }
    shown += Array(repeating: ScreenRow(text: ""), count: space - shown.count)
    return shown + bottom
  }
}
