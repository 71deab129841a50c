// MQTT 5's properties of a message: response topic and correlation data of a command and its reply, expiry.

import CMosquitto
import CPlatform
import TappetCore

/// The properties of one PUBLISH.
struct MessageProperties: Sendable {
  /// For the sender of a command; empty for none.
  var correlation: [UInt8] = []
  /// How long the broker may still deliver it; `nil` means without an end.
  var expirySeconds: UInt32?

  // MQTT 5.0 §3.3.2.3.3, §3.3.2.3.5 and §3.3.2.3.6
  private static let messageExpiry: Int32 = 2
  private static let responseTopic: Int32 = 8
  private static let correlationData: Int32 = 9
  /// Not what we publish ourselves, the retain flag as it was published, and nothing that was kept (MQTT 5.0 §3.8.3.1).
  static let commandOptions: Int32 = 0x04 | 0x08 | 0x20

  /// Where the sender wants its reply; `nil` when it says nothing about that.
  static func response(_ properties: OpaquePointer?) -> CommandResponse? {
    guard properties != nil else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    var data: UnsafeMutableRawPointer?
    var size: UInt16 = 0
    let hasTopic = mosquitto_property_read_string(properties, responseTopic, &text, false) != nil
    let hasData = mosquitto_property_read_binary(properties, correlationData, &data, &size, false) != nil
    defer {
      CPlatform.free(text)
      CPlatform.free(data)
    }
    guard hasTopic || hasData else { return nil }
    let correlation = data.map { Array(UnsafeRawBufferPointer(start: $0, count: Int(size))) } ?? []
    return CommandResponse(topic: text.map { String(cString: $0) }, correlation: correlation)
  }

  /// The list for libmosquitto, which the caller frees; `nil` for none.
  var list: OpaquePointer? {
    var list: OpaquePointer?
    if !correlation.isEmpty {
      let size = UInt16(clamping: correlation.count)
      _ = mosquitto_property_add_binary(&list, Self.correlationData, correlation, size)
    }
    if let expirySeconds { _ = mosquitto_property_add_int32(&list, Self.messageExpiry, expirySeconds) }
    return list
  }

  static func free(_ properties: OpaquePointer?) {
    var properties = properties
    if properties != nil { mosquitto_property_free_all(&properties) }
  }
}
