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
  /// Maximum number of other devices' inbound sessions; a command is read within seconds, so the oldest are replaced.
  package static let megolmInboundMax = 300
  /// Maximum number of message numbers remembered per session.
  ///
  /// A peer that never rotates its session must not fill the disk.
  package static let megolmNumbersMax: UInt32 = 1000
  /// Maximum number of Olm sessions with one device; peers that start several at the same time soon agree on one.
  package static let olmSessionsMax = 5
  /// Maximum number of events waiting for their key, or for the list of their sender's devices.
  package static let roomEventsWaitingMax = 64
  /// Maximum wait of such an event, in milliseconds; an older line is not accepted as a command.
  package static let roomEventWaitMax: Int64 = 60_000
  /// Time for which a device list stays valid without an update, in milliseconds.
  package static let deviceListAgeMax: Int64 = 3_600_000
  /// Time before a device without one-time keys is queried again, in milliseconds.
  package static let deviceRestMax: Int64 = 300_000
  /// Maximum number of devices that a room's key is sent to in one request; each takes 1.5 KB.
  package static let devicesPerRequestMax = 40
  /// Maximum number of queued messages to encrypted rooms.
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
