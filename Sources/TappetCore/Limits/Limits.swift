// Every maximum and every timeout, with its unit and its reason. Such literals do not belong anywhere else.

/// Limits on the sizes, counts and times in Tappet.
package enum Limits {
  // MARK: Tags
  /// Bytes of a tag's memory.
  ///
  /// The largest tag of the NTAG I2C family has 1,912 bytes; a Type 4 file can claim 64 KiB, which is never needed.
  package static let tagMemorySizeMax = 8 * 1024
  /// Records of one NDEF message; an NTAG216 holds no more useful ones.
  package static let ndefRecordsMax = 16
  /// Nesting levels of Smart Posters.
  package static let ndefDepthMax = 4
  /// Bytes of a tag URL.
  ///
  /// A URL with a key has 170; a longer one was not written by the app.
  package static let tagURLSizeMax = 2 * 1024
  /// Lock Control and Memory Control blocks; a tag has one of each.
  package static let type2ControlsMax = 8
  /// Accepted tokens that are remembered; a door that opens twice a second needs ten per window.
  package static let tokensRememberedMax = 64
  /// Secrets of one action unless `max_secrets` is set: enough for the boxes of a store room.
  package static let secretsPerActionMax = 1000
  /// The largest `max_secrets`; trying all of them takes a few milliseconds.
  package static let configuredSecretsMax = 10_000
  /// Secrets of one action in the phone app: one phone, two spares.
  package static let appSecretsPerActionMax = 3
  /// Tags whose last secret is remembered: each tag of the largest kiosk, and as many unknown tags.
  package static let tagHintsMax = 20_000
  /// Unknown parameters of a tag URL; an app adds no more, so further ones are rejected as repeated.
  package static let tagURLParametersMax = 64
  /// Keys that a C program may try in one call.
  package static let secretsPerCallMax = 64
  /// Bytes of a secret's label, in UTF-8.
  ///
  /// Fits a QR code of level H together with the key.
  package static let secretLabelSizeMax = 128
  /// Bytes of a text that is normalized to NFC, in UTF-8.
  ///
  /// No name is longer, and sorting the combining marks of one letter takes quadratic time.
  package static let composedTextSizeMax = 4096

  // MARK: Actions
  /// Actions that one kiosk can show and a person can remember.
  package static let actionsMax = 256
  /// Bytes of a topic; MQTT's own limit.
  package static let topicSizeMax = 65_535
  /// Bytes of a message; an action is a command, not a file.
  package static let messageSizeMax = 64 * 1024
  /// Bytes of a fact about the tap in a message; longer facts are truncated.
  package static let factSizeMax = 1024
  /// Bytes of a fact about the tap in a topic; longer facts are truncated.
  package static let factInTopicSizeMax = 128
  /// Bytes of an action's name in UTF-8; a person types it after `tappet secret new`.
  package static let actionNameSizeMax = 64
  /// Bytes of an action's title in UTF-8; it takes one line on a terminal.
  package static let actionTitleSizeMax = 128
  /// Longest configurable expiry; a value beyond a year is a unit error.
  package static let expiresAfterMax: Duration = .seconds(366 * 24 * 3600)
  /// Longest configurable cooldown; a larger value is a unit error.
  package static let cooldownMax: Duration = .seconds(24 * 3600)

  // MARK: Rates
  /// Refused taps of one tag, per burst and per minute: a shaking hand or a wrong tag is gone long before.
  package static let refusedTapsPerTagMax = 10
  /// Refused taps of all tags; above this rate refused tags wait longer, other tags do not.
  package static let refusedTapsMax = 60
  /// Accepted taps of one tag, per burst and per minute: twice as many as the default cooldown allows.
  package static let acceptedTapsPerTagMax = 60
  /// Accepted taps of all tags, per burst and per minute: the reader hardly finds more than five tags a second.
  package static let acceptedTapsMax = 600
  /// Tags whose taps are counted; a further tag replaces the tag that would be forgotten next.
  package static let tapRatesMax = 128
  /// Refusals and ignored taps that are logged individually per `reportedRefusalsWindow`; more would not be read.
  package static let reportedRefusalsMax = 30
  /// Period after which the remaining refusals are logged in one line.
  package static let reportedRefusalsWindow: Duration = .seconds(60)

  // MARK: Delivery
  /// Messages in flight, as in the app: a broker with default settings accepts that many without throttling.
  package static let inflightMax = 14
  /// Entries that the link queues besides those in flight, so that it sends the next one immediately after each PUBACK.
  package static let linkAheadMax = 50
  /// Minimum time to its expiry for an entry to be passed to the link ahead of its turn.
  ///
  /// The link is lost when a PUBACK takes 20 s, so the last of 50 is sent, or returned, within four times that.
  package static let linkAheadExpiryMin: Duration = .seconds(100)
  /// Removals of delivered entries that share a commit while more entries are in flight: after a kill, the kiosk sends
  /// at most this many again.
  package static let removalsMax = 64
  /// Backlog from which on delivered entries are no longer logged individually; more lines would not be read.
  package static let reportedBacklogMax = 100
  /// Interval between two log lines about such a backlog.
  package static let reportedBacklogInterval: Duration = .seconds(60)
  /// Entries kept in memory ahead of their turn; the rest stays in the store.
  package static let outboxWindow = 128
  /// Entries of the outbox, unless the configuration sets another limit.
  ///
  /// At 1 KB each they take a hundred megabytes of an SD card.
  package static let outboxCountMax = 100_000
  /// Bytes of all pending messages, unless the configuration sets another limit.
  package static let outboxSizeMax = 64 * 1024 * 1024
  /// Bytes of a user name for the broker: no known broker accepts more.
  package static let usernameSizeMax = 256
  /// Bytes of a will's payload; the limit of the CONNECT packet.
  package static let willSizeMax = 65_535
  /// Bytes of a password for the broker; the limit of the CONNECT packet.
  package static let brokerPasswordSizeMax = 65_535
  /// Longest time without a sign of life from the reader or its supervision.
  ///
  /// It covers the silence until the reader is killed, its exit, and a failed start.
  package static let readerSignMax: Duration = .seconds(22)
  /// Interval between two certificate checks, besides the check at each connect: certificates expire by the day.
  package static let certificateCheckInterval: Duration = .seconds(24 * 3600)
  /// Bytes of one status text for the service manager; it shows a single line.
  package static let serviceStatusSizeMax = 512
  /// Bytes of a message for a subscription; larger ones are discarded.
  package static let receivedMessageSizeMax = 256 * 1024
  /// Bytes of a message that a program publishes through the C library.
  package static let publishedMessageSizeMax = 64 << 20
  /// User properties, and subscription identifiers, of a message that a program using the C library receives.
  package static let messagePropertiesMax = 64
  /// Bytes of the properties of a message that such a program sends.
  package static let messagePropertiesSizeMax = 65_535
  /// Bytes of one certificate or key file; a trust store with all public roots has 250 KB.
  package static let certificateFileSizeMax = 1024 * 1024
  /// Bytes of a certificate's subject in reports; the text is untrusted.
  package static let certificateNameSizeMax = 256
  /// Bytes of an ALPN protocol name (RFC 7301 §3.1).
  package static let protocolNameSizeMax = 255
  /// Bytes of a passphrase.
  package static let passphraseSizeMax = 1024
  /// Certificates in a client's chain, up to its root; real chains have three or four.
  package static let certificateChainMax = 16
  /// Bytes of the app's settings: four actions with three secrets each, and three PEM files, take 20 KB.
  package static let appSettingsSizeMax = 1024 * 1024
  /// Certificates in one file.
  package static let certificatesPerFileMax = 1024
  /// Time that a stop waits for outstanding PUBACKs; the service manager would kill the kiosk after 5 s.
  package static let drainMax: Duration = .seconds(3)
  /// Time for the DISCONNECT and the reader's orderly exit after the drain.
  package static let closeMax: Duration = .seconds(1)
  /// Time without an answer after which a store or broker thread counts as hung.
  ///
  /// A wait for a busy database ends after seconds, for a connection after `connectTimeout`, and for a silent name
  /// server after about a minute.
  package static let answerMax: Duration = .seconds(180)
  /// Interval between two attempts while the disk fails.
  package static let storeCheckInterval: Duration = .seconds(5)

  // MARK: The panel
  /// Default debounce time: an ordinary push-button bounces for less than 10 ms, a worn one for twice that.
  package static let debounceDefault: Duration = .milliseconds(20)
  /// Longest debounce time; a longer one would swallow a person's next press.
  package static let debounceMax: Duration = .milliseconds(500)
  /// Edges without a pause; a contact that produces more is faulty.
  package static let bouncesMax = 200
  /// Longest bouncing time; a contact that bounces for longer is broken, or its wire is loose.
  package static let bouncingMax: Duration = .milliseconds(500)
  /// Time for which a broken contact is ignored.
  package static let chatterPause: Duration = .seconds(30)
  /// Default time of a hold; a shorter one is just a slow press.
  package static let holdDefault: Duration = .milliseconds(800)
  /// Default time from one press of a double press to the next, as with a mouse.
  package static let multiplePressDefault: Duration = .milliseconds(400)
  /// Default time from a press to its first repetition, as on a keyboard.
  package static let repeatAfterDefault: Duration = .milliseconds(500)
  /// Default interval between two repetitions: as fast as a person can count along.
  package static let repeatEveryDefault: Duration = .milliseconds(250)
  /// The shortest interval between two repetitions; a shorter one would flood the broker.
  package static let repeatEveryMin: Duration = .milliseconds(50)
  /// Time within which two fingers of one person land on a chord.
  package static let chordWindow: Duration = .milliseconds(80)
  /// Longest time of a gesture; a larger value is a unit error.
  package static let gestureTimeMax: Duration = .seconds(30)
  /// Longest time to wait for a second, confirming press.
  package static let confirmMax: Duration = .seconds(60)
  /// Longest time until a panel locks itself; a later lock is as good as none.
  package static let lockAfterMax: Duration = .seconds(24 * 3600)
  /// Number of presses in a code.
  package static let codeLengthMax = 16
  /// Longest pause within a code; after a longer one the code starts over.
  package static let codePauseMax: Duration = .seconds(5)
  /// Wrong codes until a person has to wait; each further wrong code also causes a wait.
  package static let codeAttemptsMax = 3
  /// Waiting times after a wrong code: a person who has forgotten it returns after a coffee.
  package static var codeWait: Backoff { Backoff(.seconds(30), upTo: .seconds(900)) }
  /// Buttons of one panel; a header has 28 lines.
  package static let buttonsMax = 32
  /// Chords, which are pairs of buttons.
  package static let chordsMax = 32
  /// Bytes of a button's or a line's name; the kernel's own limit for a line is 31.
  package static let lineNameSizeMax = 63
  /// Backoff before missing lines are tried again: a line that returns works within the longest pause.
  package static var panelRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(30)) }
  /// Steps of a light's pattern, as written.
  package static let patternStepsMax = 32
  /// Milliseconds of one step: a shorter one is invisible, a longer one too slow.
  package static let patternStepMilliseconds: ClosedRange<Int64> = 20...60_000
  /// Milliseconds for which a momentary pattern may override the lasting one.
  package static let momentMillisecondsMax: Int64 = 10_000

  // MARK: Clock
  /// First second of 2026, which is before this code was written.
  ///
  /// A wall clock that shows an earlier time was never set.
  package static let wallClockFloorUnixSeconds: Int64 = 1_767_225_600
  /// Interval at which the time is recorded; a glitch that ends earlier is not recorded.
  package static let clockNoteInterval: Duration = .seconds(3600)
  /// Lag behind the latest recorded time above which the clock was set back; a time service corrects less.
  package static let clockBehindMax: Duration = .seconds(3600)
  // MARK: The store
  /// Time until a helper process, such as tappet-inventory, is ready; a slow card takes seconds.
  package static let helperStartMax: Duration = .seconds(20)
  /// Time for a helper process to exit on request.
  package static let helperEndMax: Duration = .seconds(8)
  /// Ceilings of the backoff after a helper process failed.
  package static var helperRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(30)) }
  /// Time to wait for a busy database: the tool writes a secret in milliseconds, but an SD card may stall for seconds.
  package static let storeBusyTimeout: Duration = .seconds(5)
  /// Interval between two attempts to lock the state folder: much shorter than a sync.
  package static let storeLockPollInterval: Duration = .milliseconds(5)
  /// Bytes of SQLite's page cache, all of which it touches immediately; the window is read once and in order, so more
  /// would only cost memory.
  package static let storeCacheSizeMax = 64 * 1024
  /// Bytes of the write-ahead log that are kept for reuse; space that a burst needed beyond that is released.
  package static let storeLogSizeMax = 4 * 1024 * 1024
  /// Bytes of the write-ahead log that a running kiosk preallocates.
  ///
  /// A quarter of `storeLogSizeMax`, written within a tenth of a second.
  package static let storeLogRoom: Int64 = 1024 * 1024
  /// Size of the log, in 4 KB pages, at which it restarts in the next pause: some thirty taps, and room for one more.
  package static let storeLogPagesKept = 200
  /// Size of the log, in pages, at which it restarts without waiting for a pause; SQLite's default.
  package static let storeLogPagesMax = 1000
  /// Bytes of a database that is checked at startup, which takes a few hundredths of a second on an SD card.
  package static let storeCheckSizeMax: Int64 = 8 * 1024 * 1024
  /// Number of entries waiting to be committed.
  ///
  /// No person makes a thousand taps within one sync of a slow card.
  package static let storeAppendsMax = 1024
  /// Entries whose place in the database is remembered; several times as many as the kiosk keeps in memory.
  package static let storePlacesMax = 1024
  /// Entries that are reported as expired and then removed in one step; as many as are kept in memory anyway.
  package static let storeExpireMax = outboxWindow
  /// Resolved entries that are still on the disk: a full disk rejects their removal, and the memory for their names is
  /// limited.
  package static let outboxResolvedMax = 1024
  /// Bytes that must be free before a log's index moves from memory into its file: the index, and a page of the log.
  package static let storeSharingRoom: Int64 = 64 * 1024
  /// Default retention time of the log of taps.
  package static let historyAge: Duration = .seconds(90 * 86_400)
  /// Longest configurable retention time of the log of taps.
  package static let historyAgeMax: Duration = .seconds(3650 * 86_400)
  /// Rows of the log of taps: about 80 MB.
  package static let historyRowsMax: Int64 = 1_000_000
  /// Rows that are removed in one step, which takes a few milliseconds.
  package static let historyPruneMax = 1000
  /// Pauses of the store's thread between two searches for rows to remove.
  package static let historyPruningInterval = 64
  /// Interval at which `tappet history --follow` polls for new rows.
  package static let historyFollowInterval: Duration = .milliseconds(250)
  /// Lines of `tappet history top`.
  package static let historyTopMax = 100
  /// Rows that are searched for an entry's first row: those of one moment.
  package static let historySearchMax = 32
  /// Entries that are dropped, or listed, on request in one step: a million take 500 commits.
  package static let storeDropMax = 2048
  /// Time limit for dropping entries; it suffices for a million.
  package static let outboxDropMax: Duration = .seconds(120)
  /// Drift of the wall clock against the monotonic clock above which the store records it.
  package static let storeClockDriftMax: Duration = .seconds(1)
  /// Lead over today's correct clock above which the clock of an earlier start was wrong.
  package static let storeClockAheadMax: Duration = .seconds(60)
  /// Bytes of the store thread's stack; SQLite needs a few tens of kilobytes.
  package static let storeThreadStackSize = 256 * 1024

  /// Days before its expiry at which a certificate should be renewed.
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
  /// Rows of the audit that are kept; setting up a kiosk all day adds a hundred.
  package static let auditRowsMax: Int64 = 1000
  /// Rows of the audit, or unreadable secrets, in one reply of the control socket, so that it fits
  /// `controlReplySizeMax` whatever the labels are.
  package static let secretsPerAnswerMax = 50
  /// Bytes of a page of a list that are reserved for the text around its elements.
  package static let answerReserve = 12 * 1024
  /// A shared code leaves the screen after this time, which is enough to hold a phone to it.
  package static let shareDisplayTime: Duration = .seconds(60)
  /// Bytes of a backup; enough for ten thousand secrets with their labels.
  package static let backupSizeMax = 16 * 1024 * 1024
  /// Requests about secrets that wait for the disk.
  package static let secretRequestsMax = 16

  // MARK: Inside the process
  /// Events read from the kernel in one turn; the rest follows in the next turn.
  package static let reactorEventsPerTurn = 32
  /// Packets that the link reads before it checks its commands again.
  package static let linkReadsPerTurn = 64
  /// Values in a mailbox.
  ///
  /// A burst of acknowledgements is `inflightMax`; the rest is taps, which are never that fast.
  package static let mailboxCapacity = 1024
  /// Values in the reactor's mailbox.
  ///
  /// Twice the store's largest batch, for the current batch and the next one, and the same again for the link.
  package static let noticesMax = 4 * storeAppendsMax
  /// Bytes of one message from a virtual panel.
  package static let panelMessageSizeMax = 256
  /// Pause of the listener when no descriptors are left for clients.
  package static let controlPause: Duration = .seconds(1)
  /// Bytes of one control request.
  package static let controlRequestSizeMax = 8 * 1024
  /// Bytes of one control reply: a status with its taps, or the largest tag's memory in hex.
  package static let controlReplySizeMax = 64 * 1024
  /// Taps in a status view; a person can take them in at a glance.
  package static let viewTapsMax = 12
  /// Interval between two clock checks while the kernel reports the clock as unsynchronised.
  ///
  /// The kernel sends no notification when that changes.
  package static let clockCheckInterval: Duration = .seconds(2)
  /// Bytes of a configuration file; fifty actions take ten kilobytes.
  package static let configurationSizeMax = 1024 * 1024
  /// Bytes of a line that a person types: as many as a terminal passes on (N_TTY_BUF_SIZE in the kernel's n_tty.c).
  package static let answerSizeMax = 4096
  /// Default time that a command waits for a tag to write: a person has to find one first.
  package static let tagJobTime: Duration = .seconds(60)
  /// Longest time that a command may wait for a tag; taps have no effect in the meantime.
  package static let tagJobTimeMax: Duration = .seconds(3600)
  /// Default time that a command waits for a tag to read.
  package static let tagReadTime: Duration = .seconds(30)
  /// Bytes of a key file: 64 digits and a line end, with room for errors that can be reported.
  package static let keyFileSizeMax = 256
  /// Bytes of a pre-shared key for TLS, and of its name.
  package static let preSharedKeySizeMax = 64
  package static let preSharedKeyNameSizeMax = 120
  /// Bytes of a client id; it is part of the status topic.
  package static let clientIDSizeMax = 128
  /// YAML nodes after alias expansion, limited so that nested anchors cannot grow exponentially.
  package static let configurationNodesMax = 20_000
  /// Errors that are reported individually; a person corrects the first ones and checks again.
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
