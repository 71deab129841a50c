// Every maximum and every timeout, with its unit and its reason. A literal of this kind elsewhere is a mistake.

/// The bounds that Tappet keeps to.
public enum Limits {
  // MARK: Tags
  /// Bytes.
  ///
  /// The largest tag of the NTAG I2C family has 1,912; a Type 4 file can claim 64 KiB that we would never act on.
  public static let tagMemorySizeMax = 8 * 1024
  /// An NTAG216 holds no more that we would act on.
  public static let ndefRecordsMax = 16
  /// Bytes.
  ///
  /// With a key a tag URL has 170; a reading beyond this is nobody's tag.
  public static let tagURLSizeMax = 2 * 1024
  /// Lock Control and Memory Control blocks; a tag has one of each.
  public static let type2ControlsMax = 8
  /// Tokens of one window; a door that opens twice a second has ten.
  public static let tokensRememberedMax = 64
  /// The app's own limit: one phone, two spares.
  public static let secretsPerActionMax = 3
  /// Parameters of a tag URL that we do not know; more than an app would ever add are taken for repeated ones.
  public static let tagURLParametersMax = 64
  /// Keys that a C program may have tried at once.
  public static let secretsPerCallMax = 64
  /// Bytes of UTF-8.
  ///
  /// Fits a QR code of level H together with the key.
  public static let secretLabelSizeMax = 128

  // MARK: Actions
  /// What one kiosk can show and a person can remember.
  public static let actionsMax = 256
  /// Bytes.
  ///
  /// MQTT's own limit for a topic.
  public static let topicSizeMax = 65_535
  /// Bytes.
  ///
  /// An action is a command, not a file.
  public static let messageSizeMax = 64 * 1024
  /// Bytes of UTF-8.
  ///
  /// What a person types after `tappet secret new`.
  public static let actionNameSizeMax = 64
  /// Bytes of UTF-8.
  ///
  /// One line on a terminal.
  public static let actionTitleSizeMax = 128
  /// An expiry beyond a year is a mistake in the unit.
  public static let expiresAfterMax: Duration = .seconds(366 * 24 * 3600)
  /// A longer cooldown is a mistake in the unit.
  public static let cooldownMax: Duration = .seconds(24 * 3600)

  // MARK: The reader's process
  /// Bytes of one datagram on the reader's socket: the largest memory and its header.
  public static let readerMessageSizeMax = tagMemorySizeMax + 64
  /// Select answers in 16 ms: nearly seven looks a second feel immediate and leave the line idle nine tenths of the time.
  public static let readerPollInterval: Duration = .milliseconds(150)
  /// A turn of the loop that ended is told at most so often.
  public static let readerHeartbeatInterval: Duration = .seconds(5)
  /// Every libnfc call that we make ends in 1.4 s at worst; two heartbeats may be lost to a busy board.
  public static let readerSilenceMax: Duration = .seconds(12)
  /// A tag that has arrived is read, or reported as unreadable, within this time: 888 bytes by READ take 0.4 s.
  public static let readerReadMax: Duration = .seconds(5)
  /// The reader gives a tag up that is not read by then: the last command is over a second later, and told before the above.
  public static let readerPatienceMax: Duration = .seconds(3)
  /// `nfc_open` of a deaf chip fails after 1.4 s; the rest is a slow board's start of a process.
  public static let readerStartMax: Duration = .seconds(6)
  /// A new reader finds a tag that lay there all along in its first polls.
  public static let heldTagReturnMax: Duration = .milliseconds(600)
  /// Tags whose cooldown is remembered; a crowd with a tag each is not faster.
  public static let cooldownsMax = 256
  /// One Type 2 command: the chip gives a tag 51 ms, the rest is the line to the chip at its slowest.
  public static let readerExchangeMax: Duration = .milliseconds(300)
  /// One ISO-DEP command: the chip grants a tag extensions of its waiting time.
  public static let readerISODEPExchangeMax: Duration = .seconds(1)
  /// A whole NTAG216 takes 3 s to write and read back; a tag that lies badly is tried anew meanwhile.
  public static let readerWriteMax: Duration = .seconds(10)
  /// A tag that does not answer within a write is selected and tried anew so often without coming any further.
  public static let readerRewritesMax = 3
  /// How far a write has come is told so often.
  public static let readerProgressInterval: Duration = .milliseconds(250)
  /// A tag without field for 5 ms has forgotten its state (ISO/IEC 14443-3 §5).
  public static let readerFieldOff: Duration = .milliseconds(6)
  /// Turns without an answer until a tag has left; one alone is a hand that shakes.
  public static let readerMissesMax = 2
  /// A torn reading is tried anew so often while the tag stays; more would only make the light flicker.
  public static let readerRereadsMax = 3
  /// The idle chip is configured anew so often: a dip of its supply leaves it deaf to tags for no longer.
  ///
  /// Takes 24 ms.
  public static let readerRefreshInterval: Duration = .seconds(5)
  /// A killed reader is waited for so long when its owner goes; then it is left to the system.
  public static let readerDeathMax: Duration = .seconds(1)
  /// The first wait before a reader is started again.
  public static let readerRestartDelayMin: Duration = .milliseconds(250)
  /// A tap works within 2 s of the reader's return, so no wait may be longer.
  public static let readerRestartDelayMax: Duration = .milliseconds(1500)

