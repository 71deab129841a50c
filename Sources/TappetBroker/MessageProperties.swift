// MQTT 5's properties of a message: response topic and correlation data of a command and its reply, expiry, and the
// properties that users of the C library add.

import CMosquitto
import CPlatform
import TappetCore

/// The properties of one PUBLISH.
package struct MessageProperties: Hashable, Sendable {
  /// A user property: a name and a value; names may repeat.
  package struct User: Hashable, Sendable {
    /// Name of the property.
    package var name: String
    /// Value of the property.
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Correlation data, with which the sender of a command identifies the reply; empty for none.
  package var correlation: [UInt8] = []
  /// Time within which the broker may deliver the message, in seconds; `nil` means no limit.
  package var expirySeconds: UInt32?
  /// Topic for the reply; `nil` if the sender did not specify one.
  package var responseTopic: String?
  /// The payload's content type, such as a MIME type.
  package var contentType: String?
  /// Whether the payload is UTF-8.
  package var isText = false
  /// User properties in the sender's order.
  package var users: [User] = []
  /// Identifiers of the subscriptions to which a received message belongs.
  package var subscriptionIDs: [UInt32] = []

  // Property identifiers (MQTT 5.0 §3.3.2.3 and §3.8.2.1).
  private static let payloadFormat: Int32 = 1
  private static let messageExpiry: Int32 = 2
  private static let contentType: Int32 = 3
  private static let responseTopic: Int32 = 8
  private static let correlationData: Int32 = 9
  private static let subscriptionIdentifier: Int32 = 11
  private static let userProperty: Int32 = 38
  /// Options: no messages of our own, retain flags as published, and no retained messages (MQTT 5.0 §3.8.3.1).
  static let commandOptions: Int32 = 0x04 | 0x08 | 0x20

  /// Creates properties with the given values only.
  package init(correlation: [UInt8] = [], expirySeconds: UInt32? = nil) {
    self.correlation = correlation
    self.expirySeconds = expirySeconds
  }

  // MARK: Of messages that arrive

  /// Reads all properties of a received message.
  init(received properties: OpaquePointer) {
    var format: UInt8 = 0
    _ = mosquitto_property_read_byte(properties, Self.payloadFormat, &format, false)
    isText = format == 1
    var seconds: UInt32 = 0
    if mosquitto_property_read_int32(properties, Self.messageExpiry, &seconds, false) != nil { expirySeconds = seconds }
    contentType = Self.text(properties, Self.contentType)
    let response = Self.response(properties)
    (responseTopic, correlation) = (response?.topic, response?.correlation ?? [])
    users = Self.users(properties)
    var place = properties as OpaquePointer?
    var number: UInt32 = 0
    while subscriptionIDs.count < Limits.messagePropertiesMax,
      let next = mosquitto_property_read_varint(
        place, Self.subscriptionIdentifier, &number, !subscriptionIDs.isEmpty)
    {
      subscriptionIDs.append(number)
      place = next
    }
  }

  /// Returns the response topic and correlation data; `nil` if both are absent.
  static func response(_ properties: OpaquePointer?) -> CommandResponse? {
    guard properties != nil else { return nil }
    let topic = text(properties, responseTopic)
    var data: UnsafeMutableRawPointer?
    var size: UInt16 = 0
    let hasData = mosquitto_property_read_binary(properties, correlationData, &data, &size, false) != nil
    defer { CPlatform.free(data) }
    guard topic != nil || hasData else { return nil }
    let correlation = data.map { Array(UnsafeRawBufferPointer(start: $0, count: Int(size))) } ?? []
    return CommandResponse(topic: topic, correlation: correlation)
  }

  private static func text(_ properties: OpaquePointer?, _ number: Int32) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard mosquitto_property_read_string(properties, number, &text, false) != nil, let text else { return nil }
    defer { CPlatform.free(text) }
    return String(cString: text)
  }

  private static func users(_ properties: OpaquePointer) -> [User] {
    var users: [User] = []
    var place = properties as OpaquePointer?
    while users.count < Limits.messagePropertiesMax {
      var name: UnsafeMutablePointer<CChar>?
      var value: UnsafeMutablePointer<CChar>?
      place = mosquitto_property_read_string_pair(place, userProperty, &name, &value, !users.isEmpty)
      defer {
        CPlatform.free(name)
        CPlatform.free(value)
      }
      guard place != nil else { break }
      users.append(
        User(name: name.map { String(cString: $0) } ?? "", value: value.map { String(cString: $0) } ?? ""))
    }
    return users
  }

  // MARK: Of our own

  /// The properties as libmosquitto's list, which the caller must free; `nil` if there are none.
  var list: OpaquePointer? {
    var list: OpaquePointer?
    if isText { _ = mosquitto_property_add_byte(&list, Self.payloadFormat, 1) }
    // libmosquitto 2.0.11 copies the NULL that it keeps for an empty string, and crashes.
    if let contentType, !contentType.isEmpty {
      _ = mosquitto_property_add_string(&list, Self.contentType, contentType)
    }
    if let responseTopic { _ = mosquitto_property_add_string(&list, Self.responseTopic, responseTopic) }
    if !correlation.isEmpty {
      let size = UInt16(clamping: correlation.count)
      _ = mosquitto_property_add_binary(&list, Self.correlationData, correlation, size)
    }
    if let expirySeconds { _ = mosquitto_property_add_int32(&list, Self.messageExpiry, expirySeconds) }
    for user in users { _ = mosquitto_property_add_string_pair(&list, Self.userProperty, user.name, user.value) }
    return list
  }

  /// Returns the property list of a SUBSCRIBE with this identifier, which the caller must free; `nil` for 0.
  static func list(subscriptionID: UInt32) -> OpaquePointer? {
    var list: OpaquePointer?
    if subscriptionID > 0 { _ = mosquitto_property_add_varint(&list, subscriptionIdentifier, subscriptionID) }
    return list
  }

  static func free(_ properties: OpaquePointer?) {
    var properties = properties
    if properties != nil { mosquitto_property_free_all(&properties) }
  }
}

