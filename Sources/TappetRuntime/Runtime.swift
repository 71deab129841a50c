// Performs the kiosk's effects and feeds it events. It decides nothing: one loop, one switch.
//
// One thread owns all of it. The store's and the broker's threads only post into `mailbox`, which wakes the reactor.

import CPlatform
import TappetCore
import TappetDevices

/// Why a kiosk could not start.
public indirect enum RuntimeError: Error {
  case system(SystemError)
  case vault(VaultError)
  /// Another kiosk runs on this state folder.
  case stateInUse(folder: String)
  case control(path: String, SystemError)
  case lightTrace(path: String, SystemError)
  case noRandomness
}

/// A running kiosk: the core, its devices, and the reactor between them.
public final class Runtime {
  /// What other threads tell.
  enum Notice: Sendable {
    case store(StoreEvent)
    case link(LinkEvent)
    case recovered(StoreRecovery)
    case secrets(SecretThread.Reply)
  }

  /// While this is there, no other kiosk starts on the state folder.
  private let lock: KioskLock
  /// What is in force, until it is read anew.
  var configuration: Configuration
  let reactor: Reactor
  var kiosk: Kiosk
  var journal = Journal()
  var view: KioskView
  private let clock = SystemClock()
  private let clockWatch: ClockWatch
  private let mailbox: Mailbox<Notice>
  let storeThread: StoreThread
  let secretThread: SecretThread
  let broker: BrokerLink
  var reader: ReaderProcess?
  /// When the reader, or what looks after it, was last seen to do something.
  var readerSignAt = Instant(nanoseconds: 0)
  var panel: RuntimePanel
  let trace: LightTrace?
  /// The light that was shown last.
  var light: Light?
  /// The board's pins, as they were read last.
  var profile: BoardProfile?
  private(set) var control: ControlServer?
  var waiting: [Event] = []
  var isHandling = false
  private var isClockSynchronised = false
  private var clockCheckDue: Instant?
  /// The service manager, when `run` was started by one.
  var serviceManager: ServiceManager?
  var watchdogDue: Instant?
  var certificatesDue: Instant?
  /// Of the certificates that the link was told of last.
  var certificateDigest: [UInt8]
  /// Reads the configuration anew at SIGHUP; nil: there is no file.
  public var loadConfiguration: (() -> ConfigFile.Outcome)?
  /// Those who asked for something to be dropped, in order.
  var outboxAskers: [OutboxAsker] = []
  /// Called after each event with what has changed, for a live view.
  public var onChange: ((KioskView) -> Void)?
  /// Called with each report's line, in place of the journal when it is set.
  public var onLine: ((Line) -> Void)?
  /// Called with each report, before its line.
  public var onReport: ((Report, Line) -> Void)?
  /// Called with each light.
  public var onLight: ((Light) -> Void)?
  /// Whether the kiosk has come to rest.
  public private(set) var isFinished = false
  /// Jobs for tags, and who waits for one.
  var tagDesk = TagDesk()
  /// How often the secrets were loaded here: an answer that was begun before brings older ones.
  var secretLoads = 0
  /// Secrets of the program around us, beside those of the store.
  let ownSecrets: [TagSecret]
  /// Why the secrets' copy could not be brought up to date at the start.
  private let copyTrouble: StoreError?

  /// Opens the store, the sockets and the threads; nothing runs before `run()` or `start()`.
  ///
  /// When it throws, nothing stays open.
  public convenience init(
    _ configuration: Configuration, lightTracePath: String? = nil, ownSecrets: [TagSecret] = []
  ) throws(RuntimeError) {
    self.init(try RuntimeParts.open(configuration, lightTracePath: lightTracePath), ownSecrets: ownSecrets)
  }

  private init(_ parts: RuntimeParts, ownSecrets: [TagSecret]) {
    configuration = parts.configuration
    self.ownSecrets = ownSecrets
    lock = parts.lock
    trace = parts.trace
    reactor = parts.reactor
    clockWatch = parts.clockWatch
    mailbox = parts.mailbox
    secretThread = parts.secretThread
    storeThread = parts.storeThread
    broker = parts.broker
    panel = parts.panel
    kiosk = Kiosk(settings: KioskSettings(parts.configuration), seed: parts.seed, at: parts.openedAt.instant)
    view = KioskView(parts.configuration, startedAt: parts.openedAt)
    certificateDigest = Certificates.digest(parts.configuration.broker)
    waiting = [.started(parts.summary), .secretsLoaded(parts.secrets + ownSecrets)]
    copyTrouble = parts.copyTrouble
  }

