// Converts MQTT 5's properties and subscription options between C and the link (tappet.h, "broker").

import CTappet
import TappetBroker
import TappetCore

extension MessageProperties {
  /// Error message with the fields to check when the properties are refused.
  static let refusal =
    "the properties do not meet the requirements of tappet.h: check size, reserved, the texts' UTF-8 and control "
    + "characters, wildcards in the response topic, and the limits of 65535 bytes and 64 user properties"

  /// Converts properties from the caller; `nil` if any property is invalid.
  init?(_ pointer: UnsafePointer<tappet_broker_properties>?) {
    guard let given = pointer?.pointee, given.size >= MemoryLayout<tappet_broker_properties>.size,
      given.reserved.0 == 0, given.reserved.1 == 0, given.reserved.2 == 0, given.subscription_ids == nil,
      given.subscription_id_count == 0
    else { return nil }
    let sizeMax = Limits.messagePropertiesSizeMax
    let correlation = withInput(given.correlation, given.correlation_size, sizeMax: sizeMax) { [UInt8]($0) }
    guard let correlation else { return nil }
    self.init(
      correlation: correlation, expirySeconds: given.expiry_seconds == 0 ? nil : given.expiry_seconds)
    isText = given.is_text
    if given.content_type != nil {
      guard let text = mqttText(given.content_type, sizeMax: sizeMax) else { return nil }
      contentType = text
    }
    if given.response_topic != nil {
      guard let topic = topicToPublish(given.response_topic) else { return nil }
      responseTopic = topic
    }
    var room = sizeMax - correlation.count - (contentType?.utf8.count ?? 0) - (responseTopic?.utf8.count ?? 0)
    let count = given.user_property_count
    guard (0...Limits.messagePropertiesMax).contains(count), count == 0 || given.user_properties != nil else {
      return nil
    }
    for index in 0..<count {
      guard room >= 0, let pair = given.user_properties?[index], let name = mqttText(pair.name, sizeMax: room),
        let value = mqttText(pair.value, sizeMax: room - name.utf8.count)
      else { return nil }
      users.append(User(name: name, value: value))
      room -= name.utf8.count + value.utf8.count
    }
    if room < 0 { return nil }
  }
}

extension SubscriptionOptions {
  /// Error message with the fields to check when the options are refused.
  static let refusal =
    "the subscription options do not meet the requirements of tappet.h: check size, reserved, retained, subscription_id"
  /// The largest subscription identifier (MQTT 5.0 §3.8.2.1.2).
  private static let subscriptionIDMax: UInt32 = 268_435_455

  /// Converts options from the caller; `nil` if any option is invalid.
  init?(_ pointer: UnsafePointer<tappet_broker_subscribe_options>) {
    let given = pointer.pointee
    guard given.size >= MemoryLayout<tappet_broker_subscribe_options>.size, given.reserved.0 == 0,
      given.reserved.1 == 0, given.subscription_id <= Self.subscriptionIDMax
    else { return nil }
    self.init()
    switch given.retained {
    case TAPPET_BROKER_RETAINED_ALL: retained = .all
    case TAPPET_BROKER_RETAINED_NEW: retained = .ofNew
    case TAPPET_BROKER_RETAINED_NONE: retained = .none
    default: return nil
    }
    excludesOwn = given.excludes_own
    keepsRetain = given.keeps_retain
    subscriptionID = given.subscription_id
  }
}

extension PinnedBuffers {
  /// Converts a message's properties to C.
  mutating func properties(_ properties: MessageProperties) -> tappet_broker_properties {
    var result = tappet_broker_properties()
    result.size = MemoryLayout<tappet_broker_properties>.size
    result.content_type = properties.contentType.flatMap { text($0) }
    result.response_topic = properties.responseTopic.flatMap { text($0) }
    result.correlation = bytes(properties.correlation)
    result.correlation_size = properties.correlation.count
    let users = properties.users.map { tappet_broker_user_property(name: text($0.name), value: text($0.value)) }
    result.user_properties = array(users)
    result.user_property_count = users.count
    result.subscription_ids = array(properties.subscriptionIDs)
    result.subscription_id_count = properties.subscriptionIDs.count
    result.expiry_seconds = properties.expirySeconds ?? 0
    result.is_text = properties.isText
    return result
  }
}

/// Reads text for MQTT from the caller; `nil` if brokers or libmosquitto would refuse it or leave it out.
private func mqttText(_ pointer: UnsafePointer<CChar>?, sizeMax: Int) -> String? {
  text(pointer, sizeMax: sizeMax).flatMap { $0.isOfMQTT ? $0 : nil }
}

/// Reads a topic from the caller; `nil` if the topic contains wildcards or is not valid in MQTT.
func topicToPublish(_ pointer: UnsafePointer<CChar>?) -> String? {
  guard let topic = mqttText(pointer, sizeMax: Limits.topicSizeMax), !topic.isEmpty,
    !topic.utf8.contains(where: { "+#".utf8.contains($0) })
  else { return nil }
  return topic
}

/// Reads a topic filter from the caller; `nil` if it is not valid in MQTT.
func topicFilter(_ pointer: UnsafePointer<CChar>?) -> String? {
  mqttText(pointer, sizeMax: Limits.topicSizeMax).flatMap { $0.isTopicFilter ? $0 : nil }
}
