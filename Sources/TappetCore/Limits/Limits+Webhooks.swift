// Limits of the webhooks.

extension Limits {
  /// Number of concurrent requests; each has its own connection, some 100 KB in tappet-webhook.
  package static let webhooksInflightMax = 4
  /// Concurrent requests of one action: a server that hangs must leave room for the others.
  package static let webhooksInflightPerActionMax = 2
  /// Idle time after which tappet-webhook exits; libcurl would occupy 10 MB for nothing.
  package static let webhookIdleMax: Duration = .seconds(30)
  /// Default timeout, from the first packet to the end of the answer.
  package static let webhookTimeoutDefault: Duration = .seconds(10)
  /// Shortest configurable timeout; less would not suffice for a TLS handshake with a distant server.
  package static let webhookTimeoutMin: Duration = .milliseconds(500)
  /// Longest configurable timeout; a request that takes longer will never be answered.
  package static let webhookTimeoutMax: Duration = .seconds(60)
  /// Time without any answer after which tappet-webhook counts as hung: it ends each request at its timeout.
  package static let webhookAnswerMax: Duration = .seconds(75)
  /// Ceilings of the backoff after a request that is to be retried.
  package static var webhookRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(300)) }
  /// Shortest pause that a server can name, so that a full outbox does not ask it a hundred times a second.
  package static let webhookRetryAfterMin: Duration = .milliseconds(100)
  /// Longest `Retry-After` that is honoured; a longer one is cut to this time.
  package static let webhookRetryAfterMax: Duration = .seconds(3600)
  /// Bytes of an answer that are read; only its status is used.
  package static let webhookAnswerSizeMax = 64 * 1024
  /// Bytes of the headers and trailers of an answer; a web server sends a few KB, and more ends the request.
  package static let webhookHeadersReceivedMax = 64 * 1024
  /// Bytes of data in tappet-webhook, the stacks of its threads included.
  ///
  /// Four requests with the system's trust store take 5 MB; with the libraries' own pages it stays below 32 MB.
  package static let webhookDataMax = 24 * 1024 * 1024
  /// Bytes of a thread's stack in tappet-webhook: a thread queries the name servers, and is abandoned if it hangs.
  package static let webhookStackSize = 256 * 1024
  /// Time for which a room's id, and the fact that it is not encrypted, are cached: as long as a burst of taps.
  package static let roomFactsMax: Duration = .seconds(5)
  /// Bytes of the name or the id of a room (Matrix, Appendices §4.2).
  package static let roomNameSizeMax = 255
  /// Bytes of a message to a room: an event has at most 64 KB, in which each control character takes six.
  package static let roomMessageSizeMax = 8 * 1024
  /// Rooms of a space in one answer, which has to fit into `webhookAnswerSizeMax`.
  package static let spacePageCount = 20
  /// Maximum number of pages; Synapse itself limits a page to 50 rooms.
  package static let spacePagesMax = 50
  /// Longest pause that a homeserver may request of a command; `homeserverPausesMax` limits their number.
  package static let homeserverPauseMax: Duration = .seconds(60)
  /// Number of pauses that a homeserver may request of a command.
  package static let homeserverPausesMax = 20
  /// Redirects of a homeserver that are followed.
  package static let roomRedirectsMax: UInt8 = 3
  /// Bytes of a session's file.
  package static let roomSessionSizeMax = 8 * 1024
  /// Bytes of a URL; servers accept no longer ones.
  package static let webhookURLSizeMax = 2048
  /// Headers that an action sets.
  package static let webhookHeadersMax = 16
  /// Bytes of a header's name.
  package static let webhookHeaderNameSizeMax = 64
  /// Bytes of a header's value; servers accept 8 KB for all headers together.
  package static let webhookHeaderSizeMax = 4096
  /// Redirects that a configuration may allow.
  package static let webhookRedirectsMax: Int64 = 5
  /// Bytes of a path in a message to tappet-webhook; Linux's own limit.
  package static let webhookPathSizeMax = 4096
  /// Bytes of one message between the kiosk and tappet-webhook: a body, or an endpoint with all its headers.
  package static let webhookMessageSizeMax = 128 * 1024
  /// Bytes of a signing secret; Standard Webhooks uses 24 to 64.
  package static let webhookSecretSizeMin = 16
  /// See `webhookSecretSizeMin`.
  package static let webhookSecretSizeMax = 128
  /// Entries that were given up and are still listed; new ones replace the oldest.
  package static let webhooksGivenUpMax = 100
}