  /// Runs until the kiosk is told to stop and has come to rest.
  ///
  /// SIGTERM and SIGINT stop it; twice: at once.
  public func run() throws(RuntimeError) {
    do throws(SystemError) {
      try reactor.watchSignals([SIGTERM, SIGINT, SIGHUP]) { [unowned(unsafe) self] in self.signalled($0) }
    } catch { throw .system(error) }
    try start()
    defer { close() }
    try begin()
    beginSupervision()
    while !isFinished { try dispatch(timeout: nil) }
  }

  /// Opens the sockets, in a program with a loop of its own.
  ///
  /// It calls `begin` then, `dispatch` whenever `fileDescriptor` is readable, and `close` at the end. Signals are left alone.
  public func start() throws(RuntimeError) {
    do throws(SystemError) { try watchEverything() } catch { throw .system(error) }
    let path = configuration.controlSocket
    do throws(SystemError) {
      control = try ControlServer(listener: LocalSocket.listen(at: path), reactor: reactor) { [unowned(unsafe) self] in
        self.answer($0, from: $1)
      }
      control?.onGone = { [unowned(unsafe) self] in self.tagClientGone($0) }
    } catch { throw .control(path: path, error) }
  }

  /// The first events.
  public func begin() throws(RuntimeError) {
    if let copyTrouble { say(Line(copyTrouble: copyTrouble)) }
    checkClock()
    checkCertificates()
    handleWaiting()
    profile = loadProfile()
    do throws(SystemError) { try openPanel() } catch { throw .system(error) }
  }

  /// Readable when `dispatch` has something to do.
  public var fileDescriptor: Int32 { reactor.fileDescriptor }

  /// Does what is to be done; waits for it for at most `timeout`, nil: as long as it takes.
  public func dispatch(timeout: Duration?) throws(RuntimeError) {
    do throws(SystemError) { try reactor.turn(timeout: timeout) } catch { throw .system(error) }
  }

  /// Darkens the panel, ends the threads, and waits for that.
  ///
  /// Once.
  public func close() {
    panel.close()
    broker.shutdown()
    secretThread.stop()
    storeThread.stop()
  }

  /// A button that is not on the panel asks for an action; the lock and the question count for it too.
  public func press(action: String) { feed(.panel(.asked(action: action))) }

  /// Asks for an end; a second time: at once.
  public func stop() { feed(.stopRequested) }

  /// How many taps and presses came to what, and how many entries wait.
  public var counts: (counters: Counters, waiting: Int) { (kiosk.counters, kiosk.outboxCount) }

  /// Calls `handler` when `fileDescriptor` has something to read; before `run`.
  public func watch(_ fileDescriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) {
    try reactor.watch(fileDescriptor, for: .readable) { _ in handler() }
  }

  /// Forgets a descriptor.
  public func unwatch(_ fileDescriptor: Int32) { reactor.unwatch(fileDescriptor) }

  private func watchEverything() throws(SystemError) {
    reactor.onTimer = { [unowned(unsafe) self] in self.timerFired() }
    try reactor.watch(mailbox.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.drainMailbox() }
    try reactor.watch(clockWatch.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in
      _ = try? self.clockWatch.acknowledge()
      self.checkClock(hasStepped: true)
      self.handleWaiting()
    }
  }

  // MARK: Events

  /// Handles `event` and everything that follows from it.
  func feed(_ event: Event) {
    waiting.append(event)
    handleWaiting()
  }

  func handleWaiting() {
    guard !isHandling else { return }
    isHandling = true
    var next = 0
    while next < waiting.count {
      let event = waiting[next]
      next += 1
      let now = clock.now()
      let effects = kiosk.handle(event, at: now)
      // The broker's thread sends while this one shows; nobody waits for words; and nothing is forgotten that is not told.
      for case .publish(let entry, let unixSeconds) in effects { publish(entry, unixSeconds: unixSeconds) }
      for effect in effects { perform(effect, at: now) }
      for case .report(let report) in effects { tell(report, at: now) }
      for case .forget(let ids) in effects { storeThread.submit(.remove(ids)) }
    }
    waiting.removeAll(keepingCapacity: true)
    isHandling = false
    view.counters = kiosk.counters
    view.outboxCount = kiosk.outboxCount
    setTimer()
    tellStatus()
    onChange?(view)
  }

  /// `inout` although nothing changes: the whole kiosk would be copied for the question.
  private static func nextDeadline(of kiosk: inout Kiosk, at now: Moment) -> Instant? { kiosk.nextDeadline(at: now) }

  private func setTimer() {
    var deadline = Self.nextDeadline(of: &kiosk, at: clock.now())
    for other in [clockCheckDue, watchdogDue, certificatesDue] {
      if let other, other < deadline ?? Instant(nanoseconds: .max) { deadline = other }
    }
    reactor.setTimer(at: deadline)
  }

