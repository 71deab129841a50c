// Events that the broker's thread reports to the core.

/// An event on the link.
///
/// Exactly one of `failed`, `lost` and `disconnected` ends each command to connect.
package enum LinkEvent: Hashable, Sendable {
  /// The broker accepted the connection with CONNACK.
  case connected(sessionPresent: Bool)
  /// MQTT 5 failed so: `connected` follows, with 3.1.1, or the end of a connection.
  case didFallBack(LinkFailure)
  /// The broker, of which that was not known, speaks MQTT 5: `connected` follows.
  case foundMQTT5
  /// The broker, of which that was not known, keeps no retained messages: `connected` follows.
  case lacksRetained
  /// The attempt did not become a connection.
  case failed(LinkFailure)
  /// The connection broke.
  case lost(LinkFailure)
  /// The connection ended at our own command.
  case disconnected
  /// The broker acknowledged the entry with PUBACK.
  case acknowledged(EntryID)
  /// The same, and the broker says that nobody subscribes to the topic (MQTT 5).
  case acknowledgedUnheard(EntryID)
  /// The broker will never take it: MQTT 5's reason code from 0x80, or libmosquitto's own number below that.
  case publishRefused(EntryID, code: Int32)
}
