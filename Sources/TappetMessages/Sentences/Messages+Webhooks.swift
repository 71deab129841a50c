// Sentences for the state and outcomes of webhooks. Only the scheme and host of a URL are shown, because the rest may
// be secret.

import TappetConfig
import TappetCore
import TappetPlatform

extension KioskConfiguration {
  /// Returns the scheme and host of the action's webhook, or the homeserver of its room.
  fileprivate func webhookPlace(_ action: String) -> String {
    if let room = room(of: action) { return "the homeserver of \(room)" }
    return webhooks.first { $0.action == action }?.place ?? "its server"
  }

  /// Returns the kind of place to which the action's messages go: `broker`, `webhook` or `room`.
  @export(interface)
  package func kind(of destination: Destination, for action: String?) -> String {
    if destination == .broker { return "broker" }
    return action.flatMap { room(of: $0) } == nil ? "webhook" : "room"
  }

  /// Returns whether an entry of the action goes to the broker and to a webhook or room.
  func hasBothDestinations(_ action: String?) -> Bool {
    actions.contains { $0.name == action && $0.topic != nil && $0.webhookBody != nil }
  }

  private func room(of action: String) -> String? { matrix?.posts.first { $0.action == action }?.room }

  /// Returns the display name of the action's webhook or room.
  func webhookName(_ action: String) -> String {
    (room(of: action) != nil ? "the room of " : "the webhook of ") + action
  }
}

extension LogRecord {
  /// Creates the record for a request that is retried after `pause`.
  init(_ action: String, waits pause: Duration, _ fault: WebhookFault, _ configuration: KioskConfiguration) {
    self.init(
      .warning, "webhook-waiting",
      configuration.webhookName(action) + " failed: " + fault.sentence(configuration.webhookPlace(action)),
      [("code", fault.code), ("action", action)] + fault.fields + [("retry_in_ms", String(pause.wholeMilliseconds))])
  }

  /// Creates the record for an entry whose delivery was abandoned.
  init(_ entry: OutboxEntry, _ reason: WebhookRefusal, _ configuration: KioskConfiguration) {
    self.init(
      .error, "webhook-given-up",
      "delivery of \(entry.action) was abandoned: " + reason.sentence(configuration.webhookPlace(entry.action)),
      [("code", reason.code)] + entry.fields(configuration) + reason.fields)
  }
}

extension WebhookFault {
  fileprivate var fields: [Field] { if case .status(let status) = self { [("status", String(status))] } else { [] } }

  /// Returns a human-readable message about the server at `place`, as part of a sentence.
  @export(interface)
  package func sentence(_ place: String) -> String {
    switch self {
    case .status(let status): place + " responded with " + String(status) + "; retrying later"
    case .trouble(.nameUnknown, _): "no address found for \(place); is the name correct, and the name server reachable?"
    case .trouble(.unreachable, _): "\(place) cannot be reached"
    case .trouble(.timedOut, _): "\(place) took too long to respond"
    case .trouble(.closed, _): "\(place) closed the connection without a response"
    case .trouble(.certificateRefused, _):
      "the certificate of \(place) is not trusted, or was issued for a different name; check 'ca' and the clock"
    case .trouble(.handshakeFailed, _):
      "no TLS connection to \(place): it may require a different certificate; check 'certificate' and 'private_key'"
    case .trouble(.fileUnusable, let code):
      "one of the files for requests to \(place) cannot be used"
        + (code > 0 ? ": " + SystemError(call: "open", code: code).text : "")
        + "; use 'tappet check' to see which one"
    case .trouble(.redirectForbidden, _): "\(place) redirects to an address that is not allowed; see 'redirects'"
    case .trouble(.tokenRefused, _):
      "\(place) no longer accepts the kiosk's session: run 'tappet matrix login USER' to start a new session, or to "
        + "see the reason"
    case .trouble(.notAHomeserver, let status):
      "\(place) responded with \(status), but not in the Matrix format; is the proxy in front of it set up correctly?"
    case .trouble(.roomEncrypted, _): WebhookRefusal.roomEncrypted.sentence(place)
    case .trouble(.roomClosed, _): WebhookRefusal.roomClosed.sentence(place)
    case .trouble(.roomUnknown, _): WebhookRefusal.roomUnknown.sentence(place)
    case .trouble(.messageRefused, _): WebhookRefusal.messageRefused.sentence(place)
    case .trouble(.roomPlain, _): WebhookRefusal.roomPlain.sentence(place)
    case .trouble(.headersTooLarge, _):
      "\(place) responds with more than \(Limits.webhookHeadersReceivedMax / 1024) KB of headers; "
        + "is it the right server?"
    case .trouble(.notHTTP, _): "the response of \(place) is not HTTP; are the host and port correct?"
    case .trouble(.other, let code): "\(place): libcurl error \(code)"
    }
  }
}

extension WebhookRefusal {
  fileprivate var fields: [Field] { if case .status(let status) = self { [("status", String(status))] } else { [] } }

  /// Returns a human-readable message about the server at `place`, as part of a sentence.
  @export(interface)
  package func sentence(_ place: String = "its server") -> String {
    switch self {
    case .status(let status) where (300...399).contains(status):
      "\(place) responded with \(status), a redirect; correct 'url', or allow 'redirects'"
    case .status(410): "\(place) responded with 410: the webhook no longer exists; correct 'url'"
    case .status(let status): "\(place) refused the request with \(status); correct 'url', 'headers' or 'body'"
    case .redirectForbidden: "\(place) redirects in a loop, or to an address that is not allowed"
    case .notConfigured: "the action no longer has a webhook"
    case .unfillable: "%T cannot be filled in; is 'timestamp_key' still configured, and the clock correct?"
    case .roomEncrypted:
      "nothing was sent, because the room is encrypted; to let the kiosk write there, set 'encryption' under 'matrix'"
    case .roomClosed: "the kiosk is not in the room, or not allowed to write there; join it with 'tappet matrix join'"
    case .roomUnknown: "\(place) has no room with this name; correct 'room'"
    case .messageRefused: "\(place) does not accept this message; is it too long?"
    case .roomPlain: "the room is not encrypted; encrypt it, or set 'unencrypted: allow'"
    }
  }
}

extension HelperLoss {
  /// Returns a human-readable message about the helper program, one sentence.
  @export(interface)
  package func sentence(_ program: String = "tappet-webhook") -> String {
    switch self {
    case .ended(.exited(let status)): "\(program) exited with status \(status); it is restarted"
    case .ended(.signaled(let signal)): "\(program) was terminated by signal \(signal); it is restarted"
    case .silent: "\(program) hung and was killed; it is restarted"
    case .malformed: "\(program) is a different version from this program; install both from the same build"
    case .notStarted(let code):
      "\(program) cannot be started: \(SystemError(call: "posix_spawn", code: code).text); install the package "
        + (program == "tappet-inventory" ? "tappet again" : program)
    }
  }
}

extension KioskStatus.Webhooks {
  package var isGood: Bool { self == .good }

  /// Returns a human-readable message, one sentence.
  package func sentence(_ configuration: KioskConfiguration) -> String {
    switch self {
    case .good: "good"
    case .failing(let action, let fault): action + ": " + fault.sentence(configuration.webhookPlace(action))
    case .lost(let loss): loss.sentence()
    }
  }
}