  // MARK: How often
  /// Refused taps of one tag, at once and a minute: a shaking hand or a wrong tag is taken away long before.
  public static let refusedTapsPerTagMax = 10
  /// Refused taps of all tags: beyond it a tag that was refused waits longer, the others do not.
  public static let refusedTapsMax = 60
  /// Accepted taps of one tag, at once and a minute: twice what the default cooldown lets through.
  public static let acceptedTapsPerTagMax = 60
  /// Accepted taps of all tags: the reader finds hardly more than five tags a second.
  public static let acceptedTapsMax = 600
  /// Tags whose taps are counted; one more takes the place of the one that is nearest to being forgotten.
  public static let tapRatesMax = 128
  /// Refusals and ignored taps with a line of their own in `toldRefusalsWindow`; nobody reads more.
  public static let toldRefusalsMax = 30
  /// The others become one line at the end of this.
  public static let toldRefusalsWindow: Duration = .seconds(60)

  // MARK: Delivery
  /// The app's number: what a broker with default settings takes at once without holding back.
  public static let inflightMax = 14
  /// Entries that are held in memory ahead of their turn; the rest waits in the store.
  public static let outboxWindow = 64
  /// Entries, unless the configuration says otherwise.
  ///
  /// At 1 KB each a hundred megabytes of an SD card.
  public static let outboxCountMax = 100_000
  /// Bytes of all messages that wait, unless the configuration says otherwise.
  public static let outboxSizeMax = 64 * 1024 * 1024
  /// A PUBACK is awaited this long before the link is taken for dead.
  public static let acknowledgeTimeout: Duration = .seconds(20)
  /// From the first SYN to CONNACK; a TLS server that never answers would otherwise be waited for for ever.
  public static let connectTimeout: Duration = .seconds(20)
  /// A resolver that answers nobody may keep the broker's thread so long before the thread is taken for dead: several servers, tried
  /// twice, for several seconds each.
  public static let resolverPatienceMax: Duration = .seconds(180)
  /// The reader or its supervision shows itself within: silence until it is killed, its death, and a start that comes to nothing.
  public static let readerSignMax: Duration = .seconds(22)
  /// How often certificates are looked at beside each connect: their time is counted in days.
  public static let certificateCheckInterval: Duration = .seconds(24 * 3600)
  /// Bytes of one word to the service manager; it shows a line.
  public static let serviceStatusSizeMax = 512
  /// Addresses of one name that are tried one after the other.
  public static let addressesMax = 8
  /// While a handshake is under way: libmosquitto's own wish to write cannot be relied on before CONNACK (2.0.20 spins, 2.0.11 sleeps).
  public static let handshakeTurn: Duration = .milliseconds(50)
  /// At an orderly end: for the status message's PUBACK and the DISCONNECT.
  ///
  /// Below what a service manager or a person waits.
  public static let linkCloseMax: Duration = .milliseconds(800)
  /// At the end of the program the broker's thread is awaited so long; a name server that hangs must not hold it up.
  public static let linkJoinMax: Duration = .milliseconds(1200)
  /// Bytes.
  ///
  /// OpenSSL's handshake takes some 60 KB at its deepest; the default of 8 MB would count against memory locks.
  public static let linkStackSize = 512 * 1024
  /// Bytes of one certificate or key file.
  ///
  /// A trust store of all the world's roots has 250 KB.
  public static let certificateFileSizeMax = 1024 * 1024
  /// Bytes of a subject as it is told; it is a stranger's text.
  public static let certificateNameSizeMax = 256
  /// Bytes of an ALPN protocol name (RFC 7301 §3.1).
  public static let protocolNameSizeMax = 255
  /// Bytes of a passphrase.
  public static let passphraseSizeMax = 1024
  /// Certificates from a client's to its root; real ones have three or four.
  public static let certificateChainMax = 16
  /// Bytes of the app's settings: four actions with three secrets each, and three PEM files, are 20 KB.
  public static let appSettingsSizeMax = 1024 * 1024
  /// Certificates in one file.
  public static let certificatesPerFileMax = 1024
  /// The backoff's first ceiling.
  public static let reconnectDelayMin: Duration = .seconds(1)
  /// The backoff's last ceiling.
  public static let reconnectDelayMax: Duration = .seconds(64)
  /// A connection that lasted so long was a good one: the backoff begins anew.
  public static let connectionProvedAfter: Duration = .seconds(30)
  /// At a stop, PUBACKs that are under way are awaited this long; the service manager would kill us after 5 s.
  public static let drainMax: Duration = .seconds(3)
  /// After the drain, the DISCONNECT and the reader's farewell get this long.
  public static let closeMax: Duration = .seconds(1)
  /// Beyond this the store's or the broker's thread hangs: a busy database is given up after seconds, a connection after
  /// `connectTimeout`, and a name server that does not answer after a minute or so.
  public static let answerMax: Duration = .seconds(180)
  /// While the disk is in trouble it is tried so often.
  public static let storeCheckInterval: Duration = .seconds(5)
  /// More connections than this that were lost in `stormWindow` before they had proved themselves are a storm: two programs with
  /// one client id, or a broker that throws us out.
  public static let stormCount = 10
  /// See `stormCount`: with the backoff between them eleven such losses take three minutes.
  public static let stormWindow: Duration = .seconds(600)
  /// How long a storm is left to pass.
  public static let stormRest: Duration = .seconds(60)

