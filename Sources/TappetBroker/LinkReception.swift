// Input over a link that has subscribed: a kiosk's to its topics with commands.

import TappetCore

/// A message from the broker.
package struct LinkMessage: Hashable, Sendable {
  /// Topic of the message; contains no wildcards.
  package var topic: String
  /// The payload's bytes; empty when it is a command that is too large.
  package var payload: [UInt8]
  /// Number of bytes that the payload had.
  package var size: Int
  /// Quality of service, 0 to 2.
  package var qos: Int32
  /// Whether it was published before we subscribed or, with MQTT 5, to be kept.
  package var isRetained: Bool
  /// Where MQTT 5 asks for the reply; `nil` when it does not.
  package var response: CommandResponse?
  /// MQTT 5's properties; `nil` when it has none, or the link does not read them.
  package var properties: MessageProperties?

  /// A message of a topic.
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
  /// The broker's answer to the subscription of this number: the granted QoS; `nil` means that it refused.
  ///
  /// `reason` is the byte in its SUBACK.
  case subscribed(request: UInt64, qos: Int32?, reason: UInt8 = 0)
  /// The broker has ended the subscription of the request with this number; false means that it refused.
  case unsubscribed(request: UInt64, isDone: Bool)
  /// A message was thrown away: it was larger than `Limits.receivedMessageSizeMax`, or than the memory that is left.
  case discarded
}
