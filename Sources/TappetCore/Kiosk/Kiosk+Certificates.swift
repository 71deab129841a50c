// The certificates' last days. Decides only.

extension Kiosk {
  /// Reports each change: once a day while an expiry is near.
  mutating func certificatesChecked(_ daysLeft: Int?) -> [Effect] {
    let warned = certificateDaysLeft
    certificateDaysLeft = daysLeft.flatMap { $0 <= Int(Limits.certificateWarningDays) ? $0 : nil }
    guard warned != certificateDaysLeft else { return [] }
    return [.report(certificateDaysLeft.map { .certificateExpiring(daysLeft: $0) } ?? .certificatesGood)]
  }
}
