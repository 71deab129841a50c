// Observers of the kiosk: the log, the embedding program and the live view.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Observers of the kiosk, plus the recent taps and the last reload for later queries.
package struct KioskObservers {
  /// Time at which the kiosk was opened.
  let startedAt: Instant
  private(set) var history = RecentOutcomes()
  /// The result of the last reload; `nil` before the first reload.
  var lastReload: ReloadOutcome?
  private var journal = Journal()
  /// Path of the configuration file; `nil` if there is none.
  package var configurationPath: String? { didSet { configurationFile = configurationPath.flatMap { FileStamp($0) } } }
  /// The configuration file as it was loaded.
  var configurationFile: FileStamp?
  /// Called on SIGHUP to read the current configuration; `nil` if there is no file.
  package var onReload: (() -> ConfigurationParser.Outcome)?
  /// Called after each successful connect to the broker.
  package var onConnected: (() -> Void)?
  /// Called after each event with a current snapshot, for a live view.
  package var onChange: ((KioskView) -> Void)?
  /// Called with each log record; replaces the journal if set.
  package var onRecord: ((LogRecord) -> Void)?
  /// Called with each report and its log record, before `onRecord`.
  package var onReport: ((Report, LogRecord) -> Void)?
  /// Called with the result of each command that is not refused immediately, even if a reply topic also receives it.
  package var onReply: ((CommandReply) -> Void)?
  /// Called with each light that is shown.
  package var onLight: ((Light) -> Void)?
  /// Called with the result of each job started with `beginTagJob`.
  package var onTagJob: ((TagJobRequest, TagJobRunner.Result) -> Void)?
  /// Called for each request made with `Runtime.ask`, with the request number and the failure, if any.
  package var onSecretAnswer: ((UInt64, SecretFailure?) -> Void)?
  /// Called with the people requested with `Runtime.listPeople`, and the request number.
  package var onPeople: ((UInt64, Result<[ListedPerson], SecretFailure>) -> Void)?

  init(startedAt: Instant) { self.startedAt = startedAt }

  mutating func note(_ report: Report, _ record: LogRecord, at now: Moment) {
    history.add(report, record, at: now)
    onReport?(report, record)
  }

  /// Notifies the embedding program of a report, but writes no log line.
  func recordQuietly(_ report: Report, _ configuration: KioskConfiguration) {
    onReport?(report, LogRecord(report, configuration))
  }

  mutating func log(_ record: LogRecord) {
    if let onRecord { onRecord(record) } else { journal.write(record.priority, record.sentence, record.fields) }
  }
}
