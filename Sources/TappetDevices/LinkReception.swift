// What comes in over a link that has subscribed; the kiosk does not.

/// A message that the broker passed on.
public struct LinkMessage: Hashable, Sendable {
  /// Where it was published; no wildcards.
  public var topic: String
  /// The bytes.
  public var payload: [UInt8]
  /// 0 to 2.
  public var qos: Int32
  /// It was published before we subscribed.
  public var isRetained: Bool
}

/// Something that came in.
public enum LinkReception: Hashable, Sendable {
  case message(LinkMessage)
  /// The broker's answer to the order of this number: the QoS that it granted; nil: it refused.
  case subscribed(order: UInt64, qos: Int32?)
}
