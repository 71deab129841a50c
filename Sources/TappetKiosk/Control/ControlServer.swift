// The control socket: the tool's way to the running kiosk. One JSON object per message, SOCK_SEQPACKET, answered by
// one.

import CPlatform
import TappetCore
import TappetJSON
import TappetPlatform

/// Listens at the control socket and passes each request to its owner.
///
/// One thread.
final class ControlServer {
  /// One connected tool.
  final class Client {
    fileprivate let socket: UnixSocket
    fileprivate var watch: Watch?
    /// A number that no other client ever has, unlike a descriptor.
    let number: UInt64
    /// Whether it gets every log record and light as they happen.
    var isWatching = false
    /// The tags that it wants to see.
    var tagsAwaited = TagsAwaited.none
    /// Its part of an import of people.
    var stagedRows = StagedRows()

    fileprivate init(_ socket: UnixSocket, number: UInt64) {
      self.socket = socket
      self.number = number
    }

    /// The process at the other end; `nil` when the kernel does not say.
    var peer: LocalPeer? { socket.peer }

    /// Whether it may see keys: processes of root and of the kiosk's own user may.
    var maySeeKeys: Bool { peer.map { $0.user == 0 || $0.user == geteuid() } ?? false }

    /// Sends an answer.
    ///
    /// Does not wait for a client that does not read.
    func send(_ answer: JSON) { _ = socket.send(answer.encoded()) }

    /// Sends an answer, with a key after the JSON.
    func send(_ answer: JSON, enclosing secretPayload: SecretBytes?) {
      var message = ControlMessage.encode(answer, enclosing: secretPayload)
      _ = socket.send(message)
      LibCrypto.wipe(&message)
    }
  }

  /// The tags that a client wants to see.
  enum TagsAwaited { case none, next, all }

  /// Called when a client has gone.
  var onGone: ((Client) -> Void)?
  private let listener: UnixSocket
  private var listenerWatch: Watch?
  private var pauseWatch: Watch?
  private let reactor: Reactor
  /// Rings when clients are accepted again.
  private let pause: TimerDescriptor
  private var clients: [Int32: Client] = [:]
  /// The memory for requests, wiped after each.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.controlRequestSizeMax, alignment: 16)
  private var lastNumber: UInt64 = 0
  private let answer: (ControlMessage, Client) -> Void
  /// Whether the places that are kept are for this client, too.
  private let isTrusted: (Client) -> Bool
  /// Whether this client gets no answer at all.
  private let isRefused: (Client) -> Bool

  convenience init(
    listener: UnixSocket, reactor: Reactor, isTrusted: @escaping (Client) -> Bool = { $0.maySeeKeys },
    isRefused: @escaping (Client) -> Bool = { _ in false }, answer: @escaping (ControlMessage, Client) -> Void
  ) throws(SystemError) {
    self.init(listener, reactor, try TimerDescriptor(), isTrusted, isRefused, answer)
    pauseWatch = try reactor.watch(
      pause.fileDescriptor, for: .readable,
      calling(self) { server, _ in
        // It was watched before, so there is room for it.
        if server.pause.acknowledge() { try? server.listen() }
      })
    try listen()
  }

  // Embedded Swift leaks an object whose own initializer throws before all is set (6.3.1).
  private init(
    _ listener: UnixSocket, _ reactor: Reactor, _ pause: TimerDescriptor, _ isTrusted: @escaping (Client) -> Bool,
    _ isRefused: @escaping (Client) -> Bool, _ answer: @escaping (ControlMessage, Client) -> Void
  ) {
    self.listener = listener
    self.reactor = reactor
    self.pause = pause
    self.isTrusted = isTrusted
    self.isRefused = isRefused
    self.answer = answer
  }

  deinit { buffer.deallocate() }

  /// Sends `message` to all clients that watch; it is made only when there is one.
  func broadcast(_ message: @autoclosure () -> JSON) {
    let watching = clients.values.filter { $0.isWatching }
    guard !watching.isEmpty else { return }
    let bytes = message().encoded()
    for client in watching where !client.socket.send(bytes) { drop(client) }
  }

  /// Sends a reading to the clients that wait for a tag, to each what it may see.
  func answerTagWaiters(_ reading: (Client) -> JSON) {
    for client in clients.values where client.tagsAwaited != .none {
      if client.tagsAwaited == .next { client.tagsAwaited = .none }
      client.send(reading(client))
    }
  }

  /// Without free descriptors a waiting client would wake the loop forever: it is accepted later.
  private func acceptClients() {
    do throws(SystemError) { try acceptWaiting() } catch {
      listenerWatch = nil
      pause.set(at: SystemClock().now().instant + Limits.controlPause)
    }
  }

  private func listen() throws(SystemError) {
    listenerWatch = try reactor.watch(
      listener.fileDescriptor, for: .readable, calling(self) { server, _ in server.acceptClients() })
  }

  private func acceptWaiting() throws(SystemError) {
    // The rest comes with the next turn: a client that keeps connecting gets no more than that.
    for _ in 0..<Limits.controlAcceptsPerTurn {
      guard let socket = try listener.accept() else { return }
      lastNumber += 1
      let client = Client(socket, number: lastNumber)
      if isRefused(client) { continue }
      guard clients.count < Limits.controlClientsMax - (isTrusted(client) ? 0 : Limits.controlPlacesKept) else {
        client.send(.failure("the control socket serves \(Limits.controlClientsMax) clients at once; try again later"))
        continue
      }
      let fd = socket.fileDescriptor
      let handler: (Readiness) -> Void = calling(self) { server, _ in server.receive(from: fd) }
      guard let watch = try? reactor.watch(fd, for: .readable, handler) else { continue }
      client.watch = watch
      clients[fd] = client
    }
  }

  /// Serves one request, whatever else this client has sent: taps and other clients have their turn before the next.
  private func receive(from fd: Int32) {
    guard let client = clients[fd] else { return }
    guard let size = client.socket.receive(into: buffer) else { return drop(client) }
    if size == 0 { return }
    let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
    defer { LibCrypto.wipe(bytes) }
    guard let request = ControlMessage(UnsafeRawBufferPointer(bytes)) else {
      return client.send(.failure("the request is not valid JSON"))
    }
    answer(request, client)
  }

  /// The client with this number; `nil` when it has gone.
  func client(_ number: UInt64) -> Client? { clients.values.first { $0.number == number } }

  /// Whether another client has sent a part of an import: one at a time, so that their memory is bounded.
  func isStaging(besides client: Client) -> Bool { clients.values.contains { $0 !== client && $0.isStaging } }

  private func drop(_ client: Client) {
    let fd = client.socket.fileDescriptor
    client.watch = nil
    clients[fd] = nil
    onGone?(client)
  }
}

extension JSON {
  /// The answer to a request that cannot be served.
  static func failure(_ sentence: String) -> JSON { .object(["error": .string(sentence)]) }
}
