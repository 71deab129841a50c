// A mailbox through which other threads pass values to the reactor: a bounded queue and one eventfd, which is readable
// while the queue is not empty.

import CPlatform
import TappetBase

/// A bounded queue between threads; posting blocks only for the time of an append, and accepted values are never lost.
package final class Mailbox<Value: Sendable>: Sendable {
  private let descriptor: FileDescriptor
  private let capacity: Int
  private let values = Mutexed<[Value]>([])

  /// Creates an empty mailbox for at most `capacity` values.
  package init(capacity: Int = Limits.mailboxCapacity) throws(SystemError) {
    descriptor = try .make("eventfd") { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }
    self.capacity = capacity
  }

  /// Descriptor that is readable while values are pending; for `Reactor.watch` or `Poll`, never to be read directly.
  package var fileDescriptor: Int32 { descriptor.number }

  /// Appends `value` and wakes the reader; returns false, without effect, if the mailbox is full.
  ///
  /// Callable from any thread.
  @discardableResult
  package func post(_ value: Value) -> Bool {
    let count = values.locked { values in
      let count = values.count
      if count < capacity { values.append(value) }
      return count
    }
    // Only a post to an empty queue writes to the eventfd. Otherwise, the eventfd is already readable, or the reader is
    // about to take the values.
    if count == 0 { ring() }
    return count < capacity
  }

  /// Number of pending values.
  ///
  /// Callable from any thread.
  package var count: Int { values.locked { $0.count } }

  /// Takes all pending values, oldest first, and resets the eventfd.
  ///
  /// Must be called on one thread only.
  package func drain() -> [Value] {
    // The eventfd is reset before the values are taken; otherwise, a value posted in between would not be noticed.
    var rings: UInt64 = 0
    _ = read(fileDescriptor, &rings, 8)
    return values.locked { values in
      let taken = values
      values = []
      return taken
    }
  }

  /// Makes the eventfd readable; EAGAIN would require 2^64 - 1 unread writes, and the eventfd would then also be
  /// readable.
  private func ring() {
    var one: UInt64 = 1
    _ = try? checked("write") { write(fileDescriptor, &one, 8) }
  }
}
