// Times and sizes of tappet-reader and its supervision.

extension Limits {
  /// Bytes of one datagram on the reader's socket: the largest memory and its header.
  package static let readerMessageSizeMax = tagMemorySizeMax + 64
  /// Interval between two polls for a tag.
  ///
  /// For chips that do not search automatically: a select is answered in 16 ms; nearly seven polls a second feel
  /// immediate and leave the line idle nine tenths of the time.
  package static let readerPollInterval: Duration = .milliseconds(150)
  /// Time that the chip searches automatically before it reports that no tag is present.
  ///
  /// A longer time means fewer wake-ups, but a chip that fails during the search is detected later.
  package static let readerSearchTime: Duration = .milliseconds(400)
  /// Minimum interval between two searches; it prevents a busy loop if the chip responds immediately.
  package static let readerSearchInterval: Duration = .milliseconds(50)
  /// Tries of the first search, which measures the length of a try: 5 to 16 ms in all known chips.
  package static let readerSearchTries = 20
  /// Longest try of a chip whose tries have not been measured yet.
  package static let readerTryMax: Duration = .milliseconds(20)
  /// Shortest interval between two reports of completed turns of the reader's loop.
  package static let readerHeartbeatInterval: Duration = .seconds(5)
  /// Silence after which a reader counts as hung.
  ///
  /// Every libnfc call in use ends within 1.4 s; a busy board may lose two heartbeats.
  package static let readerSilenceMax: Duration = .seconds(12)
  /// Time within which an arriving tag is read, or reported as unreadable.
  ///
  /// 888 bytes by READ take 0.4 s.
  package static let readerReadMax: Duration = .seconds(5)
  /// Time after which the reader gives up on an unread tag.
  ///
  /// Its last command ends more than a second later, and still leaves time to report the failure before
  /// `readerReadMax`.
  package static let readerPatienceMax: Duration = .seconds(3)
  /// Start timeout, after which a reader is killed.
  ///
  /// `nfc_open` fails after 1.4 s on an unresponsive chip; the rest is for starting a process on a slow board.
  package static let readerStartMax: Duration = .seconds(6)
  /// Time within which a new reader finds a tag that was present all along, in its first polls.
  package static let heldTagReturnMax: Duration = .milliseconds(600)
  /// Tags whose cooldown is remembered; even a crowd with a tag each does not need more.
  package static let cooldownsMax = 256
  /// Time limit of one Type 2 command: the chip allows a tag 51 ms; the rest is for the slowest line to the chip.
  package static let readerExchangeMax: Duration = .milliseconds(300)
  /// Time limit of one ISO-DEP command: the chip lets a tag extend its waiting time.
  package static let readerISODEPExchangeMax: Duration = .seconds(1)
  /// Time limit of one write, from the first command to the last.
  ///
  /// Writing and reading back a whole NTAG216 takes 3 s; the rest is for retries with a badly placed tag.
  package static let readerWriteMax: Duration = .seconds(10)
  /// Attempts without progress to select and write a tag again that stopped answering during a write.
  package static let readerRewritesMax = 3
  /// Interval between two reports of a write's progress.
  package static let readerProgressInterval: Duration = .milliseconds(250)
  /// A tag forgets its state after 5 ms without a field (ISO/IEC 14443-3 §5).
  package static let readerFieldOff: Duration = .milliseconds(6)
  /// Turns without an answer after which a tag counts as removed; a single one is caused by a shaking hand.
  package static let readerMissesMax = 2
  /// Retries of an incomplete reading while the tag stays; more would only make the light flicker.
  package static let readerRereadsMax = 3
  /// Interval between two reconfigurations of the idle chip.
  ///
  /// A supply dip may alter a register that the recovery command does not restore. A reconfiguration takes 24 ms.
  package static let readerRefreshInterval: Duration = .seconds(15)
  /// Interval between two commands that recover a chip which no longer detects tags after a supply dip.
  package static let readerRouseInterval: Duration = .milliseconds(1200)
  /// Time that a stopping owner waits for the reader it killed before leaving that to the system.
  package static let readerDeathMax: Duration = .seconds(1)
  /// Number of readers that are listed.
  package static let readersListedMax = 16
  /// Time for libnfc to list the readers; it queries each USB device.
  package static let readerListTime: Duration = .seconds(10)
  /// Backoff before a reader is restarted: a tap must work within 2 s of the reader's return.
  package static var readerRestart: Backoff { Backoff(.milliseconds(250), upTo: .milliseconds(1500)) }
}
