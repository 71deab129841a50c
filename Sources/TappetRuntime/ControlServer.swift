// The control socket: the tool asks the running kiosk. One JSON object a message, SOCK_SEQPACKET, answered with one.

import CPlatform
import TappetCore
import TappetDevices

/// Listens at the control socket and hands each request to its owner.
///
/// One thread.
final class ControlServer {
  /// One connected tool.
  final class Client {
    fileprivate let socket: LocalSocket
    /// No other client had it or will have it, unlike a descriptor.
    let number: UInt64
    /// Whether it is sent every line and light as they come.
    var isWatching = false
    /// Which tags it is to be told of.
    var tagsAwaited = TagsAwaited.none

    fileprivate init(_ socket: LocalSocket, number: UInt64) {
      self.socket = socket
      self.number = number
    }

    /// Who it is.
    var peer: LocalPeer? { socket.peer }

    /// Whether it may see keys: root's and the kiosk's own user's processes may.
    var maySeeKeys: Bool { peer.map { $0.user == 0 || $0.user == geteuid() } ?? false }

    /// Answers.
    ///
    /// A client that does not read what it asked for is not waited for.
    func send(_ answer: JSON) { _ = socket.send(answer.encoded()) }

    /// Answers, with a key behind the JSON.
    func send(_ answer: JSON, enclosing enclosure: SecretBytes?) {
      var message = ControlMessage.encode(answer, enclosing: enclosure)
      _ = socket.send(message)
      LibCrypto.wipe(&message)
    }
  }

  /// Which tags a client wants to know.
  enum TagsAwaited { case none, next, all }

  /// Called when a client is gone.
  var onGone: ((Client) -> Void)?
  private let listener: LocalSocket
  private let reactor: Reactor
  /// Rings when clients are taken again.
  private let pause: Alarm
  private var clients: [Int32: Client] = [:]
  /// Where requests arrive; wiped after each.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.controlRequestSizeMax, alignment: 16)
  private var lastNumber: UInt64 = 0
  private let answer: (ControlMessage, Client) -> Void

  convenience init(
    listener: LocalSocket, reactor: Reactor, answer: @escaping (ControlMessage, Client) -> Void
  ) throws(SystemError) {
    self.init(listener, reactor, try Alarm(), answer)
    try reactor.watch(pause.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in
      // It was watched before: there is room for it.
      if self.pause.acknowledge() { try? self.listen() }
    }
    try listen()
  }

  // Embedded Swift leaks an object whose own initializer throws before all is set (6.3.1).
  private init(
    _ listener: LocalSocket, _ reactor: Reactor, _ pause: Alarm, _ answer: @escaping (ControlMessage, Client) -> Void
  ) {
    self.listener = listener
    self.reactor = reactor
    self.pause = pause
    self.answer = answer
  }

  deinit { buffer.deallocate() }

  /// `message` is made only where somebody watches.
  func broadcast(_ message: @autoclosure () -> JSON) {
    let watching = clients.values.filter { $0.isWatching }
    guard !watching.isEmpty else { return }
    let bytes = message().encoded()
    for client in watching where !client.socket.send(bytes) { drop(client) }
  }

  /// Tells those who wait for a tag what was read, each what it may know.
  func answerTagWaiters(_ reading: (Client) -> JSON) {
    for client in clients.values where client.tagsAwaited != .none {
      if client.tagsAwaited == .next { client.tagsAwaited = .none }
      client.send(reading(client))
    }
  }

  /// Where there are no descriptors, the one who waits would wake us for ever: it is asked in again later.
  private func acceptClients() {
    do throws(SystemError) { try acceptWaiting() } catch {
      reactor.unwatch(listener.fileDescriptor)
      pause.set(at: SystemClock().now().instant + Limits.controlPause)
    }
  }

  private func listen() throws(SystemError) {
    try reactor.watch(listener.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.acceptClients() }
  }

  private func acceptWaiting() throws(SystemError) {
    while let socket = try listener.accept() {
      lastNumber += 1
      let client = Client(socket, number: lastNumber)
      guard clients.count < Limits.controlClientsMax else {
        client.send(.failure("the control socket serves \(Limits.controlClientsMax) clients at once; try again later"))
        continue
      }
      let fd = socket.fileDescriptor
      guard (try? reactor.watch(fd, for: .readable, { [unowned(unsafe) self] _ in self.receive(from: fd) })) != nil
      else { continue }
      clients[fd] = client
    }
  }

  private func receive(from fd: Int32) {
    guard let client = clients[fd] else { return }
    while let size = client.socket.receive(into: buffer) {
      if size == 0 { return }
      let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
      defer { LibCrypto.wipe(bytes) }
      guard let request = ControlMessage(UnsafeRawBufferPointer(bytes)) else {
        client.send(.failure("the request is no JSON value"))
        continue
      }
      answer(request, client)
    }
    drop(client)
  }

  /// The client of this number; nil when it has gone.
  func client(_ number: UInt64) -> Client? { clients.values.first { $0.number == number } }

  private func drop(_ client: Client) {
    let fd = client.socket.fileDescriptor
    reactor.unwatch(fd)
    clients[fd] = nil
    onGone?(client)
  }
}

extension JSON {
  /// The answer to a request that cannot be served.
  static func failure(_ sentence: String) -> JSON { .object(["error": .string(sentence)]) }
}
