// HTTP with libcurl: several concurrent requests on one thread, over persistent connections. Besides this file, only
// RequestOptions calls libcurl.

import CCurl
import CPlatform
import TappetCore
import TappetPlatform

/// The HTTP requests in progress.
package final class HTTPClient {
  /// One request, and the memory that libcurl uses during the request.
  fileprivate final class Request {
    let id: EntryID
    let handle: OpaqueCURL
    var lines: UnsafeMutablePointer<curl_slist>?
    /// Number of bytes of the response body received so far.
    var received = 0
    /// Total size of the headers and trailers received, in bytes, including those of redirects.
    var headersReceived = 0
    var answer: [UInt8] = []
    let keepsAnswer: Bool
    let answerSizeMax: Int
    let endpoint: LoadedEndpoint

    init(_ id: EntryID, _ handle: OpaqueCURL, _ endpoint: LoadedEndpoint, _ call: HTTPCall) {
      self.id = id
      self.handle = handle
      keepsAnswer = call.keepsAnswer
      answerSizeMax = call.answerSizeMax
      self.endpoint = endpoint
    }

    deinit {
      curl_slist_free_all(lines)
      curl_easy_cleanup(handle)
    }
  }

  typealias OpaqueCURL = UnsafeMutableRawPointer

  private let multi: UnsafeMutableRawPointer
  private var requests: [OpaqueCURL: Request] = [:]

  /// Creates a client that has no requests yet; `nil` if libcurl cannot be initialized.
  init?() {
    guard curl_global_init(tp_curl_global_flags()) == CURLE_OK, let multi = curl_multi_init() else { return nil }
    self.multi = multi
    _ = tp_curl_set_multi(multi, CURLMOPT_MAXCONNECTS, Limits.webhooksInflightMax)
  }

  /// Starts a request; returns the outcome if the request cannot be started.
  @export(interface)
  package func begin(_ id: EntryID, to endpoint: LoadedEndpoint, _ call: HTTPCall, unixSeconds: Int64) -> HTTPOutcome? {
    if let trouble = endpoint.trouble { return .failed(.fileUnusable, code: trouble) }
    guard let handle = curl_easy_init() else { return .failed(.other, code: ENOMEM) }
    let request = Request(id, handle, endpoint, call)
    var code = RequestOptions.set(on: handle, endpoint, call)
    if code == CURLE_OK {
      code = RequestOptions.setHeaders(&request.lines, endpoint, id, call, unixSeconds: unixSeconds)
      if code == CURLE_OK { code = tp_curl_set_list(handle, CURLOPT_HTTPHEADER, request.lines) }
    }
    if code == CURLE_OK {
      code = tp_curl_set_writer(
        handle,
        { bytes, size, count, request in
          guard let request else { return 0 }
          let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
          return Unmanaged<Request>.fromOpaque(request).takeUnretainedValue().receive(piece)
        }, Unmanaged.passUnretained(request).toOpaque())
    }
    if code == CURLE_OK {
      code = tp_curl_set_header_writer(
        handle,
        { _, size, count, request in
          guard let request else { return 0 }
          return Unmanaged<Request>.fromOpaque(request).takeUnretainedValue().receiveHeader(size * count)
        }, Unmanaged.passUnretained(request).toOpaque())
    }
    guard code == CURLE_OK, curl_multi_add_handle(multi, handle) == CURLM_OK else {
      return .failed(.other, code: Int32(bitPattern: code.rawValue))
    }
    requests[handle] = request
    return nil
  }

  /// Processes the requests; calls `done` for each completed request.
  @export(interface)
  package func work(_ done: (EntryID, HTTPOutcome) -> Void) {
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
    var code = CURLE_OK
    while let handle = tp_curl_next_done(multi, &code) {
      curl_multi_remove_handle(multi, handle)
      guard let request = requests.removeValue(forKey: handle) else { continue }
      done(request.id, HTTPClient.outcome(of: request, code))
    }
  }

  /// Waits for a request, the descriptor or the time limit; returns whether the descriptor is readable.
  @export(interface)
  package func wait(for descriptor: Int32, limit: Duration? = nil) -> Bool {
    let milliseconds = limit.map { Int32(clamping: max(0, $0.wholeMilliseconds + 1)) }
    return tp_curl_wait(multi, descriptor, milliseconds ?? (requests.isEmpty ? 60_000 : 1_000))
  }

  private static func outcome(of request: Request, _ code: CURLcode) -> HTTPOutcome {
    if request.headersReceived > Limits.webhookHeadersReceivedMax {
      return .failed(.headersTooLarge, code: Int32(bitPattern: code.rawValue))
    }
    let status = tp_curl_number(request.handle, CURLINFO_RESPONSE_CODE)
    // The rest of a long response is not needed.
    let isCut = code == CURLE_WRITE_ERROR || code == CURLE_FILESIZE_EXCEEDED
    if code == CURLE_OK || isCut, (100...999).contains(status) {
      let seconds = tp_curl_offset(request.handle, CURLINFO_RETRY_AFTER)
      return .answered(
        status: UInt16(status), retryAfter: seconds > 0 ? .seconds(min(seconds, 1 << 20)) : nil,
        body: request.answer)
    }
    let trouble = TransportError(code, isLedAstray: request.isLedAstray)
    return .failed(trouble, code: Int32(bitPattern: code.rawValue))
  }
}

extension HTTPClient.Request {
  /// Whether a redirect led to a URL without https.
  ///
  /// libcurl reports the same error for a response that is not HTTP.
  fileprivate var isLedAstray: Bool {
    guard tp_curl_number(handle, CURLINFO_REDIRECT_COUNT) > 0, let url = tp_curl_text(handle, CURLINFO_EFFECTIVE_URL)
    else { return false }
    return !String(cString: url).begins(with: "https:")
  }

  /// Counts the bytes; returns 0 if there are too many, which makes libcurl abort the request.
  fileprivate func receive(_ piece: UnsafeRawBufferPointer) -> Int {
    received += piece.count
    guard received <= answerSizeMax else { return 0 }
    if keepsAnswer { answer += piece }
    return piece.count
  }

  /// Counts the bytes, because libcurl stores all headers and trailers, and does not limit trailers itself.
  fileprivate func receiveHeader(_ size: Int) -> Int {
    headersReceived += size
    return headersReceived <= Limits.webhookHeadersReceivedMax ? size : 0
  }
}

extension TransportError {
  fileprivate init(_ code: CURLcode, isLedAstray: Bool) {
    self =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST: .nameUnknown
      case CURLE_COULDNT_CONNECT: .unreachable
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE: .closed
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CACERT_BADFILE: .certificateRefused
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER: .handshakeFailed
      case CURLE_TOO_MANY_REDIRECTS: .redirectForbidden
      case CURLE_UNSUPPORTED_PROTOCOL: isLedAstray ? .redirectForbidden : .notHTTP
      case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .notHTTP
      default: .other
      }
  }
}
