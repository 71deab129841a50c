// Why a command did not do what it was asked for, for programs; docs/json.md lists these codes.

/// The codes of failures that no other module names.
enum FailureCode {
  static let usage = "usage"
  static let configuration = "configuration"
  static let refused = "refused"
  static let failed = "failed"
  static let kioskAbsent = "kiosk-absent"
  static let kioskSilent = "kiosk-silent"
  static let kioskDistrusted = "kiosk-distrusted"
  static let malformedAnswer = "answer-malformed"
  static let noTag = "no-tag"
  static let cancelled = "cancelled"
  static let entryUnknown = "entry-unknown"
  static let entrySent = "entry-sent"
  static let historyOff = "history-off"
  static let tokenMalformed = "token-malformed"
  static let tokenForeign = "token-foreign"
  static let publishUnacknowledged = "publish-unacknowledged"
  static let subscriptionRefused = "subscription-refused"
  static let timedOut = "timed-out"
  static let fileMalformed = "file-malformed"
  static let actionUnfit = "action-unfit"
  static let enrolmentRefused = "enrolment-refused"
  static let enrolmentUnusable = "enrolment-unusable"
  static let enrolmentPending = "enrolment-pending"
}
