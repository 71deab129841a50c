// Many connections to one broker on one thread, for benchmarks. They share one SSL_CTX, whose certificates and trust
// store would otherwise use most of each connection's memory. Lost connections are not reestablished.

import CPlatform
import TappetCore
import TappetPlatform
import TappetTLS

/// Clients of one broker: connects them one after the other, publishes, subscribes, and collects the results.
///
/// Confined to one thread.
package final class ClientPool {
  /// Acknowledgements and messages since the last call of `takeNews`.
  package struct News {
    /// Number of messages acknowledged by the broker or, with QoS 0, passed to the connection.
    package var acknowledged: Int64 = 0
    /// Number of messages acknowledged with an error reason.
    package var refused: Int64 = 0
    /// Messages received for subscriptions.
    package var messages: [LinkMessage] = []
    /// Number of messages discarded because they were too large.
    package var discarded: Int64 = 0
    /// Whether the file passed to `turn` is readable.
    package var isFileReady = false
  }

  /// Number of connected clients.
  package var count: Int { sessions.count }

  private let settings: BrokerSettings
  private let endpoint: BrokerEndpoint
  private let version: MQTTVersion
  private let window: Int
  private let qos: Int32
  private let tls: TLSContext?
  private var addresses: [String]
  private let descriptors: DescriptorSet
  private var sessions: [BrokerLinkSession] = []
  /// Clients with unsent data.
  private var blocked: Set<Int> = []
  private var grants: [BrokerLinkSession.Grant] = []
  private var news = News()
  private var maintenance = Instant(nanoseconds: 0)

  /// Reads the files and resolves the name; each client can have at most `window` messages of the given QoS in flight.
  @export(interface)
  package init(
    _ settings: BrokerSettings, endpoint: BrokerEndpoint, version: MQTTVersion, qos: Int32, window: Int
  ) throws(LinkFailure) {
    guard BrokerLinkSession.isLibraryReady else { throw .system(SystemCode(ENOMEM)) }
    LibCrypto.prepare()
    self.settings = settings
    self.endpoint = endpoint
    self.version = version
    self.window = window
    self.qos = qos
    if endpoint.usesTLS {
      do throws(CertificateProblem) { tls = try Certificates.makeContext(settings, endpoint: endpoint) } catch {
        throw .files(error)
      }
    } else {
      tls = nil
    }
    addresses = try BrokerLinkAddresses.resolve(endpoint.host)
    do throws(SystemError) { descriptors = try DescriptorSet() } catch { throw .system(SystemCode(error.code)) }
  }

  // MARK: Connecting

  /// Connects another client; returns its number.
  @export(interface)
  package func connect(clientID: String, until limit: Instant) throws(LinkFailure) -> Int {
    var own = settings
    own.clientID = clientID
    var failure = LinkFailure.connectTimedOut
    for address in addresses {
      do throws(LinkFailure) {
        let session = try connect(own, to: address, until: limit)
        do throws(SystemError) { try descriptors.add(session.socket, as: sessions.count) } catch {
          throw .system(SystemCode(error.code))
        }
        sessions.append(session)
        // The next client need not retry addresses that failed.
        addresses = [address]
        return sessions.count - 1
      } catch { failure = error }
      guard failure.isOfTheAddress else { break }
    }
    throw failure
  }

  private func connect(
    _ own: BrokerSettings, to address: String, until limit: Instant
  ) throws(LinkFailure) -> BrokerLinkSession {
    tls?.restart()
    let session = try BrokerLinkSession(own, version, tls: tls, window: window)
    let outcome = session.start(address: address, port: endpoint.port, keepaliveSeconds: own.keepaliveSeconds)
    if let failure = outcome.startFailure(of: session, settings: own) { throw failure }
    let socket = session.socket
    guard !Poll.wait(socket, for: .writable, limit: max(.zero, limit - .now())).isEmpty else { throw .connectTimedOut }
    let code = BrokerLinkSocket.error(of: socket)
    guard code == 0 else { throw .ofSocket(code, session, own) }
    while true {
      let isAtEnd = BrokerLinkSocket.hasPeerClosed(socket)
      var outcome = session.read()
      if let connack = session.connack {
        if let refusal = connack.refusal(version) { throw refusal }
        return session
      }
      if outcome.isSuccess, session.wantsWrite { outcome = session.write() }
      // libmosquitto 2.0.11 mistakes a reset during the handshake for "try again".
      if isAtEnd { outcome = .init(code: 0, systemCode: 0) }
      guard outcome.isSuccess, session.socket >= 0, !isAtEnd else {
        throw outcome.failure(of: session, settings: own)
      }
      let left = limit - .now()
      guard left > .zero else { throw tls.map { !$0.isEstablished } ?? false ? .handshakeTimedOut : .noConnack }
      _ = Poll.wait(socket, limit: min(left, Limits.handshakeTurn))
    }
  }

  // MARK: Requests

  /// Subscribes a client and waits for the response; returns the SUBACK's reason byte, or `nil` if no SUBACK arrived.
  @export(interface)
  package func subscribe(
    _ client: Int, to filter: String, until limit: Instant
  ) throws(LinkFailure) -> UInt8? {
    let session = sessions[client]
    session.beginBuffering()
    session.openWindow()
    let (outcome, messageID) = session.subscribe(filter: filter, qos: qos, SubscriptionOptions())
    guard outcome.isSuccess else { throw outcome.loss(of: session, socketError: 0) }
    // The request is still in the buffer.
    blocked.insert(client)
    while Instant.now() < limit {
      try turn(until: limit)
      if let grant = grants.first(where: { $0.messageID == messageID }) { return grant.reason }
    }
    return nil
  }

  /// Publishes a message from a client.
  @export(interface)
  package func publish(_ client: Int, topic: String, payload: [UInt8]) throws(LinkFailure) {
    let session = sessions[client]
    let (outcome, _) = payload.withUnsafeBytes {
      session.publish(topic: topic, payload: $0, qos: qos, isRetained: false)
    }
    if outcome.isSuccess {
      if qos == 0 { news.acknowledged += 1 }
    } else if outcome.refusesMessage {
      news.refused += 1
    } else {
      throw outcome.loss(of: session, socketError: 0)
    }
    if session.wantsWrite { blocked.insert(client) }
  }

  /// Waits for input, for `file` to become readable, or until `limit`, and then reads all input.
  @export(interface)
  package func turn(until limit: Instant, file: Int32 = -1) throws(LinkFailure) {
    try write()
    let now = Instant.now()
    if maintenance <= now { try maintain(now) }
    var end = min(limit, maintenance)
    if !blocked.isEmpty { end = min(end, now + Limits.swarmWriteRetry) }
    let ready = Poll.wait(
      [(descriptors.fileDescriptor, .readable), (file, .readable)], for: max(.zero, end - now))
    if !ready[1].isEmpty { news.isFileReady = true }
    guard !ready[0].isEmpty else { return }
    // The next turn sends the responses, so that the owner, which measures arrival times, gets the messages first.
    for client in descriptors.ready() { try read(client) }
  }

  /// Returns the results since the last call.
  package func takeNews() -> News {
    defer { news = News() }
    return news
  }

  /// Closes all connections cleanly.
  @export(interface)
  package func disconnect() {
    for session in sessions {
      _ = session.disconnect()
      session.flush()
    }
    sessions = []
    blocked = []
  }

  // MARK: The sockets

  private func read(_ client: Int) throws(LinkFailure) {
    let session = sessions[client]
    for _ in 0..<Limits.linkReadsPerTurn {
      let outcome = session.read()
      take(session)
      guard outcome.isSuccess, session.socket >= 0 else { throw outcome.loss(of: session, socketError: 0) }
      // After EAGAIN, only an incomplete record is left.
      guard outcome.systemCode != EAGAIN, session.hasPending else { break }
    }
    if session.wantsWrite { blocked.insert(client) }
  }

  private func take(_ session: BrokerLinkSession) {
    // libmosquitto also reports QoS 0 messages, as soon as they are sent.
    for acknowledgement in session.takeAcknowledgements() where qos > 0 {
      if acknowledgement.reason >= 0x80 { news.refused += 1 } else { news.acknowledged += 1 }
    }
    grants += session.takeGrants()
    news.messages += session.takeMessages()
    news.discarded += Int64(session.takeDiscardedCount())
  }

  private func write() throws(LinkFailure) {
    for client in blocked {
      let session = sessions[client]
      session.flush()
      let outcome = session.write()
      guard outcome.isSuccess, session.socket >= 0 else { throw outcome.loss(of: session, socketError: 0) }
      if !session.wantsWrite { blocked.remove(client) }
    }
  }

  private func maintain(_ now: Instant) throws(LinkFailure) {
    maintenance = now + .seconds(1)
    for session in sessions {
      let outcome = session.maintain().outcome
      guard outcome.isSuccess else { throw outcome.loss(of: session, socketError: 0) }
    }
  }
}
