// The connection to the broker, on a dedicated thread that resolves names and runs libmosquitto's loop.

import CPlatform
import TappetCore
import TappetPlatform

/// Executes commands to connect, publish and disconnect, and posts events; makes no decisions, not even when to retry.
///
/// Commands never block. Each `connect` results in exactly one of `LinkEvent.failed`, `.lost` and `.disconnected`.
/// The status is published to `<statusTopic>/status`, retained: `online`, `offline`, and `offline` as the last will.
package final class BrokerLink {
  private let commands: Mailbox<BrokerLinkLoop.Command>
  private var thread: pthread_t?
  /// Shows whether the thread is making progress.
  package let heartbeat = Heartbeat()

  /// Starts the thread, which connects when `connect` is called.
  ///
  /// At most `window` messages are in flight; the thread holds back the rest. The callbacks run on that thread: `post`
  /// receives events, and `observe` each step of an attempt. `receive` gets the messages of subscriptions and the
  /// commands on the settings' own topics, for which the request is the topic's index. With `readsProperties`, messages
  /// include their MQTT 5 properties.
  @export(interface)
  package init(
    settings: BrokerSettings, window: Int = Limits.inflightMax, post: @escaping @Sendable (LinkEvent) -> Void,
    receive: @escaping @Sendable (LinkReception) -> Void = { _ in }, observe: (@Sendable (LinkStep) -> Void)? = nil,
    readsProperties: Bool = false
  ) throws(SystemError) {
    guard BrokerLinkSession.isLibraryReady else { throw SystemError(call: "mosquitto_lib_init", code: ENOMEM) }
    LibCrypto.prepare()
    commands = try Mailbox(capacity: Limits.mailboxCapacity)
    thread = try WorkerThread.start("tappet-link", stackSize: Limits.linkStackSize) { [commands, heartbeat] in
      BrokerLinkLoop(
        settings, window: window, commands: commands, heartbeat: heartbeat, post: post, receive: receive,
        observe: observe, readsProperties: readsProperties
      ).run()
    }
  }

  deinit { shutdown() }

  /// Reads the files, resolves the name and connects to the endpoint with this index (modulo the number of endpoints).
  ///
  /// Unless the settings specify an MQTT version, the first attempt over TLS uses MQTT 5 if `mqtt5` is not `absent`. If
  /// the broker does not support MQTT 5, the link retries with 3.1.1, and posts `didFallBack` before `connected`.
  package func connect(endpoint index: Int, mqtt5: MQTT5Support = .unknown) {
    commands.post(.connect(endpoint: index, mqtt5: mqtt5))
  }

  /// Publishes a message.
  ///
  /// `id` is returned in `acknowledged` or `publishRefused`; if `id` is `nil`, nothing is posted. With QoS 0, the
  /// message is acknowledged as soon as it is passed to the connection. While the link is down, the message is dropped:
  /// the end of the connection was posted, or will be. `correlation` and `expirySeconds` require MQTT 5 and are omitted
  /// otherwise. Returns false if the thread's queue is full.
  @discardableResult
  package func publish(
    id: EntryID?, topic: String, payload: [UInt8], qos: Int32 = 1, isRetained: Bool, correlation: [UInt8] = [],
    expirySeconds: UInt32? = nil
  ) -> Bool {
    guard let copy = payload.withUnsafeBytes({ BrokerLink.payload($0) }) else { return false }
    return publish(
      id: id, topic: topic, payload: copy, qos: qos, isRetained: isRetained, correlation: correlation,
      expirySeconds: expirySeconds)
  }

  /// Publishes a payload of any size, created with `payload`.
  package func publish(
    id: EntryID?, topic: String, payload: ReservedBytes, qos: Int32, isRetained: Bool, correlation: [UInt8] = [],
    expirySeconds: UInt32? = nil
  ) -> Bool {
    publish(
      id: id, topic: topic, payload: payload, qos: qos, isRetained: isRetained,
      MessageProperties(correlation: correlation, expirySeconds: expirySeconds))
  }

  /// Publishes a payload of any size with any properties.
  package func publish(
    id: EntryID?, topic: String, payload: ReservedBytes, qos: Int32, isRetained: Bool, _ properties: MessageProperties
  ) -> Bool {
    commands.post(
      .publish(id: id, topic: topic, payload: payload, qos: qos, isRetained: isRetained, properties))
  }

  /// Returns a copy of a payload, with memory reserved for libmosquitto's two copies; `nil` if memory is insufficient.
  package static func payload(_ bytes: UnsafeRawBufferPointer) -> ReservedBytes? {
    ReservedBytes(copying: bytes, copies: 2)
  }

  /// Subscribes to a filter; `request` is returned in `LinkReception.subscribed`, unless the connection ends first.
  ///
  /// While the link is down, the command is dropped, as with `publish`. Returns false if the thread's queue is full.
  /// MQTT 3.1.1 does not support `options`.
  package func subscribe(
    request: UInt64, filter: String, qos: Int32, options: SubscriptionOptions = SubscriptionOptions()
  ) -> Bool {
    commands.post(.subscribe(request: request, filter: filter, qos: qos, options))
  }

  /// Ends a subscription; `request` is returned in `LinkReception.unsubscribed`, unless the connection ends first.
  ///
  /// While the link is down or the queue is full, behaves like `subscribe`.
  package func unsubscribe(request: UInt64, filter: String) -> Bool {
    commands.post(.unsubscribe(request: request, filter: filter))
  }

  /// Publishes `offline`, disconnects, and posts `disconnected`; does nothing if there is no connection and no attempt.
  package func disconnect() { commands.post(.disconnect) }

  /// Requests a heartbeat from the thread.
  package func requestHeartbeat() {
    heartbeat.request()
    commands.post(.heartbeat)
  }

  /// Replaces the settings, starting with the next `connect`.
  package func update(settings: BrokerSettings) { commands.post(.update(settings)) }

  /// Disconnects and stops the thread; waits at most `Limits.linkJoinMax` for the thread to finish.
  ///
  /// A thread that hangs in the resolver is left running; it ends when the resolver returns.
  package func shutdown() {
    guard let thread else { return }
    self.thread = nil
    commands.post(.shutdown)
    WorkerThread.join(thread, limit: Limits.linkJoinMax)
  }
}

/// The events of one turn.
struct BrokerLinkEvents {
  private let receiver: @Sendable (LinkEvent) -> Void
  private var events: [LinkEvent] = []

  /// Creates an empty list of events for `receiver`.
  init(to receiver: @escaping @Sendable (LinkEvent) -> Void) { self.receiver = receiver }

  /// Adds an event.
  mutating func post(_ event: LinkEvent) { events.append(event) }

  /// Delivers the events in order.
  mutating func deliver() {
    for event in events { receiver(event) }
    events.removeAll(keepingCapacity: true)
  }
}
