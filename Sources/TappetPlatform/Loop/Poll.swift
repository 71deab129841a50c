// Waiting for descriptors without a reactor.

import CPlatform
import TappetBase

/// The only wrapper of poll(2): limits are durations, and a signal does not shorten the wait.
package enum Poll {
  /// Waits until one of `descriptors` is ready, but at most `limit`; `nil` means no limit.
  ///
  /// Returns the readiness of each descriptor, in order; all are empty on timeout. A negative descriptor is ignored. If
  /// the kernel is out of memory, the only failure that is not a programming error, the call returns as on timeout.
  @export(interface)
  package static func wait(_ descriptors: [(number: Int32, interest: Interest)], for limit: Duration?) -> [Readiness] {
    var entries: [pollfd] = []
    for descriptor in descriptors {
      entries.append(pollfd(fd: descriptor.number, events: descriptor.interest.pollEvents, revents: 0))
    }
    if !wait(&entries, for: limit) { for index in entries.indices { entries[index].revents = 0 } }
    var readiness: [Readiness] = []
    for entry in entries { readiness.append(Readiness(poll: entry.revents)) }
    return readiness
  }

  /// Waits for one descriptor; returns its readiness, which is empty on timeout.
  package static func wait(_ number: Int32, for interest: Interest = .readable, limit: Duration?) -> Readiness {
    wait([(number, interest)], for: limit)[0]
  }

  /// Sleeps for `duration`.
  package static func sleep(_ duration: Duration) { _ = wait([], for: duration) }

  /// Waits for `entries`; returns false on timeout.
  private static func wait(_ entries: inout [pollfd], for limit: Duration?) -> Bool {
    let deadline = limit.map { $0 > .zero ? Instant.now() + $0 : Instant(nanoseconds: 0) }
    var left = limit
    while true {
      // ppoll(2) takes nanoseconds, so a wait never ends early, as it would with truncated milliseconds.
      let nanoseconds = max(0, left?.wholeNanoseconds ?? 0)
      var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      let count = entries.withUnsafeMutableBufferPointer { entries in
        withUnsafePointer(to: &time) {
          ppoll(entries.baseAddress, nfds_t(entries.count), limit == nil ? nil : $0, nil)
        }
      }
      if count != -1 { return count > 0 }
      guard SystemError.last("ppoll").code == EINTR else { return false }
      if let deadline { left = deadline - Instant.now() }
    }
  }
}

extension Interest {
  fileprivate var pollEvents: Int16 {
    Int16((contains(.readable) ? POLLIN : 0) | (contains(.writable) ? POLLOUT : 0))
  }
}

extension Readiness {
  fileprivate init(poll bits: Int16) {
    let bits = Int32(bits)
    self = []
    if bits & POLLIN != 0 { insert(.readable) }
    if bits & POLLOUT != 0 { insert(.writable) }
    if bits & POLLHUP != 0 { insert(.hungUp) }
    if bits & (POLLERR | POLLNVAL) != 0 { insert(.failed) }
  }
}
