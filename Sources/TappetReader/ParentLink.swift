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

  /// Sleeps until `deadline`.
  ///
  /// False at once when the parent closed its end or the process was told to end.
  func rest(until deadline: Instant) -> Bool {
    while true {
      let left = max(.zero, deadline - Instant.now())
      var waited = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&waited, 2, milliseconds(left))
      if count == 0 { return true }
      if count < 0 { continue }
      if waited[1].revents != 0 || !swallow(waited[0].revents) { return false }
    }
  }

  /// Nothing is said to us yet: a datagram is dropped.
  ///
  /// False at the socket's end.
  private func swallow(_ events: Int16) -> Bool {
    guard events != 0 else { return true }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) > 0
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
