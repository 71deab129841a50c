// The control socket, through which the tool talks to the running kiosk. SOCK_SEQPACKET; each request is one message
// with a JSON object, and so is its response.

import CPlatform
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Listens on the control socket and passes each request to its owner.
///
/// Confined to one thread.
final class ControlServer {
  /// One connected tool.
  final class Client {
    fileprivate let socket: UnixSocket
    fileprivate var watch: Watch?
    /// Unique number of the client; unlike a descriptor, a number is never reused.
    let number: UInt64
    /// Whether the client receives every log record and light as it occurs.
    var isWatching = false
    /// The tag readings that the client has requested.
    var tagsAwaited = TagsAwaited.none
    /// The client's rows of a people import.
    var stagedRows = StagedRows()
    /// The browser that the client speaks for; `nil` before `enter`, and on the control socket.
    var page: PageSession?

    fileprivate init(_ socket: UnixSocket, number: UInt64) {
      self.socket = socket
      self.number = number
    }

    /// The process at the other end of the socket; `nil` if the kernel does not report it.
    var peer: LocalPeer? { socket.peer }

    /// The author of what the client changes, for the audit: the browser's device, which the kiosk itself has let in,
    /// or the process.
    var author: LocalPeer? {
      guard let peer, let device = page?.device else { return peer }
      return LocalPeer(user: geteuid(), process: peer.process, program: "page: " + device.name)
    }

    /// Whether the client may see keys, which only processes of root and of the kiosk's own user may.
    var maySeeKeys: Bool { peer.map { $0.user == 0 || $0.user == geteuid() } ?? false }

    /// Whether the client has hung up, and waits for no response.
    var isGone: Bool { socket.isHungUp }

    /// Sends a response.
    ///
    /// Does not block on a client that does not read.
    func send(_ answer: JSON) { send(encoded: answer.encoded()) }

    /// Sends a response that is JSON already.
    func send(encoded answer: [UInt8]) { _ = socket.send(answer) }

    /// Sends a response, followed by a key.
    func send(_ answer: JSON, enclosing secretPayload: SecretBytes?) {
      var message = ControlMessage.encode(answer, enclosing: secretPayload)
      _ = socket.send(message)
      LibCrypto.wipe(&message)
    }
  }

  /// The tag readings that a client has requested.
  enum TagsAwaited { case none, next, all }

  /// Called when a client has disconnected.
  var onGone: ((Client) -> Void)?
  private let listener: UnixSocket
  private var listenerWatch: Watch?
  private var pauseWatch: Watch?
  private let reactor: Reactor
  /// Timer for accepting clients again after a pause.
  private let pause: TimerDescriptor
  private var clients: [Int32: Client] = [:]
  /// Buffer for requests, wiped after each request.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.controlRequestSizeMax, alignment: 16)
  private var lastNumber: UInt64 = 0
  private let clientsMax: Int
  private let answer: (ControlMessage, Client) -> Void
  /// Whether the client may use the reserved connections.
  private let isTrusted: (Client) -> Bool
  /// Whether the client is disconnected without a response.
  private let isRefused: (Client) -> Bool

  convenience init(
    listener: UnixSocket, reactor: Reactor, clientsMax: Int = Limits.controlClientsMax,
    isTrusted: @escaping (Client) -> Bool = { $0.maySeeKeys },
    isRefused: @escaping (Client) -> Bool = { _ in false }, answer: @escaping (ControlMessage, Client) -> Void
  ) throws(SystemError) {
    self.init(listener, reactor, try TimerDescriptor(), clientsMax, isTrusted, isRefused, answer)
    pauseWatch = try reactor.watch(
      pause.fileDescriptor, for: .readable,
      calling(self) { server, _ in
        // The listener was watched before, so the reactor has a free slot for it.
        if server.pause.acknowledge() { try? server.listen() }
      })
    try listen()
  }

  // Embedded Swift leaks an object if its own initializer throws before all properties are set (6.3.1).
  private init(
    _ listener: UnixSocket, _ reactor: Reactor, _ pause: TimerDescriptor, _ clientsMax: Int,
    _ isTrusted: @escaping (Client) -> Bool, _ isRefused: @escaping (Client) -> Bool,
    _ answer: @escaping (ControlMessage, Client) -> Void
  ) {
    self.listener = listener
    self.reactor = reactor
    self.pause = pause
    self.clientsMax = clientsMax
    self.isTrusted = isTrusted
    self.isRefused = isRefused
    self.answer = answer
  }

