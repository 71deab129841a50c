// Every maximum and every timeout, with its unit and its reason. A literal of this kind anywhere else is a mistake.

/// The bounds that Tappet keeps.
package enum Limits {
  // MARK: Tags
  /// Bytes of a tag's memory.
  ///
  /// The largest tag of the NTAG I2C family has 1,912; a Type 4 file can claim 64 KiB, which we would never act on.
  package static let tagMemorySizeMax = 8 * 1024
  /// Records of one NDEF message; an NTAG216 holds no more that we would act on.
  package static let ndefRecordsMax = 16
  /// Smart Posters in one another.
  package static let ndefDepthMax = 4
  /// Bytes of a tag URL.
  ///
  /// With a key it has 170; a longer one is not the app's.
  package static let tagURLSizeMax = 2 * 1024
  /// Lock Control and Memory Control blocks; a tag has one of each.
  package static let type2ControlsMax = 8
  /// Tokens accepted within one window; a door that opens twice a second has ten.
  package static let tokensRememberedMax = 64
  /// Secrets of one action unless `max_secrets` says otherwise: a store room's boxes.
  package static let secretsPerActionMax = 1000
  /// The largest `max_secrets`: to try them all takes a few milliseconds.
  package static let configuredSecretsMax = 10_000
  /// Secrets of one action in the phone app: one phone, two spares.
  package static let appSecretsPerActionMax = 3
  /// Tags that are remembered with the secret that they had last: each tag of the largest kiosk, and as many strangers.
  package static let tagHintsMax = 20_000
  /// Unknown parameters of a tag URL; an app would never add more, so more count as repeated ones.
  package static let tagURLParametersMax = 64
  /// Keys that a C program may try in one call.
  package static let secretsPerCallMax = 64
  /// Bytes of a secret's label, in UTF-8.
  ///
  /// Fits a QR code of level H together with the key.
  package static let secretLabelSizeMax = 128
  /// Bytes of a text that is put into normalization form C, in UTF-8.
  ///
  /// No name is longer, and the marks of one letter are sorted in the square of their number.
  package static let composedTextSizeMax = 4096

  // MARK: Actions
  /// Actions that one kiosk can show and a person can remember.
  package static let actionsMax = 256
  /// Bytes of a topic; MQTT's own limit.
  package static let topicSizeMax = 65_535
  /// Bytes of a message; an action is a command, not a file.
  package static let messageSizeMax = 64 * 1024
  /// Bytes of a fact about the tap in a message; what is longer is cut.
  package static let factSizeMax = 1024
  /// Bytes of a fact about the tap in a topic; what is longer is cut.
  package static let factInTopicSizeMax = 128
  /// Bytes of an action's name in UTF-8; a person types it after `tappet secret new`.
  package static let actionNameSizeMax = 64
  /// Bytes of an action's title in UTF-8; it takes one line on a terminal.
  package static let actionTitleSizeMax = 128
  /// An expiry beyond a year is a mistake in the unit.
  package static let expiresAfterMax: Duration = .seconds(366 * 24 * 3600)
  /// A longer cooldown is a mistake in the unit.
  package static let cooldownMax: Duration = .seconds(24 * 3600)

  // MARK: Rates
  /// Refused taps of one tag, at once and per minute: a shaking hand or a wrong tag is gone long before.
  package static let refusedTapsPerTagMax = 10
  /// Refused taps of all tags; beyond it a refused tag waits longer, the others do not.
  package static let refusedTapsMax = 60
  /// Accepted taps of one tag, at once and per minute: twice what the default cooldown lets through.
  package static let acceptedTapsPerTagMax = 60
  /// Accepted taps of all tags, at once and per minute: the reader hardly finds more than five tags a second.
  package static let acceptedTapsMax = 600
  /// Tags whose taps are counted; one more replaces the one that would be forgotten next.
  package static let tapRatesMax = 128
  /// Refusals and ignored taps with a log line of their own per `reportedRefusalsWindow`; nobody reads more.
  package static let reportedRefusalsMax = 30
  /// At the end of this time the remaining refusals become one log line.
  package static let reportedRefusalsWindow: Duration = .seconds(60)

  // MARK: Delivery
  /// Messages in flight; the app's number: a broker with default settings accepts them without holding back.
  package static let inflightMax = 14
  /// Entries that the link holds ahead of those in flight, so that each PUBACK lets the next one go at once.
  package static let linkAheadMax = 50
  /// An entry is handed over ahead of its turn if it has as much time left.
  ///
  /// The link is lost when a PUBACK takes 20 s, so the last of 50 leaves, or comes back, within four times that.
  package static let linkAheadExpiryMin: Duration = .seconds(100)
  /// Removals of delivered entries that share a commit, while more entries are in flight: a killed kiosk sends as many
  /// again.
  package static let removalsMax = 64
  /// Entries that wait while a delivered one of them has no line of its own in the log; nobody reads more.
  package static let reportedBacklogMax = 100
  /// Interval between two log lines about them.
  package static let reportedBacklogInterval: Duration = .seconds(60)
  /// Entries held in memory ahead of their turn; the rest waits in the store.
  package static let outboxWindow = 128
  /// Entries of the outbox, unless the configuration sets another limit.
  ///
  /// At 1 KB each they take a hundred megabytes of an SD card.
  package static let outboxCountMax = 100_000
  /// Bytes of all waiting messages, unless the configuration sets another limit.
  package static let outboxSizeMax = 64 * 1024 * 1024
  /// Bytes of a user name for the broker: no broker known to us takes more.
  package static let usernameSizeMax = 256
  /// Bytes of a will's payload, as CONNECT has it.
  package static let willSizeMax = 65_535
  /// Bytes of a password for the broker, as CONNECT has it.
  package static let brokerPasswordSizeMax = 65_535
  /// The reader or its supervision shows a sign of life within this time.
  ///
  /// It covers the silence until the reader is killed, its death, and a start that fails.
  package static let readerSignMax: Duration = .seconds(22)
  /// Interval between two looks at the certificates, besides the look at each connect: they expire by the day.
  package static let certificateCheckInterval: Duration = .seconds(24 * 3600)
  /// Bytes of one status text for the service manager; it shows a single line.
  package static let serviceStatusSizeMax = 512
  /// Bytes of a message for a subscription; a larger one is thrown away.
  package static let receivedMessageSizeMax = 256 * 1024
  /// Bytes of a message that a program publishes through the C library.
  package static let publishedMessageSizeMax = 64 << 20
  /// User properties of a message, and subscriptions to which one belongs, that a program of the C library sees.
  package static let messagePropertiesMax = 64
  /// Bytes of a message's properties that such a program sends.
  package static let messagePropertiesSizeMax = 65_535
  /// Bytes of one certificate or key file; a trust store of all the world's roots has 250 KB.
  package static let certificateFileSizeMax = 1024 * 1024
  /// Bytes of a subject as it is reported; it is a stranger's text.
  package static let certificateNameSizeMax = 256
  /// Bytes of an ALPN protocol name (RFC 7301 §3.1).
  package static let protocolNameSizeMax = 255
  /// Bytes of a passphrase.
  package static let passphraseSizeMax = 1024
  /// Certificates from a client's to its root; real chains have three or four.
  package static let certificateChainMax = 16
  /// Bytes of the app's settings: four actions with three secrets each, and three PEM files, take 20 KB.
  package static let appSettingsSizeMax = 1024 * 1024
  /// Certificates in one file.
  package static let certificatesPerFileMax = 1024
  /// A stop waits this long for PUBACKs that are under way; the service manager would kill us after 5 s.
  package static let drainMax: Duration = .seconds(3)
  /// After the drain, the DISCONNECT and the reader's orderly end get this long.
  package static let closeMax: Duration = .seconds(1)
  /// A store or broker thread that takes longer to answer hangs.
  ///
  /// A busy database is given up after seconds, a connection after `connectTimeout`, and a silent name server after
  /// about a minute.
  package static let answerMax: Duration = .seconds(180)
  /// Interval between two attempts while the disk fails.
  package static let storeCheckInterval: Duration = .seconds(5)

  // MARK: The panel
  /// An ordinary push-button bounces for less than 10 ms, a worn one for twice that.
  package static let debounceDefault: Duration = .milliseconds(20)
  /// A longer period would swallow a person's next press.
  package static let debounceMax: Duration = .milliseconds(500)
  /// Edges without a rest; a contact that makes more is not working.
  package static let bouncesMax = 200
  /// A contact that is still bouncing after this time is broken, or its wire is loose.
  package static let bouncingMax: Duration = .milliseconds(500)
  /// A broken contact is ignored for this long.
  package static let chatterPause: Duration = .seconds(30)
  /// A press held for less is just a slow press.
  package static let holdDefault: Duration = .milliseconds(800)
  /// From one press of a double press to the next, as with a mouse.
  package static let multiplePressDefault: Duration = .milliseconds(400)
  /// From a press to its first repetition, as on a keyboard.
  package static let repeatAfterDefault: Duration = .milliseconds(500)
  /// Interval between two repetitions, as fast as a person can count along.
  package static let repeatEveryDefault: Duration = .milliseconds(250)
  /// The shortest interval between two repetitions; a shorter one would flood the broker.
  package static let repeatEveryMin: Duration = .milliseconds(50)
  /// Two fingers of one person come down within this time.
  package static let chordWindow: Duration = .milliseconds(80)
  /// No gesture takes longer; a longer one is a mistake in the unit.
  package static let gestureTimeMax: Duration = .seconds(30)
  /// Nobody waits longer for a second press.
  package static let confirmMax: Duration = .seconds(60)
  /// A panel that locks itself later than this is as good as unlocked.
  package static let lockAfterMax: Duration = .seconds(24 * 3600)
  /// Presses of a code.
  package static let codeLengthMax = 16
  /// A code that pauses for longer starts again.
  package static let codePauseMax: Duration = .seconds(5)
  /// Number of the first wrong code that makes a person wait; each further one does, too.
  package static let codeAttemptsMax = 3
  /// The waits after a wrong code: someone who has forgotten it comes back after a coffee.
  package static var codeWait: Backoff { Backoff(.seconds(30), upTo: .seconds(900)) }
  /// Buttons of one panel; a header has 28 lines.
  package static let buttonsMax = 32
  /// Chords, which are pairs of buttons.
  package static let chordsMax = 32
  /// Bytes of a button's or a line's name; the kernel's own limit for a line is 31.
  package static let lineNameSizeMax = 63
  /// The waits before missing lines are tried again: a line that comes back works within the last.
  package static var panelRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(30)) }
  /// Steps of a light's pattern, as written.
  package static let patternStepsMax = 32
  /// Milliseconds of one step: a shorter one is invisible, a longer one too slow.
  package static let patternStepMilliseconds: ClosedRange<Int64> = 20...60_000
  /// Milliseconds that a momentary pattern may cover the lasting one.
  package static let momentMillisecondsMax: Int64 = 10_000

  // MARK: Clock
  /// The first second of 2026, which is before this was written.
  ///
  /// A wall clock that shows less was never set.
  package static let wallClockFloorUnixSeconds: Int64 = 1_767_225_600
  /// Interval between two notes of the time; a glitch that is over before is not noted.
  package static let clockNoteInterval: Duration = .seconds(3600)
  /// A clock that is further behind the latest noted time was set back; a time service corrects less.
  package static let clockBehindMax: Duration = .seconds(3600)
  // MARK: The store
  /// Time until a helper process, such as tappet-inventory, is ready; a slow card takes seconds.
  package static let helperStartMax: Duration = .seconds(20)
  /// Time in which one that was asked to end has ended.
  package static let helperEndMax: Duration = .seconds(8)
  /// The ceilings of the pause after one failed.
  package static var helperRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(30)) }
  /// The tool writes a secret in milliseconds; an SD card may stall for seconds meanwhile.
  package static let storeBusyTimeout: Duration = .seconds(5)
  /// Interval between two attempts to lock the state folder: much shorter than a sync.
  package static let storeLockPollInterval: Duration = .milliseconds(5)
  /// Bytes of SQLite's page cache, all of which it touches at once; the window is read once and in order, so more would
  /// only cost memory.
  package static let storeCacheSizeMax = 64 * 1024
  /// Bytes of the write-ahead log that are kept for the next time; what a burst needed beyond that is given back.
  package static let storeLogSizeMax = 4 * 1024 * 1024
  /// Bytes of the write-ahead log that a running kiosk allocates ahead of use.
  ///
  /// A quarter of `storeLogSizeMax`, written within a tenth of a second.
  package static let storeLogRoom: Int64 = 1024 * 1024
  /// Pages of 4 KB in the log from which it restarts in the next pause: some thirty taps, and room for one more.
  package static let storeLogPagesKept = 200
  /// Pages from which the log restarts without waiting for a pause; SQLite's own figure.
  package static let storeLogPagesMax = 1000
  /// Bytes of a database that is checked at the start; it takes a few hundredths of a second on an SD card.
  package static let storeCheckSizeMax: Int64 = 8 * 1024 * 1024
  /// Entries that wait for their commit.
  ///
  /// No person makes a thousand taps within one sync of a slow card.
  package static let storeAppendsMax = 1024
  /// Entries whose place in the database is remembered; several times what the kiosk holds in memory.
  package static let storePlacesMax = 1024
  /// Entries that are reported as expired, and then removed, in one step; as many as are held in memory anyway.
  package static let storeExpireMax = outboxWindow
  /// Entries that were resolved and are still on the disk: a full disk does not take their removal, and the memory for
  /// their names has an end.
  package static let outboxResolvedMax = 1024
  /// Bytes that must be free before a log's index moves from memory into its file: the index, and a page of the log.
  package static let storeSharingRoom: Int64 = 64 * 1024
  /// How long the log of taps is kept, unless the configuration says otherwise.
  package static let historyAge: Duration = .seconds(90 * 86_400)
  /// The longest time for that.
  package static let historyAgeMax: Duration = .seconds(3650 * 86_400)
  /// Rows of the log of taps: about 80 MB.
  package static let historyRowsMax: Int64 = 1_000_000
  /// Rows that are removed in one step: a few milliseconds.
  package static let historyPruneMax = 1000
  /// Pauses of the store's thread between two looks for rows to remove.
  package static let historyPruningInterval = 64
  /// Interval between two looks for new rows by `tappet history --follow`.
  package static let historyFollowInterval: Duration = .milliseconds(250)
  /// Lines of `tappet history top`.
  package static let historyTopMax = 100
  /// Rows in which an entry's first one is looked for: those of one moment.
  package static let historySearchMax = 32
  /// Entries that a person drops, or looks at, in one step: a million take 500 commits.
  package static let storeDropMax = 2048
  /// A million entries are dropped within this time.
  package static let outboxDropMax: Duration = .seconds(120)
  /// How far the wall clock may move against the monotonic one before the store records it.
  package static let storeClockDriftMax: Duration = .seconds(1)
  /// An earlier start's clock that was further ahead of today's good one was wrong.
  package static let storeClockAheadMax: Duration = .seconds(60)
  /// Bytes of the thread's stack; SQLite needs a few tens of kilobytes.
  package static let storeThreadStackSize = 256 * 1024

  /// Days before its end at which a certificate is to be renewed.
  package static let certificateWarningDays: Int64 = 14

  // MARK: The panel's lines
  /// Lines of one chip that are examined; the largest expander chains have a few hundred.
  package static let gpioLinesPerChipMax: UInt32 = 1024
  /// Bytes of a profile; two headers of 46 pins take 6 KB.
  package static let profileSizeMax = 64 * 1024
  /// Bytes of a table of boards; 10,000 rows of a few facts take 1 MB.
  package static let boardTableSizeMax = 8 * 1024 * 1024
  /// Pins of one header.
  package static let profilePinsMax = 128
  /// Bytes of one word in a profile; the header's drawing has a column for it.
  package static let profileWordSizeMax = 48
  /// Bytes of a file in sysfs; on some kernels the list of triggers fills a page.
  package static let sysfsFileSizeMax = 64 * 1024
  /// ENOTSUPP, an errno that the kernel's drivers leak and no user-space header defines.
  package static let kernelNotSupported: Int32 = 524

  // MARK: Secrets
  /// Rows of the audit that are kept; a person who sets up a kiosk all day writes a hundred.
  package static let auditRowsMax: Int64 = 1000
  /// Rows of the audit, or unreadable secrets, in one reply of the control socket, so that it fits
  /// `controlReplySizeMax` whatever the labels are.
  package static let secretsPerAnswerMax = 50
  /// Bytes of a page of a list that are kept for what surrounds its elements.
  package static let answerReserve = 12 * 1024
  /// A shared code leaves the screen after this time, which is enough to hold a phone to it.
  package static let shareDisplayTime: Duration = .seconds(60)
  /// Bytes of a backup; it fits ten thousand secrets with their labels.
  package static let backupSizeMax = 16 * 1024 * 1024
  /// Requests about secrets that wait for the disk.
  package static let secretRequestsMax = 16

  // MARK: Inside the process
  /// Events taken from the kernel at once; the rest comes with the next turn.
  package static let reactorEventsPerTurn = 32
  /// Packets that the link reads before it looks at its commands again.
  package static let linkReadsPerTurn = 64
  /// Values in a mailbox.
  ///
  /// A burst of acknowledgements is `inflightMax`; the rest is taps, and nobody taps that fast.
  package static let mailboxCapacity = 1024
  /// Values in the reactor's mailbox.
  ///
  /// Twice what the store takes at once, for the batch at work and the next one, and the same again for the link.
  package static let noticesMax = 4 * storeAppendsMax
  /// Bytes of one message from a virtual panel.
  package static let panelMessageSizeMax = 256
  /// The listener pauses for this long when there are no descriptors left for clients.
  package static let controlPause: Duration = .seconds(1)
  /// Bytes of one control request.
  package static let controlRequestSizeMax = 8 * 1024
  /// Bytes of one control reply: a status with its taps, or the largest tag's memory in hex.
  package static let controlReplySizeMax = 64 * 1024
  /// Taps in a status view; a person can take them in at a glance.
  package static let viewTapsMax = 12
  /// Interval between two looks at the clock while the kernel calls it unsynchronised.
  ///
  /// The kernel does not notify anybody when that changes.
  package static let clockCheckInterval: Duration = .seconds(2)
  /// Bytes of a configuration file; fifty actions take ten kilobytes.
  package static let configurationSizeMax = 1024 * 1024
  /// Bytes of a line that a person types: as many as a terminal hands on (N_TTY_BUF_SIZE in the kernel's n_tty.c).
  package static let answerSizeMax = 4096
  /// How long a command waits for a tag to write, unless it is given another time: a person has to find one first.
  package static let tagJobTime: Duration = .seconds(60)
  /// The longest that it may wait: no tap counts meanwhile.
  package static let tagJobTimeMax: Duration = .seconds(3600)
  /// The same for a tag to read.
  package static let tagReadTime: Duration = .seconds(30)
  /// Bytes of a key file: 64 digits and a line end, with room for a mistake that can be named.
  package static let keyFileSizeMax = 256
  /// Bytes of a pre-shared key for TLS, and of its name.
  package static let preSharedKeySizeMax = 64
  package static let preSharedKeyNameSizeMax = 120
  /// Bytes of a client id; it is part of the status topic.
  package static let clientIDSizeMax = 128
  /// YAML nodes with their aliases expanded, so that an anchor cannot explode.
  package static let configurationNodesMax = 20_000
  /// Mistakes reported one by one; a person corrects the first and looks again.
  package static let configurationProblemsMax = 50
  /// Bytes of a socket's path (`sun_path` without its NUL).
  package static let socketPathSizeMax = 107
  /// Bytes of libnfc's connection string (NFC_BUFSIZE_CONNSTRING without its NUL).
  package static let readerDeviceSizeMax = 1023
  /// Levels of nesting in a configuration file.
  package static let configurationDepthMax = 16

  // MARK: The simulator
  /// Lights that the virtual panel remembers; a test clears them between its steps.
  package static let simulatorLightsMax = 10_000
  /// Outputs of the virtual panel; a kiosk has six.
  package static let simulatorOutputsMax = 32
  /// Bytes of one line on the simulator's control socket; many times an NTAG216's memory in hexadecimal.
  package static let simulatorLineSizeMax = 64 * 1024
  /// Clients on the simulator's control socket.
  package static let simulatorClientsMax = 32
}
