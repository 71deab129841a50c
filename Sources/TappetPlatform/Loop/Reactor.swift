// The event loop of the one thread that owns all state: epoll over descriptors, one timerfd, one signalfd.

import CPlatform
import TappetBase

/// The events to wait for on a descriptor; errors and hang-ups are always reported.
package struct Interest: OptionSet, Hashable, Sendable {
  /// Raw bits of the set.
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Data or the end of the stream can be read.
  package static let readable = Interest(rawValue: 1)
  /// Data can be written without blocking.
  package static let writable = Interest(rawValue: 2)
}

/// The events of a descriptor.
package struct Readiness: OptionSet, Hashable, Sendable {
  /// Raw bits of the set.
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Data or the end of the stream can be read.
  package static let readable = Readiness(rawValue: 1)
  /// Data can be written without blocking.
  package static let writable = Readiness(rawValue: 2)
  /// The peer has closed the connection; data that it sent before can still be read.
  package static let hungUp = Readiness(rawValue: 4)
  /// An error is pending on the descriptor.
  package static let failed = Readiness(rawValue: 8)

  init(epoll bits: UInt32) {
    self = []
    if bits & EPOLLIN.rawValue != 0 { insert(.readable) }
    if bits & EPOLLOUT.rawValue != 0 { insert(.writable) }
    if bits & (EPOLLHUP.rawValue | EPOLLRDHUP.rawValue) != 0 { insert(.hungUp) }
    if bits & EPOLLERR.rawValue != 0 { insert(.failed) }
  }
}

/// Registration of a descriptor with a reactor; ends when this object is released.
///
/// Keeps the reactor alive, but neither the descriptor nor the object that the handler calls: their owner must own the
/// watch too, and release it before the descriptor is closed. Confined to the reactor's thread.
package final class Watch {
  private let reactor: Reactor
  private let fileDescriptor: Int32
  private let generation: UInt32

  fileprivate init(_ reactor: Reactor, _ fileDescriptor: Int32, _ generation: UInt32) {
    self.reactor = reactor
    self.fileDescriptor = fileDescriptor
    self.generation = generation
  }

  deinit { reactor.forget(fileDescriptor, generation) }
}

