// The connection to the broker, on a thread of its own: names are resolved there, and libmosquitto's loop runs there.

import CPlatform
import TappetCore

/// Obeys orders to connect, publish and disconnect, and posts what happens; decides nothing, above all not when to try again.
///
/// Orders never block. Each order to connect is answered by exactly one of `LinkEvent.failed`, `.lost` and `.disconnected`.
/// Status is kept at `<statusTopic>/status`, retained: `online`, `offline`, and `offline` as the last will.
public final class BrokerLink {
  private let orders: Mailbox<BrokerLinkLoop.Order>
  private var thread: pthread_t?
  /// Whether the thread goes on.
  public let signs = ThreadSigns()

  /// Starts the thread; it connects when told to.
  ///
  /// `post` is called on that thread, and so is `receive`, with what subscriptions bring.
  public init(
    settings: BrokerSettings, post: @escaping @Sendable (LinkEvent) -> Void,
    receive: @escaping @Sendable (LinkReception) -> Void = { _ in }
  ) throws(SystemError) {
    guard BrokerLinkSession.isLibraryReady else { throw SystemError(call: "mosquitto_lib_init", code: ENOMEM) }
    orders = try Mailbox(capacity: Limits.mailboxCapacity)
    thread = try WorkerThread.start("tappet-link", stackSize: Limits.linkStackSize) { [orders, signs] in
      BrokerLinkLoop(settings, orders: orders, signs: signs, post: post, receive: receive).run()
    }
  }

  deinit { shutdown() }

  /// Reads the files, resolves the name and connects to the endpoint of this index (modulo their number).
  public func connect(endpoint index: Int) { orders.post(.connect(endpoint: index)) }

  /// Publishes with QoS 1.
  ///
  /// `id` comes back in `acknowledged` or `publishRefused`; without one nothing does. While the link is
  /// not up the message is dropped: the connection's end has been posted, or is about to be. False when the thread is so far
  /// behind that it takes no more.
  @discardableResult
  public func publish(id: EntryID?, topic: String, payload: [UInt8], isRetained: Bool) -> Bool {
    orders.post(.publish(id: id, topic: topic, payload: payload, isRetained: isRetained))
  }

  /// Subscribes to a filter; `order` comes back in `LinkReception.subscribed`, unless the connection ends before.
  ///
  /// While the link is not up the order is dropped, as with `publish`. False when the thread takes no more.
  public func subscribe(order: UInt64, filter: String, qos: Int32) -> Bool {
    orders.post(.subscribe(order: order, filter: filter, qos: qos))
  }

  /// Says `offline`, disconnects in order, and posts `disconnected`; nothing when there is no connection and no attempt.
  public func disconnect() { orders.post(.disconnect) }

  /// Has the thread give a sign.
  public func askForSign() {
    signs.ask()
    orders.post(.sign)
  }

  /// These settings count from the next `connect`.
  public func update(settings: BrokerSettings) { orders.post(.update(settings)) }

  /// Disconnects and ends the thread; waits for that, at most `Limits.linkJoinMax`.
  ///
  /// A thread that hangs in the resolver is left
  /// behind: it ends by itself when the resolver does.
  public func shutdown() {
    guard let thread else { return }
    self.thread = nil
    orders.post(.shutdown)
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let nanoseconds = Int64(deadline.tv_nsec) + Limits.linkJoinMax.wholeNanoseconds
    deadline.tv_sec += time_t(nanoseconds / 1_000_000_000)
    deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
    if pthread_clockjoin_np(thread, nil, CLOCK_MONOTONIC, &deadline) != 0 { pthread_detach(thread) }
  }
}
