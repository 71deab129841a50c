// The one thread that owns all state sleeps here: epoll over descriptors, one timerfd, one signalfd.

import CPlatform
import TappetCore

/// What is waited for on a descriptor; errors and hang-ups are reported always.
public struct Interest: OptionSet, Hashable, Sendable {
  /// The set's bits.
  public let rawValue: UInt8
  /// From bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// There is something to read, or the end of it.
  public static let readable = Interest(rawValue: 1)
  /// There is room to write.
  public static let writable = Interest(rawValue: 2)
}

/// What happened on a descriptor.
public struct Readiness: OptionSet, Hashable, Sendable {
  /// The set's bits.
  public let rawValue: UInt8
  /// From bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// There is something to read, or the end of it.
  public static let readable = Readiness(rawValue: 1)
  /// There is room to write.
  public static let writable = Readiness(rawValue: 2)
  /// The peer has closed; what it sent before can still be read.
  public static let hungUp = Readiness(rawValue: 4)
  /// The descriptor has failed.
  public static let failed = Readiness(rawValue: 8)

  init(epoll bits: UInt32) {
    self = []
    if bits & EPOLLIN.rawValue != 0 { insert(.readable) }
    if bits & EPOLLOUT.rawValue != 0 { insert(.writable) }
    if bits & (EPOLLHUP.rawValue | EPOLLRDHUP.rawValue) != 0 { insert(.hungUp) }
    if bits & EPOLLERR.rawValue != 0 { insert(.failed) }
  }
}

/// Waits for descriptors, one deadline and signals, and calls their handlers on the thread that calls `run`.
///
/// Never wakes without a cause, never calls a handler of a descriptor that is not watched any more, owns no descriptor but
/// its own three. All of it belongs to one thread; handlers may call anything here.
public final class Reactor {
  /// One watched descriptor.
  ///
  /// The generation tells it from an earlier one with the same number.
  private struct Watch {
    var fileDescriptor: Int32
    var generation: UInt32
    var handler: (Readiness) -> Void
  }

  /// Called when the deadline of `setTimer` has passed; the timer is unset by then.
  public var onTimer: () -> Void = {}
  /// The epoll's own descriptor, readable when `turn` has something to do: for a host with a loop of its own.
  public let fileDescriptor: Int32

  private let alarm: Alarm
  /// Few: they are looked through.
  private var watches: [Watch] = []
  private var generation: UInt32 = 0
  private var signals: Int32 = -1
  private var isRunning = false
  private let events: UnsafeMutableBufferPointer<epoll_event>

  /// A reactor that watches nothing yet.
  public init() throws(SystemError) {
    let epoll = try checked("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    do throws(SystemError) {
      alarm = try Alarm()
    } catch {
      close(epoll)
      throw error
    }
    fileDescriptor = epoll
    events = .allocate(capacity: Limits.reactorEventsPerTurn)
    events.initialize(repeating: epoll_event())
    try watch(alarm.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in
      // It does not ring when it was set anew between the wake-up and this line.
      if alarm.acknowledge() { onTimer() }
    }
  }

  deinit {
    events.deallocate()
    if signals >= 0 { close(signals) }
    close(fileDescriptor)
  }

  // MARK: Descriptors

  /// Calls `handler` whenever `fd` is ready, as long as it is (level-triggered).
  ///
  /// Watching it again replaces what was.
  public func watch(
    _ fd: Int32, for interest: Interest, _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) {
    generation &+= 1
    var event = Reactor.event(fd, generation, interest)
    do throws(SystemError) {
      try checked("epoll_ctl") { epoll_ctl(fileDescriptor, EPOLL_CTL_ADD, fd, &event) }
    } catch {
      guard error.code == EEXIST else { throw error }
      try checked("epoll_ctl") { epoll_ctl(fileDescriptor, EPOLL_CTL_MOD, fd, &event) }
    }
    watches.removeAll { $0.fileDescriptor == fd }
    watches.append(Watch(fileDescriptor: fd, generation: generation, handler: handler))
  }

  /// Waits for something else on a watched `fd`; its handler stays.
  ///
  /// ENOENT when it is not watched.
  public func change(_ fd: Int32, to interest: Interest) throws(SystemError) {
    guard let watch = watch(of: fd) else { throw SystemError(call: "epoll_ctl", code: ENOENT) }
    var event = Reactor.event(fd, watch.generation, interest)
    try checked("epoll_ctl") { epoll_ctl(fileDescriptor, EPOLL_CTL_MOD, fd, &event) }
  }

  /// Forgets `fd`: its handler is not called again, not even for what is ready already.
  ///
  /// Before it is closed, not after:
  /// a copy of it in a child would go on ringing under a number that is nobody's.
  public func unwatch(_ fd: Int32) {
    guard watch(of: fd) != nil else { return }
    watches.removeAll { $0.fileDescriptor == fd }
    // EBADF or ENOENT when it was closed first: then the kernel has forgotten it by itself.
    var unused = epoll_event()
    _ = epoll_ctl(fileDescriptor, EPOLL_CTL_DEL, fd, &unused)
  }

  private func watch(of fd: Int32) -> Watch? { watches.first { $0.fileDescriptor == fd } }

  // MARK: The deadline

  /// Has `onTimer` called once, at `instant` or as soon as possible after it; nil unsets.
  ///
  /// There is one timer: the last call counts.
  public func setTimer(at instant: Instant?) { alarm.set(at: instant) }

  // MARK: Signals

  /// Blocks `numbers` on this thread and those it starts later, and calls `handler` with each that arrives.
  ///
  /// Before any other
  /// thread is started: one that has them unblocked would die of them. Once.
  public func watchSignals(_ numbers: [Int32], _ handler: @escaping (Int32) -> Void) throws(SystemError) {
    precondition(signals < 0, "signals are watched once")
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let descriptor = try checked("signalfd") { signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)) }
    signals = descriptor
    try watch(descriptor, for: .readable) { _ in
      var information = signalfd_siginfo()
      let size = MemoryLayout<signalfd_siginfo>.size
      while read(descriptor, &information, size) == size { handler(Int32(bitPattern: information.ssi_signo)) }
    }
  }

  // MARK: Turning

  /// Waits and calls handlers until `stop`.
  ///
  /// An error means that epoll itself failed, which no peer can cause.
  public func run() throws(SystemError) {
    isRunning = true
    while isRunning { try turn(timeout: nil) }
  }

  /// Ends `run` after the handler that calls this.
  ///
  /// From another thread: post to a mailbox whose handler calls it.
  public func stop() { isRunning = false }

  /// Waits once, for at most `timeout` (nil: as long as it takes), and calls the handlers of what is ready.
  ///
  /// The number of events.
  @discardableResult
  public func turn(timeout: Duration?) throws(SystemError) -> Int {
    let milliseconds = timeout.map { Int32(clamping: max(0, $0.wholeMilliseconds)) } ?? -1
    // Newer headers of glibc want to be sure that there is room.
    guard let room = events.baseAddress else { return 0 }
    let count = try checked("epoll_wait") {
      epoll_wait(fileDescriptor, room, Int32(events.count), milliseconds)
    }
    for index in 0..<Int(count) {
      let event = events[index]
      let fd = Int32(truncatingIfNeeded: event.data.u64)
      // An earlier handler of this turn may have unwatched it, and its number may already be another descriptor's.
      guard let watch = watch(of: fd), watch.generation == UInt32(event.data.u64 >> 32) else { continue }
      watch.handler(Readiness(epoll: event.events))
    }
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
