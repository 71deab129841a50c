// How long the certificates last: looked at with each connect, which reads them anew, and once a day.

import TappetCore
import TappetDevices

extension Runtime {
  /// Looks at the files and tells the core; a clock that may be wrong can tell nothing.
  func checkCertificates() {
    let facts = Certificates.inspect(configuration.broker)
    let now = now()
    certificatesDue = facts.isEmpty ? nil : now.instant + Limits.certificateCheckInterval
    view.certificates = facts
    let isKnown = view.clockIsGood != false
    waiting.append(
      .certificates(
        daysLeft: isKnown ? Certificates.daysLeft(facts, atUnixSeconds: now.unixSeconds).map { Int($0) } : nil))
  }
}

extension KioskView {
  /// For `tappet status --json`: each certificate with its days.
  func certificatesJSON(at now: Moment) -> JSON {
    var list: [JSON] = []
    for case .certificate(let details) in certificates {
      list.append(
        .object([
          "file": .string(details.path), "subject": .string(details.subject),
          "days_left": .number(details.daysLeft(atUnixSeconds: now.unixSeconds)),
        ]))
    }
    return .array(list)
  }
}
