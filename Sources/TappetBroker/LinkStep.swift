// The steps of a connection attempt, so that a user can find the step that fails. A kiosk does not observe the steps.

import CMosquitto
import CPlatform
import TappetCore
import TappetTLS

/// A step of a connection attempt, reported when it is done.
///
/// Pointers are valid only during the call that reports the step.
package enum LinkStep {
  case resolved([String])
  case trying(address: String, MQTTVersion)
  /// The TCP handshake is complete.
  case reached
  /// The TLS handshake is complete on the client's side; the pointer is OpenSSL's SSL.
  case secured(OpaquePointer, wantsCertificate: Bool)
  /// The CONNACK was received; the pointer is its MQTT 5 properties.
  case answered(OpaquePointer?)
}

extension BrokerLinkSession {
  /// Reports the end of the TLS handshake, once.
  func recordSecured(_ observe: (LinkStep) -> Void) {
    guard !isSecured, let tls, tls.isEstablished, let connection else { return }
    isSecured = true
    observe(.secured(connection, wantsCertificate: tls.isCertificateRequested))
  }
}

/// The broker's limits and features as stated in MQTT 5's CONNACK; `nil` if unspecified.
package struct ConnackFacts: Hashable, Sendable {
  /// Maximum number of unacknowledged QoS 1 and 2 messages that the broker accepts.
  package var receiveMaximum: UInt16?
  /// The maximum QoS; `nil` means 2.
  package var maximumQoS: UInt8?
  /// Whether the broker supports retained messages.
  package var hasRetained: Bool?
  /// Maximum size of a packet that the broker accepts, in bytes.
  package var maximumPacketSize: UInt32?
  /// The client id assigned by the broker.
  package var assignedClientID: String?
  /// Maximum number of topic aliases that the broker accepts.
  package var topicAliasMaximum: UInt16?
  /// Whether filters may contain wildcards.
  package var hasWildcards: Bool?
  /// Whether the broker supports shared subscriptions.
  package var hasSharedSubscriptions: Bool?
  /// The keepalive imposed by the broker, in seconds.
  package var keepaliveSeconds: UInt16?
  /// Time for which the broker keeps the session, in seconds.
  package var sessionExpirySeconds: UInt32?
  /// The human-readable reason string from the broker.
  package var reason: String?

  /// Reads the properties of a CONNACK.
  @export(interface)
  package init(_ properties: OpaquePointer?) {
    // The numbers are the property identifiers of MQTT 5.0 §2.2.2.2.
    receiveMaximum = ConnackFacts.half(properties, 33)
    maximumQoS = ConnackFacts.byte(properties, 36)
    hasRetained = ConnackFacts.byte(properties, 37).map { $0 != 0 }
    maximumPacketSize = ConnackFacts.word(properties, 39)
    assignedClientID = ConnackFacts.text(properties, 18)
    topicAliasMaximum = ConnackFacts.half(properties, 34)
    hasWildcards = ConnackFacts.byte(properties, 40).map { $0 != 0 }
    hasSharedSubscriptions = ConnackFacts.byte(properties, 42).map { $0 != 0 }
    keepaliveSeconds = ConnackFacts.half(properties, 19)
    sessionExpirySeconds = ConnackFacts.word(properties, 17)
    reason = ConnackFacts.text(properties, 31)
  }

  private static func byte(_ properties: OpaquePointer?, _ number: Int32) -> UInt8? {
    var value: UInt8 = 0
    return mosquitto_property_read_byte(properties, number, &value, false) == nil ? nil : value
  }

  private static func half(_ properties: OpaquePointer?, _ number: Int32) -> UInt16? {
    var value: UInt16 = 0
    return mosquitto_property_read_int16(properties, number, &value, false) == nil ? nil : value
  }

  private static func word(_ properties: OpaquePointer?, _ number: Int32) -> UInt32? {
    var value: UInt32 = 0
    return mosquitto_property_read_int32(properties, number, &value, false) == nil ? nil : value
  }

  private static func text(_ properties: OpaquePointer?, _ number: Int32) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard mosquitto_property_read_string(properties, number, &text, false) != nil, let text else { return nil }
    defer { CPlatform.free(text) }
    return String(cString: text)
  }
}
