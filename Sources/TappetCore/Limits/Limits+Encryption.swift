// Limits of encrypted rooms.

extension Limits {
  /// One-time keys at the homeserver; libolm keeps up to 100.
  package static let oneTimeKeysMax = 50
  /// Messages of one Megolm session (client-server API, §11.11.2.1: `rotation_period_msgs`).
  package static let megolmMessagesMax: Int64 = 100
  /// Age of a Megolm session, in milliseconds: `rotation_period_ms`.
  package static let megolmAgeMax: Int64 = 7 * 24 * 3600 * 1000
  /// Sessions of others in which the kiosk reads; a command is read within seconds, so the oldest make room.
  package static let megolmInboundMax = 300
  /// Numbers of a session's messages that are remembered: a peer that never changes its session must not fill the disk.
  package static let megolmNumbersMax: UInt32 = 1000
  /// Olm sessions with one device; peers that began some at once agree on one of them soon.
  package static let olmSessionsMax = 5
  /// Events that wait for their key, or for their sender's devices.
  package static let roomEventsWaitingMax = 64
  /// For how long they wait, in milliseconds: a line that is older commands nothing.
  package static let roomEventWaitMax: Int64 = 60_000
  /// How long a list of devices counts without news about it, in milliseconds.
  package static let deviceListAgeMax: Int64 = 3_600_000
  /// How long a device without one-time keys is not asked again, in milliseconds.
  package static let deviceRestMax: Int64 = 300_000
  /// Devices that get a room's key in one request; each takes 1.5 KB.
  package static let devicesPerRequestMax = 40
  /// Messages to encrypted rooms that wait for their turn.
  package static let roomPostsMax = 64
  /// For one message with all its requests; see `webhookAnswerMax`.
  package static let roomPostMax: Duration = .seconds(60)
  /// The pause after a request about keys that failed.
  package static let roomKeysRetry: Duration = .seconds(5)
  /// Bytes of the database's pages in memory; all its rows are there, too.
  package static let matrixCacheSizeMax = 128 * 1024
  /// Bytes of a homeserver's answer about devices and their keys: Synapse passes on 100 events to a device at a time,
  /// of up to 64 KB each, and again until they were taken.
  package static let roomKeysAnswerSizeMax = 16 * 1024 * 1024
}
