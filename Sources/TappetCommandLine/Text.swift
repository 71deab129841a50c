// Texts of several commands.

import TappetCore

extension Duration {
  /// `40 s`, `5 min`, `3 h`, `12 d`.
  package var brief: String {
    let seconds = wholeMilliseconds / 1000
    switch seconds {
    case ..<120: return "\(seconds) s"
    case ..<7200: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) d"
    }
  }
}

extension String {
  /// `hasSuffix` compares characters.
  package func hasSuffixBytes(_ suffix: String) -> Bool {
    utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}
