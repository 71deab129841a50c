// The outcome of one request, as facts, and what follows from it.

/// Why a request brought no answer; the raw values are on the wire between tappet-webhook and the kiosk.
package enum TransportError: UInt8, CaseIterable, Hashable, Sendable {
  case nameUnknown = 1
  case unreachable = 2
  case timedOut = 3
  case closed = 4
  /// The server's certificate is not from who it should be.
  case certificateRefused = 5
  /// No TLS connection for another reason, such as the client certificate.
  case handshakeFailed = 6
  /// A file of the webhook cannot be read, or does not contain what it should.
  case fileUnusable = 7
  /// The redirects lead in a circle, or to where they may not.
  case redirectForbidden = 8
  /// Anything else that libcurl reports.
  case other = 9
  /// Headers or trailers without an end.
  case headersTooLarge = 17
  /// The answer is not HTTP.
  case notHTTP = 18

  // Of a room alone.

  /// The homeserver does not accept the session's token any more.
  case tokenRefused = 10
  /// The answer is not a homeserver's, whatever its status.
  case notAHomeserver = 11
  /// The room is encrypted: nothing is sent there in plain.
  case roomEncrypted = 12
  /// The kiosk is not in the room, or may not write there.
  case roomClosed = 13
  /// No room has this name.
  case roomUnknown = 14
  /// The homeserver does not take this message.
  case messageRefused = 15
  /// The room is not encrypted, and the configuration wants that.
  case roomPlain = 16
}

/// Why a request is repeated later.
package enum WebhookFault: Hashable, Sendable {
  /// The server answered with this status: 408, 425, 429 or 5xx.
  case status(Int)
  /// There was no answer; libcurl's code, or an errno for a file.
  case trouble(TransportError, code: Int32)
}

extension WebhookFault {
  /// Whether every request to the same homeserver fails with it, whatever the room: all but a status of one request.
  var isOfHomeserver: Bool {
    if case .status(let status) = self { status == 429 } else { true }
  }
}

/// Why an entry was given up.
package enum WebhookRefusal: Hashable, Sendable {
  /// The server does not want it: any other status.
  case status(Int)
  /// The redirects lead in a circle, or to where they may not.
  case redirectForbidden
  /// The action has no webhook any more.
  case notConfigured
  /// Its `%T` cannot be filled.
  case unfillable
  /// The room is encrypted.
  case roomEncrypted
  /// The kiosk is not in the room, or may not write there.
  case roomClosed
  /// No room has this name.
  case roomUnknown
  /// The homeserver does not take this message.
  case messageRefused
  /// The room is not encrypted, and the configuration wants that.
  case roomPlain

  /// The number under which it is in the store.
  package var number: Int32 {
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

/// One answer of tappet-webhook, or its end.
package enum WebhookEvent: Hashable, Sendable {
  /// It has loaded what it needs and takes requests.
  case ready
  /// The server answered; `retryAfter` when it named a time.
  case answered(EntryID, status: Int, retryAfter: Duration?)
  /// There was no answer.
  case failed(EntryID, TransportError, code: Int32)
  /// The action has no webhook in the configuration.
  case notConfigured(EntryID)
  /// It sent bytes that are not a message.
  case malformed
  case ended(ProcessEnd)
  /// It could not be started; an errno.
  case notStarted(code: Int32)
}

/// The consequence of an answer for its entry.
enum WebhookVerdict: Equatable {
  case delivered
  case again(WebhookFault)
  case givenUp(WebhookRefusal)

  /// RFC 9110 §15: 2xx succeeded; 408 and 425 ask for a repetition, 429 and 5xx for one later; all else is for good.
  init(status: Int) {
    switch status {
    case 200...299: self = .delivered
    case 408, 425, 429, 500...599: self = .again(.status(status))
    default: self = .givenUp(.status(status))
    }
  }

  init(_ trouble: TransportError, code: Int32) {
    switch trouble {
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
