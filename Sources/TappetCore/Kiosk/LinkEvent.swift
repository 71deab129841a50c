// What the broker's thread tells the core.

/// Something that happened on the link.
///
/// Exactly one of `failed`, `lost` and `disconnected` ends each order to connect.
public enum LinkEvent: Hashable, Sendable {
  /// CONNACK said yes.
  case connected(sessionPresent: Bool)
  /// The attempt never got so far.
  case failed(LinkFailure)
  /// The connection broke.
  case lost(LinkFailure)
  /// It ended by our own order.
  case disconnected
  /// PUBACK.
  case acknowledged(EntryID)
  /// It will not be taken, now or later: MQTT 5's reason code from 0x80, or libmosquitto's own number below it.
  case publishRefused(EntryID, code: Int32)
}
