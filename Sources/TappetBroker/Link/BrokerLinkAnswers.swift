// The broker's responses, as recorded by the session.

import TappetCore

extension BrokerLinkSession {
  struct Connack {
    var code: UInt8
    var sessionPresent: Bool
    /// The MQTT 5 properties of the CONNACK.
    var facts: ConnackFacts
  }
  /// A SUBACK with the granted QoS; `nil` if the broker refused.
  struct Grant {
    var messageID: Int32
    var qos: Int32?
    var reason: UInt8

    func answer(to request: UInt64) -> LinkReception { .subscribed(request: request, qos: qos, reason: reason) }
  }
  struct Acknowledgement {
    var messageID: Int32
    var reason: Int32

    /// Returns the event for the reason code (MQTT 5.0 §3.4.2.1); with 3.1.1 the reason is always 0.
    func event(of id: EntryID) -> LinkEvent {
      switch reason {
      case 0x80...: .publishRefused(id, code: reason)
      case 0x10: .acknowledgedUnheard(id)
      default: .acknowledged(id)
      }
    }
  }
}

extension BrokerLinkSession.Connack {
  /// Returns the broker's refusal; `nil` if the broker accepted the connection.
  ///
  /// MQTT 3.1.1 and 5 use different reason codes.
  func refusal(_ version: MQTTVersion, lacksQoS1: Bool = false) -> LinkFailure? {
    if code == 0 { return lacksQoS1 ? .refused(.qosNotSupported) : nil }
    switch version {
    case .v311: return ConnackCode(rawValue: code).map { .connack($0) } ?? .connackUnknown(code: code)
    case .v5: return .refused(ReasonCode(code))
    }
  }
}
