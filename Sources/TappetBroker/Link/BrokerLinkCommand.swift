// The commands from a link's owner to its thread.

import TappetCore
import TappetPlatform

extension BrokerLinkLoop {
  /// A command from the link's owner.
  indirect enum Command: Sendable {
    case connect(endpoint: Int, mqtt5: MQTT5Support)
    case publish(
      id: EntryID?, topic: String, payload: ReservedBytes, qos: Int32, isRetained: Bool,
      _ properties: MessageProperties = MessageProperties())
    case subscribe(request: UInt64, filter: String, qos: Int32, _ options: SubscriptionOptions)
    case unsubscribe(request: UInt64, filter: String)
    case disconnect
    case update(BrokerSettings)
    case heartbeat
    case shutdown
  }
}

extension StaticString {
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount))
  }
}
