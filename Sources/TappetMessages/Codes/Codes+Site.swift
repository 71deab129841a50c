// Machine-readable codes for the people of a site.

import TappetCore

extension SiteRefusal {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .tooLarge: "site-too-large"
      case .malformed: "site-malformed"
      case .newerFormat: "site-format-newer"
      case .otherSite: "site-other"
      case .older: "site-older"
      case .conflict: "site-conflict"
      case .badSignature: "signature-invalid"
      case .otherKey: "site-key-other"
      case .tooManyTags: "site-too-many-tags"
      case .busy: "too-many"
      case .notStored: "not-stored"
      }
    }
  }
}

extension KioskStatus.Site {
  /// Machine-readable state, or the cause of the current problem.
  package var code: String {
    if let trouble { return trouble.code }
    if isSubscribed == false { return "site-denied" }
    return record == nil ? "site-empty" : "good"
  }
}
