// One connection to a broker for C (tappet.h, "broker"). The link's thread posts into two mailboxes; the caller's
// thread empties them and calls back.

import CPlatform
import CTappet
import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// A connection with its orders.
private final class BrokerObject: LibraryObject {
  /// The callback for an order's end.
  private struct Order {
    var number: UInt64
    var completion: tappet_broker_completion?
    var context: UnsafeMutableRawPointer?
  }
  private enum Phase {
    case idle
    case connecting
    case up
  }

  /// Orders under way, of each kind: the answers to all of them fit the mailbox.
  private static let ordersMax = 256
  private static let messagesMax = 256

  var callback: tappet_broker_event_callback?
  var context: UnsafeMutableRawPointer?
  let reactor: Reactor
  private let events: Mailbox<LinkEvent>
  private let receptions: Mailbox<LinkReception>
  private let lost = LostCount()
  private var link: BrokerLink?
  /// The reason code of the answer that a completion reports.
  private(set) var reason: Int32 = 0
  private var phase: Phase = .idle
  private var endpoint: BrokerEndpoint?
  /// The last endpoint that did not take MQTT 5.
  private var fallback: BrokerEndpoint?
  private var publications = ArrivalQueue<Order>()
  private var subscriptions: [Order] = []
  private var watches: [Watch] = []
  private var lastNumber: UInt64 = 0
  private var callCount: Int32 = 0
  private var isDispatching = false

  init() throws(SystemError) {
    reactor = try Reactor()
    events = try Mailbox()
    receptions = try Mailbox(capacity: BrokerObject.messagesMax + BrokerObject.ordersMax)
    super.init(kind: .broker)
    let handler: (Readiness) -> Void = calling(self) { broker, _ in broker.drain() }
    watches = [
      try reactor.watch(events.fileDescriptor, for: .readable, handler),
      try reactor.watch(receptions.fileDescriptor, for: .readable, handler),
    ]
  }

  // MARK: Orders

  func connect(_ settings: BrokerSettings) -> Int32 {
    guard case .idle = phase else { return fail(.state, "there is a connection already, or an attempt at one") }
    do throws(SystemError) {
      if let link {
        link.update(settings: settings)
      } else {
        let (events, receptions, lost) = (events, receptions, lost)
        link = try BrokerLink(
          settings: settings, window: BrokerObject.ordersMax, post: { events.post($0) },
          receive: { BrokerObject.take($0, receptions, lost) })
      }
    } catch { return fail(Failure(error)) }
    endpoint = settings.endpoints.first
    link?.connect(endpoint: 0, usesFallback: fallback != nil && fallback == endpoint)
    phase = .connecting
    return 0
  }

  /// On the link's thread; a caller who does not dispatch costs messages, never memory or answers.
  private static func take(_ reception: LinkReception, _ receptions: Mailbox<LinkReception>, _ lost: LostCount) {
    switch reception {
    case .discarded: lost.add()
    case .message where receptions.count >= messagesMax: lost.add()
    case .message, .subscribed, .unsubscribed: receptions.post(reception)
    }
  }

