// The kiosk's listeners: the log, the program around it, the live view.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

/// The kiosk's listeners, and the last taps and reload for those who look later.
package struct KioskObservers {
  /// When the kiosk was opened.
  let startedAt: Instant
  private(set) var history = RecentOutcomes()
  /// The result of the last reload; `nil` before the first.
  var lastReload: ReloadOutcome?
  private var journal = Journal()
  /// Called at SIGHUP, and returns the configuration as it is now; `nil` when there is no file.
  package var onReload: (() -> ConfigurationParser.Outcome)?
  /// Called after each connect.
  package var onConnected: (() -> Void)?
  /// Called after each event with what has changed, for a live view.
  package var onChange: ((KioskView) -> Void)?
  /// Called with each log record, instead of the journal when it is set.
  package var onRecord: ((LogRecord) -> Void)?
  /// Called with each report and its log record, before `onRecord`.
  package var onReport: ((Report, LogRecord) -> Void)?
  /// Called with the result of each command that is not refused at once, also when a reply topic gets it.
  package var onReply: ((CommandReply) -> Void)?
  /// Called with each light.
  package var onLight: ((Light) -> Void)?
  /// Called with the result of each job that `beginTagJob` began.
  package var onTagJob: ((TagJobRequest, TagJobRunner.Result) -> Void)?
  /// Called for each request that `Runtime.ask` made, with its number and why it was not served.
  package var onSecretAnswer: ((UInt64, SecretFailure?) -> Void)?
  /// Called with the people that `Runtime.listPeople` asked for, and its number.
  package var onPeople: ((UInt64, Result<[ListedPerson], SecretFailure>) -> Void)?

  init(startedAt: Instant) { self.startedAt = startedAt }

  mutating func note(_ report: Report, _ record: LogRecord, at now: Moment) {
    history.add(report, record, at: now)
    onReport?(report, record)
  }

  /// Tells the program around the kiosk of a report that has no log line.
  func noteQuietly(_ report: Report, _ configuration: KioskConfiguration) {
    onReport?(report, LogRecord(report, configuration))
  }

  mutating func log(_ record: LogRecord) {
    if let onRecord { onRecord(record) } else { journal.write(record.priority, record.sentence, record.fields) }
  }
}
