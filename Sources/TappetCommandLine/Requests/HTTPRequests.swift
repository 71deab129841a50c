// Sequential requests to a web server through a dedicated tappet-webhook process, so that this process neither
// contains libcurl nor handles responses of unlimited size.

import CPlatform
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// A connection to one web server.
package final class HTTPRequests {
  package struct Answer {
    package var status: Int
    /// The delay before the next request, as requested by the server.
    package var retryAfter: Duration?
    /// The start of the body, up to `answerSizeMax`.
    package var body: [UInt8]
  }

  /// The reason why there is no response.
  package enum Failure: Error {
    /// The request failed, with libcurl's code.
    case trouble(TransportError, code: Int32)
    case helper(CommandFailure)
  }

  private let process: ServiceProcess
  private let answerSizeMax: Int
  private var count: UInt64 = 0
  /// The parts received so far of the response to the current request.
  private var parts: [UInt8] = []
  /// Called once a second while `send` waits for a response.
  package var whileWaiting: (() -> Void)?

  /// Starts the helper, which loads the files specified in `endpoint`, and reads at most `answerSizeMax` bytes of each
  /// response.
  @export(interface)
  package init(
    _ endpoint: WebhookEndpoint, answerSizeMax: Int = Limits.webhookAnswerSizeMax
  ) throws(CommandFailure) {
    self.answerSizeMax = answerSizeMax
    do throws(SystemError) { process = try ServiceProcess.start(WebhookProgram.path) } catch {
      throw .failed(HelperLoss.notStarted(code: error.code).sentence(), "webhooks-not-started")
    }
    for order in [WebhookOrder.endpoint(0, endpoint), .begin] {
      var bytes = order.encode()
      // A header may contain a password.
      defer { LibCrypto.wipe(&bytes) }
      guard process.socket.send(bytes), try receive(within: Limits.helperStartMax) != nil else { throw .helperSilent }
    }
  }

  /// Sends a request and waits for its response.
  @export(interface)
  package func send(_ method: WebhookEndpoint.Method, _ path: String, _ body: [UInt8] = []) throws(Failure) -> Answer {
    try begin(method, path, body)
    let end = Instant.now() + Limits.webhookAnswerMax
    while true {
      if let answer = try next() { return answer }
      let rest = end - Instant.now()
      guard rest > .zero else { throw .helper(.helperSilent) }
      if !process.socket.waitReadable(for: min(rest, .seconds(1))) { whileWaiting?() }
    }
  }

  /// Starts a request, whose response `next` returns; the response to an earlier request must have been received.
  @export(interface)
  package func begin(_ method: WebhookEndpoint.Method, _ path: String, _ body: [UInt8] = []) throws(Failure) {
    count += 1
    parts = []
    var order = WebhookOrder.call(
      0, EntryID(high: 0, low: count), method, path: path, answerSizeMax: UInt32(clamping: answerSizeMax), body: body
    ).encode()
    // The body may contain a password.
    defer { LibCrypto.wipe(&order) }
    guard process.socket.send(order) else { throw .helper(.helperSilent) }
  }

  /// Returns the response to the request that was started last; `nil` if it has not been received completely.
  @export(interface)
  package func next() throws(Failure) -> Answer? {
    while true {
      guard case .message(let bytes) = process.socket.receive(sizeMax: Limits.webhookMessageSizeMax) else {
        // A process that has ended keeps its socket readable.
        if process.socket.isHungUp { throw .helper(.helperSilent) }
        return nil
      }
      switch try? WebhookMessage(decoding: bytes) {
      case .part(_, let body):
        guard parts.count + body.count <= answerSizeMax else { throw .helper(.helperMalformed) }
        parts += body
      case .replied(_, let status, let pause, let body):
        return Answer(status: Int(status), retryAfter: pause, body: parts + body)
      case .failed(_, let trouble, let code): throw .trouble(trouble, code: code)
      case .taken, .ready, .answered, nil: throw .helper(.helperMalformed)
      }
    }
  }

  /// Descriptor that is readable when there may be a response.
  package var fileDescriptor: Int32 { process.socket.fileDescriptor }

  /// Pauses between requests, when no message is expected; returns early if the helper exits.
  package func pause(_ time: Duration) { _ = process.socket.waitReadable(for: time) }

  private func receive(within limit: Duration) throws(CommandFailure) -> WebhookMessage? {
    guard process.socket.waitReadable(for: limit),
      case .message(let bytes) = process.socket.receive(sizeMax: Limits.webhookMessageSizeMax)
    else { return nil }
    guard let message = try? WebhookMessage(decoding: bytes) else { throw .helperMalformed }
    return message
  }
}

extension CommandFailure {
  fileprivate static var helperSilent: Self { .failed(HelperLoss.silent.sentence(), "webhooks-silent") }
  fileprivate static var helperMalformed: Self { .failed(HelperLoss.malformed.sentence(), "webhooks-malformed") }
}