  func publish(
    _ topic: String, _ payload: UnsafeBufferPointer<UInt8>, qos: Int32, isRetained: Bool,
    _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?)
  ) -> Int32 {
    guard case .up = phase, let link else { return fail(.notConnected, "there is no connection to publish on") }
    guard publications.count < BrokerObject.ordersMax else {
      return fail(.limit, "256 messages are under way; wait for one")
    }
    guard let copy = BrokerLink.payload(UnsafeRawBufferPointer(payload)) else {
      return fail(.memory, "there is no memory for three times the payload")
    }
    let number = nextNumber()
    let id = EntryID(high: 0, low: number)
    guard link.publish(id: id, topic: topic, payload: copy, qos: qos, isRetained: isRetained) else {
      return fail(.limit, "the connection's thread takes no more orders now")
    }
    publications.append(Order(number: number, completion: end.0, context: end.1))
    return 0
  }

  func subscribe(_ filter: String, qos: Int32, _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?)) -> Int32 {
    request(end) { $0.subscribe(request: $1, filter: filter, qos: qos) }
  }

  func unsubscribe(_ filter: String, _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?)) -> Int32 {
    request(end) { $0.unsubscribe(request: $1, filter: filter) }
  }

  private func request(
    _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?), _ send: (BrokerLink, UInt64) -> Bool
  ) -> Int32 {
    guard case .up = phase, let link else { return fail(.notConnected, "there is no connection to subscribe on") }
    guard subscriptions.count < BrokerObject.ordersMax else { return fail(.limit, "256 subscriptions are under way") }
    let number = nextNumber()
    guard send(link, number) else { return fail(.limit, "the connection's thread takes no more orders now") }
    subscriptions.append(Order(number: number, completion: end.0, context: end.1))
    return 0
  }

  func disconnect() -> Int32 {
    if case .idle = phase { return fail(.notConnected, "there is no connection") }
    link?.disconnect()
    return 0
  }

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Answers

  func dispatch() -> Int32 {
    guard !isDispatching else { return fail(.state, "a callback may not dispatch its own object") }
    isDispatching = true
    defer { isDispatching = false }
    callCount = 0
    do throws(SystemError) { try reactor.turn(timeout: .zero) } catch { return fail(Failure(error)) }
    return callCount
  }

  /// Empties both mailboxes, the messages first: the event that ends the connection was posted after them.
  private func drain() {
    let ends = events.drain()
    for reception in receptions.drain() {
      guard !isFreed else { return }
      received(reception)
    }
    for event in ends {
      guard !isFreed else { return }
      happened(event)
    }
  }

  private func received(_ reception: LinkReception) {
    switch reception {
    case .message(let message): tell(message)
    case .subscribed(let number, let qos?, _): endSubscription(number, qos)
    case .subscribed(let number, nil, let reason):
      endSubscription(number, ErrorCode.refused.rawValue, reason: Int32(reason))
    case .unsubscribed(let number, let isDone): endSubscription(number, isDone ? 0 : ErrorCode.refused.rawValue)
    case .discarded: break
    }
  }

  private func endSubscription(_ number: UInt64, _ result: Int32, reason: Int32 = 0) {
    guard let index = subscriptions.firstIndex(where: { $0.number == number }) else { return }
    end(subscriptions.remove(at: index), result, reason: reason)
  }

  private func happened(_ event: LinkEvent) {
    switch event {
    case .connected:
      phase = .up
      tell(TAPPET_BROKER_EVENT_CONNECTED, nil)
    case .fellBack: fallback = endpoint
    case .failed(let failure): ended(TAPPET_BROKER_EVENT_FAILED, failure)
    case .lost(let failure): ended(TAPPET_BROKER_EVENT_LOST, failure)
    case .disconnected: ended(TAPPET_BROKER_EVENT_DISCONNECTED, nil)
    case .acknowledged(let id): endPublication(id, 0)
    case .acknowledgedUnheard(let id): endPublication(id, 0, reason: 0x10)
    // Below 0x80 it is libmosquitto's own number.
    case .publishRefused(let id, let code):
      endPublication(id, ErrorCode.refused.rawValue, reason: code >= 0x80 ? code : 0)
    }
  }

  private func endPublication(_ id: EntryID, _ result: Int32, reason: Int32 = 0) {
    if let order = publications.remove(where: { $0.number == id.low }) { end(order, result, reason: reason) }
  }

  /// Ends the connection, and with it all orders.
  private func ended(_ type: tappet_broker_event_type, _ cause: LinkFailure?) {
    phase = .idle
    let orders = publications.all + subscriptions
    publications.removeAll()
    subscriptions = []
    for order in orders where !isFreed { end(order, ErrorCode.notConnected.rawValue) }
    guard !isFreed else { return }
    let sentence = cause?.sentence
    if let sentence { failure = Failure(.notConnected, sentence) }
    tell(type, sentence, reason: cause?.reason)
  }

  private func end(_ order: Order, _ result: Int32, reason: Int32 = 0) {
    guard let completion = order.completion else { return }
    callCount += 1
    self.reason = reason
    completion(order.context, result)
    self.reason = 0
  }

  private func tell(_ type: tappet_broker_event_type, _ sentence: String?, reason: UInt8? = nil) {
    guard let callback else { return }
    var loan = Loan()
    defer { loan.clear() }
    var event = tappet_broker_event()
    event.size = MemoryLayout<tappet_broker_event>.size
    event.type = type
    event.sentence = sentence.flatMap { loan.text($0) }
    event.reason = Int32(reason ?? 0)
    callCount += 1
    callback(context, &event)
  }

  private func tell(_ message: LinkMessage) {
    guard let callback else { return }
    var loan = Loan()
    defer { loan.clear() }
    var event = tappet_broker_event()
    event.size = MemoryLayout<tappet_broker_event>.size
    event.type = TAPPET_BROKER_EVENT_MESSAGE
    event.qos = message.qos
    event.is_retained = message.isRetained
    event.topic = loan.text(message.topic)
    event.payload = loan.bytes(message.payload)
    event.payload_size = message.payload.count
    event.lost_count = lost.take()
    callCount += 1
    callback(context, &event)
  }
}

// Unchecked because the compiler cannot see the mutex: `count` is touched only with the monitor locked.
/// Number of messages that were thrown away.
private final class LostCount: @unchecked Sendable {
  /// Not the library's: the link's thread takes it, and a child forked meanwhile would find the library locked for
  /// good.
  private let monitor = Monitor()
  private var count: UInt64 = 0

  func add() { monitor.locked { count += 1 } }

  func take() -> UInt64 {
    monitor.locked {
      defer { count = 0 }
      return count
    }
  }
}

private func use(_ broker: OpaquePointer?, _ body: (BrokerObject) -> Int32) -> Int32 {
  Objects.use(broker, as: .broker) { body(unsafeDowncast($0, to: BrokerObject.self)) }
}