  // MARK: The panel
  /// An ordinary push-button bounces for less than 10 ms, a worn one for twice that.
  public static let debounceDefault: Duration = .milliseconds(20)
  /// A longer period would swallow a person's next press.
  public static let debounceMax: Duration = .milliseconds(500)
  /// Edges without a rest that no contact makes.
  public static let bouncesMax = 200
  /// A contact that has not come to rest by then is broken, or its wire is loose.
  public static let bouncingMax: Duration = .milliseconds(500)
  /// A broken contact is listened to again after this.
  public static let chatterPause: Duration = .seconds(30)
  /// Shorter is a slow press.
  public static let holdDefault: Duration = .milliseconds(800)
  /// From one press of a double to the next, as on any desk.
  public static let multiplePressDefault: Duration = .milliseconds(400)
  /// As on a keyboard.
  public static let repeatAfterDefault: Duration = .milliseconds(500)
  /// As fast as a person can count along.
  public static let repeatEveryDefault: Duration = .milliseconds(250)
  /// A faster repeat would be a flood of messages.
  public static let repeatEveryMin: Duration = .milliseconds(50)
  /// Two fingers of one person come down within this.
  public static let chordWindow: Duration = .milliseconds(80)
  /// No gesture takes longer; more is a mistake in the unit.
  public static let gestureTimeMax: Duration = .seconds(30)
  /// Nobody waits longer for a second press.
  public static let confirmMax: Duration = .seconds(60)
  /// More is no lock.
  public static let lockAfterMax: Duration = .seconds(24 * 3600)
  /// Presses of a code.
  public static let codeLengthMax = 16
  /// A code that is not continued for so long is begun anew.
  public static let codePauseMax: Duration = .seconds(5)
  /// From this wrong code on each costs time.
  public static let codeAttemptsMax = 3
  /// The first wait; it doubles.
  public static let codeWaitMin: Duration = .seconds(30)
  /// The longest: the person who has forgotten it comes back after a coffee.
  public static let codeWaitMax: Duration = .seconds(900)
  /// Buttons of one panel: a header has 28 lines.
  public static let buttonsMax = 32
  /// Pairs of buttons.
  public static let chordsMax = 32
  /// Bytes of a button's or a line's name; the kernel's own limit for a line is 31.
  public static let lineNameSizeMax = 63
  /// Missing lines are tried again after this, and then ever later.
  public static let panelRetryMin: Duration = .seconds(1)
  /// A line that comes back works within this.
  public static let panelRetryMax: Duration = .seconds(30)
  /// Steps of a light's pattern, as written.
  public static let patternStepsMax = 32
  /// Milliseconds of one step: faster is not seen, slower is not waited for.
  public static let patternStepMilliseconds: ClosedRange<Int64> = 20...60_000
  /// Milliseconds that a moment may cover what lasts.
  public static let momentMillisecondsMax: Int64 = 10_000

