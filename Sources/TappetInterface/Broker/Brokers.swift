// The C functions of a broker connection (tappet.h, "broker"), including the checks of their arguments.

import CTappet
import TappetBroker
import TappetConfig
import TappetCore
import TappetPlatform
import TappetTLS

private func use(_ broker: OpaquePointer?, _ body: (BrokerObject) -> Int32) -> Int32 {
  Objects.use(broker, as: .broker) { body(unsafeDowncast($0, to: BrokerObject.self)) }
}

/// Creates a broker connection that is not connected yet.
@_cdecl("tappet_broker_new") @implementation
public func tappet_broker_new(_ result: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  guard let result else { return ErrorCode.argument.rawValue }
  guard let object = try? BrokerObject() else { return ErrorCode.system.rawValue }
  return Objects.issue(object, to: result)
}

/// Disconnects and frees the connection.
@_cdecl("tappet_broker_free") @implementation
public func tappet_broker_free(_ broker: OpaquePointer?) { Objects.free(broker, as: .broker) }

/// Sets the callback for events, replacing the previous one.
@_cdecl("tappet_broker_set_event_callback") @implementation
public func tappet_broker_set_event_callback(
  _ broker: OpaquePointer?, _ callback: tappet_broker_event_callback?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(broker) {
    $0.callback = callback
    $0.context = context
    return 0
  }
}

/// Starts connecting to the broker.
@_cdecl("tappet_broker_connect") @implementation
public func tappet_broker_connect(_ broker: OpaquePointer?, _ options: UnsafePointer<tappet_broker_options>?) -> Int32 {
  use(broker) {
    guard let settings = BrokerSettings(options) else {
      return $0.fail(.argument, BrokerSettings.optionsSentence)
    }
    return $0.connect(settings)
  }
}

/// Returns a descriptor for poll, epoll and event loops.
@_cdecl("tappet_broker_fd") @implementation
public func tappet_broker_fd(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.reactor.fileDescriptor } }

/// Waits until `tappet_broker_dispatch` has work to do.
@_cdecl("tappet_broker_wait") @implementation
public func tappet_broker_wait(_ broker: OpaquePointer?, _ timeout: Int32) -> Int32 {
  wait(broker, .broker, timeout) { unsafeDowncast($0, to: BrokerObject.self).reactor.fileDescriptor }
}

/// Calls the callbacks for all pending events.
@_cdecl("tappet_broker_dispatch") @implementation
public func tappet_broker_dispatch(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.dispatch() } }

/// Publishes a message.
@_cdecl("tappet_broker_publish") @implementation
public func tappet_broker_publish(
  _ broker: OpaquePointer?, _ topic: UnsafePointer<CChar>?, _ payload: UnsafePointer<UInt8>?, _ payloadSize: Int,
  _ qos: Int32, _ isRetained: Bool, _ completion: tappet_broker_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  tappet_broker_publish_with(broker, topic, payload, payloadSize, qos, isRetained, nil, completion, context)
}

/// Publishes a message with MQTT 5 properties.
@_cdecl("tappet_broker_publish_with") @implementation
public func tappet_broker_publish_with(
  _ broker: OpaquePointer?, _ topic: UnsafePointer<CChar>?, _ payload: UnsafePointer<UInt8>?, _ payloadSize: Int,
  _ qos: Int32, _ isRetained: Bool, _ properties: UnsafePointer<tappet_broker_properties>?,
  _ completion: tappet_broker_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(broker) { object in
    guard (0...2).contains(qos) else { return object.fail(.argument, "the QoS must be 0, 1 or 2") }
    guard hasRoom(for: topic, sizeMax: Limits.topicSizeMax) else { return object.fail(Failure(.memory)) }
    // Topics that start with '$' are not rejected here, because AWS IoT's device shadows use them.
    guard let topic = topicToPublish(topic) else {
      return object.fail(
        .argument, "the topic must be 1 to 65535 bytes of UTF-8 without '+', '#' and control characters")
    }
    var given: MessageProperties?
    if properties != nil {
      guard Memory.hasRoom(for: 4 * Limits.messagePropertiesSizeMax) else { return object.fail(Failure(.memory)) }
      given = MessageProperties(properties)
      guard given != nil else { return object.fail(.argument, MessageProperties.refusal) }
    }
    return withInput(payload, payloadSize, sizeMax: Limits.publishedMessageSizeMax) {
      object.publish(topic, $0, qos: qos, isRetained: isRetained, given, (completion, context))
    } ?? object.fail(.argument, "the payload is NULL, or larger than 64 MiB")
  }
}

/// Subscribes to topics for the duration of the connection.
@_cdecl("tappet_broker_subscribe") @implementation
public func tappet_broker_subscribe(
  _ broker: OpaquePointer?, _ filter: UnsafePointer<CChar>?, _ qos: Int32, _ completion: tappet_broker_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  subscribe(broker, filter, qos, SubscriptionOptions(), (completion, context))
}

