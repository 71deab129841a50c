// Machine-readable error codes of the commands; docs/json.schema.json lists them.

/// The codes of failures that are not defined in another module.
package enum FailureCode {
  package static let usage = "usage"
  package static let configuration = "configuration"
  package static let refused = "refused"
  package static let failed = "failed"
  package static let kioskAbsent = "kiosk-absent"
  package static let kioskSilent = "kiosk-silent"
  static let kioskDistrusted = "kiosk-distrusted"
  package static let malformedAnswer = "answer-malformed"
  package static let noTag = "no-tag"
  package static let cancelled = "cancelled"
  package static let entryUnknown = "entry-unknown"
  package static let entrySent = "entry-sent"
  package static let historyOff = "history-off"
  package static let tokenMalformed = "token-malformed"
  package static let tokenForeign = "token-foreign"
  package static let publishUnacknowledged = "publish-unacknowledged"
  package static let subscriptionRefused = "subscription-refused"
  package static let timedOut = "timed-out"
  package static let othersChange = "others-change"
  package static let fileMalformed = "file-malformed"
  package static let actionUnfit = "action-unfit"
  package static let enrolmentRefused = "enrolment-refused"
  package static let enrolmentUnusable = "enrolment-unusable"
  package static let enrolmentPending = "enrolment-pending"
}
