// The broker's thread: one poll over the orders' eventfd and libmosquitto's socket.
//
//   idle ── connect ──▶ reaching ── TCP ──▶ greeting ── CONNACK 0 ──▶ up ── disconnect ──▶ closing ──▶ idle
//             ▲            │ next address       │                      │                      │
//             └────────────┴──── failed ────────┴──────── lost ────────┴───── disconnected ───┘
//
// It sleeps without a timeout when idle, and until the next deadline otherwise; when up that is the keepalive, or a PUBACK's.

import CPlatform
import TappetCore

/// What the thread of a `BrokerLink` runs.
///
/// All of it belongs to that thread; only `orders` is shared.
final class BrokerLinkLoop {
  /// What the link's owner wants.
  indirect enum Order: Sendable {
    case connect(endpoint: Int)
    case publish(id: EntryID?, topic: String, payload: [UInt8], isRetained: Bool)
    case subscribe(order: UInt64, filter: String, qos: Int32)
    case disconnect
    case update(BrokerSettings)
    case sign
    case shutdown
  }

  /// An attempt: its addresses are tried one after the other, all within one deadline.
  private struct Attempt {
    var endpoint: BrokerEndpoint
    var remaining: ArraySlice<String>
    var deadline: Instant
    /// This address's share of the time.
    var addressDeadline: Instant
  }
  private enum Phase {
    case idle
    case reaching(Attempt)
    case greeting(Attempt)
    case up
    case closing(status: Int32, until: Instant)
  }
  /// A message that waits for its PUBACK.
  private struct Unacknowledged {
    var messageID: Int32
    var id: EntryID?
    var deadline: Instant
  }

  private let orders: Mailbox<Order>
  private let signs: ThreadSigns
  private let post: @Sendable (LinkEvent) -> Void
  private let receive: @Sendable (LinkReception) -> Void
  private let clock = SystemClock()
  private var settings: BrokerSettings
  /// The settings that the connection was made with.
  private var current: BrokerSettings
  private var phase: Phase = .idle
  private var session: BrokerLinkSession?
  private var unacknowledged: [Unacknowledged] = []
  /// Orders to subscribe that wait for their SUBACK.
  private var subscriptions: [(messageID: Int32, order: UInt64)] = []
  private var keepalive: Duration = .zero
  /// When something was last sent or received; a PINGREQ is due `keepalive` later.
  private var quietSince = Instant(nanoseconds: 0)
  /// While a PINGREQ is unanswered: when the broker is taken for dead.
  private var pongDeadline: Instant?
  private var isEnding = false

  init(
    _ settings: BrokerSettings, orders: Mailbox<Order>, signs: ThreadSigns,
    post: @escaping @Sendable (LinkEvent) -> Void,
    receive: @escaping @Sendable (LinkReception) -> Void
  ) {
    self.settings = settings
    current = settings
    self.orders = orders
    self.signs = signs
    self.post = post
    self.receive = receive
  }

  private var now: Instant { clock.now().instant }

  /// Until `Order.shutdown` has been obeyed.
  func run() {
    while true {
      let readiness = wait()
      for order in orders.drain() { obey(order) }
      serve(readiness)
      keepTime()
      if isEnding, case .idle = phase { return }
    }
  }

  // MARK: Waiting

