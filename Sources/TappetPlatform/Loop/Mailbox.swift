// How another thread hands values to the reactor: a bounded queue and one eventfd that is readable while it is not
// empty.

import CPlatform
import TappetCore

// Unchecked because the compiler cannot see the mutex: `values` is touched only with the monitor locked; everything
// else is set once in `init`.

/// A bounded queue between threads; posting never blocks for longer than an append takes, and never loses what it took.
package final class Mailbox<Value: Sendable>: @unchecked Sendable {
  private let descriptor: FileDescriptor
  private let capacity: Int
  private let monitor = Monitor()
  private var values: [Value] = []

  /// An empty mailbox for at most `capacity` values.
  package init(capacity: Int = Limits.mailboxCapacity) throws(SystemError) {
    descriptor = try .make("eventfd") { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }
    self.capacity = capacity
  }

  /// Readable while values wait; for `Reactor.watch` or `Poll`, never to be read by others.
  package var fileDescriptor: Int32 { descriptor.number }

  /// Appends `value` and wakes the reader; false, with nothing done, when the mailbox is full.
  ///
  /// Any thread.
  @discardableResult
  package func post(_ value: Value) -> Bool {
    let count = monitor.locked {
      let count = values.count
      if count < capacity { values.append(value) }
      return count
    }
    // The post that ends the emptiness rings; the others find the bell rung, or a reader that has not taken the values
    // yet.
    if count == 0 { ring() }
    return count < capacity
  }

  /// Number of values that wait.
  ///
  /// Any thread.
  package var count: Int { monitor.locked { values.count } }

  /// Takes all values that wait, oldest first; the eventfd is quiet afterwards.
  ///
  /// One thread.
  package func drain() -> [Value] {
    // The bell is silenced before the values are taken: the other way round a value posted in between would sleep on.
    var rings: UInt64 = 0
    _ = read(fileDescriptor, &rings, 8)
    return monitor.locked {
      let taken = values
      values = []
      return taken
    }
  }

  /// EAGAIN needs 2^64 - 1 unread rings; then the bell rings anyway.
  private func ring() {
    var one: UInt64 = 1
    _ = try? checked("write") { write(fileDescriptor, &one, 8) }
  }
}
