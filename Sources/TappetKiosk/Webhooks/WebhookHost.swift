// The parent's end of tappet-webhook: starts and stops it as the core requests, and receives its messages. Nothing here
// blocks.

import CPlatform
import TappetCore
import TappetPlatform

/// The tappet-webhook process, while it runs, and its endpoints.
///
/// Confined to one thread.
final class WebhookHost {
  private let process = HelperHost(sizeMax: 64) { try? WebhookMessage(decoding: $0) }
  /// Endpoints that the process has received, or is receiving one by one.
  private var endpoints: [WebhookEndpoint] = []
  private var sentCount = 0
  /// Called with each event of the process, in order.
  var onEvent: (WebhookEvent) -> Void = { _ in }

  init() { process.onNotice = calling(self) { $0.handle($1) } }

  /// PID of the process; `nil` if none is running.
  var processID: pid_t? { process.processID }

  /// Starts tappet-webhook for the given endpoints; throws if it cannot be started.
  func start(_ endpoints: [WebhookEndpoint], _ reactor: Reactor) throws(SystemError) {
    self.endpoints = endpoints
    sentCount = 0
    try process.start(WebhookProgram.path, "--socket", [], reactor)
    sendNext()
  }

  /// Stops the process gracefully.
  func stop() { process.stop() }

  func kill() { process.kill() }

  /// Posts the entry's body; returns the failure, or `nil` if the order was sent.
  func post(_ id: EntryID, action: String, body: [UInt8]) -> WebhookEvent? {
    guard let number = endpoints.firstIndex(where: { $0.action == action }) else { return .notConfigured(id) }
    let order = WebhookOrder.post(UInt16(clamping: number), id, body: body)
    return process.send(order.encode()) ? nil : .failed(id, .other, code: EAGAIN)
  }

  /// Sends the next endpoint; endpoints are sent one at a time, because the socket has no room for all of them.
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
    case .message(.answered(let id, let status, let pause)):
      onEvent(.answered(id, status: Int(status), retryAfter: pause))
    case .message(.failed(let id, let trouble, let code)): onEvent(.failed(id, trouble, code: code))
    // No reply was requested, so a reply is invalid.
    case .message(.replied), .message(.part), .malformed: onEvent(.malformed)
    case .ended(let end): onEvent(.ended(end))
    }
  }
}

/// Location of the tappet-webhook program.
package enum WebhookProgram {
  /// `TAPPET_WEBHOOK` if set, otherwise the installed program.
  package static var path: String {
    if let path = secure_getenv("TAPPET_WEBHOOK") { return String(cString: path) }
    return InstalledPrograms.locate("tappet-webhook")
  }
}
