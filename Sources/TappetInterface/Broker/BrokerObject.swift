// One broker connection for C (tappet.h, "broker"); Brokers.swift contains the C functions. The link's thread posts
// into two mailboxes; the caller's thread drains them and calls the callbacks.

import CPlatform
import CTappet
import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// A connection and its pending requests, which are called orders here.
final class BrokerObject: LibraryObject {
  /// A pending request with the callback for its completion.
  private struct Order {
    var number: UInt64
    var completion: tappet_broker_completion?
    var context: UnsafeMutableRawPointer?
  }
  private enum Phase {
    case idle
    case connecting
    case up
    /// Completing the requests of a connection that has ended; its event follows.
    case ending
  }

  /// Maximum number of pending orders of each kind, chosen so that the mailbox can hold the responses to all of them.
  private static let ordersMax = 256
  private static let messagesMax = 256

  var callback: tappet_broker_event_callback?
  var context: UnsafeMutableRawPointer?
  let reactor: Reactor
  private let events: Mailbox<LinkEvent>
  private let receptions: Mailbox<LinkReception>
  private let lost = LostCount()
  private var link: BrokerLink?
  /// The MQTT reason code of the response while its completion callback runs; otherwise 0.
  private(set) var reason: Int32 = 0
  private var phase: Phase = .idle
  private var endpoint: BrokerEndpoint?
  /// The last endpoint whose support for MQTT 5 was determined.
  private var known: (endpoint: BrokerEndpoint, mqtt5: MQTT5Support)?
  private var publications = ArrivalQueue<Order>()
  private var subscriptions: [Order] = []
  private var watches: [Watch] = []
  private var lastNumber: UInt64 = 0
  private var callCount: Int32 = 0
  /// The last attempt to connect; `nil` before the first attempt.
  private(set) var trace: ConnectTrace?
  /// Whether the current connection uses MQTT 5.
  private var usesMQTT5 = false
  /// Memory that is valid for the C caller until the next call of the same function.
  var reportLoan = PinnedBuffers()
  var stepLoan = PinnedBuffers()
  var certificateLoan = PinnedBuffers()
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

  deinit {
    reportLoan.clear()
    stepLoan.clear()
    certificateLoan.clear()
  }

  // MARK: Orders

  func connect(_ settings: BrokerSettings) -> Int32 {
    guard case .idle = phase else { return fail(.state, "the object is already connected or connecting") }
    guard let first = settings.endpoints.first else { return fail(Failure(.argument)) }
    do throws(SystemError) {
      if let link {
        link.update(settings: settings)
        trace?.restart(first)
      } else {
        link = try makeLink(settings, ConnectTrace(first))
      }
    } catch { return fail(Failure(error)) }
    endpoint = first
    link?.connect(endpoint: 0, mqtt5: endpoint == known?.endpoint ? known?.mqtt5 ?? .unknown : .unknown)
    phase = .connecting
    return 0
  }

  private func makeLink(_ settings: BrokerSettings, _ trace: ConnectTrace) throws(SystemError) -> BrokerLink {
    let (events, receptions, lost) = (events, receptions, lost)
    let link = try BrokerLink(
      settings: settings, window: BrokerObject.ordersMax,
      post: {
        trace.note($0)
        events.post($0)
      }, receive: { BrokerObject.take($0, receptions, lost) }, observe: { trace.note($0) }, readsProperties: true)
    self.trace = trace
    return link
  }

  /// Queues input on the link's thread; if the caller does not dispatch, messages are discarded, but not responses.
  private static func take(_ reception: LinkReception, _ receptions: Mailbox<LinkReception>, _ lost: LostCount) {
    switch reception {
    case .discarded: lost.add()
    case .message where receptions.count >= messagesMax: lost.add()
    case .message, .subscribed, .unsubscribed: receptions.post(reception)
    }
  }