  /// Sleeps until there is an order, something on the socket, or a deadline.
  ///
  /// What poll said about the socket, as it was before.
  private func wait() -> (socket: Int32, events: Int16) {
    let socket = session?.socket ?? -1
    var wanted = Int16(POLLIN)
    switch phase {
    case .reaching: wanted = Int16(POLLOUT)
    // Before CONNACK libmosquitto's wish to write is no guide (2.0.20 has it all the time): `Limits.handshakeTurn` instead.
    case .idle, .greeting: break
    case .up, .closing: if session?.wantsWrite == true { wanted |= Int16(POLLOUT) }
    }
    var entries = (
      pollfd(fd: orders.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: wanted, revents: 0)
    )
    let timeout = milliseconds(until: nextDeadline)
    // EINTR cannot be: all signals are blocked here. It would be a turn without cause.
    _ = withUnsafeMutablePointer(to: &entries) {
      $0.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, timeout) }
    }
    return (socket, entries.1.revents)
  }

  private var nextDeadline: Instant? {
    switch phase {
    case .idle: return nil
    case .reaching(let attempt): return attempt.addressDeadline
    case .greeting(let attempt): return min(attempt.deadline, now + Limits.handshakeTurn)
    case .up:
      var deadline = pongDeadline
      if keepalive > .zero, pongDeadline == nil { deadline = quietSince + keepalive }
      for message in unacknowledged { deadline = min(deadline ?? message.deadline, message.deadline) }
      return deadline
    case .closing(_, let until): return until
    }
  }

  /// Rounded up, so that the deadline has passed when poll returns.
  private func milliseconds(until deadline: Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let nanoseconds = max(0, (deadline - now).wholeNanoseconds)
    return Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
  }

  // MARK: Orders

  private func obey(_ order: Order) {
    switch order {
    case .connect(let endpoint):
      close()
      if case .closing = phase { farewell() }
      connect(endpoint: endpoint)
    case .publish(let id, let topic, let payload, let isRetained):
      guard case .up = phase else { return }
      publish(id: id, topic: topic, payload: payload, isRetained: isRetained)
    case .subscribe(let order, let filter, let qos):
      guard case .up = phase else { return }
      subscribe(order: order, filter: filter, qos: qos)
    case .disconnect: close()
    case .update(let settings): self.settings = settings
    case .sign: signs.give()
    case .shutdown:
      isEnding = true
      close()
    }
  }

  private func connect(endpoint index: Int) {
    guard !isEnding, !settings.endpoints.isEmpty else { return post(.failed(.settingsRefused(code: 0))) }
    current = settings
    let count = current.endpoints.count
    let endpoint = current.endpoints[((index % count) + count) % count]
    do throws(LinkFailure) {
      signs.lend(at: now)
      defer { signs.lend(at: nil) }
      let addresses = try BrokerLinkAddresses.resolve(endpoint.host)
      let deadline = now + Limits.connectTimeout
      reach(
        Attempt(endpoint: endpoint, remaining: addresses[...], deadline: deadline, addressDeadline: deadline),
        after: .connectTimedOut)
    } catch { end(.failed(error)) }
  }

  /// Tries the next address; when there is none, `failure` of the one before is the attempt's.
  private func reach(_ attempt: Attempt, after failure: LinkFailure) {
    var attempt = attempt
    var failure = failure
    session = nil
    while let address = attempt.remaining.first {
      let share = (attempt.deadline - now) / attempt.remaining.count
      attempt.remaining = attempt.remaining.dropFirst()
      attempt.addressDeadline = now + share
      do throws(LinkFailure) {
        try start(address, attempt.endpoint)
        phase = .reaching(attempt)
        return
      } catch { failure = error }
      guard failure.isOfTheAddress else { break }
    }
    end(.failed(failure))
  }

  private func start(_ address: String, _ endpoint: BrokerEndpoint) throws(LinkFailure) {
    var tls: TLSContext?
    if endpoint.usesTLS {
      do throws(CertificateProblem) { tls = try Certificates.makeContext(current, endpoint: endpoint) } catch {
        throw .files(error)
      }
    }
    let session = try BrokerLinkSession(current, tls: tls)
    let outcome = session.start(address: address, port: endpoint.port, keepaliveSeconds: current.keepaliveSeconds)
    if let failure = outcome.startFailure(of: session, settings: current) { throw failure }
    self.session = session
  }

  private func publish(id: EntryID?, topic: String, payload: [UInt8], isRetained: Bool) {
    guard let session else { return }
    let (outcome, messageID) = session.publish(topic: topic, payload: payload, isRetained: isRetained)
    quietSince = now
    if outcome.isSuccess {
      let deadline = quietSince + Limits.acknowledgeTimeout
      unacknowledged.append(Unacknowledged(messageID: messageID, id: id, deadline: deadline))
    } else if outcome.refusesMessage {
      if let id { post(.publishRefused(id, code: outcome.code)) }
    } else {
      ended(session, outcome, socketError: 0)
    }
  }

  private func subscribe(order: UInt64, filter: String, qos: Int32) {
    guard let session else { return }
    let (outcome, messageID) = session.subscribe(filter: filter, qos: qos)
    quietSince = now
    if outcome.isSuccess {
      subscriptions.append((messageID, order))
    } else if outcome.refusesMessage {
      receive(.subscribed(order: order, qos: nil))
    } else {
      ended(session, outcome, socketError: 0)
    }
  }

  /// Ends what there is in order: at once, or by way of `closing`.
  private func close() {
    switch phase {
    case .idle, .closing: break
    case .reaching, .greeting: end(.disconnected)
    case .up:
      phase = .closing(status: 0, until: now + Limits.linkCloseMax)
      guard let session, current.announcesStatus else { return farewell() }
      let (outcome, messageID) = session.publish(
        topic: current.statusTopic + "/status", payload: Array("offline".utf8), isRetained: true)
      guard outcome.isSuccess else { return farewell() }
      phase = .closing(status: messageID, until: now + Limits.linkCloseMax)
    }
  }

  private func farewell() {
    _ = session?.disconnect()
    end(.disconnected)
  }

  // MARK: The socket

  private func serve(_ ready: (socket: Int32, events: Int16)) {
    // An order may have ended the session that poll was about.
    guard let session, session.socket == ready.socket, ready.socket >= 0 else { return }
    switch phase {
    case .idle: break
    case .reaching(let attempt):
      guard ready.events != 0 else { return }
      let code = socketError(ready.socket)
      guard code == 0 else { return reach(attempt, after: .ofSocket(code, session, current)) }
      phase = .greeting(attempt)
      // 2.0.11 goes on with the handshake only when it is told to read.
      greet(session, ready.socket)
    case .greeting: greet(session, ready.socket)
    case .up, .closing: converse(session, ready)
    }
  }

  /// One turn of the handshake; reads and writes whether or not poll saw cause to.
  private func greet(_ session: BrokerLinkSession, _ socket: Int32) {
    let isAtEnd = hasPeerClosed(socket)
    guard digest(session, session.read(), socketError: 0) else { return }
    guard case .greeting = phase else { return }
    // 2.0.11 takes a reset during the handshake for "try again".
    if isAtEnd { return ended(session, .init(code: 0, systemCode: 0), socketError: 0) }
    if session.wantsWrite { _ = digest(session, session.write(), socketError: 0) }
  }

  private func converse(_ session: BrokerLinkSession, _ ready: (socket: Int32, events: Int16)) {
    let hasFailed = ready.events & Int16(POLLERR) != 0
    let code = hasFailed ? socketError(ready.socket) : 0
    if ready.events & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
      quietSince = now
      pongDeadline = nil
      guard digest(session, session.read(), socketError: code) else { return }
    }
    if ready.events & Int16(POLLOUT) != 0 {
      quietSince = now
      _ = digest(session, session.write(), socketError: code)
    }
  }

  /// Takes in what a call of libmosquitto's brought; false when the session is over.
  private func digest(
    _ session: BrokerLinkSession, _ outcome: BrokerLinkSession.Outcome, socketError: Int32
  ) -> Bool {
    if case .greeting = phase, let connack = session.connack {
      if let refusal = connack.refusal(current.version) {
        end(.failed(refusal))
        return false
      }
      becomeUp(connack)
    }
    for acknowledgement in session.takeAcknowledgements() { note(acknowledgement) }
    for grant in session.takeGrants() {
      guard let index = subscriptions.firstIndex(where: { $0.messageID == grant.messageID }) else { continue }
      receive(.subscribed(order: subscriptions.remove(at: index).order, qos: grant.qos))
    }
    for message in session.takeMessages() { receive(.message(message)) }
    // The farewell may have ended it.
    guard self.session === session else { return false }
    if outcome.isSuccess, session.socket >= 0 { return true }
    ended(session, outcome, socketError: socketError)
    return false
  }

  private func becomeUp(_ connack: BrokerLinkSession.Connack) {
    phase = .up
    keepalive = .seconds(Int64(connack.keepaliveSeconds ?? current.keepaliveSeconds))
    quietSince = now
    post(.connected(sessionPresent: connack.sessionPresent))
    guard current.announcesStatus else { return }
    publish(id: nil, topic: current.statusTopic + "/status", payload: Array("online".utf8), isRetained: true)
  }

  private func note(_ acknowledgement: BrokerLinkSession.Acknowledgement) {
    if case .closing(let status, _) = phase, status == acknowledgement.messageID { return farewell() }
    guard let index = unacknowledged.firstIndex(where: { $0.messageID == acknowledgement.messageID }) else { return }
    guard let id = unacknowledged.remove(at: index).id else { return }
    let isRefused = acknowledgement.reason >= 0x80
    post(isRefused ? .publishRefused(id, code: acknowledgement.reason) : .acknowledged(id))
  }

  private func hasPeerClosed(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || (count < 0 && tp_errno() != EAGAIN)
  }

  private func socketError(_ socket: Int32) -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
    return code
  }

  // MARK: Time

  private func keepTime() {
    let now = now
    switch phase {
    case .idle: break
    case .reaching(let attempt):
      if attempt.addressDeadline <= now { reach(attempt, after: .connectTimedOut) }
    case .greeting(let attempt):
      guard attempt.deadline <= now else { return }
      let isInHandshake = session?.tls.map { !$0.isEstablished } ?? false
      end(.failed(isInHandshake ? .handshakeTimedOut : .noConnack))
    case .up: keepAlive(now)
    case .closing(_, let until):
      if until <= now { farewell() }
    }
  }

  private func keepAlive(_ now: Instant) {
    if unacknowledged.contains(where: { $0.deadline <= now }) { return end(.lost(.acknowledgeExpired)) }
    if let pongDeadline {
      if pongDeadline <= now { end(.lost(.keepaliveExpired)) }
      return
    }
    guard keepalive > .zero, quietSince + keepalive <= now, let session else { return }
    // libmosquitto counts whole seconds from the same activity, so it is due there too, and this sends the PINGREQ.
    quietSince = now
    pongDeadline = now + min(keepalive, Limits.acknowledgeTimeout)
    _ = digest(session, session.maintain(), socketError: 0)
  }

  // MARK: Ends

  private func ended(_ session: BrokerLinkSession, _ outcome: BrokerLinkSession.Outcome, socketError: Int32) {
    switch phase {
    case .idle: break
    case .reaching, .greeting: end(.failed(outcome.failure(of: session, settings: current)))
    case .up: end(.lost(outcome.loss(of: session, socketError: socketError)))
    case .closing: end(.disconnected)
    }
  }

  /// Nothing of the connection is left when its end is posted.
  private func end(_ event: LinkEvent) {
    session = nil
    phase = .idle
    unacknowledged.removeAll()
    subscriptions.removeAll()
    pongDeadline = nil
    post(event)
  }
}

extension LinkFailure {
  /// Whether another address of the same name may do better.
  fileprivate var isOfTheAddress: Bool {
    if case .unreachable = self { return true }
    return self == .connectionRefused || self == .connectTimedOut
  }
}
