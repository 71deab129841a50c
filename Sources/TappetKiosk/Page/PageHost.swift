// The page's socket, and what the kiosk remembers about the browsers.

import TappetCore
import TappetJSON
import TappetMessages

/// A connection on the page's socket after `enter`.
struct PageSession {
  /// The paired device; `nil` for an unknown browser.
  var device: PageDevice?
  /// Level of the browser; `nil` means that it may only pair.
  var level: PageLevel?
  /// The browser's address and network, as reported by tappet-web.
  var address: String
  var network: String
  /// The state that was last sent to the browser, encoded.
  var shownState: [UInt8] = []
}

/// The page's socket; nothing exists of it without `web:` in the configuration.
struct PageHost {
  /// Server of the page's socket; `nil` without `web:`.
  var server: ControlServer?
  /// Path of the socket that is open.
  var path: String?
  /// The paired devices; `nil` until they are loaded.
  var devices: [PageDevice]?
  /// Place of the tappet-web that asked last.
  var place = PagePlace()
  /// The pairing that waits for its code.
  var pairing: PairingCode?
  var presses: PressMemory
  /// Times until which devices, by their ids, need no password, and their recent wrong ones.
  var confirmed: [String: Instant] = [:]
  var guesses: [String: GuessLimit] = [:]
  /// Recorded days of use, by the ids of the devices, in days since 1970.
  var days: [String: Int64] = [:]
  /// The press or answer that is being handled: who made it, and its first outcome.
  var acting: (caller: PressCaller, outcome: PageOutcome?)?
  /// The newest entries with the devices that caused them, oldest first.
  private var origins: [(entry: EntryID, caller: PressCaller)] = []
  /// The log's newest records, oldest first.
  private var records: [(unixMilliseconds: Int64, record: LogRecord)] = []
  /// The newest outcome.
  var lastOutcome: PageOutcome?
  /// The earliest time for the next state, and the time of the next beat.
  var next = (state: Instant(nanoseconds: 0), beat: Instant(nanoseconds: 0))
  /// Time at which something must be sent.
  var deadline: Instant?

  init(startedAt: Instant) { presses = PressMemory(startedAt: startedAt) }

  /// Records who caused the entry that is being stored.
  mutating func record(_ request: StoreRequest) {
    guard let acting, case .append(let entry) = request else { return }
    if origins.count >= Limits.pageOriginsMax { origins.removeFirst() }
    origins.append((entry.id, acting.caller))
  }

  mutating func keep(_ record: LogRecord, at unixMilliseconds: Int64) {
    if record.priority == .debug { return }
    if records.count >= Limits.pageRecordsMax { records.removeFirst() }
    records.append((unixMilliseconds, record))
  }

  /// The newest records, newest first, as many as fit into a response.
  var recordsJSON: JSON {
    var size = 0
    let fitting = records.reversed().prefix { _, record in
      size += record.sentence.utf8.count + 128
      return size <= Limits.pageRecordsSizeMax
    }
    return .array(
      fitting.map { time, record in
        .object([
          "time": .time(unixMilliseconds: time), "priority": .string(record.priority.name),
          "event": .string(record.name), "text": .string(record.sentence),
        ])
      })
  }

  /// Returns who caused the report; `nil` if nobody on the page did.
  func author(of report: Report) -> PressCaller? {
    guard let id = report.entry?.entry?.id else { return acting?.caller }
    return origins.last { $0.entry == id }?.caller
  }
}

extension Report {
  fileprivate var entry: EntryReport? { if case .entry(let report) = self { report } else { nil } }
}
