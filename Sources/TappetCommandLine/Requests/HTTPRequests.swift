// Requests to a web server, one after the other, by a tappet-webhook of this command's own: neither libcurl nor what a
// server answers is in this process before it has been cut to its size.

import CPlatform
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// A connection to one web server.
package final class HTTPRequests {
  package struct Answer {
    package var status: Int
    /// The pause that the server asks for before the next request.
    package var retryAfter: Duration?
    /// Its beginning, up to `Limits.webhookAnswerSizeMax`.
    package var body: [UInt8]
  }

  /// Why there is no answer.
  package enum Failure: Error {
    /// The request failed, with libcurl's code.
    case trouble(TransportError, code: Int32)
    case helper(CommandFailure)
  }

  private let process: ServiceProcess
  private var count: UInt64 = 0

  /// Has the helper load what `endpoint` names.
  @export(interface)
  package init(_ endpoint: WebhookEndpoint) throws(CommandFailure) {
    do throws(SystemError) { process = try ServiceProcess.start(WebhookProgram.path) } catch {
      throw .failed(HelperLoss.notStarted(code: error.code).sentence(), "webhooks-not-started")
    }
    for order in [WebhookOrder.endpoint(0, endpoint), .begin] {
      var bytes = order.encode()
      // A header may have a password.
      defer { LibCrypto.wipe(&bytes) }
      guard process.socket.send(bytes), try receive(within: Limits.webhookStartMax) != nil else { throw .helperSilent }
    }
  }

  /// Sends a request and waits for its answer.
  @export(interface)
  package func send(_ method: WebhookEndpoint.Method, _ path: String, _ body: [UInt8] = []) throws(Failure) -> Answer {
    count += 1
    var order = WebhookOrder.call(0, EntryID(high: 0, low: count), method, path: path, body: body).encode()
    // The body may have a password.
    defer { LibCrypto.wipe(&order) }
    let message: WebhookMessage?
    do throws(CommandFailure) {
      message = process.socket.send(order) ? try receive(within: Limits.webhookAnswerMax) : nil
    } catch { throw .helper(error) }
    switch message {
    case .replied(_, let status, let seconds, let body):
      return Answer(status: Int(status), retryAfter: seconds.map { .seconds(Int64($0)) }, body: body)
    case .failed(_, let trouble, let code): throw .trouble(trouble, code: code)
    case .taken, .ready, .answered: throw .helper(.helperMalformed)
    case nil: throw .helper(.helperSilent)
    }
  }

  /// Lets time pass; nothing comes meanwhile, unless the helper ends.
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
