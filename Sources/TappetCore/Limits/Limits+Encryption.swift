// Limits of encrypted rooms.

extension Limits {
  /// One-time keys at the homeserver; libolm keeps up to 100.
  package static let oneTimeKeysMax = 50
  /// Messages of one Megolm session (client-server API, §11.11.2.1: `rotation_period_msgs`).
  package static let megolmMessagesMax: Int64 = 100
  /// Age of a Megolm session, in milliseconds: `rotation_period_ms`.
  package static let megolmAgeMax: Int64 = 7 * 24 * 3600 * 1000
  /// Inbound sessions of other devices; a command is read within seconds, so the oldest sessions are replaced.
  package static let megolmInboundMax = 300
  /// Message numbers of a session that are remembered: a peer that never rotates its session must not fill the disk.
  package static let megolmNumbersMax: UInt32 = 1000
  /// Olm sessions with one device; peers that start several at the same time soon agree on one.
  package static let olmSessionsMax = 5
  /// Events waiting for their key, or for the list of their sender's devices.
  package static let roomEventsWaitingMax = 64
  /// Longest wait of such an event, in milliseconds: an older line is not accepted as a command.
  package static let roomEventWaitMax: Int64 = 60_000
  /// Time for which a device list stays valid without an update, in milliseconds.
  package static let deviceListAgeMax: Int64 = 3_600_000
  /// Time before a device without one-time keys is queried again, in milliseconds.
  package static let deviceRestMax: Int64 = 300_000
  /// Devices that a room's key is sent to in one request; each takes 1.5 KB.
  package static let devicesPerRequestMax = 40
  /// Number of queued messages to encrypted rooms.
  package static let roomPostsMax = 64
  /// Time limit for one message with all its requests; see `webhookAnswerMax`.
  package static let roomPostMax: Duration = .seconds(60)
  /// Pause after a failed request about keys.
  package static let roomKeysRetry: Duration = .seconds(5)
  /// Bytes of the database's page cache; all its rows are in memory, too.
  package static let matrixCacheSizeMax = 128 * 1024
  /// Bytes of a homeserver's answer about devices and their keys: Synapse delivers 100 events to a device at a time, of
  /// up to 64 KB each, and repeats them until they are acknowledged.
  package static let roomKeysAnswerSizeMax = 16 * 1024 * 1024
}
