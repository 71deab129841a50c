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
    /// The start of the body, up to `Limits.webhookAnswerSizeMax`.
    package var body: [UInt8]
  }

  /// The reason why there is no response.
  package enum Failure: Error {
    /// The request failed, with libcurl's code.
    case trouble(TransportError, code: Int32)
    case helper(CommandFailure)
  }

  private let process: ServiceProcess
  private var count: UInt64 = 0

  /// Starts the helper, which loads the files specified in `endpoint`.
  @export(interface)
  package init(_ endpoint: WebhookEndpoint) throws(CommandFailure) {
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
    count += 1
    var order = WebhookOrder.call(0, EntryID(high: 0, low: count), method, path: path, body: body).encode()
    // The body may contain a password.
    defer { LibCrypto.wipe(&order) }
    let message: WebhookMessage?
    do throws(CommandFailure) {
      message = process.socket.send(order) ? try receive(within: Limits.webhookAnswerMax) : nil
    } catch { throw .helper(error) }
    switch message {
    case .replied(_, let status, let pause, let body):
      return Answer(status: Int(status), retryAfter: pause, body: body)
    case .failed(_, let trouble, let code): throw .trouble(trouble, code: code)
    case .taken, .ready, .answered: throw .helper(.helperMalformed)
    case nil: throw .helper(.helperSilent)
    }
  }

  /// Pauses between requests, when no message is expected; returns early if the helper exits.
  package func pause(_ time: Duration) { _ = process.socket.waitReadable(for: time) }

  private func receive(within limit: Duration) throws(CommandFailure) -> WebhookMessage? {
    guard process.socket.waitReadable(for: limit),
      case .message(let bytes) = process.socket.receive(sizeMax: Limits.webhookMessageSizeMax)
    else { return nil }
    guard let message = WebhookMessage(decoding: bytes) else { throw .helperMalformed }
    return message
  }
}

extension CommandFailure {
  fileprivate static var helperSilent: Self { .failed(HelperLoss.silent.sentence(), "webhooks-silent") }
  fileprivate static var helperMalformed: Self { .failed(HelperLoss.malformed.sentence(), "webhooks-malformed") }
}
