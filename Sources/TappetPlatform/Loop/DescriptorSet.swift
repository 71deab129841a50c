// Many descriptors combined into one: epoll without handlers.

import CPlatform
import TappetBase

/// A set of descriptors to read from, each with a number chosen by its owner.
///
/// Must be used on one thread only.
package final class DescriptorSet {
  /// Descriptor that is readable when any descriptor in the set is readable.
  package var fileDescriptor: Int32 { epoll.number }

  private let epoll: FileDescriptor
  private var events = [epoll_event](repeating: epoll_event(), count: Limits.reactorEventsPerTurn)

  package init() throws(SystemError) {
    epoll = try .make("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
  }

  /// Adds a descriptor; closed descriptors are removed from the set automatically.
  package func add(_ descriptor: Int32, as number: Int) throws(SystemError) {
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLRDHUP.rawValue, data: epoll_data_t(u64: UInt64(number)))
    try checked("epoll_ctl") { epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) }
  }

  /// Returns the numbers of descriptors that are readable or have ended; the next call may return more.
  @export(interface)
  package func ready() -> [Int] {
    let count = events.withUnsafeMutableBufferPointer { room in
      room.baseAddress.map { epoll_wait(epoll.number, $0, Int32(room.count), 0) } ?? 0
    }
    var numbers: [Int] = []
    for index in 0..<max(0, Int(count)) { numbers.append(Int(events[index].data.u64)) }
    return numbers
  }
}

/// Memory and descriptors of this process.
package enum ProcessResources {
  /// Raises the process's descriptor limit to `count`, as far as permitted; returns the resulting limit.
  package static func raiseDescriptors(to count: Int) -> Int { tp_raise_descriptors(max(0, count)) }

  /// Resident memory of the process in bytes; `nil` if the kernel does not report it.
  package static var residentSize: Int? {
    guard case .success(let file) = TextFile.read("/proc/self/statm", sizeMax: 4096) else { return nil }
    let fields = String(decoding: file.bytes, as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * Int(getpagesize())
  }
}
