// The broker's thread: one poll over the command eventfd and libmosquitto's socket.
//
//   idle ── connect ──▶ connecting ── TCP ──▶ handshaking ── CONNACK 0 ──▶ up ── disconnect ──▶ closing ──▶ idle
//             ▲            │ next address        │                         │                      │
//             └────────────┴────── failed ───────┴───────── lost ──────────┴──── disconnected ────┘
//
// It sleeps without a timeout when idle, and otherwise until the next deadline: when up, that of the keepalive or of a
// PUBACK.

import CPlatform
import TappetCore
import TappetPlatform
import TappetTLS

/// The loop of a `BrokerLink`'s thread.
///
/// All state is confined to that thread; only `commands` is shared.
final class BrokerLinkLoop {
  enum Phase {
    case idle
    case connecting(BrokerLinkAttempt)
    case handshaking(BrokerLinkAttempt)
    case up
    case closing(status: Int32, until: Instant)
  }

  private let commands: Mailbox<Command>
  let heartbeat: Heartbeat
  var events: BrokerLinkEvents
  let receive: @Sendable (LinkReception) -> Void
  let observe: (@Sendable (LinkStep) -> Void)?
  let readsProperties: Bool
  var settings: BrokerSettings
  /// The settings of the current connection.
  var current: BrokerSettings
  var phase: Phase = .idle
  var session: BrokerLinkSession?
  var window: BrokerLinkWindow
  /// Subscribe requests waiting for a SUBACK, and unsubscribe requests waiting for an UNSUBACK.
  var requests: [(messageID: Int32, request: UInt64)] = []
  var keepalive = BrokerLinkKeepalive()
  var budget = InboundQuota()
  var commandFlow = CommandRateLimiter()
  var isEnding = false
  var status = BrokerLinkStatus()

  init(
    _ settings: BrokerSettings, window: Int, commands: Mailbox<Command>, heartbeat: Heartbeat,
    post: @escaping @Sendable (LinkEvent) -> Void,
    receive: @escaping @Sendable (LinkReception) -> Void, observe: (@Sendable (LinkStep) -> Void)? = nil,
    readsProperties: Bool = false
  ) {
    self.settings = settings
    self.window = BrokerLinkWindow(size: window)
    current = settings
    self.commands = commands
    self.heartbeat = heartbeat
    events = BrokerLinkEvents(to: post)
    self.receive = receive
    self.observe = observe
    self.readsProperties = readsProperties
  }

  var now: Instant { Instant.now() }

  /// Runs until `Command.shutdown` has been executed.
  func run() {
    while true {
      let ready = wait()
      if ready.hasCommands { for command in commands.drain() { execute(command) } }
      serve(ready.socket, ready.events)
      checkDeadlines()
      session?.flush()
      events.deliver()
      if isEnding, case .idle = phase { return }
    }
  }

  // MARK: Waiting

  /// Sleeps until a command arrives, the socket is ready, or a deadline passes.
  ///
  /// Returns the socket as it was before sleeping, and poll's result for it.
  private func wait() -> (hasCommands: Bool, socket: Int32, events: Readiness) {
    let socket = session?.socket ?? -1
    var interest: Interest = .readable
    switch phase {
    case .connecting: interest = .writable
    // Before CONNACK, libmosquitto's request to write is unreliable (always set in 2.0.20): see `Limits.handshakeTurn`.
    case .idle, .handshaking: break
    case .up, .closing: if session?.wantsWrite == true { interest.insert(.writable) }
    }
    let hasUnread = session?.hasUnread == true
    let ready = Poll.wait(
      [(commands.fileDescriptor, .readable), (socket, interest)],
      for: hasUnread ? .zero : nextDeadline.map { max(.zero, $0 - now) })
    return (!ready[0].isEmpty, socket, hasUnread ? ready[1].union(.readable) : ready[1])
  }

  private var nextDeadline: Instant? {
    switch phase {
    case .idle: return nil
    case .connecting(let attempt): return attempt.addressDeadline
    case .handshaking(let attempt): return min(attempt.deadline, now + Limits.handshakeTurn)
    case .up:
      return [keepalive.deadline, answerDeadline, status.deadline].compactMap { $0 }.min()
    case .closing(_, let until): return until
    }
  }

  /// Deadline for the broker's next PUBACK.
  private var answerDeadline: Instant? {
    window.deadline(receivedAt: keepalive.receivedAt, answerMax: current.answerMax)
  }

  // MARK: Commands

  private func execute(_ command: Command) {
    switch command {
    case .connect(let endpoint, let mqtt5):
      close()
      if case .closing = phase { sendDisconnect() }
      connect(endpoint: endpoint, mqtt5: mqtt5)
    case .publish(let id, let topic, let payload, let qos, let isRetained, let properties):
      guard case .up = phase else { return }
      payload.releaseReserve()
      publish(id: id, topic: topic, payload: payload.bytes, qos: qos, isRetained: isRetained, properties)
    case .subscribe(let request, let filter, let qos, let options):
      send(request, orReport: .subscribed(request: request, qos: nil)) {
        $0.subscribe(filter: filter, qos: qos, options)
      }
    case .unsubscribe(let request, let filter):
      send(request, orReport: .unsubscribed(request: request, isDone: false)) { $0.unsubscribe(filter: filter) }
    case .disconnect: close()
    case .update(let settings): (self.settings, status.withoutRetained, status.unwatched) = (settings, [], [])
    case .heartbeat: heartbeat.confirm()
    case .shutdown:
      isEnding = true
      close()
    }
  }