/// Waits for descriptors, one deadline and signals, and calls their handlers on the thread that calls `turn`.
///
/// Never wakes without a cause, never calls the handler of a descriptor that is no longer watched, and owns no
/// descriptors except its three internal ones. Confined to one thread; handlers may call any method.
package final class Reactor {
  /// One watched descriptor.
  ///
  /// The generation distinguishes the entry from an earlier entry with the same descriptor number.
  private struct Entry {
    var fileDescriptor: Int32
    var generation: UInt32
    var handler: (Readiness) -> Void
  }

  /// Handler that is called when the deadline of `setTimer` has passed; the timer is already unset by then.
  package var onTimer: () -> Void = {}
  /// Descriptor of the epoll instance, readable when `turn` has work to do: for a host with its own event loop.
  package var fileDescriptor: Int32 { epoll.number }

  private let alarm: TimerDescriptor
  /// Watched descriptors, few enough for a linear search.
  private var entries: [Entry] = []
  private var generation: UInt32 = 0
  private let epoll: FileDescriptor
  private var signals: SignalDescriptor?
  private var isRunning = false
  private let events: UnsafeMutableBufferPointer<epoll_event>

  @export(interface)
  package init() throws(SystemError) {
    epoll = try .make("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    alarm = try TimerDescriptor()
    events = .allocate(capacity: Limits.reactorEventsPerTurn)
    events.initialize(repeating: epoll_event())
    _ = try register(alarm.fileDescriptor, for: .readable) { _ in }
  }

  deinit { events.deallocate() }

  // MARK: Descriptors

  /// Calls `handler` whenever `fd` is ready (level-triggered), as long as the returned watch exists.
  ///
  /// Watching a descriptor again replaces the earlier watch. `handler` must not keep the owner of the watch alive (see
  /// `calling`).
  package func watch(
    _ fd: Int32, for interest: Interest, _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) -> Watch {
    Watch(self, fd, try register(fd, for: interest, handler))
  }

  private func register(
    _ fd: Int32, for interest: Interest, _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) -> UInt32 {
    generation &+= 1
    var event = Reactor.event(fd, generation, interest)
    do throws(SystemError) {
      try checked("epoll_ctl") { epoll_ctl(fileDescriptor, EPOLL_CTL_ADD, fd, &event) }
    } catch {
      guard error.code == EEXIST else { throw error }
      try checked("epoll_ctl") { epoll_ctl(fileDescriptor, EPOLL_CTL_MOD, fd, &event) }
    }
    entries.removeAll { $0.fileDescriptor == fd }
    entries.append(Entry(fileDescriptor: fd, generation: generation, handler: handler))
    return generation
  }

  /// Ends the watch of `fd` with this generation: its handler is not called again, not even for an event of this turn.
  fileprivate func forget(_ fd: Int32, _ generation: UInt32) {
    guard let index = entries.firstIndex(where: { $0.fileDescriptor == fd && $0.generation == generation }) else {
      return
    }
    entries.remove(at: index)
    // Otherwise a copy of the descriptor in a child would keep reporting events for a number that is no longer in use.
    // Fails with EBADF or ENOENT if the descriptor was closed first: the kernel has already removed it.
    var unused = epoll_event()
    _ = epoll_ctl(fileDescriptor, EPOLL_CTL_DEL, fd, &unused)
  }

  // MARK: The deadline

  /// Schedules one call of `onTimer` at `instant`, or as soon as possible after it; `nil` unsets the timer.
  ///
  /// There is only one timer: each call replaces the previous deadline.
  package func setTimer(at instant: Instant?) { alarm.set(at: instant) }

  // MARK: Signals

  /// Calls `handler` for each signal in `numbers` that arrives.
  ///
  /// Must be called only once, before any other thread is started (`SignalDescriptor.open`).
  @export(interface)
  package func watchSignals(_ numbers: [Int32], _ handler: @escaping (Int32) -> Void) throws(SystemError) {
    precondition(signals == nil, "signals are watched once")
    let descriptor = try SignalDescriptor.open(numbers)
    signals = descriptor
    _ = try register(descriptor.fileDescriptor, for: .readable) { _ in
      while let number = descriptor.next() { handler(number) }
    }
  }

  // MARK: Turning

  /// Waits and calls handlers until `stop`.
  ///
  /// An error means that epoll itself failed, which no peer can cause.
  package func run() throws(SystemError) {
    isRunning = true
    while isRunning { try turn(timeout: nil) }
  }

  /// Ends `run` when the current handler returns.
  ///
  /// To stop from another thread, post to a mailbox whose handler calls this.
  package func stop() { isRunning = false }

  /// Waits once and calls the handlers of ready descriptors; returns the number of events.
  ///
  /// The timer is last, so that everything that arrived before the deadline is handled before it, however late the call
  /// is. Waits for at most `timeout`; `nil` means no limit.
  @export(interface)
  @discardableResult
  package func turn(timeout: Duration?) throws(SystemError) -> Int {
    let milliseconds = timeout.map { Int32(clamping: max(0, $0.wholeMilliseconds)) } ?? -1
    // Newer glibc headers require a buffer that is not null.
    guard let room = events.baseAddress else { return 0 }
    let count = try checked("epoll_wait") {
      epoll_wait(fileDescriptor, room, Int32(events.count), milliseconds)
    }
    var firesTimer = false
    for index in 0..<Int(count) {
      let event = events[index]
      let fd = Int32(truncatingIfNeeded: event.data.u64)
      if fd == alarm.fileDescriptor {
        firesTimer = true
        continue
      }
      // An earlier handler of this turn may have ended this watch, and the number may already belong to another
      // descriptor.
      let generation = UInt32(event.data.u64 >> 32)
      let entry = entries.first { $0.fileDescriptor == fd && $0.generation == generation }
      entry?.handler(Readiness(epoll: event.events))
    }
    // No expiry is reported if a handler has set the timer again.
    if firesTimer, alarm.acknowledge() { onTimer() }
    return Int(count)
  }

  private static func event(_ fd: Int32, _ generation: UInt32, _ interest: Interest) -> epoll_event {
    var bits = EPOLLRDHUP.rawValue
    if interest.contains(.readable) { bits |= EPOLLIN.rawValue }
    if interest.contains(.writable) { bits |= EPOLLOUT.rawValue }
    let data = epoll_data_t(u64: UInt64(generation) << 32 | UInt64(UInt32(bitPattern: fd)))
    return epoll_event(events: bits, data: data)
  }
}
