// The socket to the parent and the request to end. Both are looked at only between libnfc's calls.

import CPlatform
import TappetCore

/// The way out to the parent, and the news that there is none any more.
struct ParentLink {
  private let socket: Int32
  private let signals: Int32

  /// `signals` is readable once the process was told to end.
  init(socket: Int32, signals: Int32) {
    self.socket = socket
    self.signals = signals
  }

  /// Sends one message as one datagram.
  ///
  /// False when nobody takes it: the parent is gone, or has been stuck for too long.
  func send(_ message: ReaderMessage) -> Bool {
    let bytes = message.encode()
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    while true {
      let count = bytes.withUnsafeBytes { CPlatform.send(socket, $0.baseAddress, $0.count, flags) }
      if count >= 0 { return true }
      switch tp_errno() {
      case EINTR: continue
      case EAGAIN, ENOBUFS:
        var room = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        guard poll(&room, 1, milliseconds(Limits.readerSilenceMax)) > 0 else { return false }
      default: return false
      }
    }
  }

  /// How a rest ended.
  enum Rest {
    case timeUp
    case order(ReaderOrder)
    /// The parent closed its end or talks nonsense, or the process was told to end.
    case ended
  }

  /// Sleeps until `deadline`, or until there is something to do.
  func rest(until deadline: Instant) -> Rest {
    while true {
      let left = max(.zero, deadline - Instant.now())
      var waited = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&waited, 2, milliseconds(left))
      if count == 0 { return .timeUp }
      if count < 0 { continue }
      if waited[1].revents != 0 { return .ended }
      return receive()
    }
  }

  private func receive() -> Rest {
    var size = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Limits.readerMessageSizeMax) { buffer, filled in
      size = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
      filled = min(max(0, size), buffer.count)
    }
    guard size > 0, size <= bytes.count, let order = try? ReaderOrder(decoding: bytes) else { return .ended }
    return .order(order)
  }

  /// For poll(2): rounded up, so that a wait never ends before its time.
  private func milliseconds(_ duration: Duration) -> Int32 {
    Int32(clamping: (duration.wholeNanoseconds + 999_999) / 1_000_000)
  }
}

extension Instant {
  /// The monotonic clock's reading.
  static func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