  deinit {
    buffer.deallocate()
    // Somebody else may keep a client, but nobody may hear of it any more.
    for client in clients.values { client.watch = nil }
  }

  /// Disconnects all clients, as if they had left; must be called before a server is released that is replaced.
  func close() { drop { _ in true } }

  /// Returns the reason why no server can listen at `path`: in a shared folder such as /tmp, any user can do so first.
  static func failure(at path: String, _ error: SystemError) -> RuntimeError {
    let users = [FileOwner.user(of: path), (try? UnixSocket.connect(to: path))?.peer?.user].compactMap { $0 }
    guard error.isAddressInUse, let user = users.first(where: { !FileOwner.isTrusted($0, at: path) }) else {
      return .control(path: path, error)
    }
    return .controlTaken(path: path, user: user)
  }

  /// Sends a message to all watching clients; `message` returns the form for clients that may see keys, or may not.
  func broadcast(_ message: (_ maySeeKeys: Bool) -> JSON) {
    for maySeeKeys in [true, false] {
      let watching = clients.values.filter { $0.isWatching && $0.maySeeKeys == maySeeKeys }
      guard !watching.isEmpty else { continue }
      let bytes = message(maySeeKeys).encoded()
      for client in watching where !client.socket.send(bytes) { drop(client) }
    }
  }

  /// Whether any client is watching.
  var isWatched: Bool { clients.values.contains { $0.isWatching } }

  /// Sends each watching client the message for it, if any; a client that does not read is disconnected.
  func tellWatchers(_ message: (Client) -> [UInt8]?) {
    for client in clients.values where client.isWatching {
      if let bytes = message(client), !client.socket.send(bytes) { drop(client) }
    }
  }

  /// Disconnects the clients that satisfy the condition.
  func drop(where isOver: (Client) -> Bool) {
    for client in Array(clients.values) where isOver(client) { drop(client) }
  }

  /// Sends a reading to all clients waiting for a tag; `reading` returns the form that the given client may see.
  func answerTagWaiters(_ reading: (Client) -> JSON) {
    for client in clients.values where client.tagsAwaited != .none {
      if client.tagsAwaited == .next { client.tagsAwaited = .none }
      client.send(reading(client))
    }
  }

  /// Accepts the waiting clients; pauses if no descriptors are free, because a waiting client would otherwise wake the
  /// loop continuously.
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
    // The remaining clients are accepted in the next iteration, which limits a client that keeps connecting.
    for _ in 0..<Limits.controlAcceptsPerTurn {
      guard let socket = try listener.accept() else { return }
      lastNumber += 1
      let client = Client(socket, number: lastNumber)
      if isRefused(client) { continue }
      guard clients.count < clientsMax - (isTrusted(client) ? 0 : Limits.controlPlacesKept) else {
        client.send(
          .failure(
            "this socket serves at most \(clientsMax) clients at the same time; try again later", code: "busy"))
        continue
      }
      let fd = socket.fileDescriptor
      let handler: (Readiness) -> Void = calling(self) { server, _ in server.receive(from: fd) }
      guard let watch = try? reactor.watch(fd, for: .readable, handler) else { continue }
      client.watch = watch
      clients[fd] = client
    }
  }

  /// Handles one request, even if the client has sent more, so that taps and other clients are served before the next.
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

  /// Returns the client with the given number; `nil` if it has disconnected.
  func client(_ number: UInt64) -> Client? { clients.values.first { $0.number == number } }

  /// Returns whether another client has an import in progress; only one is allowed at a time, to limit memory use.
  func isStaging(besides client: Client) -> Bool { clients.values.contains { $0 !== client && $0.isStaging } }

  private func drop(_ client: Client) {
    let fd = client.socket.fileDescriptor
    client.watch = nil
    clients[fd] = nil
    onGone?(client)
  }
}

extension JSON {
  /// Returns the response to a request that cannot be served.
  static func failure(_ sentence: String, code: String? = nil) -> JSON {
    .object(code.map { ["error": .string(sentence), "code": .string($0)] } ?? ["error": .string(sentence)])
  }

  /// Returns the response to a request that cannot be served because of what it asks for.
  static func refusal(_ sentence: String) -> JSON { .object(["error": .string(sentence), "refused": .bool(true)]) }
}
