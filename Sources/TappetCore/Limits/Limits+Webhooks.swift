// Limits of the webhooks.

extension Limits {
  /// Requests under way at a time; each has a connection of its own, some 100 KB in tappet-webhook.
  package static let webhooksInflightMax = 4
  /// Of one action: a server that hangs leaves room for the others.
  package static let webhooksInflightPerActionMax = 2
  /// tappet-webhook ends after this time without work; libcurl would take 10 MB for nothing.
  package static let webhookIdleMax: Duration = .seconds(30)
  /// From the start of tappet-webhook until it has loaded its certificates; a slow card takes seconds.
  package static let webhookStartMax: Duration = .seconds(20)
  /// How long an asked tappet-webhook may take to end.
  package static let webhookDeathMax: Duration = .seconds(2)
  /// From the first packet to the end of the answer, unless the configuration says otherwise.
  package static let webhookTimeoutDefault: Duration = .seconds(10)
  /// A shorter time would not do for a TLS handshake with a server far away.
  package static let webhookTimeoutMin: Duration = .milliseconds(500)
  /// A request that takes longer will never be answered.
  package static let webhookTimeoutMax: Duration = .seconds(60)
  /// Without any answer for this long tappet-webhook hangs: it ends each request itself by its timeout.
  package static let webhookAnswerMax: Duration = .seconds(75)
  /// The ceilings of the pause after a request that is to be repeated.
  package static var webhookRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(300)) }
  /// `Retry-After` counts up to this time; a server that asks for more is asked after it.
  package static let webhookRetryAfterMax: Duration = .seconds(3600)
  /// Bytes of an answer that are read; nothing in it is used but its status.
  package static let webhookAnswerSizeMax = 64 * 1024
  /// Bytes of the headers and trailers of an answer; a web server sends a few KB, and more ends the request.
  package static let webhookHeadersReceivedMax = 64 * 1024
  /// Bytes of data in tappet-webhook, the stacks of its threads included.
  ///
  /// Four requests with the system's trust store take 5 MB; with the libraries' own pages it stays below 32 MB.
  package static let webhookDataMax = 24 * 1024 * 1024
  /// Bytes of a thread's stack there: one asks the name servers, and one that hangs is left behind.
  package static let webhookStackSize = 256 * 1024
  /// How long the id of a room, and that it is not encrypted, are taken for known: as long as a burst of taps.
  package static let roomFactsMax: Duration = .seconds(5)
  /// Bytes of the name or the id of a room (Matrix, Appendices §4.2).
  package static let roomNameSizeMax = 255
  /// Bytes of a message to a room: an event has at most 64 KB, in which each control character takes six.
  package static let roomMessageSizeMax = 8 * 1024
  /// Rooms of a space in one answer, which has to fit into `webhookAnswerSizeMax`.
  package static let spacePageCount = 20
  /// Such answers: Synapse itself ends at 50 rooms a page.
  package static let spacePagesMax = 50
  /// The longest pause that a homeserver may ask a command for, and how often it may.
  package static let homeserverPauseMax: Duration = .seconds(60)
  /// See `homeserverPauseMax`.
  package static let homeserverPausesMax = 20
  /// Redirects of a homeserver that are followed.
  package static let roomRedirectsMax: UInt8 = 3
  /// Bytes of a session's file.
  package static let roomSessionSizeMax = 8 * 1024
  /// Bytes of a URL; servers take no longer ones.
  package static let webhookURLSizeMax = 2048
  /// Headers that an action sets.
  package static let webhookHeadersMax = 16
  /// Bytes of a header's name.
  package static let webhookHeaderNameSizeMax = 64
  /// Bytes of a header's value; servers take 8 KB for all headers together.
  package static let webhookHeaderSizeMax = 4096
  /// Redirects that a configuration may allow.
  package static let webhookRedirectsMax: Int64 = 5
  /// Bytes of a path in a message to tappet-webhook; Linux's own limit.
  package static let webhookPathSizeMax = 4096
  /// Bytes of one message between the kiosk and tappet-webhook: a body, or an endpoint with all its headers.
  package static let webhookMessageSizeMax = 128 * 1024
  /// Bytes of a signing secret; Standard Webhooks has 24 to 64.
  package static let webhookSecretSizeMin = 16
  /// See `webhookSecretSizeMin`.
  package static let webhookSecretSizeMax = 128
  /// Entries that were given up and are still listed, the oldest of which make room.
  package static let webhooksGivenUpMax = 100
}
