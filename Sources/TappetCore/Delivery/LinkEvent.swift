// Events that the broker's thread reports to the core.

/// An event of the broker link.
///
/// Each command to connect ends with exactly one of `failed`, `lost` and `disconnected`.
package enum LinkEvent: Hashable, Sendable {
  /// The broker accepted the connection with CONNACK.
  case connected(sessionPresent: Bool)
  /// MQTT 5 failed for this reason; either `connected` with 3.1.1 or the end of the connection follows.
  case didFallBack(LinkFailure)
  /// The broker was found to support MQTT 5; `connected` follows.
  case foundMQTT5
  /// The broker was found not to support retained messages; `connected` follows.
  case lacksRetained
  /// The connection attempt failed.
  case failed(LinkFailure)
  /// The connection was lost.
  case lost(LinkFailure)
  /// The connection was closed as requested.
  case disconnected
  /// The broker acknowledged the entry with PUBACK.
  case acknowledged(EntryID)
  /// The broker acknowledged the entry, but reported no subscribers for the topic (MQTT 5).
  case acknowledgedUnheard(EntryID)
  /// The broker will never accept the entry; `code` is MQTT 5's reason code if at least 0x80, otherwise libmosquitto's.
  case publishRefused(EntryID, code: Int32)
}
