// Where an action's webhook goes, as the configuration has it. The kiosk passes it on to tappet-webhook and reads none
// of the files: neither the keys nor a URL that is a secret are ever in its memory.

/// The webhook of one action, or the room in which it says something.
package struct WebhookEndpoint: Hashable, Sendable {
  /// HTTP's methods that carry out something.
  package enum Method: UInt8, CaseIterable, Sendable {
    case post = 0
    case put = 1
    case patch = 2
    case get = 3
    case delete = 4

    /// The word in the request.
    package var word: String {
      switch self {
      case .post: "POST"
      case .put: "PUT"
      case .patch: "PATCH"
      case .get: "GET"
      case .delete: "DELETE"
      }
    }
  }

  /// A text, or the file whose first line it is.
  package enum Value: Hashable, Sendable {
    case text(String)
    case file(String)
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
  /// `https://…`, or `http://…` where that is allowed.
  ///
  /// For a room the file of the session, which has the homeserver's.
  package var url: Value
  /// The Matrix room, `!id:server` or `#alias:server`; `nil` for a webhook.
  package var room: String?
  package var method = Method.post
  /// In the order of the file.
  package var headers: [Header] = []
  /// For the whole request.
  package var timeout = Limits.webhookTimeoutDefault
  /// Number of redirects to follow, to https only.
  package var redirects: UInt8 = 0
  /// Whether http may leave this machine.
  package var allowsPlain = false
  /// The certificates that alone may have signed the server's; `nil` means the system's trust store.
  package var caFile: String?
  /// The kiosk's certificate for this server.
  package var certificateFile: String?
  /// The certificate's private key.
  package var privateKeyFile: String?
  /// The file of the secret that signs each request; `nil` means that none does.
  package var secretFile: String?

  package init(action: String, url: Value) {
    self.action = action
    self.url = url
  }

  /// Scheme and host for people: path and query of a URL may be a secret.
  package var place: String {
    if let room { return "the homeserver of \(room)" }
    guard case .text(let text) = url else { return "the URL in its file" }
    return WebhookURL(text)?.origin ?? "its URL"
  }
}

/// The parts of a URL that matter here.
package struct WebhookURL: Hashable, Sendable {
  package let usesTLS: Bool
  /// Without brackets and port.
  package let host: String
  /// `https://host:port`, without path and query.
  package let origin: String

  /// `nil` for anything but printable ASCII `https://HOST…` or `http://HOST…` without a user and a fragment.
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

  /// Whether what is sent there stays on this machine.
  package var isLoopback: Bool { host == "localhost" || host == "::1" || host.utf8.starts(with: "127.".utf8) && isIPv4 }

  private var isIPv4: Bool { host.utf8.allSatisfy { $0.isASCIIDigit || $0 == 0x2E } }
}
