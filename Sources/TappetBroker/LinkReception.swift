// Input from a link with subscriptions, such as a kiosk's to its command topics.

import TappetCore

/// A message from the broker.
package struct LinkMessage: Hashable, Sendable {
  /// Topic of the message; contains no wildcards.
  package var topic: String
  /// The payload's bytes; empty for a command that is too large.
  package var payload: [UInt8]
  /// Size of the payload as sent, in bytes.
  package var size: Int
  /// Quality of service, 0 to 2.
  package var qos: Int32
  /// Whether the message was retained by the broker or, with MQTT 5, published to be retained.
  package var isRetained: Bool
  /// MQTT 5's response topic and correlation data; `nil` if absent.
  package var response: CommandResponse?
  /// The MQTT 5 properties; `nil` if there are none, or the link does not read them.
  package var properties: MessageProperties?

  @export(interface)
  package init(
    topic: String, payload: [UInt8], size: Int, qos: Int32, isRetained: Bool, response: CommandResponse? = nil,
    properties: MessageProperties? = nil
  ) {
    self.topic = topic
    self.payload = payload
    self.size = size
    self.qos = qos
    self.isRetained = isRetained
    self.response = response
    self.properties = properties
  }
}

/// Input from the broker.
package enum LinkReception: Hashable, Sendable {
  case message(LinkMessage)
  /// The broker's response to the subscribe request with this number: the granted QoS, or `nil` if refused.
  ///
  /// `reason` is the byte in the SUBACK.
  case subscribed(request: UInt64, qos: Int32?, reason: UInt8 = 0)
  /// The broker's response to the unsubscribe request with this number; `isDone` is false if refused.
  case unsubscribed(request: UInt64, isDone: Bool)
  /// A message was discarded: it exceeded `Limits.receivedMessageSizeMax`, the free memory or the rate limit.
  case discarded
}
