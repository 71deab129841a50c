// How another thread hands values to the reactor: a bounded queue and one eventfd that is readable while it is not empty.

import CPlatform
import TappetCore

// Unchecked because the compiler cannot see the mutex: `values` is touched by any thread, and only between lock and unlock;
// everything else is set once in `init`.

/// A bounded queue between threads; posting never blocks for longer than an append takes, and never loses what it took.
public final class Mailbox<Value: Sendable>: @unchecked Sendable {
  /// Readable while values wait; for `Reactor.watch` or `poll`, never to be read or closed by others.
  public let fileDescriptor: Int32
  private let capacity: Int
  private let monitor = Monitor()
  private var values: [Value] = []

  /// An empty mailbox for at most `capacity` values.
  public init(capacity: Int = Limits.mailboxCapacity) throws(SystemError) {
    fileDescriptor = try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }
    self.capacity = capacity
  }

  deinit { close(fileDescriptor) }

  /// Appends `value` and wakes the reader; false, and nothing done, when it is full.
  ///
  /// Any thread.
  @discardableResult
  public func post(_ value: Value) -> Bool {
    monitor.lock()
    let count = values.count
    if count < capacity { values.append(value) }
    monitor.unlock()
    // Who made it non-empty rings; the others find the bell rung, or a reader that has not taken the values yet.
    if count == 0 { ring() }
    return count < capacity
  }

  /// How many values wait.
  ///
  /// Any thread.
  public var count: Int {
    monitor.lock()
    defer { monitor.unlock() }
    return values.count
  }

  /// Everything that waits, oldest first; the eventfd is quiet afterwards.
  ///
  /// One thread.
  public func drain() -> [Value] {
    // The bell is silenced before the values are taken: the other way round a value posted in between would sleep on.
    var rings: UInt64 = 0
    _ = read(fileDescriptor, &rings, 8)
    monitor.lock()
    let taken = values
    values = []
    monitor.unlock()
    return taken
  }

  /// EAGAIN needs 2^64 - 1 unread rings; then the bell rings anyway.
  private func ring() {
    var one: UInt64 = 1
    while write(fileDescriptor, &one, 8) == -1, tp_errno() == EINTR {}
  }
}
