// Performs the core's effects and feeds events to the core. It makes no decisions: one loop, one switch.
//
// Everything here belongs to one thread. The store and broker threads only post to the inbox, which wakes the reactor.

import CPlatform
import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore
import TappetTLS

/// A running kiosk: the core, its devices, and the reactor that connects them.
package final class Runtime {
  /// A notice posted by another thread.
  enum Notice: Sendable {
    case store(StoreEvent)
    case link(LinkEvent)
    case reception(LinkReception, at: Instant)
    case recovered(StoreRecovery)
    case secrets(SecretNotice)
  }

  /// The active configuration.
  var configuration: KioskConfiguration
  var kiosk: Kiosk
  let reactor: Reactor
  let inbox: Inbox
  let store: StoreHost
  /// The link to the broker; `nil` until a broker is configured.
  var broker: BrokerLink?
  let clock: ClockMonitor
  var certificates: CertificateMonitor
  let helpers = Helpers()
  var panel: RuntimePanel
  var announced: AnnouncedTopics
  var control = ControlHost()
  var page: PageHost
  let supervisor = Supervisor()
  /// The observers, including the log, and the last taps.
  package var observers: KioskObservers

  /// Opens the store and creates the broker link and the threads; no event is handled before `run()` or `start()`.
  ///
  /// If it throws, nothing stays open.
  @export(interface)
  package convenience init(
    _ configuration: KioskConfiguration, lightTracePath: String? = nil, ownSecrets: [TagSecret] = []
  ) throws(RuntimeError) {
    self.init(try RuntimeParts.open(configuration, lightTracePath: lightTracePath, ownSecrets: ownSecrets))
  }

  /// Lets a tag that is on the reader at the start act, because a person holds it there; must precede `start`.
  package func expectTap() { kiosk.expectTap() }

  private init(_ parts: RuntimeParts) {
    configuration = parts.configuration
    reactor = parts.reactor
    inbox = Inbox(parts.mailbox)
    clock = parts.clock
    store = parts.store
    broker = parts.broker
    panel = parts.panel
    announced = parts.announced
    kiosk = Kiosk(settings: parts.settings, seed: parts.seed, at: parts.openedAt.instant)
    certificates = CertificateMonitor(parts.configuration.broker)
    observers = KioskObservers(startedAt: parts.openedAt.instant)
    page = PageHost(startedAt: parts.openedAt.instant)
    inbox.append(.started(parts.summary))
    inbox.append(.secretsLoaded(parts.secrets + store.ownSecrets))
    if !parts.learnedTags.isEmpty { inbox.append(.tagsLearned(parts.learnedTags)) }
  }

  /// Runs until the kiosk is stopped and has finished its work.
  ///
  /// SIGTERM and SIGINT stop the kiosk; a second signal ends it immediately.
  @export(interface)
  package func run() throws(RuntimeError) {
    do throws(SystemError) {
      try reactor.watchSignals([SIGTERM, SIGINT, SIGHUP], calling(self) { $0.signalled($1) })
    } catch { throw .system(error) }
    for warning in configuration.warnings {
      log(LogRecord(.warning, "file-unusable", warning.sentence, [("code", warning.kind.code)]))
    }
    try start()
    defer { close() }
    try begin()
    helpers.reader.recordSign()
    supervisor.begin(at: now().instant)
    supervisor.report(kiosk.status, configuration)
    requestHeartbeats()
    while !isFinished { try dispatch(timeout: nil) }
  }

  /// Opens the sockets, for a program with its own event loop.
  ///
  /// The program then calls `begin`, `dispatch` whenever `fileDescriptor` is readable, and `close` at the end. Signals
  /// are not handled.
  @export(interface)
  package func start() throws(RuntimeError) {
    do throws(SystemError) { try watchEverything() } catch { throw .system(error) }
    let path = configuration.controlSocket
    do throws(SystemError) {
      control.server = try ControlServer(
        listener: UnixSocket.listen(at: path), reactor: reactor, isRefused: calling(self) { $0.refuses($1) },
        answer: calling(self) { $0.answer($1, from: $2) })
      control.server?.onGone = calling(self) { $0.cancelTagJob(of: $1) }
    } catch { throw ControlServer.failure(at: path, error) }
    openPage()
  }

  /// Handles the first events and opens the panel.
  @export(interface)
  package func begin() throws(RuntimeError) {
    if let replicaError = store.replicaError { log(LogRecord(replicaError: replicaError)) }
    checkClock()
    checkCertificates()
    handleWaiting()
    do throws(SystemError) { try openPanel(loadProfile()) } catch { throw .system(error) }
  }

  /// File descriptor that is readable when `dispatch` has pending work.
  package var fileDescriptor: Int32 { reactor.fileDescriptor }

  /// Waits for events for at most `timeout` and handles them; `nil` waits indefinitely.
  package func dispatch(timeout: Duration?) throws(RuntimeError) {
    do throws(SystemError) { try reactor.turn(timeout: timeout) } catch { throw .system(error) }
  }

  /// Turns off the panel, stops the threads and waits for them to end.
  ///
  /// Must be called only once.
  @export(interface)
  package func close() {
    panel.close()
    broker?.shutdown()
    store.thread.stop()
  }

  /// Requests an action like a press of a button that is not on the panel; the panel's lock and the action's
  /// confirmation apply, and a request made at `time`, too long ago, is refused.
  package func press(action: String, at time: Instant) { feed(.panel(.asked(action: action, at: time))) }

  /// Stops the kiosk; a second call ends it immediately.
  package func stop() { feed(.stopRequested) }

  /// Numbers of taps and presses by outcome, and number of pending entries.
  package var counts: (counters: Counters, waiting: Int) { (kiosk.counters, kiosk.outboxCount) }

  /// Calls `handler` whenever `fileDescriptor` is readable, as long as the returned value exists.
  ///
  /// Must be called before `run`; `handler` must not retain the runtime.
  package func watch(_ fileDescriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> Watch {
    try reactor.watch(fileDescriptor, for: .readable) { _ in handler() }
  }

  private func watchEverything() throws(SystemError) {
    reactor.onTimer = calling(self) { $0.timerFired() }
    helpers.reader.onNotice = calling(self) { $0.readerChanged($1) }
    helpers.webhooks.onEvent = calling(self) { $0.feed(.webhook($1)) }
    helpers.inventory.onNotice = calling(self) { $0.inventoryChanged($1) }
    helpers.rooms.onNotice = calling(self) { $0.roomsChanged($1) }
    try inbox.open(reactor, calling(self) { $0.received($1) })
    try clock.open(
      reactor,
      onStep: calling(self) { runtime in
        runtime.checkClock(hasStepped: true)
        runtime.handleWaiting()
      })
  }

  // MARK: Events

  /// Handles `event` and all events that result from it.
  func feed(_ event: Event) {
    inbox.append(event)
    handleWaiting()
  }

  /// Handles the pending events, unless this is already in progress.
  @export(interface)
  func handleWaiting() {
    guard inbox.beginHandling() else { return }
    while let event = inbox.next() {
      let now = now()
      for effect in kiosk.handle(event, at: now) { perform(effect, at: now) }
    }
    inbox.endHandling()
    showPage()
    setTimer()
    supervisor.report(kiosk.status, configuration)
    showView()
  }

  /// Current snapshot of the kiosk.
  package var view: KioskView { KioskView(self, at: now()) }

  /// Passes the current snapshot to the observer.
  func showView() {
    if let onChange = observers.onChange { onChange(view) }
  }

  /// Whether the kiosk has finished its work after a stop.
  package var isFinished: Bool { inbox.isFinished }

  /// Returns the next deadline; `kiosk` is `inout`, although it is not modified, to avoid a copy of the whole kiosk.
  private static func nextDeadline(of kiosk: inout Kiosk, at now: Moment) -> Instant? { kiosk.nextDeadline(at: now) }

  private func setTimer() {
    var deadline = Self.nextDeadline(of: &kiosk, at: now())
    for other in [clock.deadline, supervisor.deadline, certificates.deadline, page.deadline, helpers.stock.deadline] {
      if let other, other < deadline ?? Instant(nanoseconds: .max) { deadline = other }
    }
    reactor.setTimer(at: deadline)
  }

  private func timerFired() {
    let now = now().instant
    if let due = clock.deadline, due <= now { checkClock() }
    if let due = certificates.deadline, due <= now { checkCertificates() }
    if let due = supervisor.deadline, due <= now { feedWatchdog() }
    helpers.stock.timerFired(at: now)
    panel.readEdges(until: now)
    feed(.timerFired)
  }

  /// Handles notices posted by other threads.
  private func received(_ notices: [Notice]) {
    for notice in notices {
      switch notice {
      case .store(let event):
        recordOutbox(event)
        inbox.append(.store(event))
      case .link(let event):
        inbox.append(.link(event))
        // The certificate files were read again for this connection.
        if case .connected = event {
          checkCertificates()
          observers.onConnected?()
        }
      case .reception(let reception, let time): receive(reception, at: time)
      case .recovered(let recovery):
        log(LogRecord(recovery))
        // Shown like any disk fault until a write to the new database succeeds.
        inbox.append(.store(.checkFailed(.corrupt)))
      case .secrets(let notice): handle(notice)
      }
    }
    handleWaiting()
  }

  private func readerChanged(_ notice: ReaderHost.Notice) {
    switch notice {
    case .message(let message, let sentAt): feed(.reader(message, sentAt: sentAt))
    case .malformed(let error): feed(.readerMalformed(error))
    case .ended(let end): feed(.readerEnded(end))
    }
  }

  /// Checks whether the clock is reliable.
  func checkClock(hasStepped: Bool = false) {
    let wasBehind = clock.secondsBehind != nil
    if let event = clock.check(trusting: !configuration.checksClock, hasStepped: hasStepped) { inbox.append(event) }
    if let time = clock.takeNote() { store.thread.submit(.recordTime(unixSeconds: time)) }
    if let behind = clock.secondsBehind, !wasBehind { log(LogRecord(clockBehind: behind)) }
  }

  /// Inspects the certificate files.
  func checkCertificates() {
    let clockIsGood = clock.isGood(trusting: !configuration.checksClock)
    inbox.append(certificates.check(configuration.broker, clockIsGood: clockIsGood, at: now()))
  }

  /// Returns the current time, for use if no event supplies the time.
  func now() -> Moment { SystemClock().now() }

  private func signalled(_ number: Int32) {
    guard number != SIGHUP else { return reload() }
    supervisor.stopping()
    feed(.stopRequested)
  }

  // MARK: Progress

  /// Feeds the watchdog while everything makes progress; the reactor proves its own progress by calling this method.
  ///
  /// An unreachable broker does not justify a restart; a hung thread does.
  private func feedWatchdog() {
    let moment = now()
    let now = moment.instant
    // The core tracks overdue replies to requests that are always answered.
    let isAlive =
      now - helpers.reader.lastSign < Limits.readerSignMax && (broker?.heartbeat.isAlive(at: now) ?? true)
      && store.thread.heartbeat.isAlive(at: now) && !kiosk.isStuck(at: moment)
    supervisor.feed(isAlive: isAlive, at: now)
    requestHeartbeats()
  }

  private func requestHeartbeats() {
    guard supervisor.wantsHeartbeats else { return }
    broker?.requestHeartbeat()
    store.thread.requestHeartbeat()
  }

  // MARK: Effects

  private func perform(_ effect: Effect, at now: Moment) {
    switch effect {
    case .start(let helper): start(helper)
    case .stop(let helper): helpers.stop(helper)
    case .kill(let helper): helpers.kill(helper)
    case .connect(let endpoint, let mqtt5): broker?.connect(endpoint: endpoint, mqtt5: mqtt5)
    case .recordFallback(let endpoint, let until):
      guard let url = endpointURL(endpoint) else { return }
      store.thread.submit(.recordFallback(url: url, untilUnixSeconds: until))
    case .recordBroker(let endpoint):
      guard let url = endpointURL(endpoint) else { return }
      store.thread.submit(.recordBroker(url: url))
    case .disconnect: broker?.disconnect()
    case .store(let request):
      page.record(request)
      store.thread.submit(request)
    case .applySite(let bundle): apply(bundle)
    case .light(let light): show(light, at: now.instant)
    case .setOutput(let index, let isOn): panel.set(output: index, isOn: isOn)
    case .reply(let reply): send(reply, at: now)
    case .serve(let address, let user): serve(address, by: user)
    case .announce(let announcement): publish(announcement, at: now)
    case .retryPanel: panel.retry()
    case .pauseButton(let button): panel.pause(button)
    case .resumeButton(let button): panel.resume(button)
    case .publish(let entry, let unixSeconds): publish(entry, unixSeconds: unixSeconds)
    case .orderInventory(let order): helpers.inventory.send(order.encode())
    case .tagJob(let step): perform(step)
    case .showTag(let sighting): show(sighting)
    case .pollRooms: helpers.rooms.send(RoomOrder.poll(position: kiosk.roomPosition).encode())
    case .joinRoom(let room): helpers.rooms.send(RoomOrder.join(room: room).encode())
    case .cancelWill: helpers.rooms.send(RoomOrder.cancelWill.encode())
    case .askRoom(let question): ask(question)
    case .endQuestion(let number, let end): helpers.rooms.send(RoomOrder.close(number: number, text: end.text).encode())
    case .post(let entry, let room, let unixSeconds): post(entry, room: room, unixSeconds: unixSeconds)
    case .postEdit(let edit, let room): postEdit(edit, room: room)
    case .report(let report): tell(report, at: now)
    case .finish: inbox.isFinished = true
    }
  }

  private func start(_ helper: Helper) {
    switch helper {
    case .reader:
      do throws(SystemError) { try helpers.reader.start(device: configuration.reader?.device, reactor) } catch {
        inbox.append(.readerNotStarted(code: error.code))
      }
    case .webhooks: startWebhooks()
    case .inventory: startInventory()
    case .rooms: startRooms()
    }
  }

  private func publish(_ entry: OutboxEntry, unixSeconds: Int64) {
    guard let payload = filled(entry, unixSeconds: unixSeconds) else { return }
    broker?.publish(id: entry.id, topic: entry.topic, payload: payload, isRetained: entry.isRetained)
  }

  /// Returns the URL of the broker's endpoint with this index; `nil` if a reload has removed it.
  private func endpointURL(_ index: Int) -> String? {
    guard let endpoints = configuration.broker?.endpoints, endpoints.indices.contains(index) else { return nil }
    return endpoints[index].text
  }
}
