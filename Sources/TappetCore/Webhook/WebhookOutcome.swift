// The outcome of a request, and its consequences.

/// The reason why a request received no response; the raw values are used between tappet-webhook and the kiosk.
package enum TransportError: UInt8, CaseIterable, Hashable, Sendable {
  case nameUnknown = 1
  case unreachable = 2
  case timedOut = 3
  case closed = 4
  /// The server's certificate is not trusted.
  case certificateRefused = 5
  /// The TLS handshake failed for a different reason, such as the client certificate.
  case handshakeFailed = 6
  /// A file of the webhook cannot be read, or has invalid content.
  case fileUnusable = 7
  /// The redirects form a loop, or lead to a forbidden target.
  case redirectForbidden = 8
  /// Any other error that libcurl reports.
  case other = 9
  /// The headers or trailers are too large.
  case headersTooLarge = 17
  /// The response is not HTTP.
  case notHTTP = 18

  // For rooms only.

  /// The homeserver no longer accepts the session's token.
  case tokenRefused = 10
  /// The response is not from a homeserver, regardless of the status.
  case notAHomeserver = 11
  /// The room is encrypted, so no unencrypted message is sent.
  case roomEncrypted = 12
  /// The kiosk is not a member of the room, or may not send messages to it.
  case roomClosed = 13
  /// No room has the configured alias or id.
  case roomUnknown = 14
  /// The homeserver rejected the message.
  case messageRefused = 15
  /// The room is not encrypted, but the configuration requires encryption.
  case roomPlain = 16
}

/// The reason why a request will be retried.
package enum WebhookFault: Hashable, Sendable {
  /// The server responded with the given status: 408, 425, 429, 5xx, or any other of a webhook that has worked.
  case status(Int)
  /// There was no response; `code` is libcurl's, or an errno for a file.
  case trouble(TransportError, code: Int32)
}

extension WebhookFault {
  /// Whether the server refused the request, rather than being too busy or out of order.
  var isRefusal: Bool {
    switch self {
    case .status(408), .status(425), .status(429), .status(500...599): false
    case .status, .trouble(.redirectForbidden, _): true
    case .trouble: false
    }
  }

  /// Whether the fault affects all requests to the homeserver, in any room: a missing response, or status 429.
  var isOfHomeserver: Bool {
    if case .status(let status) = self { status == 429 } else { true }
  }

  /// Whether a file that the process read at its start may be the cause, such as a certificate or a session.
  var mayBeOfFiles: Bool {
    switch self {
    case .trouble(.certificateRefused, _), .trouble(.handshakeFailed, _), .trouble(.fileUnusable, _),
      .trouble(.tokenRefused, _):
      true
    case .trouble, .status: false
    }
  }
}

/// The reason why an entry was given up.
package enum WebhookRefusal: Hashable, Sendable {
  /// The server refused the request with any other status.
  case status(Int)
  /// The redirects form a loop, or lead to a forbidden target.
  case redirectForbidden
  /// The action no longer has a webhook.
  case notConfigured
  /// The `%T` in the body cannot be filled in.
  case unfillable
  /// The room is encrypted.
  case roomEncrypted
  /// The kiosk is not a member of the room, or may not send messages to it.
  case roomClosed
  /// No room has the configured alias or id.
  case roomUnknown
  /// The homeserver rejected the message.
  case messageRefused
  /// The room is not encrypted, but the configuration requires encryption.
  case roomPlain

  /// The number that represents the refusal in the store.
  package var number: Int32 {
    @export(interface) get {
      switch self {
      case .status(let status): Int32(clamping: status)
      case .redirectForbidden: -1
      case .notConfigured: -2
      case .unfillable: -3
      case .roomEncrypted: -4
      case .roomClosed: -5
      case .roomUnknown: -6
      case .messageRefused: -7
      case .roomPlain: -8
      }
    }
  }

  @export(interface)
  package init(number: Int32) {
    self =
      switch number {
      case -1: .redirectForbidden
      case -2: .notConfigured
      case -3: .unfillable
      case -4: .roomEncrypted
      case -5: .roomClosed
      case -6: .roomUnknown
      case -7: .messageRefused
      case -8: .roomPlain
      default: .status(Int(number))
      }
  }
}

/// The reason why an entry was given up: its destination will never accept it.
package enum DeliveryRefusal: Hashable, Sendable {
  case webhook(WebhookRefusal)
  /// The code is that of `LinkEvent.publishRefused`; `nil` if the message cannot be filled in.
  case broker(code: Int32?)

  package var destination: Destination {
    @export(interface) get {
      switch self {
      case .webhook: .webhook
      case .broker: .broker
      }
    }
  }

  /// The number that represents the refusal in the store.
  package var number: Int32 {
    @export(interface) get {
      switch self {
      case .webhook(let refusal): refusal.number
      case .broker(let code): code ?? WebhookRefusal.unfillable.number
      }
    }
  }

  @export(interface)
  package init(number: Int32, of destination: Destination) {
    switch destination {
    case .webhook: self = .webhook(WebhookRefusal(number: number))
    case .broker: self = .broker(code: number == WebhookRefusal.unfillable.number ? nil : number)
    }
  }
}

/// A message from tappet-webhook, or the exit of the process.
package enum WebhookEvent: Hashable, Sendable {
  /// The process has loaded its files and accepts requests.
  case ready
  /// The server responded; `retryAfter` is set if the server specified a time.
  case answered(EntryID, status: Int, retryAfter: Duration?)
  /// The homeserver created this event for a message, or had created it for the same transaction.
  case created(EntryID, event: String)
  /// The request received no response.
  case failed(EntryID, TransportError, code: Int32)
  /// The action has no webhook in the configuration.
  case notConfigured(EntryID)
  /// The process sent an invalid message.
  case malformed
  case ended(ProcessEnd)
  /// The process could not be started; `code` is the errno.
  case notStarted(code: Int32)
}

/// The consequence of a response for the entry.
enum WebhookDecision: Equatable {
  case delivered
  case again(WebhookFault)
  case givenUp(WebhookRefusal)

  /// Maps a status (RFC 9110 §15): 2xx means success; 408, 425, 429 and 5xx lead to a retry.
  ///
  /// A webhook that has worked exists: a proxy also refuses requests (404, 401, 403, 421) or redirects them while it or
  /// the server behind it restarts, so they are retried. Permanent are 410, and the statuses about the content of the
  /// request, which the same request would receive again.
  init(status: Int, hasWorked: Bool) {
    switch status {
    case 200...299: self = .delivered
    case 408, 425, 429, 500...599: self = .again(.status(status))
    case 410, 413, 414, 415, 422, 431: self = .givenUp(.status(status))
    default: self = hasWorked ? .again(.status(status)) : .givenUp(.status(status))
    }
  }

  init(_ trouble: TransportError, code: Int32, hasWorked: Bool) {
    switch trouble {
    case .redirectForbidden where hasWorked: self = .again(.trouble(trouble, code: code))
    case .redirectForbidden: self = .givenUp(.redirectForbidden)
    case .roomEncrypted: self = .givenUp(.roomEncrypted)
    case .roomClosed: self = .givenUp(.roomClosed)
    case .roomUnknown: self = .givenUp(.roomUnknown)
    case .messageRefused: self = .givenUp(.messageRefused)
    case .roomPlain: self = .givenUp(.roomPlain)
    case .nameUnknown, .unreachable, .timedOut, .closed, .certificateRefused, .handshakeFailed, .fileUnusable, .other,
      .headersTooLarge, .notHTTP, .tokenRefused, .notAHomeserver:
      self = .again(.trouble(trouble, code: code))
    }
  }
}