/// Options of a subscription with MQTT 5 (§3.8.3.1).
package struct SubscriptionOptions: Hashable, Sendable {
  /// The delivery of retained messages.
  package enum Retained: Int32, Sendable {
    case all = 0
    /// Only if the subscription did not exist yet.
    case ofNew = 0x10
    case none = 0x20
  }

  /// The retained messages that the broker sends on subscription.
  package var retained = Retained.all
  /// Whether messages published by this client are excluded.
  package var excludesOwn = false
  /// Whether a message keeps the retain flag with which it was published.
  package var keepsRetain = false
  /// Identifier that each message of the subscription carries; 0 means none.
  package var subscriptionID: UInt32 = 0

  /// Creates the default options, the only ones that MQTT 3.1.1 supports.
  package init() {}

  /// Whether the options require MQTT 5.
  package var needsMQTT5: Bool { self != SubscriptionOptions() }

  var bits: Int32 { retained.rawValue | (excludesOwn ? 0x04 : 0) | (keepsRetain ? 0x08 : 0) }
}

extension String {
  /// Whether this topic filter matches a topic; a leading wildcard does not match topics that start with `$`.
  @export(interface)
  package func matches(topic: String) -> Bool {
    var isMatch = false
    let result = mosquitto_topic_matches_sub2(self, utf8.count, topic, topic.utf8.count, &isMatch)
    return result == MOSQ_ERR_SUCCESS.rawValue && isMatch
  }

  /// Whether the text is a topic filter, with wildcards only as whole levels (§4.7.1).
  package var isTopicFilter: Bool {
    @export(interface) get { !isEmpty && mosquitto_sub_topic_check(self) == MOSQ_ERR_SUCCESS.rawValue }
  }
}