  func publish(
    id: EntryID?, topic: String, payload: UnsafeRawBufferPointer, qos: Int32, isRetained: Bool,
    _ properties: MessageProperties = MessageProperties()
  ) {
    guard let session else { return }
    let (outcome, messageID) = session.publish(
      topic: topic, payload: payload, qos: qos, isRetained: isRetained && current.keepsRetained, properties)
    let now = now
    keepalive.sent(at: now)
    budget.asked()
    if outcome.isSuccess, qos == 0 {
      if let id { events.post(.acknowledged(id)) }
    } else if outcome.isSuccess {
      window.took(messageID, id, at: now)
    } else if outcome.refusesMessage {
      if let id { events.post(.publishRefused(id, code: outcome.code)) }
    } else {
      ended(session, outcome, socketError: 0)
    }
  }

  /// Ends an attempt or a connection cleanly: immediately, or through `closing`.
  private func close() {
    switch phase {
    case .idle, .closing: break
    case .connecting, .handshaking: end(.disconnected)
    case .up:
      phase = .closing(status: 0, until: now + Limits.linkCloseMax)
      guard let session, current.announcesStatus else { return sendDisconnect() }
      let (outcome, messageID) = StaticString("offline").withBytes {
        session.publish(topic: statusTopic, payload: $0, qos: 1, isRetained: current.keepsRetained)
      }
      guard outcome.isSuccess else { return sendDisconnect() }
      phase = .closing(status: messageID, until: now + Limits.linkCloseMax)
    }
  }

  private func sendDisconnect() {
    _ = session?.disconnect()
    end(.disconnected)
  }

  // MARK: The socket

  private func serve(_ socket: Int32, _ events: Readiness) {
    // A command may have ended the session that poll watched.
    guard let session, session.socket == socket, socket >= 0 else { return }
    switch phase {
    case .idle: break
    case .connecting(let attempt):
      guard !events.isEmpty else { return }
      let code = BrokerLinkSocket.error(of: socket)
      guard code == 0 else { return tryNextAddress(of: attempt, after: .ofSocket(code, session, current)) }
      phase = .handshaking(attempt)
      observe?(.reached)
      // libmosquitto 2.0.11 continues the handshake only in a read.
      handshake(session, socket)
    case .handshaking: handshake(session, socket)
    case .up, .closing: exchange(session, events)
    }
  }

  /// Runs one turn of the handshake; reads and writes regardless of poll's result.
  private func handshake(_ session: BrokerLinkSession, _ socket: Int32) {
    let isAtEnd = BrokerLinkSocket.hasPeerClosed(socket)
    guard process(session, session.read(), socketError: 0) else { return }
    guard case .handshaking = phase else { return }
    // libmosquitto 2.0.11 mistakes a reset during the handshake for "try again".
    if isAtEnd { return ended(session, .init(code: 0, systemCode: 0), socketError: 0) }
    if session.wantsWrite { _ = process(session, session.write(), socketError: 0) }
  }

  private func exchange(_ session: BrokerLinkSession, _ events: Readiness) {
    let code = events.contains(.failed) ? BrokerLinkSocket.error(of: session.socket) : 0
    if !events.isDisjoint(with: [.readable, .hungUp, .failed]) {
      // Packets that have already arrived need no poll, and the responses to them are sent in one write.
      for _ in 0..<Limits.linkReadsPerTurn {
        let outcome = session.read()
        keepalive.received(at: now)
        guard process(session, outcome, socketError: code) else { return }
        if !session.hasUnread { break }
      }
    }
    if events.contains(.writable) {
      let outcome = session.write()
      keepalive.sent(at: now)
      _ = process(session, outcome, socketError: code)
    }
  }

