// Warnings before certificates expire. Pure decision logic.

extension Kiosk {
  /// Reports each change in the number of days left, that is, once a day while an expiry is near.
  mutating func certificatesChecked(_ daysLeft: Int?) -> [Effect] {
    let warned = clock.certificateDaysLeft
    clock.certificateDaysLeft = daysLeft.flatMap { $0 <= Int(Limits.certificateWarningDays) ? $0 : nil }
    guard warned != clock.certificateDaysLeft else { return [] }
    let report = clock.certificateDaysLeft.map { ClockReport.certificateExpiring(daysLeft: $0) }
    return [.report(.clock(report ?? .certificatesGood))]
  }
}