  func publish(
    _ topic: String, _ payload: UnsafeBufferPointer<UInt8>, qos: Int32, isRetained: Bool,
    _ properties: MessageProperties?, _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?)
  ) -> Int32 {
    guard case .up = phase, let link else { return fail(.notConnected, "cannot publish without a connection") }
    guard properties == nil || usesMQTT5 else {
      return fail(.state, "the connection uses MQTT 3.1.1, which does not support properties")
    }
    guard publications.count < BrokerObject.ordersMax else {
      return fail(.limit, "256 messages are in flight; wait until one completes")
    }
    guard let copy = BrokerLink.payload(UnsafeRawBufferPointer(payload)) else {
      return fail(.memory, "out of memory: publishing requires three times the size of the payload")
    }
    let number = nextNumber()
    let id = EntryID(high: 0, low: number)
    let known = properties ?? MessageProperties()
    guard link.publish(id: id, topic: topic, payload: copy, qos: qos, isRetained: isRetained, known) else {
      return fail(.limit, "the connection's queue is full; try again later")
    }
    publications.append(Order(number: number, completion: end.0, context: end.1))
    return 0
  }

  func subscribe(
    _ filter: String, qos: Int32, _ options: SubscriptionOptions,
    _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?)
  ) -> Int32 {
    if case .up = phase, options.needsMQTT5, !usesMQTT5 {
      return fail(.state, "the connection uses MQTT 3.1.1, in which QoS is a subscription's only option")
    }
    return request(end) { $0.subscribe(request: $1, filter: filter, qos: qos, options: options) }
  }

  func unsubscribe(_ filter: String, _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?)) -> Int32 {
    request(end) { $0.unsubscribe(request: $1, filter: filter) }
  }

  private func request(
    _ end: (tappet_broker_completion?, UnsafeMutableRawPointer?), _ send: (BrokerLink, UInt64) -> Bool
  ) -> Int32 {
    guard case .up = phase, let link else { return fail(.notConnected, "cannot subscribe without a connection") }
    guard subscriptions.count < BrokerObject.ordersMax else { return fail(.limit, "256 subscriptions are pending") }
    let number = nextNumber()
    guard send(link, number) else { return fail(.limit, "the connection's queue is full; try again later") }
    subscriptions.append(Order(number: number, completion: end.0, context: end.1))
    return 0
  }

  func disconnect() -> Int32 {
    switch phase {
    case .idle, .ending: return fail(.notConnected, "the object is not connected")
    case .connecting, .up: link?.disconnect()
    }
    return 0
  }

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Responses

  func dispatch() -> Int32 {
    guard !isDispatching else { return fail(.state, "a callback cannot dispatch its own object") }
    isDispatching = true
    defer { isDispatching = false }
    callCount = 0
    do throws(SystemError) { try reactor.turn(timeout: .zero) } catch { return fail(Failure(error)) }
    return callCount
  }

  /// Drains both mailboxes, messages first, because the event that ends the connection was posted after the messages.
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
      usesMQTT5 = trace?.facts.version == .v5
      tell(TAPPET_BROKER_EVENT_CONNECTED, nil)
    case .didFallBack: known = endpoint.map { ($0, .absent) }
    case .foundMQTT5: known = endpoint.map { ($0, .present) }
    case .lacksRetained: break
    case .failed(let failure): ended(TAPPET_BROKER_EVENT_FAILED, failure)
    case .lost(let failure): ended(TAPPET_BROKER_EVENT_LOST, failure)
    case .disconnected: ended(TAPPET_BROKER_EVENT_DISCONNECTED, nil)
    case .acknowledged(let id): endPublication(id, 0)
    case .acknowledgedUnheard(let id): endPublication(id, 0, reason: 0x10)
    // Codes below 0x80 are libmosquitto's own error numbers.
    case .publishRefused(let id, let code):
      endPublication(id, ErrorCode.refused.rawValue, reason: code >= 0x80 ? code : 0)
    }
  }

  private func endPublication(_ id: EntryID, _ result: Int32, reason: Int32 = 0) {
    if let order = publications.remove(where: { $0.number == id.low }) { end(order, result, reason: reason) }
  }

  /// Handles the end of the connection, which completes all pending orders with an error.
  private func ended(_ type: tappet_broker_event_type, _ cause: LinkFailure?) {
    phase = .ending
    let orders = publications.all + subscriptions
    publications.removeAll()
    subscriptions = []
    for order in orders where !isFreed { end(order, ErrorCode.notConnected.rawValue) }
    phase = .idle
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
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    var event = tappet_broker_event()
    event.size = MemoryLayout<tappet_broker_event>.size
    event.type = type
    event.sentence = sentence.flatMap { pinned.text($0) }
    event.reason = Int32(reason ?? 0)
    callCount += 1
    callback(context, &event)
  }

  private func tell(_ message: LinkMessage) {
    guard let callback else { return }
    var pinned = PinnedBuffers()
    defer { pinned.clear() }
    var event = tappet_broker_event()
    event.size = MemoryLayout<tappet_broker_event>.size
    event.type = TAPPET_BROKER_EVENT_MESSAGE
    event.qos = message.qos
    event.is_retained = message.isRetained
    event.topic = pinned.text(message.topic)
    event.payload = pinned.bytes(message.payload)
    event.payload_size = message.payload.count
    event.lost_count = lost.take()
    callCount += 1
    guard let properties = message.properties else { return callback(context, &event) }
    var given = pinned.properties(properties)
    withUnsafePointer(to: &given) {
      event.properties = $0
      callback(context, &event)
    }
  }
}

/// Number of messages that were discarded.
private final class LostCount: Sendable {
  /// A separate mutex instead of that of the library: the link's thread locks it, and if the process forked at that
  /// moment, the library would stay locked in the child for good.
  private let count = Mutexed<UInt64>(0)

  func add() { count.locked { $0 += 1 } }

  func take() -> UInt64 {
    count.locked { count in
      defer { count = 0 }
      return count
    }
  }
}