/// Subscribes to topics with options, for the duration of the connection.
@_cdecl("tappet_broker_subscribe_with") @implementation
public func tappet_broker_subscribe_with(
  _ broker: OpaquePointer?, _ filter: UnsafePointer<CChar>?,
  _ options: UnsafePointer<tappet_broker_subscribe_options>?, _ completion: tappet_broker_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let options, let wanted = SubscriptionOptions(options) else {
    return use(broker) { $0.fail(.argument, SubscriptionOptions.refusal) }
  }
  return subscribe(broker, filter, options.pointee.qos, wanted, (completion, context))
}

/// Error message for an invalid filter.
private var filterSentence: String {
  "the filter must be 1 to 65535 bytes of UTF-8 without control characters, with '+' and '#' only as whole levels, "
    + "'#' only as the last"
}

private func subscribe(
  _ broker: OpaquePointer?, _ filter: UnsafePointer<CChar>?, _ qos: Int32, _ options: SubscriptionOptions,
  _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?)
) -> Int32 {
  use(broker) { object in
    guard hasRoom(for: filter, sizeMax: Limits.topicSizeMax) else { return object.fail(Failure(.memory)) }
    guard (0...2).contains(qos) else { return object.fail(.argument, "the QoS must be 0, 1 or 2") }
    guard let filter = topicFilter(filter) else { return object.fail(.argument, filterSentence) }
    return object.subscribe(filter, qos: qos, options, end)
  }
}

/// Ends a subscription.
@_cdecl("tappet_broker_unsubscribe") @implementation
public func tappet_broker_unsubscribe(
  _ broker: OpaquePointer?, _ filter: UnsafePointer<CChar>?, _ completion: tappet_broker_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(broker) { object in
    guard hasRoom(for: filter, sizeMax: Limits.topicSizeMax) else { return object.fail(Failure(.memory)) }
    guard let filter = topicFilter(filter) else { return object.fail(.argument, filterSentence) }
    return object.unsubscribe(filter, (completion, context))
  }
}

/// Starts an orderly disconnect.
@_cdecl("tappet_broker_disconnect") @implementation
public func tappet_broker_disconnect(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.disconnect() } }

/// Returns the MQTT reason code of the response while its completion callback runs.
@_cdecl("tappet_broker_reason") @implementation
public func tappet_broker_reason(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.reason } }

/// Retrieves a report on the last connection attempt, even while it is in progress.
@_cdecl("tappet_broker_get_report") @implementation
public func tappet_broker_get_report(
  _ broker: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_broker_report>?
) -> Int32 {
  use(broker) { object in
    guard let result, result.pointee.size >= MemoryLayout<tappet_broker_report>.size else {
      return object.fail(.argument, "the report is NULL, or its size is not set to sizeof(struct tappet_broker_report)")
    }
    guard let facts = object.trace?.facts else { return object.fail(.state, BrokerObject.noAttempt) }
    object.report(facts, to: result)
    return 0
  }
}

/// Retrieves a step of the last connection attempt.
@_cdecl("tappet_broker_get_step") @implementation
public func tappet_broker_get_step(
  _ broker: OpaquePointer?, _ position: Int, _ result: UnsafeMutablePointer<tappet_broker_step>?
) -> Int32 {
  use(broker) { object in
    guard let result, result.pointee.size >= MemoryLayout<tappet_broker_step>.size else {
      return object.fail(.argument, "the step is NULL, or its size is not set to sizeof(struct tappet_broker_step)")
    }
    guard let facts = object.trace?.facts else { return object.fail(.state, BrokerObject.noAttempt) }
    guard facts.steps.indices.contains(position) else { return 0 }
    object.describe(facts.steps[position], to: result)
    return 1
  }
}

/// Retrieves a certificate from the broker's chain, which starts with the broker's own.
@_cdecl("tappet_broker_get_certificate") @implementation
public func tappet_broker_get_certificate(
  _ broker: OpaquePointer?, _ position: Int, _ result: UnsafeMutablePointer<tappet_broker_certificate>?
) -> Int32 {
  use(broker) { object in
    guard let result, result.pointee.size >= MemoryLayout<tappet_broker_certificate>.size else {
      return object.fail(
        .argument, "the certificate is NULL, or its size is not set to sizeof(struct tappet_broker_certificate)")
    }
    guard let facts = object.trace?.facts else { return object.fail(.state, BrokerObject.noAttempt) }
    guard let chain = facts.tls?.chain, chain.indices.contains(position) else { return 0 }
    object.describe(chain[position], to: result)
    return 1
  }
}

/// Retrieves the failure of the last failed call.
@_cdecl("tappet_broker_last_error") @implementation
public func tappet_broker_last_error(_ broker: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32
{
  lastError(broker, .broker, result)
}
