// Limits of tappet-reader and its supervision.

extension Limits {
  /// Maximum size of a datagram on the reader's socket, in bytes: the largest memory and its header.
  package static let readerMessageSizeMax = tagMemorySizeMax + 72
  /// Interval between two polls for a tag.
  ///
  /// This applies to chips that do not search automatically: a select is answered in 16 ms, and nearly seven polls a
  /// second feel immediate and leave the line idle nine tenths of the time.
  package static let readerPollInterval: Duration = .milliseconds(150)
  /// Time for which the chip searches automatically before it reports that no tag is present.
  ///
  /// A longer time means fewer wake-ups, but a chip that fails during the search is detected later.
  package static let readerSearchTime: Duration = .milliseconds(400)
  /// Minimum interval between two searches; it prevents a busy loop if the chip responds immediately.
  package static let readerSearchInterval: Duration = .milliseconds(50)
  /// Number of tries in the first search, which measures the length of a try: 5 to 16 ms in all known chips.
  package static let readerSearchTries = 20
  /// Assumed maximum length of a try, for a chip whose tries have not been measured yet.
  package static let readerTryMax: Duration = .milliseconds(20)
  /// Minimum interval between reports that the reader's loop has completed a turn.
  package static let readerHeartbeatInterval: Duration = .seconds(5)
  /// Time without a message after which a reader counts as hung.
  ///
  /// Every libnfc call in use returns within 1.4 s; a busy board may miss two heartbeats.
  package static let readerSilenceMax: Duration = .seconds(12)
  /// Time limit for an arriving tag to be read, or reported as unreadable.
  ///
  /// Reading 888 bytes with READ takes 0.4 s.
  package static let readerReadMax: Duration = .seconds(5)
  /// Time after which the reader gives up on an unread tag.
  ///
  /// The last command may end more than a second later, which still leaves time to report the failure before
  /// `readerReadMax`.
  package static let readerPatienceMax: Duration = .seconds(3)
  /// Start timeout, after which a reader is killed.
  ///
  /// `nfc_open` fails after 1.4 s if the chip does not respond; the remaining time is for process startup on a slow
  /// board.
  package static let readerStartMax: Duration = .seconds(6)
  /// Time after which a tag counts as removed that a new reader has not reported, although it reports it with `ready`.
  package static let heldTagReturnMax: Duration = .milliseconds(600)
  /// Time that a person keeps holding a tag to a reader that has failed; a tag found later was left there.
  package static let readerAbsenceMax: Duration = .seconds(10)
  /// Maximum number of tags whose cooldown is remembered; even a crowd with one tag per person does not need more.
  package static let cooldownsMax = 256
  /// Time limit of one Type 2 command: the chip allows a tag 51 ms; the remaining time is for a slow line to the chip.
  package static let readerExchangeMax: Duration = .milliseconds(300)
  /// Time limit of one ISO-DEP command; the chip lets a tag extend its waiting time.
  package static let readerISODEPExchangeMax: Duration = .seconds(1)
  /// Time limit of one write, from the first command to the last.
  ///
  /// Writing and reading back a whole NTAG216 takes 3 s; the remaining time is for retries with a badly placed tag.
  package static let readerWriteMax: Duration = .seconds(10)
  /// Maximum number of attempts, without progress, to select and continue writing a tag that stopped responding.
  package static let readerRewritesMax = 3
  /// Interval between two reports of a write's progress.
  package static let readerProgressInterval: Duration = .milliseconds(250)
  /// Time without a field that resets a tag; a tag forgets its state after 5 ms (ISO/IEC 14443-3 §5).
  package static let readerFieldOff: Duration = .milliseconds(6)
  /// Number of polls without a response after which a tag counts as removed; a single one is caused by a shaking hand.
  package static let readerMissesMax = 2
  /// Maximum number of retries of an incomplete reading while the tag stays; more would only make the light flicker.
  package static let readerRereadsMax = 3
  /// Interval between two reconfigurations of the idle chip.
  ///
  /// A supply dip may alter a register that the recovery command does not restore. A reconfiguration takes 24 ms.
  package static let readerRefreshInterval: Duration = .seconds(15)
  /// Interval between commands that recover a chip that no longer detects tags after a supply dip.
  package static let readerRouseInterval: Duration = .milliseconds(1200)
  /// Maximum time that the stopping owner of a reader waits for the exit of the killed process, before leaving it to
  /// the system.
  package static let readerDeathMax: Duration = .seconds(1)
  /// Maximum number of readers that are listed.
  package static let readersListedMax = 16
  /// Time limit for libnfc to list the readers; it queries each USB device.
  package static let readerListTime: Duration = .seconds(10)
  /// Backoff before a reader is restarted; taps must work within 2 s after the reader's return.
  package static var readerRestart: Backoff { Backoff(.milliseconds(250), upTo: .milliseconds(1500)) }
}
