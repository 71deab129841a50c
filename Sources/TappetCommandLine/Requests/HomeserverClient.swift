// Sequential requests to a homeserver, with its errors as human-readable sentences.

import TappetCore
import TappetJSON
import TappetMessages

/// A connection to a homeserver.
package final class HomeserverClient {
  package struct Answer {
    package var status: Int
    /// `nil` if the body is not JSON.
    package var json: JSON?

    package init(status: Int, json: JSON?) {
      self.status = status
      self.json = json
    }

    /// The homeserver's error code.
    package var code: String? { json?["errcode"]?.text }
  }

  fileprivate let requests: HTTPRequests
  /// Name of the homeserver in messages.
  package let place: String

  /// Connects with a session file, or with a URL and no token; `sendsPassword` disables redirects, because a redirect
  /// drops only the token's header, not a password in the body.
  @export(interface)
  package init(
    _ url: WebhookEndpoint.Value, caFile: String?, place: String, sendsPassword: Bool = false
  ) throws(CommandFailure) {
    var endpoint = WebhookEndpoint(action: "", url: url)
    endpoint.caFile = caFile
    endpoint.redirects = sendsPassword ? 0 : Limits.roomRedirectsMax
    endpoint.timeout = Limits.webhookTimeoutMax
    if case .file = url { endpoint.room = "!" }
    self.place = place
    requests = try HTTPRequests(endpoint, answerSizeMax: Limits.homeserverAnswerSizeMax)
  }

  /// Sends a request with an optional JSON body and waits for the response; retries when rate-limited.
  @export(interface)
  package func ask(_ method: WebhookEndpoint.Method, _ path: String, _ body: JSON? = nil) throws(CommandFailure)
    -> Answer
  {
    var bytes = body?.encoded() ?? []
    // The body may contain a password.
    defer { LibCrypto.wipe(&bytes) }
    for _ in 0..<Limits.homeserverPausesMax {
      let answer = Answer(try send(method, path, bytes))
      guard answer.code == "M_LIMIT_EXCEEDED" else { return answer }
      let pause = Duration.milliseconds(answer.json?["retry_after_ms"]?.wholeNumber ?? 1000)
      guard pause <= Limits.homeserverPauseMax else { return answer }
      requests.pause(pause)
    }
    return Answer(try send(method, path, bytes))
  }

  private func send(
    _ method: WebhookEndpoint.Method, _ path: String, _ bytes: [UInt8]
  ) throws(CommandFailure) -> HTTPRequests.Answer {
    do throws(HTTPRequests.Failure) { return try requests.send(method, path, bytes) } catch { throw failure(error) }
  }

  private func failure(_ error: HTTPRequests.Failure) -> CommandFailure {
    switch error {
    case .helper(let failure): return failure
    case .trouble(let trouble, let code):
      let fault = WebhookFault.trouble(trouble, code: code)
      return .failed(fault.sentence(place), fault.code)
    }
  }

  /// Sends a request that must succeed; otherwise throws the homeserver's error.
  package func require(_ method: WebhookEndpoint.Method, _ path: String, _ body: JSON? = nil) throws(CommandFailure)
    -> JSON
  {
    let answer = try ask(method, path, body)
    guard answer.status == 200, let json = answer.json else { throw answer.failure(place) }
    return json
  }
}

// MARK: Long responses

extension HomeserverClient {
  /// Descriptor that is readable when there may be a response to `begin`.
  package var fileDescriptor: Int32 { requests.fileDescriptor }

  /// Calls `body` once a second while a response is pending.
  package func whileWaiting(_ body: @escaping () -> Void) { requests.whileWaiting = body }

  /// Sends a GET request that must succeed, and returns the body of its response.
  ///
  /// It is not parsed into a value, because only a small part of a long response is needed.
  @export(interface)
  package func content(_ path: String) throws(CommandFailure) -> [UInt8] { try content(of: send(.get, path, [])) }

  /// Starts a GET request, whose response `content` returns.
  @export(interface)
  package func begin(_ path: String) throws(CommandFailure) {
    do throws(HTTPRequests.Failure) { try requests.begin(.get, path) } catch { throw failure(error) }
  }

  /// Returns the body of the response to `begin`, which must be a success; `nil` if it has not been received.
  @export(interface)
  package func content() throws(CommandFailure) -> [UInt8]? {
    let answer: HTTPRequests.Answer?
    do throws(HTTPRequests.Failure) { answer = try requests.next() } catch { throw failure(error) }
    return try answer.map { (answer) throws(CommandFailure) in try content(of: answer) }
  }

  private func content(of answer: HTTPRequests.Answer) throws(CommandFailure) -> [UInt8] {
    guard answer.status == 200 else { throw Answer(answer).failure(place) }
    return answer.body
  }
}

extension HomeserverClient.Answer {
  fileprivate init(_ answer: HTTPRequests.Answer) {
    status = answer.status
    json = JSON(decoding: answer.body, roundsFractions: true)
  }
}

extension HomeserverClient.Answer {
  /// Returns the homeserver's error.
  @export(interface)
  package func failure(_ place: String) -> CommandFailure {
    guard let code, let json else {
      let fault = WebhookFault.trouble(.notAHomeserver, code: Int32(clamping: status))
      // All requests except a login follow redirects.
      guard (300...399).contains(status) else { return .failed(fault.sentence(place), fault.code) }
      return .failed("\(place) redirects to a different address; specify that address with '--homeserver'", fault.code)
    }
    switch code {
    case "M_USER_DEACTIVATED":
      return .refused(
        "this user is deactivated at \(place); ask its administrator to reactivate it, or log in as a different user",
        "credentials-refused")
    case "M_UNKNOWN_TOKEN", "M_MISSING_TOKEN":
      let fault = WebhookFault.trouble(.tokenRefused, code: Int32(clamping: status))
      return .refused(fault.sentence(place), fault.code)
    case "M_LIMIT_EXCEEDED":
      let seconds = (json["retry_after_ms"]?.wholeNumber ?? 0) / 1000 + 1
      return .refused("\(place) limits the number of requests; try again in \(seconds) s", "webhook-too-many")
    default:
      let reason = json["error"]?.text ?? ""
      return .refused("\(place) refused the request: \(reason.escaped) (\(code.escaped))", "webhook-refused")
    }
  }
}
