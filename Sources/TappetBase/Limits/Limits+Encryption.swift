// Limits of encrypted rooms.

extension Limits {
  /// Maximum number of one-time keys at the homeserver; libolm keeps up to 100.
  package static let oneTimeKeysMax = 50
  /// Minimum time between two uploads of keys, in milliseconds; until then, the fallback key takes their place.
  package static let keyUploadRest: Int64 = 300_000
  /// Maximum number of messages in a Megolm session (client-server API, §11.11.2.1: `rotation_period_msgs`).
  package static let megolmMessagesMax: Int64 = 100
  /// Maximum age of a Megolm session, in milliseconds (`rotation_period_ms`).
  package static let megolmAgeMax: Int64 = 7 * 24 * 3600 * 1000
  /// Maximum number of the kiosk's own sessions that are remembered until one of their messages has arrived.
  package static let sentSessionsMax = 32
  /// Number of messages that are read to find the kiosk's own newest one.
  package static let sentMessagesRead = 20
  /// Maximum number of other devices' inbound sessions: of a room with hundreds of devices, 2 KB each.
  package static let megolmInboundMax = 1000
  /// Maximum number of commands per session that the kiosk has not recorded yet: those of a response to /sync.
  package static let megolmUnrecordedMax = 100
  /// Maximum number of Olm sessions with one device; peers that start several at the same time soon agree on one.
  package static let olmSessionsMax = 5
  /// Maximum number of devices with Olm sessions; a session takes 3 KB.
  package static let olmDevicesMax = 1000
  /// Maximum size of an Olm message to this device, in bytes; one with a room's key has about 3 KB.
  package static let olmMessageSizeMax = 16 * 1024
  /// Maximum number of devices of a user: beyond any person's.
  package static let devicesPerUserMax = 64
  /// Maximum number of devices whose signing keys are remembered.
  package static let knownDevicesMax = 4000
  /// Maximum number of events waiting for their key, or for the list of their sender's devices.
  package static let roomEventsWaitingMax = 64
  /// Maximum wait of such an event, in milliseconds; an older line is not accepted as a command.
  package static let roomEventWaitMax: Int64 = 60_000
  /// Time for which a device list stays valid without an update, in milliseconds.
  package static let deviceListAgeMax: Int64 = 3_600_000
  /// Time for which a device that is missing from the list does not cause a query, in milliseconds.
  package static let deviceListAgeMin: Int64 = 60_000
  /// Minimum time between two reports about lines of a user that cannot be read, in milliseconds.
  package static let roomUnreadableInterval: Int64 = 60_000
  /// Time before a device without one-time keys is queried again, in milliseconds.
  package static let deviceRestMax: Int64 = 300_000
  /// Maximum number of devices that a room's key is sent to in one request; each takes 1.5 KB.
  package static let devicesPerRequestMax = 40
  /// Maximum number of queued messages of entries to rooms.
  package static let roomPostsMax = 64
  /// Time limit for posting a message, including all requests for it; see `webhookAnswerMax`.
  package static let roomPostMax: Duration = .seconds(60)
  /// Minimum pause after a failed request for keys.
  package static let roomKeysRetry: Duration = .seconds(5)
  /// Maximum size of the database's page cache, in bytes; all rows of the database are also in memory.
  package static let matrixCacheSizeMax = 128 * 1024
  /// Maximum size of a homeserver's response about devices and their keys, in bytes.
  ///
  /// Synapse delivers 100 events to a device at a time, each up to 64 KB, and repeats them until they are acknowledged.
  package static let roomKeysAnswerSizeMax = 16 * 1024 * 1024
  /// Maximum size of tappet-matrix's data (RLIMIT_DATA), in bytes.
  ///
  /// Its keys and libraries take up to 16 MB, the largest response 24 MB while its buffer grows, and all values of one
  /// response 15 MB.
  package static let matrixDataMax = 64 * 1024 * 1024
}
