// The parent of tappet-webhook: started and ended as the core orders, heard when it speaks. Nothing here blocks.

import CPlatform
import TappetCore
import TappetPlatform

/// tappet-webhook, while it runs, and the endpoints that it has.
///
/// One thread.
final class WebhookHost {
  private let process = HelperHost(sizeMax: 64) { WebhookMessage(decoding: $0) }
  /// The endpoints that the process has, or is getting one after the other.
  private var endpoints: [WebhookEndpoint] = []
  private var sentCount = 0
  /// Whether there is a process; none is needed when tappet-matrix writes to all rooms, and there is no webhook.
  private var hasProcess = false
  /// The entries that tappet-matrix is about to answer.
  private var elsewhere: Set<EntryID> = []
  /// Called with everything that the process does, in order.
  var onEvent: (WebhookEvent) -> Void = { _ in }

  init() { process.onNotice = calling(self) { $0.handle($1) } }

  /// The process's id; `nil` while none runs.
  var processID: pid_t? { process.processID }

  /// Starts tappet-webhook for these endpoints; throws when it cannot be started.
  func start(_ endpoints: [WebhookEndpoint], _ reactor: Reactor) throws(SystemError) {
    self.endpoints = endpoints
    sentCount = 0
    hasProcess = !endpoints.isEmpty
    guard hasProcess else { return onEvent(.ready) }
    try process.start(WebhookProgram.path, "--socket", [], reactor)
    sendNext()
  }

  /// Lets it end by itself.
  func stop() { if hasProcess { process.stop() } else { onEvent(.ended(.exited(0))) } }

  func kill() { if hasProcess { process.kill() } else { onEvent(.ended(.exited(0))) } }

  // MARK: Rooms that tappet-matrix writes to

  func willAnswerElsewhere(_ id: EntryID) { elsewhere.insert(id) }

  func noteElsewhere(_ message: RoomMessage) {
    switch message {
    case .posted(let id, _, _), .undelivered(let id, _, _): elsewhere.remove(id)
    case .ready, .listening, .failed, .access, .heard, .answered: break
    }
  }

  /// Its process has ended: what it has not answered is sent again.
  func endElsewhere() {
    let ids = elsewhere
    elsewhere = []
    for id in ids { onEvent(.failed(id, .closed, code: 0)) }
  }

  /// Posts the entry's body; says what is in the way of it.
  func post(_ id: EntryID, action: String, body: [UInt8]) -> WebhookEvent? {
    guard let number = endpoints.firstIndex(where: { $0.action == action }) else { return .notConfigured(id) }
    let order = WebhookOrder.post(UInt16(clamping: number), id, body: body)
    return process.send(order.encode()) ? nil : .failed(id, .other, code: EAGAIN)
  }

  /// One endpoint at a time: the socket has no room for all of them.
  private func sendNext() {
    let isComplete = sentCount >= endpoints.count
    let order: WebhookOrder = isComplete ? .begin : .endpoint(UInt16(clamping: sentCount), endpoints[sentCount])
    process.send(order.encode())
    sentCount += 1
  }

  private func handle(_ notice: HelperNotice<WebhookMessage>) {
    switch notice {
    case .message(.taken): sendNext()
    case .message(.ready): onEvent(.ready)
    case .message(.answered(let id, let status, let seconds)):
      onEvent(.answered(id, status: Int(status), retryAfter: seconds.map { .seconds(Int64($0)) }))
    case .message(.failed(let id, let trouble, let code)): onEvent(.failed(id, trouble, code: code))
    // Nobody asked for the reply.
    case .message(.replied), .malformed: onEvent(.malformed)
    case .ended(let end): onEvent(.ended(end))
    }
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