  // MARK: Clock
  /// The first second of 2026: before this was written.
  ///
  /// A wall clock that shows less was never set.
  public static let wallClockFloorUnixSeconds: Int64 = 1_767_225_600
  // MARK: The store
  /// The tool writes a secret in milliseconds; an SD card may stall for seconds while it does.
  public static let storeBusyTimeout: Duration = .seconds(5)
  /// Bytes of SQLite's page cache: the window is read once and in order, so that more would only cost memory.
  public static let storeCacheSizeMax = 256 * 1024
  /// Bytes of the write-ahead log that are kept for the next time; what a burst needed beyond is given back.
  public static let storeLogSizeMax = 4 * 1024 * 1024
  /// Bytes of the write-ahead log that a running kiosk has ahead of use: a quarter of the above, written within a tenth of a second.
  public static let storeLogRoom: Int64 = 1024 * 1024
  /// Pages of 4 KB in the log from which on it is begun anew in the next pause: some thirty taps, and room for one more.
  public static let storeLogPagesKept = 200
  /// Pages from which on it is not left for a pause: SQLite's own figure.
  public static let storeLogPagesMax = 1000
  /// Bytes of a database that is looked through at the start: a few hundredths of a second on an SD card.
  public static let storeCheckSizeMax: Int64 = 8 * 1024 * 1024
  /// Entries that wait for their commit.
  ///
  /// A thousand taps within one sync of a slow card is no person's doing.
  public static let storeAppendsMax = 1024
  /// Entries whose place in the database is remembered: what the kiosk holds in memory, several times over.
  public static let storePlacesMax = 1024
  /// Entries that are reported as expired, and then removed, in one go: as many as are held in memory anyway.
  public static let storeExpireMax = outboxWindow
  /// Entries that a person drops, or looks at, in one go.
  public static let storeDropMax = 512
  /// A million entries are dropped within this.
  public static let outboxDropMax: Duration = .seconds(120)
  /// How far the wall clock may move against the monotonic one before the store notes it.
  public static let storeClockDriftMax: Duration = .seconds(1)
  /// A clock of an earlier start that was ahead of today's good one by more was wrong.
  public static let storeClockAheadMax: Duration = .seconds(60)
  /// Bytes of stack: SQLite needs a few tens of kilobytes.
  public static let storeThreadStackSize = 256 * 1024

  /// Days before its end at which a certificate is to be renewed.
  public static let certificateWarningDays: Int64 = 14

  // MARK: The panel's lines
  /// Lines of one chip that are looked at; the largest expander chains have a few hundred.
  public static let gpioLinesPerChipMax: UInt32 = 1024
  /// Bytes of a profile: two headers of 46 pins are 6 KB.
  public static let profileSizeMax = 64 * 1024
  /// Pins of one header.
  public static let profilePinsMax = 128
  /// Bytes of one word in a profile; the header's drawing has a column for it.
  public static let profileWordSizeMax = 48
  /// Bytes of a file in sysfs: triggers are a list that fills a page on some kernels.
  public static let sysfsFileSizeMax = 64 * 1024
  /// ENOTSUPP, an errno that the kernel's drivers let slip and no header of user space has.
  public static let kernelNotSupported: Int32 = 524