  private func timerFired() {
    let now = clock.now().instant
    if let clockCheckDue, clockCheckDue <= now { checkClock() }
    if let certificatesDue, certificatesDue <= now { checkCertificates() }
    if let watchdogDue, watchdogDue <= now { feedWatchdog() }
    feed(.timerFired)
  }

  private func drainMailbox() {
    for notice in mailbox.drain() {
      switch notice {
      case .store(let event):
        noteOutbox(event)
        waiting.append(.store(event))
      case .link(let event):
        waiting.append(.link(event))
        // It has read them anew.
        if case .connected = event { checkCertificates() }
      case .recovered(let recovery): recovered(recovery)
      case .secrets(let reply): take(reply)
      }
    }
    handleWaiting()
  }

  /// What became of a damaged database.
  private func recovered(_ recovery: StoreRecovery) {
    say(Line(recovery))
    // Shown like other trouble of the disk's, until a write proves the new one.
    waiting.append(.store(.checkFailed(.corrupt)))
  }

  /// Asks the kernel.
  ///
  /// While it says no, it is asked again now and then: it tells nobody when it changes its mind.
  func checkClock(hasStepped: Bool = false) {
    let isSynchronised = clock.isSynchronised()
    let mayChange = !isSynchronised && configuration.checksClock
    clockCheckDue = mayChange ? clock.now().instant + Limits.clockCheckInterval : nil
    if hasStepped || isSynchronised != isClockSynchronised || view.clockIsGood == nil {
      waiting.append(.clockChecked(isSynchronised: isSynchronised))
    }
    isClockSynchronised = isSynchronised
    view.clockIsGood = isSynchronised || !configuration.checksClock
  }

  /// The time now, for what is not an event's.
  func now() -> Moment { clock.now() }

  private func signalled(_ number: Int32) {
    guard number != SIGHUP else { return reload() }
    serviceManager?.stopping()
    feed(.stopRequested)
  }

  // MARK: Effects

  /// All but messages, which come before the rest, and what comes after it.
  private func perform(_ effect: Effect, at now: Moment) {
    switch effect {
    case .startReader: startReader()
    case .killReader: reader?.kill()
    case .stopReader: reader?.stop()
    case .connect(let endpoint): broker.connect(endpoint: endpoint)
    case .disconnect: broker.disconnect()
    case .store(let entry): storeThread.submit(.append(entry))
    case .fetch(let after, let limit, let clockIsGood):
      storeThread.submit(.fetch(after: after, limit: limit, clockIsGood: clockIsGood))
    case .fetchExpired(let clockIsGood, let spared):
      storeThread.submit(.fetchExpired(now, clockIsGood: clockIsGood, sparing: spared))
    case .drop(let id, let spared): storeThread.submit(.drop(id, sparing: spared))
    case .checkStore: storeThread.submit(.check)
    case .noteSecretUse(let id, let unixSeconds):
      storeThread.submit(.noteSecretUse(id: id, unixSeconds: unixSeconds))
    case .light(let light): show(light, at: now.instant)
    case .retryPanel: panel.retry()
    case .pauseButton(let button): panel.pause(button)
    case .resumeButton(let button): panel.resume(button)
    case .publish, .report, .forget: break
    case .finish: isFinished = true
    }
  }

  private func publish(_ entry: OutboxEntry, unixSeconds: Int64) {
    var token: String?
    if entry.message.usesTimestamp {
      // The key of the time when it was accepted may be gone from the configuration.
      token = configuration.timestampKey.flatMap { try? TimestampToken.seal(unixSeconds: unixSeconds, key: $0) }
      guard token != nil else { return waiting.append(.fillFailed(entry.id)) }
    }
    broker.publish(
      id: entry.id, topic: entry.topic, payload: entry.message.fill(token: token, id: entry.id),
      isRetained: entry.isRetained)
  }

  private func show(_ light: Light, at now: Instant) {
    view.show(light)
    self.light = light
    panel.show(light, at: now)
    onLight?(light)
    control?.broadcast(.object(["light": .string(light.name), "at_ns": .number(now.nanoseconds)]))
  }

  private func tell(_ report: Report, at now: Moment) {
    let line = Line(report, configuration)
    view.note(report, line, counters: kiosk.counters, outboxCount: kiosk.outboxCount, at: now)
    onReport?(report, line)
    say(line)
  }

  func say(_ line: Line) {
    if let onLine { onLine(line) } else { journal.write(line.priority, line.sentence, line.fields) }
    control?.broadcast(line.json)
  }
}
