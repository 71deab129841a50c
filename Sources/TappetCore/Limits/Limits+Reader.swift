// The times and sizes of tappet-reader and of its supervision.

extension Limits {
  /// Bytes of one datagram on the reader's socket: the largest memory and its header.
  package static let readerMessageSizeMax = tagMemorySizeMax + 64
  /// Time between two looks for a tag.
  ///
  /// Where the chip does not search by itself: select answers in 16 ms, nearly seven looks a second feel immediate and
  /// leave the line idle nine tenths of the time.
  package static let readerPollInterval: Duration = .milliseconds(150)
  /// Time that the chip searches by itself before it answers that there is no tag.
  ///
  /// The longer it is, the fewer wake-ups; a chip that dies meanwhile is noticed later.
  package static let readerSearchTime: Duration = .milliseconds(400)
  /// The shortest interval between two searches: a chip that answers at once must not keep us busy.
  package static let readerSearchInterval: Duration = .milliseconds(50)
  /// Tries of the first search, by which the length of a try is measured: 5 to 16 ms each in all chips known to us.
  package static let readerSearchTries = 20
  /// One try of a chip whose tries are not measured yet lasts no longer than this.
  package static let readerTryMax: Duration = .milliseconds(20)
  /// The reader reports completed turns of its loop no more often than this.
  package static let readerHeartbeatInterval: Duration = .seconds(5)
  /// A reader that is silent for longer hangs.
  ///
  /// Every libnfc call that we make ends within 1.4 s; a busy board may lose two heartbeats.
  package static let readerSilenceMax: Duration = .seconds(12)
  /// A tag that has arrived is read, or reported as unreadable, within this time.
  ///
  /// 888 bytes by READ take 0.4 s.
  package static let readerReadMax: Duration = .seconds(5)
  /// The reader gives up on a tag that it has not read within this time.
  ///
  /// Its last command ends more than a second later, and still leaves time to report the failure before
  /// `readerReadMax`.
  package static let readerPatienceMax: Duration = .seconds(3)
  /// A reader that takes longer to start is killed.
  ///
  /// `nfc_open` of a deaf chip fails after 1.4 s; the rest is for a slow board that starts a process.
  package static let readerStartMax: Duration = .seconds(6)
  /// A new reader finds a tag that has been there all along within this time, in its first polls.
  package static let heldTagReturnMax: Duration = .milliseconds(600)
  /// Tags whose cooldown is remembered; even a crowd with a tag each is not faster.
  package static let cooldownsMax = 256
  /// One Type 2 command: the chip gives a tag 51 ms, the rest is for the line to the chip at its slowest.
  package static let readerExchangeMax: Duration = .milliseconds(300)
  /// One ISO-DEP command: the chip lets a tag extend its waiting time.
  package static let readerISODEPExchangeMax: Duration = .seconds(1)
  /// One write, from the first command to the last.
  ///
  /// Writing and reading back a whole NTAG216 takes 3 s; a badly placed tag is tried again meanwhile.
  package static let readerWriteMax: Duration = .seconds(10)
  /// Times that a tag that stops answering during a write is selected and tried again without any progress.
  package static let readerRewritesMax = 3
  /// Interval between two reports of a write's progress.
  package static let readerProgressInterval: Duration = .milliseconds(250)
  /// A tag forgets its state after 5 ms without a field (ISO/IEC 14443-3 §5).
  package static let readerFieldOff: Duration = .milliseconds(6)
  /// Turns without an answer after which a tag has left; a single one is a shaking hand.
  package static let readerMissesMax = 2
  /// Times that a torn reading is repeated while the tag stays; more would only make the light flicker.
  package static let readerRereadsMax = 3
  /// Interval between two reconfigurations of the idle chip.
  ///
  /// A dip of its supply may leave a register behind that the rousing does not reach. A reconfiguration takes 24 ms.
  package static let readerRefreshInterval: Duration = .seconds(15)
  /// Interval between two commands that rouse a chip which a dip of its supply has left deaf to tags.
  package static let readerRouseInterval: Duration = .milliseconds(1200)
  /// A stopping owner waits this long for the reader it killed; then it leaves it to the system.
  package static let readerDeathMax: Duration = .seconds(1)
  /// Number of readers in a list of them.
  package static let readersListedMax = 16
  /// How long libnfc may take to list the readers; it asks each USB device.
  package static let readerListTime: Duration = .seconds(10)
  /// The waits before a reader is started again: a tap must work within 2 s of the reader's return.
  package static var readerRestart: Backoff { Backoff(.milliseconds(250), upTo: .milliseconds(1500)) }
}
