// Text helpers for several commands.

import TappetCore

extension Duration {
  /// A rounded duration such as `40 s`, `5 min`, `3 h` or `12 d`.
  package var brief: String {
    @export(interface) get {
      let seconds = wholeMilliseconds / 1000
      switch seconds {
      case ..<120: return "\(seconds) s"
      case ..<7200: return "\(seconds / 60) min"
      case ..<172_800: return "\(seconds / 3600) h"
      default: return "\(seconds / 86_400) d"
      }
    }
  }
}

extension String {
  /// Whether the text ends with the bytes of `suffix`; `hasSuffix` compares characters.
  package func hasSuffixBytes(_ suffix: String) -> Bool {
    utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }
}
