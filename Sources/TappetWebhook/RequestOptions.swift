// The settings of a request: libcurl's options, and the headers.

import CCurl
import TappetCore

/// The options of one request.
enum RequestOptions {
  /// Sets all options except the headers.
  static func set(
    on handle: UnsafeMutableRawPointer, _ endpoint: LoadedEndpoint, _ call: HTTPCall
  ) -> CURLcode {
    var code = CURLE_OK
    func set(_ next: @autoclosure () -> CURLcode) { if code == CURLE_OK { code = next() } }
    let settings = endpoint.endpoint
    let timeout = Int((call.timeout ?? settings.timeout).wholeMilliseconds)
    set(setURL(on: handle, endpoint, call.path))
    set(tp_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, endpoint.usesTLS ? "https" : "https,http"))
    set(tp_curl_set_text(handle, CURLOPT_REDIR_PROTOCOLS_STR, "https"))
    set(tp_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, settings.redirects > 0 ? 1 : 0))
    set(tp_curl_set_number(handle, CURLOPT_MAXREDIRS, Int(settings.redirects)))
    // Otherwise, a 301 or 302 would turn the request into a GET.
    set(tp_curl_set_number(handle, CURLOPT_POSTREDIR, Int(CURL_REDIR_POST_301 | CURL_REDIR_POST_302)))
    set(tp_curl_set_number(handle, CURLOPT_NOSIGNAL, 1))
    set(tp_curl_set_number(handle, CURLOPT_TIMEOUT_MS, timeout))
    set(tp_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, timeout))
    set(tp_curl_set_number(handle, CURLOPT_MAXFILESIZE, call.answerSizeMax))
    set(tp_curl_set_number(handle, CURLOPT_BUFFERSIZE, 4096))
    set(tp_curl_set_number(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)))
    set(tp_curl_set_text(handle, CURLOPT_PROXY, ""))
    set(tp_curl_set_text(handle, CURLOPT_USERAGENT, "tappet/\(Version.text)"))
    set(setMethod(on: handle, call.method ?? settings.method, call.body))
    set(setCertificates(on: handle, endpoint))
    return code
  }

  private static func setURL(
    on handle: UnsafeMutableRawPointer, _ endpoint: LoadedEndpoint, _ path: String?
  ) -> CURLcode {
    guard let url = endpoint.url else { return CURLE_URL_MALFORMAT }
    guard let path else { return url.withCString { tp_curl_set_text(handle, CURLOPT_URL, $0) } }
    let base = url.withBytes { String(decoding: $0, as: UTF8.self) }
    return tp_curl_set_text(handle, CURLOPT_URL, base + path)
  }

  private static func setMethod(
    on handle: UnsafeMutableRawPointer, _ method: WebhookEndpoint.Method, _ body: [UInt8]
  ) -> CURLcode {
    switch method {
    case .get where body.isEmpty: return tp_curl_set_number(handle, CURLOPT_HTTPGET, 1)
    case .post, .put, .patch, .get, .delete:
      let code = body.isEmpty ? tp_curl_set_bytes(handle, "", 0) : tp_curl_set_bytes(handle, body, body.count)
      guard code == CURLE_OK else { return code }
      return method == .post ? CURLE_OK : tp_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, method.word)
    }
  }

  /// Sets the certificates; if the configuration specifies CA certificates, only these are trusted.
  private static func setCertificates(on handle: UnsafeMutableRawPointer, _ endpoint: LoadedEndpoint) -> CURLcode {
    func set(_ option: CURLoption, _ bytes: SecretBytes?) -> CURLcode {
      guard let bytes else { return CURLE_OK }
      return bytes.withBytes { tp_curl_set_blob(handle, option, $0.baseAddress, $0.count) }
    }
    var code = tp_curl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // Otherwise, Debian's libcurl would trust the certificates in this folder in addition to the configured ones.
    if code == CURLE_OK { code = tp_curl_set_text(handle, CURLOPT_CAPATH, nil) }
    if code == CURLE_OK { code = tp_curl_set_text(handle, CURLOPT_CAINFO, Sandbox.trustStore) }
    if code == CURLE_OK { code = set(CURLOPT_CAINFO_BLOB, endpoint.ca) }
    if code == CURLE_OK { code = set(CURLOPT_SSLCERT_BLOB, endpoint.certificate) }
    return code == CURLE_OK ? set(CURLOPT_SSLKEY_BLOB, endpoint.privateKey) : code
  }

  /// Sets the action's configured headers, and those for the delivery guarantee: the id that lets a receiver detect a
  /// repetition, and the signature.
  static func setHeaders(
    _ lines: inout UnsafeMutablePointer<curl_slist>?, _ endpoint: LoadedEndpoint, _ id: EntryID,
    _ call: HTTPCall, unixSeconds: Int64
  ) -> CURLcode {
    let body = call.body
    var isWhole = true
    func add(_ line: UnsafePointer<CChar>) {
      if let longer = curl_slist_append(lines, line) { lines = longer } else { isWhole = false }
    }
    // A homeserver detects a repetition from the path.
    if call.path == nil { add("Idempotency-Key: " + id.hex) }
    add("Expect:")
    let names = endpoint.endpoint.headers.map { $0.name.utf8.map { $0 | 0x20 } }
    if !body.isEmpty, !names.contains(Array("content-type".utf8)) {
      let isJSON = body.first == UInt8(ascii: "{") || body.first == UInt8(ascii: "[")
      add("Content-Type: " + (isJSON ? "application/json" : "text/plain; charset=utf-8"))
    }
    for header in endpoint.headers { header.withCString { add($0) } }
    if let secret = endpoint.secret {
      guard let signature = try? secret.signature(id: id, unixSeconds: unixSeconds, body: body) else {
        return CURLE_FAILED_INIT
      }
      add("webhook-id: " + id.hex)
      add("webhook-timestamp: \(unixSeconds)")
      add("webhook-signature: " + signature)
    }
    return isWhole ? CURLE_OK : CURLE_OUT_OF_MEMORY
  }
}