/// `tappet_broker_new`.
@_cdecl("tappet_broker_new") @implementation
public func tappet_broker_new(_ result: UnsafeMutablePointer<OpaquePointer?>?) -> Int32 {
  guard let result else { return ErrorCode.argument.rawValue }
  guard let object = try? BrokerObject() else { return ErrorCode.system.rawValue }
  return Objects.issue(object, to: result)
}

/// `tappet_broker_free`.
@_cdecl("tappet_broker_free") @implementation
public func tappet_broker_free(_ broker: OpaquePointer?) { Objects.free(broker, as: .broker) }

/// `tappet_broker_set_event_callback`.
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

/// `tappet_broker_connect`.
@_cdecl("tappet_broker_connect") @implementation
public func tappet_broker_connect(_ broker: OpaquePointer?, _ options: UnsafePointer<tappet_broker_options>?) -> Int32 {
  use(broker) {
    guard let settings = BrokerSettings(options) else {
      return $0.fail(.argument, BrokerSettings.optionsSentence)
    }
    return $0.connect(settings)
  }
}

/// `tappet_broker_fd`.
@_cdecl("tappet_broker_fd") @implementation
public func tappet_broker_fd(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.reactor.fileDescriptor } }

/// `tappet_broker_wait`.
@_cdecl("tappet_broker_wait") @implementation
public func tappet_broker_wait(_ broker: OpaquePointer?, _ timeout: Int32) -> Int32 {
  wait(broker, .broker, timeout) { unsafeDowncast($0, to: BrokerObject.self).reactor.fileDescriptor }
}

/// `tappet_broker_dispatch`.
@_cdecl("tappet_broker_dispatch") @implementation
public func tappet_broker_dispatch(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.dispatch() } }

/// `tappet_broker_publish`.
@_cdecl("tappet_broker_publish") @implementation
public func tappet_broker_publish(
  _ broker: OpaquePointer?, _ topic: UnsafePointer<CChar>?, _ payload: UnsafePointer<UInt8>?, _ payloadSize: Int,
  _ qos: Int32, _ isRetained: Bool, _ completion: tappet_broker_completion?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(broker) { object in
    guard (0...2).contains(qos) else { return object.fail(.argument, "the QoS must be 0, 1 or 2") }
    guard hasRoom(for: topic, sizeMax: Limits.topicSizeMax) else { return object.fail(Failure(.memory)) }
    // The broker decides on topics that begin with '$': AWS IoT's shadows have them.
    guard let topic = text(topic, sizeMax: Limits.topicSizeMax), !topic.isEmpty,
      !topic.utf8.contains(where: { "+#".utf8.contains($0) })
    else {
      return object.fail(.argument, "the topic must have 1 to 65535 bytes of UTF-8 without '+' and '#'")
    }
    return withInput(payload, payloadSize, sizeMax: Limits.publishedMessageSizeMax) {
      object.publish(topic, $0, qos: qos, isRetained: isRetained, (completion, context))
    } ?? object.fail(.argument, "the payload is NULL, or has more than 64 MiB")
  }
}

/// `tappet_broker_subscribe`.
@_cdecl("tappet_broker_subscribe") @implementation
public func tappet_broker_subscribe(
  _ broker: OpaquePointer?, _ filter: UnsafePointer<CChar>?, _ qos: Int32, _ completion: tappet_broker_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(broker) { object in
    guard hasRoom(for: filter, sizeMax: Limits.topicSizeMax) else { return object.fail(Failure(.memory)) }
    guard let filter = text(filter, sizeMax: Limits.topicSizeMax), !filter.isEmpty, (0...2).contains(qos) else {
      return object.fail(.argument, "the filter must have 1 to 65535 bytes of UTF-8, and the QoS be 0, 1 or 2")
    }
    return object.subscribe(filter, qos: qos, (completion, context))
  }
}

/// `tappet_broker_unsubscribe`.
@_cdecl("tappet_broker_unsubscribe") @implementation
public func tappet_broker_unsubscribe(
  _ broker: OpaquePointer?, _ filter: UnsafePointer<CChar>?, _ completion: tappet_broker_completion?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  use(broker) { object in
    guard hasRoom(for: filter, sizeMax: Limits.topicSizeMax) else { return object.fail(Failure(.memory)) }
    guard let filter = text(filter, sizeMax: Limits.topicSizeMax), !filter.isEmpty else {
      return object.fail(.argument, "the filter must have 1 to 65535 bytes of UTF-8")
    }
    return object.unsubscribe(filter, (completion, context))
  }
}

/// `tappet_broker_disconnect`.
@_cdecl("tappet_broker_disconnect") @implementation
public func tappet_broker_disconnect(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.disconnect() } }

/// `tappet_broker_reason`.
@_cdecl("tappet_broker_reason") @implementation
public func tappet_broker_reason(_ broker: OpaquePointer?) -> Int32 { use(broker) { $0.reason } }

/// `tappet_broker_last_error`.
@_cdecl("tappet_broker_last_error") @implementation
public func tappet_broker_last_error(_ broker: OpaquePointer?, _ result: UnsafeMutablePointer<tappet_failure>?) -> Int32
{
  lastError(broker, .broker, result)
}
