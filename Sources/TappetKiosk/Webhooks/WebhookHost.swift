// The parent of tappet-webhook: started and ended as the core orders, heard when it speaks. Nothing here blocks.

import CPlatform
import TappetCore
import TappetPlatform

/// tappet-webhook and its socket, while it runs.
///
/// One thread.
final class WebhookHost {
  private var child: ChildProcess?
  private var socket: UnixSocket?
  private var watch: Watch?
  private var buffer: [UInt8] = []
  /// The endpoints that the process has, or is getting one after the other.
  private var endpoints: [WebhookEndpoint] = []
  private var sentCount = 0
  /// Called with everything that the process does, in order.
  var onEvent: (WebhookEvent) -> Void = { _ in }

  deinit {
    child?.signal(SIGKILL)
    _ = child?.reap()
  }

  /// The process's id; `nil` while none runs.
  var processID: pid_t? { child?.id }

  /// Starts tappet-webhook for these endpoints; throws when it cannot be started.
  func start(_ endpoints: [WebhookEndpoint], _ reactor: Reactor) throws(SystemError) {
    let ends = try UnixSocket.pair()
    let child = try ChildProcess.spawn(
      WebhookProgram.path, ["--socket", "\(ChildProcess.inheritedDescriptor)"], variables: ["LD_"],
      inherited: ends.child)
    watch = try reactor.watch(ends.ours.fileDescriptor, for: .readable, calling(self) { host, _ in host.receive() })
    self.child = child
    socket = ends.ours
    self.endpoints = endpoints
    sentCount = 0
    sendNext()
  }

  /// Lets it end by itself.
  func stop() { socket?.endSending() }

  func kill() { child?.signal(SIGKILL) }

  /// Posts the entry's body; says what is in the way of it.
  func post(_ id: EntryID, action: String, body: [UInt8]) -> WebhookEvent? {
    guard let number = endpoints.firstIndex(where: { $0.action == action }) else { return .notConfigured(id) }
    let order = WebhookOrder.post(UInt16(clamping: number), id, body: body)
    return socket?.send(order.encode()) == true ? nil : .failed(id, .other, code: EAGAIN)
  }

  /// One endpoint at a time: the socket has no room for all of them.
  private func sendNext() {
    if sentCount < endpoints.count {
      socket?.send(WebhookOrder.endpoint(UInt16(clamping: sentCount), endpoints[sentCount]).encode())
    } else {
      socket?.send(WebhookOrder.begin.encode())
    }
    sentCount += 1
  }

  private func receive() {
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: 64) }
    while let socket {
      let size: Int?
      do throws(SystemError) { size = try socket.receiveMessage(into: &buffer) } catch { return end() }
      guard let size else { return }
      guard size > 0 else { return end() }
      guard size <= buffer.count, let message = WebhookMessage(decoding: Array(buffer[..<size])) else {
        onEvent(.malformed)
        return
      }
      handle(message)
    }
  }

  private func handle(_ message: WebhookMessage) {
    switch message {
    case .taken: sendNext()
    case .ready: onEvent(.ready)
    case .answered(let id, let status, let seconds):
      onEvent(.answered(id, status: Int(status), retryAfter: seconds.map { .seconds(Int64($0)) }))
    case .failed(let id, let trouble, let code): onEvent(.failed(id, trouble, code: code))
    // Nobody asked for it.
    case .replied: onEvent(.malformed)
    }
  }

  private func end() {
    watch = nil
    socket = nil
    buffer = []
    guard let child else { return }
    self.child = nil
    child.waitForEnd(limit: Limits.readerDeathMax)
    let end = child.reap()
    if end == nil { child.signal(SIGKILL) }
    onEvent(.ended(end ?? .signaled(SIGKILL)))
  }
}

/// Where tappet-webhook is.
package enum WebhookProgram {
  /// TAPPET_WEBHOOK, else where it is installed.
  package static var path: String {
    if let path = secure_getenv("TAPPET_WEBHOOK") { return String(cString: path) }
    return InstalledPrograms.locate("tappet-webhook")
  }
}
