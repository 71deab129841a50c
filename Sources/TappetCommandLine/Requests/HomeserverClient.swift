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
    /// The pause that the header `Retry-After` requests.
    fileprivate var retryAfter: Duration?

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
  /// Longest pause that the homeserver may request.
  package var pauseMax = Limits.homeserverPauseMax
  /// Called before a pause that the homeserver requests.
  package var onPause: ((Duration) -> Void)?

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
    self.place = place
    requests = try HTTPRequests(endpoint, answerSizeMax: Limits.homeserverAnswerSizeMax)
  }

  /// Sends a request with an optional JSON body and waits for the response; retries when rate-limited.
  ///
  /// A request that `mayRepeat` is also sent a second time if there is no response, or the server fails.
  @export(interface)
  package func ask(
    _ method: WebhookEndpoint.Method, _ path: String, _ body: JSON? = nil, mayRepeat: Bool = false
  ) throws(CommandFailure) -> Answer {
    var bytes = body?.encoded() ?? []
    // The body may contain a password.
    defer { LibCrypto.wipe(&bytes) }
    var repetitions = mayRepeat ? 1 : 0
    for _ in 0..<Limits.homeserverPausesMax {
      let answer = try attempt(method, path, bytes, &repetitions)
      guard answer.isLimited, answer.pause <= pauseMax else { return answer }
      onPause?(answer.pause)
      requests.pause(answer.pause)
    }
    return try attempt(method, path, bytes, &repetitions)
  }

  private func attempt(
    _ method: WebhookEndpoint.Method, _ path: String, _ bytes: [UInt8], _ repetitions: inout Int
  ) throws(CommandFailure) -> Answer {
    do throws(HTTPRequests.Failure) {
      let answer = Answer(try requests.send(method, path, bytes))
      guard repetitions > 0, answer.status >= 500 else { return answer }
    } catch {
      guard repetitions > 0, error.isOfLoad else { throw failure(error) }
    }
    repetitions -= 1
    requests.pause(Limits.homeserverRetryPause)
    return try attempt(method, path, bytes, &repetitions)
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
  package func require(
    _ method: WebhookEndpoint.Method, _ path: String, _ body: JSON? = nil, mayRepeat: Bool = false
  ) throws(CommandFailure) -> JSON {
    let answer = try ask(method, path, body, mayRepeat: mayRepeat)
    guard answer.status == 200, let json = answer.json else { throw answer.failure(place) }
    return json
  }
}

extension HTTPRequests.Failure {
  /// Whether a busy server may be the cause: no response in time, or a closed connection.
  fileprivate var isOfLoad: Bool {
    switch self {
    case .trouble(.timedOut, _), .trouble(.closed, _): true
    case .trouble, .helper: false
    }
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
    json = JSON(decoding: answer.body, roundsFractions: true, omitting: .elements)
    retryAfter = answer.retryAfter
  }

  /// Whether the homeserver, or a proxy in front of it, limits the rate of requests.
  fileprivate var isLimited: Bool { code == "M_LIMIT_EXCEEDED" || status == 429 }

  /// The pause before the next request, if requests are limited.
  fileprivate var pause: Duration {
    let requested = json?["retry_after_ms"]?.wholeNumber.map { Duration.milliseconds($0) } ?? retryAfter
    return max(requested ?? .seconds(1), Limits.webhookRetryAfterMin)
  }

  /// Returns the homeserver's error.
  @export(interface)
  package func failure(_ place: String) -> CommandFailure {
    if isLimited {
      let seconds = pause.wholeMilliseconds / 1000 + 1
      return .refused("\(place) limits the number of requests; try again in \(seconds) s", "webhook-too-many")
    }
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
    default:
      let reason = json["error"]?.text ?? ""
      return .refused("\(place) refused the request: \(reason.escaped) (\(code.escaped))", "webhook-refused")
    }
  }
}
