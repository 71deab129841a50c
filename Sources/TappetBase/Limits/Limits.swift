// All maximums and timeouts, with units and reasons. Such literals do not belong anywhere else.

/// Limits on the sizes, counts and times in Tappet.
package enum Limits {
  // MARK: Tags
  /// Maximum size of a tag's memory, in bytes.
  ///
  /// The largest tag of the NTAG I2C family has 1,912 bytes; a Type 4 file can claim 64 KiB, but never needs that much.
  package static let tagMemorySizeMax = 8 * 1024
  /// Maximum number of records in an NDEF message; an NTAG216 has no room for more useful ones.
  package static let ndefRecordsMax = 16
  /// Maximum nesting depth of Smart Posters.
  package static let ndefDepthMax = 4
  /// Maximum length of a tag URL, in bytes.
  ///
  /// A URL with a key is 170 bytes long; a longer URL was not written by the app.
  package static let tagURLSizeMax = 2 * 1024
  /// Maximum number of Lock Control and Memory Control blocks; a tag has one of each.
  package static let type2ControlsMax = 8
  /// Maximum number of accepted tokens to remember; a door that opens twice a second needs ten per window.
  package static let tokensRememberedMax = 64
  /// Default maximum number of secrets per action, without `max_secrets`: enough for the boxes of a store room.
  package static let secretsPerActionMax = 1000
  /// Largest value of `max_secrets`; trying that many secrets takes a few milliseconds.
  package static let configuredSecretsMax = 10_000
  /// Maximum number of secrets per action in the phone app: for one phone and two spares.
  package static let appSecretsPerActionMax = 3
  /// Maximum number of tags whose last secret is remembered: all tags of the largest kiosk, and as many unknown tags.
  package static let tagHintsMax = 20_000
  /// Maximum number of unknown parameters in a tag URL; an app adds no more, so others are rejected as repeated.
  package static let tagURLParametersMax = 64
  /// Maximum number of keys that a C program may try in one call.
  package static let secretsPerCallMax = 64
  /// Maximum length of a secret's label, in bytes of UTF-8.
  ///
  /// A label of this length fits in a QR code of level H together with the key.
  package static let secretLabelSizeMax = 128
  /// Maximum length of a text that is normalized to NFC, in bytes of UTF-8.
  ///
  /// No name is longer, and sorting the combining marks of one letter takes quadratic time.
  package static let composedTextSizeMax = 4096

  // MARK: Actions
  /// Maximum number of actions: as many as one kiosk can show and a person can remember.
  package static let actionsMax = 256
  /// Maximum length of a topic, in bytes; the limit is MQTT's.
  package static let topicSizeMax = 65_535
  /// Maximum size of a message, in bytes; an action is a command, not a file.
  package static let messageSizeMax = 64 * 1024
  /// Maximum length of a fact about the tap in a message, in bytes; longer facts are truncated.
  package static let factSizeMax = 1024
  /// Maximum length of a fact about the tap in a topic, in bytes; longer facts are truncated.
  package static let factInTopicSizeMax = 128
  /// Maximum length of an action's name, in bytes of UTF-8; users type it after `tappet secret new`.
  package static let actionNameSizeMax = 64
  /// Maximum length of an action's title, in bytes of UTF-8; the title has to fit on one line of a terminal.
  package static let actionTitleSizeMax = 128
  /// Ceilings of the pause after a message that the broker refused for now; quotas are often counted by the hour.
  package static var refusalRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(300)) }
  /// Default time for which an entry may be sent.
  package static let expiresAfterDefault: Duration = .seconds(24 * 3600)
  /// Longest configurable expiry; a value beyond a year is a unit error.
  package static let expiresAfterMax: Duration = .seconds(366 * 24 * 3600)
  /// Longest configurable cooldown; a larger value is a unit error.
  package static let cooldownMax: Duration = .seconds(24 * 3600)

  // MARK: Rates
  /// Maximum number of refused taps per tag, in a burst and per minute; a shaking hand or a wrong tag causes fewer.
  package static let refusedTapsPerTagMax = 10
  /// Maximum number of refused taps of all tags; above this rate, refused tags wait longer, but other tags do not.
  package static let refusedTapsMax = 60
  /// Maximum number of accepted taps per tag, in a burst and per minute: twice what the default cooldown allows.
  package static let acceptedTapsPerTagMax = 60
  /// Maximum number of accepted taps in a burst and per minute; the reader hardly finds more than five tags a second.
  package static let acceptedTapsMax = 600
  /// Maximum number of scans in a burst and per minute, so at most twice as many in any minute.
  package static let scansMax = 300
  /// Maximum number of tags whose taps are counted; a new tag replaces the tag whose count would expire first.
  package static let tapRatesMax = 128
  /// Maximum number of refusals and ignored taps that are logged individually per `reportedRefusalsWindow`.
  ///
  /// More lines would not be read.
  package static let reportedRefusalsMax = 30
  /// Period after which the remaining refusals are logged in one line.
  package static let reportedRefusalsWindow: Duration = .seconds(60)

  // MARK: Delivery
  /// Maximum number of messages in flight, as in the app; a broker with default settings does not throttle that many.
  package static let inflightMax = 14
  /// Maximum number of entries that the link queues in addition to those in flight, so that it can send the next one
  /// immediately after each PUBACK.
  package static let linkAheadMax = 50
  /// Minimum time before its expiry for an entry to be passed to the link ahead of its turn.
  ///
  /// The link counts as lost if a PUBACK takes 20 s, so the last of 50 entries is sent or returned within 80 s.
  package static let linkAheadExpiryMin: Duration = .seconds(100)
  /// Maximum number of delivered entries removed in one commit while more entries are in flight; after being killed,
  /// the kiosk sends at most this many again.
  package static let removalsMax = 64
  /// Backlog size at which delivered entries are no longer logged individually; more lines would not be read.
  package static let reportedBacklogMax = 100
  /// Minimum interval between log lines about a long backlog.
  package static let reportedBacklogInterval: Duration = .seconds(60)
  /// Maximum number of entries kept in memory ahead of their turn; the other entries remain in the store.
  package static let outboxWindow = 128
  /// Default limit on the number of entries in the outbox.
  ///
  /// At 1 KB each, 100,000 entries take a hundred megabytes of an SD card.
  package static let outboxCountMax = 100_000
  /// Default limit on the total size of pending messages, in bytes.
  package static let outboxSizeMax = 64 * 1024 * 1024
  /// Maximum length of a broker user name, in bytes; no known broker accepts a longer one.
  package static let usernameSizeMax = 256
  /// Maximum size of a will's payload, in bytes; the limit of the CONNECT packet.
  package static let willSizeMax = 65_535
  /// Maximum length of a broker password, in bytes; the limit of the CONNECT packet.
  package static let brokerPasswordSizeMax = 65_535
  /// Longest time without a sign of life from the reader or its supervision.
  ///
  /// It covers the silence before the reader is killed, its exit, and a failed start.
  package static let readerSignMax: Duration = .seconds(22)
  /// Interval between certificate checks, in addition to the check at each connect; daily is enough for expiry dates.
  package static let certificateCheckInterval: Duration = .seconds(24 * 3600)
  /// Maximum length of a status text for the service manager, in bytes; the service manager shows a single line.
  package static let serviceStatusSizeMax = 512
  /// Maximum size of a message received on a subscription, in bytes; larger messages are discarded.
  package static let receivedMessageSizeMax = 256 * 1024
  /// Maximum size of a message that a program publishes through the C library, in bytes.
  package static let publishedMessageSizeMax = 64 << 20
  /// Maximum number of user properties, and of subscription identifiers, of a message in the C library.
  package static let messagePropertiesMax = 64
  /// Maximum size of the properties of a message that such a program sends, in bytes.
  package static let messagePropertiesSizeMax = 65_535
  /// Maximum size of a certificate or key file, in bytes; a trust store with all public roots takes 250 KB.
  package static let certificateFileSizeMax = 1024 * 1024
  /// Maximum length of a certificate's subject in reports, in bytes; the text is untrusted.
  package static let certificateNameSizeMax = 256
  /// Maximum length of an ALPN protocol name, in bytes (RFC 7301 §3.1).
  package static let protocolNameSizeMax = 255
  /// Minimum length of a backup's passphrase, and maximum of any, in bytes.
  package static let passphraseSizeMin = 8
  package static let passphraseSizeMax = 1024
  /// Maximum number of certificates in a client's chain, up to its root; real chains have three or four.
  package static let certificateChainMax = 16
  /// Maximum size of the app's settings, in bytes: four actions with three secrets each and three PEM files take 20 KB.
  package static let appSettingsSizeMax = 1024 * 1024
  /// Maximum number of certificates in one file.
  package static let certificatesPerFileMax = 1024
  /// Maximum time that a stop waits for outstanding PUBACKs; the service manager would kill the kiosk after 5 s.
  package static let drainMax: Duration = .seconds(3)
  /// Time limit for the DISCONNECT and the reader's orderly exit after the drain.
  package static let closeMax: Duration = .seconds(1)
  /// Time without a response after which a store or broker thread counts as hung.
  ///
  /// A wait for a busy database ends after seconds, a wait for a connection after `connectTimeout`, and a wait for an
  /// unresponsive name server after about a minute.
  package static let answerMax: Duration = .seconds(180)
  /// Interval between test writes while the disk fails.
  package static let storeCheckInterval: Duration = .seconds(5)

  // MARK: The panel
  /// Default debounce time: an ordinary push-button bounces for less than 10 ms, a worn one for twice that.
  package static let debounceDefault: Duration = .milliseconds(20)
  /// Longest configurable debounce time; a longer one would swallow a person's next press.
  package static let debounceMax: Duration = .milliseconds(500)
  /// Maximum number of edges without a pause; a contact that exceeds this number and `bouncingMax` is faulty.
  package static let bouncesMax = 200
  /// Maximum bouncing time; a contact that bounces for longer is broken, or its wire is loose.
  package static let bouncingMax: Duration = .milliseconds(500)
  /// Time for which a broken contact is ignored.
  package static let chatterPause: Duration = .seconds(30)
  /// Default duration of a hold; a shorter press is just a slow press.
  package static let holdDefault: Duration = .milliseconds(800)
  /// Default time limit between the presses of a double press, as with a mouse.
  package static let multiplePressDefault: Duration = .milliseconds(400)
  /// Default time from a press to its first repetition, as on a keyboard.
  package static let repeatAfterDefault: Duration = .milliseconds(500)
  /// Default interval between two repetitions; at this speed, a person can count along.
  package static let repeatEveryDefault: Duration = .milliseconds(250)
  /// Shortest configurable interval between two repetitions; a shorter one would flood the broker.
  package static let repeatEveryMin: Duration = .milliseconds(50)
  /// Maximum time between the two presses of a chord; two fingers of one person land within that time.
  package static let chordWindow: Duration = .milliseconds(80)
  /// Longest configurable time of a gesture; a larger value is a unit error.
  package static let gestureTimeMax: Duration = .seconds(30)
  /// Longest configurable wait for a second press that confirms the first.
  package static let confirmMax: Duration = .seconds(60)
  /// Longest configurable idle time before a panel locks itself; a longer one is as good as no lock.
  package static let lockAfterMax: Duration = .seconds(24 * 3600)
  /// Maximum number of presses in a code.
  package static let codeLengthMax = 16
  /// Longest pause within a code; after a longer pause, the code starts over.
  package static let codePauseMax: Duration = .seconds(5)
  /// Number of wrong codes after which a person has to wait; each further wrong code also causes a wait.
  package static let codeAttemptsMax = 3
  /// Waiting times after wrong codes: a person who has forgotten the code can retry after a coffee.
  package static var codeWait: Backoff { Backoff(.seconds(30), upTo: .seconds(900)) }
  /// Maximum number of buttons on a panel; a header has 28 lines.
  package static let buttonsMax = 32
  /// Maximum number of chords, which are pairs of buttons.
  package static let chordsMax = 32
  /// Maximum length of a button's or a line's name, in bytes; the kernel limits the name of a line to 31.
  package static let lineNameSizeMax = 63
  /// Backoff before missing lines are retried; a line that returns works within the longest pause.
  package static var panelRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(30)) }
  /// Maximum number of steps in a light's pattern, before repetition.
  package static let patternStepsMax = 32
  /// Range of the duration of a step, in milliseconds; a shorter step is invisible, a longer one too slow.
  package static let patternStepMilliseconds: ClosedRange<Int64> = 20...60_000
  /// Maximum time for which a momentary pattern may override the lasting one, in milliseconds.
  package static let momentMillisecondsMax: Int64 = 10_000

  // MARK: Clock
  /// First second of 2026, a time before this code was written.
  ///
  /// A wall clock that shows an earlier time was never set.
  package static let wallClockFloorUnixSeconds: Int64 = 1_767_225_600
  /// Interval at which the time is recorded; a clock glitch that ends earlier is not recorded.
  package static let clockNoteInterval: Duration = .seconds(3600)
  /// Lag behind the latest recorded time above which the clock counts as set back; a time service corrects less.
  package static let clockBehindMax: Duration = .seconds(3600)
  // MARK: The store
  /// Start timeout of a helper process, such as tappet-inventory; starting from a slow card takes seconds.
  package static let helperStartMax: Duration = .seconds(20)
  /// Time limit for a helper process to exit on request.
  package static let helperEndMax: Duration = .seconds(8)
  /// Ceilings of the backoff after a helper process failed.
  package static var helperRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(30)) }
  /// Maximum wait for a busy database: the tool writes a secret in milliseconds, but an SD card may stall for seconds.
  package static let storeBusyTimeout: Duration = .seconds(5)
  /// Interval between attempts to lock the state folder; much shorter than a sync.
  package static let storeLockPollInterval: Duration = .milliseconds(5)
  /// Maximum wait for the state folder's lock; the kernel ends a killed kiosk within milliseconds.
  package static let kioskLockMax: Duration = .seconds(1)
  /// Maximum size of SQLite's page cache, in bytes.
  ///
  /// SQLite touches all of it immediately; the outbox is read once and in order, so a larger cache would not help.
  package static let storeCacheSizeMax = 64 * 1024
  /// Maximum size of the write-ahead log that is kept for reuse, in bytes; a burst's additional space is released.
  package static let storeLogSizeMax = 4 * 1024 * 1024
  /// Size to which a running kiosk preallocates the write-ahead log, in bytes.
  ///
  /// A quarter of `storeLogSizeMax`, written within a tenth of a second.
  package static let storeLogRoom: Int64 = 1024 * 1024
  /// Size of the log, in 4 KB pages, at which it restarts in the next pause: about thirty taps, and room for one more.
  package static let storeLogPagesKept = 200
  /// Size of the log, in pages, at which it restarts without waiting for a pause; SQLite's default.
  package static let storeLogPagesMax = 1000
  /// Maximum size, in bytes, of a database that is checked at startup; the check of a database of this size takes a few
  /// hundredths of a second on an SD card.
  package static let storeCheckSizeMax: Int64 = 8 * 1024 * 1024
  /// Maximum number of versions by which a database may be ahead of this version; a larger number is damage.
  package static let storeVersionsMax: Int64 = 1000
  /// Maximum number of entries waiting to be committed.
  ///
  /// No person makes a thousand taps within one sync of a slow card.
  package static let storeAppendsMax = 1024
  /// Maximum number of entries reported as expired, and then removed, in one step; as many are kept in memory anyway.
  package static let storeExpireMax = outboxWindow
  /// Maximum number of resolved entries still on the disk.
  ///
  /// A full disk rejects their removal, and the memory for their ids is limited.
  package static let outboxResolvedMax = 1024
  /// Minimum free space for moving a log's index from memory into its file, in bytes: the index and a page of the log.
  package static let storeSharingRoom: Int64 = 64 * 1024
  /// Default retention time of the tap log.
  package static let historyAge: Duration = .seconds(90 * 86_400)
  /// Longest configurable retention time of the tap log.
  package static let historyAgeMax: Duration = .seconds(3650 * 86_400)
  /// Maximum number of rows in the tap log: about 80 MB.
  package static let historyRowsMax: Int64 = 1_000_000
  /// Maximum number of rows that are removed in one step, which takes a few milliseconds.
  package static let historyPruneMax = 1000
  /// Number of pauses of the store's thread between searches for rows to remove.
  package static let historyPruningInterval = 64
  /// Interval at which `tappet history --follow` polls for new rows.
  package static let historyFollowInterval: Duration = .milliseconds(250)
  /// Maximum number of lines in the output of `tappet history top`.
  package static let historyTopMax = 100
  /// Maximum number of rows that are read at once to find those of a span of time: a few milliseconds.
  package static let historyWalkMax = 5_000
  /// Maximum number of rows searched for an entry's first row, starting at its acceptance time.
  package static let historySearchMax = 32
  /// Maximum number of entries dropped, or listed, on request in one step; a million entries take 500 commits.
  package static let storeDropMax = 2048
  /// Time limit for dropping entries; it suffices for a million entries.
  package static let outboxDropMax: Duration = .seconds(120)
  /// Drift of the wall clock against the monotonic clock above which the store records the drift.
  package static let storeClockDriftMax: Duration = .seconds(1)
  /// Lead over the present, correct clock above which the clock of an earlier start counts as wrong.
  package static let storeClockAheadMax: Duration = .seconds(60)
  /// Size of the store thread's stack, in bytes; SQLite needs a few tens of kilobytes.
  package static let storeThreadStackSize = 256 * 1024

  /// Number of days before a certificate's expiry at which the certificate should be renewed.
  package static let certificateWarningDays: Int64 = 14

  // MARK: The panel's lines
  /// Maximum number of lines examined per chip; the largest expander chains have a few hundred.
  package static let gpioLinesPerChipMax: UInt32 = 1024
  /// Maximum size of a board profile, in bytes; two headers of 46 pins take 6 KB.
  package static let profileSizeMax = 64 * 1024
  /// Maximum size of a table of boards, in bytes; 10,000 rows with a few fields each take 1 MB.
  package static let boardTableSizeMax = 8 * 1024 * 1024
  /// Maximum number of pins on a header.
  package static let profilePinsMax = 128
  /// Maximum length of one word in a profile, in bytes; a word has to fit in a column of the header's drawing.
  package static let profileWordSizeMax = 48
  /// Maximum size of a file in sysfs, in bytes; on some kernels, the list of triggers fills a page.
  package static let sysfsFileSizeMax = 64 * 1024
  /// ENOTSUPP, an errno that kernel drivers leak to user space, where no header defines it.
  package static let kernelNotSupported: Int32 = 524

  // MARK: Secrets
  /// Maximum number of rows in the audit log; setting up a kiosk for a whole day adds a hundred.
  package static let auditRowsMax: Int64 = 1000
  /// Maximum number of audit rows, or of unreadable secrets, in one reply of the control socket, so that the reply fits
  /// `controlReplySizeMax` regardless of its labels.
  package static let secretsPerAnswerMax = 50
  /// Space reserved in a page of a list for the text around its elements, in bytes.
  package static let answerReserve = 12 * 1024
  /// Time after which a shared code disappears from the screen; it is enough to scan the code with a phone.
  package static let shareDisplayTime: Duration = .seconds(60)
  /// Maximum size of a backup, in bytes; enough for ten thousand secrets with their labels.
  package static let backupSizeMax = 16 * 1024 * 1024
  /// Maximum number of requests about secrets that wait for the disk.
  package static let secretRequestsMax = 16

  // MARK: Inside the process
  /// Maximum number of events read from the kernel per turn of the loop; the remaining events are read in the next.
  package static let reactorEventsPerTurn = 32
  /// Maximum number of packets that the link reads before it checks its commands again.
  package static let linkReadsPerTurn = 64
  /// Maximum number of values in a mailbox.
  ///
  /// A burst of acknowledgements has at most `inflightMax` values; the others are taps, which are never that fast.
  package static let mailboxCapacity = 1024
  /// Maximum number of values in the reactor's mailbox.
  ///
  /// Twice the store's largest batch, for the current and the next batch, and the same again for the link.
  package static let noticesMax = 4 * storeAppendsMax
  /// Maximum size of a message from a virtual panel, in bytes.
  package static let panelMessageSizeMax = 256
  /// Time for which the listener pauses when no file descriptors are left for clients.
  package static let controlPause: Duration = .seconds(1)
  /// Maximum size of a control request, in bytes.
  package static let controlRequestSizeMax = 8 * 1024
  /// Maximum size of a control reply, in bytes: a status with its taps, or the largest tag's memory in hex.
  package static let controlReplySizeMax = 64 * 1024
  /// Maximum number of taps in a status view; a person can take in that many at a glance.
  package static let viewTapsMax = 12
  /// Interval between clock checks while the kernel reports the clock as unsynchronized.
  ///
  /// The kernel sends no notification when the clock is synchronized.
  package static let clockCheckInterval: Duration = .seconds(2)
  /// Maximum size of a configuration file, in bytes; fifty actions take ten kilobytes.
  package static let configurationSizeMax = 1024 * 1024
  /// Maximum length of a line typed by a user, in bytes.
  ///
  /// A terminal does not pass on more (N_TTY_BUF_SIZE in the kernel's n_tty.c).
  package static let answerSizeMax = 4096
  /// Default time limit for presenting a tag to write; the user has to find a tag first.
  package static let tagJobTime: Duration = .seconds(60)
  /// Longest configurable time that a command waits for a tag; taps have no effect in the meantime.
  package static let tagJobTimeMax: Duration = .seconds(3600)
  /// Default time limit for presenting a tag to read.
  package static let tagReadTime: Duration = .seconds(30)
  /// Maximum size of a key file, in bytes: 64 digits and a line end, plus room for malformed content to be reported.
  package static let keyFileSizeMax = 256
  /// Maximum size of a file with a password, a token or a header, in bytes: MQTT's limit, even in UTF-16.
  package static let secretFileSizeMax = 2 * brokerPasswordSizeMax + 8
  /// Maximum length of a client id, in bytes; the id is part of the status topic.
  package static let clientIDSizeMax = 128
  /// Maximum number of YAML nodes after alias expansion, so that nested anchors cannot grow exponentially.
  package static let configurationNodesMax = 20_000
  /// Maximum number of errors reported individually; a user corrects the first ones and checks again.
  package static let configurationProblemsMax = 50
  /// Maximum length of a socket's path, in bytes (`sun_path` without its NUL).
  package static let socketPathSizeMax = 107
  /// Maximum length of libnfc's connection string, in bytes (NFC_BUFSIZE_CONNSTRING without its NUL).
  package static let readerDeviceSizeMax = 1023
  /// Maximum nesting depth of a configuration file.
  package static let configurationDepthMax = 16

  // MARK: The simulator
  /// Maximum number of entries in each history of the virtual panel; a test clears the histories between its steps.
  package static let simulatorLightsMax = 10_000
  /// Maximum number of outputs of the virtual panel; a kiosk has six.
  package static let simulatorOutputsMax = 32
  /// Maximum length of a line on the simulator's control socket, in bytes; many times an NTAG216's memory in hex.
  package static let simulatorLineSizeMax = 64 * 1024
  /// Maximum number of clients on the simulator's control socket.
  package static let simulatorClientsMax = 32
}
