// The endpoint of an action's webhook, as configured. The kiosk passes the endpoint on to tappet-webhook without
// reading any of the files, so that neither keys nor secret URLs are ever in the kiosk's memory.

/// The server of an action's webhook, or of a session.
package struct WebhookEndpoint: Hashable, Sendable {
  /// The HTTP method of a request.
  package enum Method: UInt8, CaseIterable, Sendable {
    case post = 0
    case put = 1
    case patch = 2
    case get = 3
    case delete = 4

    /// The name of the method in HTTP.
    package var word: String {
      @export(interface) get {
        switch self {
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .get: "GET"
        case .delete: "DELETE"
        }
      }
    }
  }

  /// A text, or the path of a file whose first line contains the text.
  package enum Value: Hashable, Sendable {
    case text(String)
    case file(String)
    /// The path of a session file, for a URL: the homeserver's, to which each request is made with the session's token.
    case session(String)
  }

  /// One header line.
  package struct Header: Hashable, Sendable {
    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The action's name.
  package var action: String
  /// The URL: `https://…`, or `http://…` if plain HTTP is allowed.
  package var url: Value
  package var method = Method.post
  /// The header lines, in the order of the configuration.
  package var headers: [Header] = []
  /// The timeout for the whole request.
  package var timeout = Limits.webhookTimeoutDefault
  /// Maximum number of redirects to follow, to https only.
  package var redirects: UInt8 = 0
  /// Whether plain HTTP may be sent to other machines.
  package var allowsPlain = false
  /// File with the only accepted trust anchors for the server's certificate; `nil` means the system's trust store.
  package var caFile: String?
  /// File with the client certificate that the kiosk presents to the server.
  package var certificateFile: String?
  /// File with the private key of the client certificate.
  package var privateKeyFile: String?
  /// File with the secret that signs each request; `nil` means that requests are not signed.
  package var secretFile: String?

  package init(action: String, url: Value) {
    self.action = action
    self.url = url
  }

  /// Number that changes with the URL, or with the file that contains it; recorded when the webhook has worked.
  ///
  /// FNV-1a is sufficient: two URLs of one action with the same number would only delay a refusal.
  package var target: Int64 {
    @export(interface) get {
      let (text, kind): (String, UInt8) =
        switch url {
        case .text(let text): (text, 0)
        case .file(let path), .session(let path): (path, 1)
        }
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in [kind] + Array(text.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return Int64(bitPattern: hash)
    }
  }

  /// The server, for display; omits the path and query of a URL, which may be secret.
  package var place: String {
    guard case .text(let text) = url else { return "the URL in its file" }
    return WebhookURL(text)?.origin ?? "its URL"
  }
}

/// The relevant parts of a URL.
package struct WebhookURL: Hashable, Sendable {
  package let usesTLS: Bool
  /// The host, without brackets or port.
  package let host: String
  /// The scheme, host and port: `https://host:port`.
  package let origin: String

  /// Parses a URL; `nil` unless it is printable ASCII, `https://HOST…` or `http://HOST…`, without user and fragment.
  @export(interface)
  package init?(_ text: String) {
    guard text.utf8.count <= Limits.webhookURLSizeMax,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") })
    else { return nil }
    let (scheme, authority) = URLParts.withBytes(of: text.utf8) { bytes in
      let parts = URLParts(bytes)
      return (String(decoding: parts.scheme, as: UTF8.self), Array(parts.host))
    }
    guard scheme == "https" || scheme == "http", let place = URLAuthority(authority[...]) else { return nil }
    usesTLS = scheme == "https"
    host = place.host
    origin = scheme + "://" + String(decoding: authority, as: UTF8.self)
  }

  /// Whether requests to the URL cross the network without TLS, which `allow_http` must permit.
  package var isExposed: Bool { !usesTLS && !host.isLoopbackHost }
}

extension String {
  /// Whether the host is this machine.
  package var isLoopbackHost: Bool {
    self == "localhost" || self == "::1"
      || utf8.starts(with: "127.".utf8) && utf8.allSatisfy { $0.isASCIIDigit || $0 == 0x2E }
  }
}
