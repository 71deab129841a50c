// The steps of an attempt to connect, for a person who looks for the step that fails. A kiosk watches none.

import CMosquitto
import CPlatform
import TappetCore
import TappetTLS

/// A step of an attempt to connect, when it is done.
///
/// Pointers are valid during the call that reports it.
package enum LinkStep {
  case resolved([String])
  case trying(address: String, MQTTVersion)
  /// TCP's handshake is over.
  case reached
  /// TLS's handshake is over on our side; OpenSSL's SSL.
  case secured(OpaquePointer, wantsCertificate: Bool)
  /// CONNACK has come; MQTT 5's properties.
  case answered(OpaquePointer?)
}

extension BrokerLinkSession {
  /// Reports the end of the TLS handshake, once.
  func noteSecured(_ observe: (LinkStep) -> Void) {
    guard !isSecured, let tls, tls.isEstablished, let connection else { return }
    isSecured = true
    observe(.secured(connection, wantsCertificate: tls.isCertificateRequested))
  }
}

/// The broker's own limits and features in MQTT 5's CONNACK; `nil` where it says nothing.
package struct ConnackFacts: Hashable, Sendable {
  /// QoS 1 and 2 messages that it takes before it has acknowledged one.
  package var receiveMaximum: UInt16?
  /// The largest quality of service; `nil` means 2.
  package var maximumQoS: UInt8?
  /// Whether it keeps retained messages.
  package var hasRetained: Bool?
  /// Bytes of the largest packet that it takes.
  package var maximumPacketSize: UInt32?
  /// The client id that it has chosen.
  package var assignedClientID: String?
  /// Topic aliases that it takes.
  package var topicAliasMaximum: UInt16?
  /// Whether filters may have wildcards.
  package var hasWildcards: Bool?
  /// Whether it has shared subscriptions.
  package var hasSharedSubscriptions: Bool?
  /// The keepalive that it imposes.
  package var keepaliveSeconds: UInt16?
  /// How long it keeps the session, in seconds.
  package var sessionExpirySeconds: UInt32?
  /// Its reason for a person.
  package var reason: String?

  /// Reads the properties of a CONNACK.
  @export(interface)
  package init(_ properties: OpaquePointer?) {
    // MQTT 5.0 §2.2.2.2 has the numbers.
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