  /// Processes the result of a libmosquitto call; returns false if the session has ended.
  private func process(
    _ session: BrokerLinkSession, _ outcome: BrokerLinkSession.Outcome, socketError: Int32
  ) -> Bool {
    if case .handshaking(let attempt) = phase, let connack = session.connack {
      let lacksQoS1 = current.needsQoS1 && connack.facts.maximumQoS == 0 || attempt.testsQoS0
      if let refusal = connack.refusal(attempt.version, lacksQoS1: lacksQoS1) {
        attemptFailed(refusal)
        return false
      }
      if let failure = attempt.failureOfMQTT5 { events.post(.didFallBack(failure)) }
      if attempt.findsMQTT5 { events.post(.foundMQTT5) }
      recordRetained(connack, attempt.endpoint)
      didConnect(connack, attempt.endpoint)
    }
    for acknowledgement in session.takeAcknowledgements() { handle(acknowledgement) }
    for grant in session.takeGrants() {
      guard let request = takeRequest(grant.messageID), request != BrokerLinkStatus.request else { continue }
      receive(grant.answer(to: request))
    }
    for messageID in session.takeEndedSubscriptions() {
      if let request = takeRequest(messageID) { receive(.unsubscribed(request: request, isDone: true)) }
    }
    let received = session.takeMessages()
    // libmosquitto has responded to these within the read.
    if received.contains(where: { $0.qos > 0 }) { keepalive.sent(at: now) }
    let (messages, discardedCount) = (withoutStatus(received), session.takeDiscardedCount())
    // Handling the acknowledgements may have disconnected and ended the session.
    guard self.session === session else { return false }
    guard wasAsked(messages, discardedCount),
      budget.hasSubscribed || !budget.isExceeded(by: session.receivedSize, at: now)
    else {
      ended(for: .sentUnasked)
      return false
    }
    for _ in 0..<discardedCount { receive(.discarded) }
    pass(messages)
    if outcome.isSuccess, session.socket >= 0 { return true }
    ended(session, outcome, socketError: socketError)
    return false
  }

  private func didConnect(_ connack: BrokerLinkSession.Connack, _ endpoint: BrokerEndpoint) {
    phase = .up
    session?.beginBuffering()
    let interval = Duration.seconds(Int64(connack.facts.keepaliveSeconds ?? current.keepaliveSeconds))
    keepalive = BrokerLinkKeepalive(interval: interval, answerMax: current.answerMax, at: now)
    events.post(.connected(sessionPresent: connack.sessionPresent))
    // Subscribes before publishing `online`, because senders may then expect their commands to be received.
    subscribeToCommands()
    announceStatus(to: endpoint)
  }

  private func handle(_ acknowledgement: BrokerLinkSession.Acknowledgement) {
    if case .closing(let status, _) = phase, status == acknowledgement.messageID { return sendDisconnect() }
    guard let id = window.acknowledged(acknowledgement.messageID, at: now) else { return }
    events.post(acknowledgement.event(of: id))
  }

  // MARK: Deadlines

  func checkDeadlines() {
    let now = now
    switch phase {
    case .idle: break
    case .connecting(let attempt):
      if attempt.addressDeadline <= now { tryNextAddress(of: attempt, after: .connectTimedOut) }
    case .handshaking(let attempt):
      guard attempt.deadline <= now else { return }
      let isInHandshake = session?.tls.map { !$0.isEstablished } ?? false
      end(.failed(isInHandshake ? .handshakeTimedOut : .noConnack))
    case .up:
      if let deadline = status.deadline, deadline <= now { publishOnline() }
      // Publishing may have ended the connection.
      if case .up = phase { keepAlive(now) }
    case .closing(_, let until):
      if until <= now { sendDisconnect() }
    }
  }

  private func keepAlive(_ now: Instant) {
    if let deadline = answerDeadline, deadline <= now { return end(.lost(.acknowledgeExpired)) }
    switch keepalive.advance(to: now) {
    case .none: break
    case .dead: end(.lost(.keepaliveExpired))
    case .ping:
      guard let session else { return }
      let (outcome, hasPinged) = session.maintain()
      keepalive.pinged(hasPinged, at: now)
      if hasPinged { budget.asked() }
      _ = process(session, outcome, socketError: 0)
    }
  }

  // MARK: Ends

  func ended(_ session: BrokerLinkSession, _ outcome: BrokerLinkSession.Outcome, socketError: Int32) {
    switch phase {
    case .idle, .closing: ended(for: .closedByBroker)
    case .connecting, .handshaking: ended(for: outcome.failure(of: session, settings: current))
    case .up: ended(for: outcome.loss(of: session, socketError: socketError))
    }
  }

  private func ended(for failure: LinkFailure) {
    switch phase {
    case .idle: break
    case .connecting, .handshaking: attemptFailed(failure)
    case .up:
      if failure == .propertyUnknown, current.version == nil { events.post(.didFallBack(failure)) }
      end(.lost(failure))
    case .closing: end(.disconnected)
    }
  }

  /// Ends the attempt, or retries with MQTT 3.1.1, a shorter keepalive or a lesser will, which the broker may require.
  private func attemptFailed(_ failure: LinkFailure) {
    guard case .handshaking(var attempt) = phase else { return end(.failed(failure)) }
    let goesOn =
      attempt.fallsBack(after: failure) || attempt.shortensKeepalive(after: failure)
      || (current.announcesStatus || current.needsQoS1) && attempt.lessensWill(after: failure)
    guard goesOn else { return end(.failed(failure)) }
    tryNextAddress(of: attempt, after: failure)
  }

  /// Discards the connection's state, then posts `event`.
  func end(_ event: LinkEvent) {
    session = nil
    phase = .idle
    window.empty()
    if case .lost(let failure) = event { stopWatching(after: failure) } else { stopWatching(after: nil) }
    requests.removeAll()
    events.post(event)
  }
}
