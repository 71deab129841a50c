// Limits of the webhooks.

extension Limits {
  /// Maximum number of concurrent requests; each has its own connection, which takes about 100 KB in tappet-webhook.
  package static let webhooksInflightMax = 4
  /// Maximum number of concurrent requests per action; a server that hangs must leave room for other actions.
  package static let webhooksInflightPerActionMax = 2
  /// Idle time after which tappet-webhook exits; otherwise, libcurl would occupy 10 MB for nothing.
  package static let webhookIdleMax: Duration = .seconds(30)
  /// Default timeout, from the first packet to the end of the response.
  package static let webhookTimeoutDefault: Duration = .seconds(10)
  /// Shortest configurable timeout; less would not suffice for a TLS handshake with a distant server.
  package static let webhookTimeoutMin: Duration = .milliseconds(500)
  /// Longest configurable timeout; a request that takes longer will never receive a response.
  package static let webhookTimeoutMax: Duration = .seconds(60)
  /// Time without any response after which tappet-webhook counts as hung; it cancels each request at its timeout.
  package static let webhookAnswerMax: Duration = .seconds(75)
  /// Ceilings of the backoff before a request is retried.
  package static var webhookRetry: Backoff { Backoff(.seconds(1), upTo: .seconds(300)) }
  /// Shortest `Retry-After` that is honoured, so that a full outbox does not send a hundred requests a second.
  package static let webhookRetryAfterMin: Duration = .milliseconds(100)
  /// Longest `Retry-After` that is honoured; a longer time is reduced to this limit.
  package static let webhookRetryAfterMax: Duration = .seconds(3600)
  /// Maximum number of bytes of a response that are read; only its status is used.
  package static let webhookAnswerSizeMax = 64 * 1024
  /// Maximum size of a homeserver's response to a command, in bytes: hundreds of rooms, each with a message.
  package static let homeserverAnswerSizeMax = 4 * 1024 * 1024
  /// Maximum size of a part of a response to a command, in bytes; leaves room for the rest of `webhookMessageSizeMax`.
  package static let webhookPartSizeMax = 64 * 1024
  /// Maximum size of the headers and trailers of a response, in bytes; a web server sends a few KB, and more cancels
  /// the request.
  package static let webhookHeadersReceivedMax = 64 * 1024
  /// Maximum size of tappet-webhook's data (RLIMIT_DATA), in bytes, including the stacks of its threads.
  ///
  /// Four requests with the system's trust store take 5 MB; with the libraries' pages, the process stays below 32 MB.
  package static let webhookDataMax = 24 * 1024 * 1024
  /// Size of a thread's stack in tappet-webhook, in bytes.
  ///
  /// A thread queries the name servers, and is abandoned if it hangs.
  package static let webhookStackSize = 256 * 1024
  /// Time for which a room's id, and the fact that the room is not encrypted, are cached: as long as a burst of taps.
  package static let roomFactsMax: Duration = .seconds(5)
  /// Maximum length of an event's id, in bytes (Matrix, client-server API, "Size limits").
  package static let roomEventSizeMax = 255
  /// Maximum number of attempts to edit a message in a room; with the pauses of `webhookRetry`, they take an hour.
  package static let roomEditTriesMax = 20
  /// Shortest pause after an edit that the homeserver limits, so that most of its allowance is left for taps.
  package static let roomEditPause: Duration = .seconds(10)
  /// Longest pause that a homeserver may request of an edit; after a longer pause, the edit would no longer be noticed.
  package static let roomEditPauseMax: Duration = .seconds(300)
  /// Maximum number of stored messages that may have to be edited; a new one replaces the oldest.
  package static let roomEditsMax: Int64 = 20_000
  /// Maximum length of a room's name or id, in bytes (Matrix, Appendices §4.2).
  package static let roomNameSizeMax = 255
  /// Maximum size of a message to a room, in bytes; an event has at most 64 KB, and a control character takes six.
  package static let roomMessageSizeMax = 8 * 1024
  /// Number of a space's rooms requested per page; Synapse itself limits a page to 50 rooms.
  package static let spacePageCount = 50
  /// Maximum number of pages read.
  package static let spacePagesMax = 50
  /// Number of a room's events in the first response about all rooms, which has to include a message after some changes
  /// of the room's state.
  package static let roomTimelineFirst: Int64 = 10
  /// Number of a room's events in a later response about all rooms.
  package static let roomTimelineMax: Int64 = 20
  /// Maximum length of the part of a message that is shown, in characters; no terminal is wider.
  package static let roomPreviewMax = 450
  /// Maximum number of unread messages of a room, so that sums cannot overflow.
  package static let roomUnreadMax: Int64 = 1_000_000
  /// Minimum time between two requests of `matrix watch`, so that a busy room does not keep the homeserver busy.
  package static let roomWatchInterval: Duration = .seconds(1)
  /// Time between two requests of `matrix watch` for all rooms, if it cannot request only the changes.
  package static let roomRereadInterval: Duration = .seconds(10)
  /// Longest pause that a homeserver may request of a command; `homeserverPausesMax` limits the number of pauses.
  package static let homeserverPauseMax: Duration = .seconds(60)
  /// Longest pause that a homeserver may request of a command for a whole space; Synapse's default for joining rooms of
  /// other servers is 100 s.
  package static let spacePauseMax: Duration = .seconds(300)
  /// Pause before a command retries a request that failed at a homeserver, or got no response.
  package static let homeserverRetryPause: Duration = .seconds(2)
  /// Maximum number of pauses that a homeserver may request of a command.
  package static let homeserverPausesMax = 20
  /// Maximum number of a homeserver's redirects that are followed.
  package static let roomRedirectsMax: UInt8 = 3
  /// Maximum size of a session's file, in bytes.
  package static let roomSessionSizeMax = 8 * 1024
  /// Maximum length of a URL, in bytes; servers do not accept longer ones.
  package static let webhookURLSizeMax = 2048
  /// Maximum number of headers that an action sets.
  package static let webhookHeadersMax = 16
  /// Maximum length of a header's name, in bytes.
  package static let webhookHeaderNameSizeMax = 64
  /// Maximum length of a header's value, in bytes; servers accept 8 KB for all headers together.
  package static let webhookHeaderSizeMax = 4096
  /// Maximum number of redirects that a configuration may allow.
  package static let webhookRedirectsMax: Int64 = 5
  /// Maximum size of a message from or to tappet-webhook, in bytes: a body, or an endpoint with all its headers.
  package static let webhookMessageSizeMax = 128 * 1024
  /// Minimum length of a signing secret, in bytes; Standard Webhooks uses 24 to 64.
  package static let webhookSecretSizeMin = 16
  /// Maximum length of a signing secret, in bytes.
  package static let webhookSecretSizeMax = 128
  /// Maximum number of entries given up that are listed and can be sent again; new ones replace the oldest.
  package static let givenUpMax = 100
}
