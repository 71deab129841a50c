// Requests to a homeserver, one after the other, by a tappet-webhook of this command's own: neither libcurl nor what a
// server answers is in this process before it has been cut to its size.

import CPlatform
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

/// A connection to a homeserver.
final class HomeserverClient {
  struct Answer {
    var status: Int
    /// `nil` when it is not JSON.
    var json: JSON?

    /// The homeserver's error code.
    var code: String? { json?["errcode"]?.text }
  }

  private let child: ChildProcess
  private let socket: UnixSocket
  private let place: String
  private var count: UInt64 = 0

  /// With a session's file, or with a URL and without a token.
  init(_ url: WebhookEndpoint.Value, caFile: String?, place: String) throws(CommandFailure) {
    var endpoint = WebhookEndpoint(action: "", url: url)
    endpoint.caFile = caFile
    endpoint.redirects = Limits.roomRedirectsMax
    endpoint.timeout = Limits.webhookTimeoutMax
    if case .file = url { endpoint.room = "!" }
    self.place = place
    do throws(SystemError) {
      let ends = try UnixSocket.pair()
      child = try ChildProcess.spawn(
        WebhookProgram.path, ["--socket", "\(ChildProcess.inheritedDescriptor)"], variables: ["LD_"],
        inherited: ends.child)
      socket = ends.ours
    } catch { throw .failed(WebhookLoss.notStarted(code: error.code).sentence, "webhooks-not-started") }
    for order in [WebhookOrder.endpoint(0, endpoint), .begin] {
      guard socket.send(order.encode()), try receive(within: Limits.webhookStartMax) != nil else {
        throw .failed(WebhookLoss.silent.sentence, "webhooks-silent")
      }
    }
  }

  deinit {
    child.signal(SIGKILL)
    child.waitForEnd(limit: Limits.webhookDeathMax)
    _ = child.reap()
  }

  /// Sends a request with a JSON body, or none, and waits for the answer; again when the homeserver wants a pause.
  func ask(_ method: WebhookEndpoint.Method, _ path: String, _ body: JSON? = nil) throws(CommandFailure) -> Answer {
    for _ in 0..<Limits.homeserverPausesMax {
      let answer = try askOnce(method, path, body)
      guard answer.code == "M_LIMIT_EXCEEDED" else { return answer }
      let pause = Duration.milliseconds(answer.json?["retry_after_ms"]?.wholeNumber ?? 1000)
      guard pause <= Limits.homeserverPauseMax else { return answer }
      // Nothing comes meanwhile, unless the process ends.
      _ = socket.waitReadable(for: pause)
    }
    return try askOnce(method, path, body)
  }

  private func askOnce(_ method: WebhookEndpoint.Method, _ path: String, _ body: JSON? = nil) throws(CommandFailure)
    -> Answer
  {
    count += 1
    var bytes = body?.encoded() ?? []
    var order = WebhookOrder.call(0, EntryID(high: 0, low: count), method, path: path, body: bytes).encode()
    // The body may have a password.
    defer {
      LibCrypto.wipe(&bytes)
      LibCrypto.wipe(&order)
    }
    guard socket.send(order), let message = try receive(within: Limits.webhookAnswerMax) else {
      throw .failed(WebhookLoss.silent.sentence, "webhooks-silent")
    }
    switch message {
    case .replied(_, let status, let body):
      return Answer(status: Int(status), json: JSON(decoding: body, roundsFractions: true))
    case .failed(_, let trouble, let code):
      let fault = WebhookFault.trouble(trouble, code: code)
      throw .failed(fault.sentence(place), fault.code)
    case .taken, .ready, .answered: throw .failed(WebhookLoss.malformed.sentence, "webhooks-malformed")
    }
  }

  /// Sends a request whose only good answer is success; the reason of a failure is the homeserver's.
  func require(_ method: WebhookEndpoint.Method, _ path: String, _ body: JSON? = nil) throws(CommandFailure) -> JSON {
    let answer = try ask(method, path, body)
    guard answer.status == 200, let json = answer.json else { throw answer.failure(place) }
    return json
  }

  private func receive(within limit: Duration) throws(CommandFailure) -> WebhookMessage? {
    guard socket.waitReadable(for: limit),
      case .message(let bytes) = socket.receive(sizeMax: Limits.webhookMessageSizeMax)
    else { return nil }
    guard let message = WebhookMessage(decoding: bytes) else {
      throw .failed(WebhookLoss.malformed.sentence, "webhooks-malformed")
    }
    return message
  }
}

extension HomeserverClient.Answer {
  /// Why the homeserver did not do it.
  func failure(_ place: String) -> CommandFailure {
    guard let code, let json else {
      let fault = WebhookFault.trouble(.notAHomeserver, code: Int32(clamping: status))
      return .failed(fault.sentence(place), fault.code)
    }
    switch code {
    case "M_UNKNOWN_TOKEN", "M_MISSING_TOKEN", "M_USER_DEACTIVATED":
      let fault = WebhookFault.trouble(.tokenRefused, code: Int32(clamping: status))
      return .refused(fault.sentence(place), fault.code)
    case "M_LIMIT_EXCEEDED":
      let seconds = (json["retry_after_ms"]?.wholeNumber ?? 0) / 1000 + 1
      return .refused("\(place) wants fewer requests; try again in \(seconds) s", "webhook-too-many")
    default: return .refused("\(place) refuses: \(json["error"]?.text ?? "") (\(code))", "webhook-refused")
    }
  }
}