  // MARK: Secrets
  /// Rows of the audit that are kept; a person who provisions a kiosk all day writes a hundred.
  public static let auditRowsMax: Int64 = 1000
  /// Rows in one answer of the control socket, so that it fits `controlReplySizeMax` whatever the labels are.
  public static let secretsPerAnswerMax = 50
  /// Bytes of a sealed value that is no tag's secret: the longest timestamp key, a tag's password.
  public static let sealedValueSizeMax = 64
  /// A shared code is taken off the screen after this: long enough to hold a phone to it.
  public static let shareDisplayTime: Duration = .seconds(60)
  /// Pixels of one module in a picture of a code: large enough to be read from a screen.
  public static let qrCodeScale = 8
  /// Bytes that are read of what zbarimg finds in a picture: a few codes.
  public static let scannedTextSizeMax = 16 * 1024
  /// A photo of many megapixels takes a small board some seconds.
  public static let scanTimeout: Duration = .seconds(60)
  /// Bytes of a backup: a thousand secrets, with their labels.
  public static let backupSizeMax = 1024 * 1024
  /// Requests about secrets that wait for the disk.
  public static let secretRequestsMax = 16

  // MARK: Inside the process
  /// Events taken from the kernel at once; the rest comes with the next turn.
  public static let reactorEventsPerTurn = 32
  /// Values in a mailbox.
  ///
  /// A burst of acknowledgements is `inflightMax`; the rest is taps, and nobody taps so fast.
  public static let mailboxCapacity = 1024
  /// What the reactor's mailbox holds: twice what the store takes at once, one lot at work and one behind it, and their like
  /// from the link.
  public static let noticesMax = 4 * storeAppendsMax
  /// Bytes of one word from a virtual panel.
  public static let panelMessageSizeMax = 256
  /// Clients on the control socket are let wait for so long when there are no descriptors.
  public static let controlPause: Duration = .seconds(1)
  /// Clients on the control socket.
  public static let controlClientsMax = 16
  /// Bytes of one control request.
  public static let controlRequestSizeMax = 8 * 1024
  /// Bytes of one control reply: a status with its taps, or the largest tag's memory in hex.
  public static let controlReplySizeMax = 64 * 1024
  /// What a person can take in at a glance.
  public static let viewTapsMax = 12
  /// While the kernel calls the clock unsynchronised it is asked again so often; it tells nobody when that changes.
  public static let clockCheckInterval: Duration = .seconds(2)
  /// Bytes of a configuration file: fifty actions are ten kilobytes.
  public static let configurationSizeMax = 1024 * 1024
  /// Bytes of a key file: 64 digits and a line end, with room for a mistake that can be named.
  public static let keyFileSizeMax = 256
  /// Bytes of a client id; it is part of the status topic.
  public static let clientIDSizeMax = 128
  /// YAML nodes, aliases expanded: an anchor cannot explode.
  public static let configurationNodesMax = 20_000
  /// Mistakes that are told one by one; a person mends the first and looks again.
  public static let configurationProblemsMax = 50
  /// Bytes of a socket's path (`sun_path` without its NUL).
  public static let socketPathSizeMax = 107
  /// Bytes of libnfc's connection string (NFC_BUFSIZE_CONNSTRING without its NUL).
  public static let readerDeviceSizeMax = 1023
  /// Levels of nesting in a configuration file.
  public static let configurationDepthMax = 16

  // MARK: The simulator
  /// Lights that the virtual panel remembers; a test clears them between its steps.
  public static let simulatorLightsMax = 10_000
  /// Outputs of the virtual panel; a kiosk has six.
  public static let simulatorOutputsMax = 32
  /// Bytes of one line on the simulator's control socket: an NTAG216's memory in hexadecimal many times over.
  public static let simulatorLineSizeMax = 64 * 1024
  /// Clients on the simulator's control socket.
  public static let simulatorClientsMax = 32
}
