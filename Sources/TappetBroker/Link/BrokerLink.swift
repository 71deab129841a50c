// The connection to the broker, on a thread of its own: names are resolved there, and libmosquitto's loop runs there.

import CPlatform
import TappetCore
import TappetPlatform

/// Executes commands to connect, publish and disconnect, and posts events; decides nothing, not even when to retry.
///
/// Commands never block. Each `connect` is answered by exactly one of `LinkEvent.failed`, `.lost` and `.disconnected`.
/// The status is kept at `<statusTopic>/status`, retained: `online`, `offline`, and `offline` as the last will.
package final class BrokerLink {
  private let commands: Mailbox<BrokerLinkLoop.Command>
  private var thread: pthread_t?
  /// Shows whether the thread makes progress.
  package let heartbeat = Heartbeat()

  /// Starts the thread, which connects on `connect`.
  ///
  /// `window` messages are in flight at most; the thread holds back more. `post` is called on that thread, and so is
  /// `receive`, with messages for subscriptions, and for the settings' own topics with commands; the request of such a
  /// topic is its index. `observe` is called there with each step of an attempt. With `readsProperties` a message has
  /// MQTT 5's properties.
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

  /// Reads the files, resolves the name and connects to the endpoint of this index (modulo their number).
  ///
  /// Unless the settings name a version of MQTT, it begins with MQTT 5 over TLS, if `mqtt5` is not absent; a broker
  /// that does not take MQTT 5 is asked again with 3.1.1, and then `didFallBack` precedes `connected`.
  package func connect(endpoint index: Int, mqtt5: MQTT5Support = .unknown) {
    commands.post(.connect(endpoint: index, mqtt5: mqtt5))
  }

  /// Publishes a message.
  ///
  /// `id` returns in `acknowledged` or `publishRefused`; without one nothing is posted. With QoS 0 it is acknowledged
  /// as soon as it was handed to the connection. While the link is not up the
  /// message is dropped: the connection's end was posted, or will be. `correlation` and `expirySeconds` are for
  /// MQTT 5 and left out otherwise. Returns false when the thread is too busy.
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

  /// Publishes a payload of any size, made with `payload`.
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

  /// A copy of a payload, with memory for the two that libmosquitto makes; `nil` when there is not as much.
  package static func payload(_ bytes: UnsafeRawBufferPointer) -> ReservedBytes? {
    ReservedBytes(copying: bytes, copies: 2)
  }

  /// Subscribes to a filter; `request` returns in `LinkReception.subscribed`, unless the connection ends before.
  ///
  /// While the link is not up the command is dropped, as with `publish`. Returns false when the thread takes no more.
  /// MQTT 3.1.1 knows nothing of `options`.
  package func subscribe(
    request: UInt64, filter: String, qos: Int32, options: SubscriptionOptions = SubscriptionOptions()
  ) -> Bool {
    commands.post(.subscribe(request: request, filter: filter, qos: qos, options))
  }

  /// Ends a subscription; `request` returns in `LinkReception.unsubscribed`, unless the connection ends before.
  ///
  /// As with `subscribe`.
  package func unsubscribe(request: UInt64, filter: String) -> Bool {
    commands.post(.unsubscribe(request: request, filter: filter))
  }

  /// Publishes `offline`, disconnects, and posts `disconnected`; does nothing without a connection or an attempt.
  package func disconnect() { commands.post(.disconnect) }

  /// Requests a heartbeat of the thread.
  package func requestHeartbeat() {
    heartbeat.request()
    commands.post(.beat)
  }

  /// Replaces the settings, from the next `connect` on.
  package func update(settings: BrokerSettings) { commands.post(.update(settings)) }

  /// Disconnects and ends the thread; waits for that, at most `Limits.linkJoinMax`.
  ///
  /// A thread that hangs in the resolver is left behind: it ends by itself when the resolver does.
  package func shutdown() {
    guard let thread else { return }
    self.thread = nil
    commands.post(.shutdown)
    WorkerThread.join(thread, limit: Limits.linkJoinMax)
  }
}
