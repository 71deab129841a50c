// Many descriptors, waited for as one: epoll without handlers.

import CPlatform
import TappetCore

/// A set of descriptors to read from, each with a number of its owner's.
///
/// Belongs to one thread.
package final class DescriptorSet {
  /// Readable when one of them is.
  package var fileDescriptor: Int32 { epoll.number }

  private let epoll: FileDescriptor
  private var events = [epoll_event](repeating: epoll_event(), count: Limits.reactorEventsPerTurn)

  /// An empty set.
  package init() throws(SystemError) {
    epoll = try .make("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
  }

  /// Adds a descriptor; one that is closed leaves the set by itself.
  package func add(_ descriptor: Int32, as number: Int) throws(SystemError) {
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLRDHUP.rawValue, data: epoll_data_t(u64: UInt64(number)))
    try checked("epoll_ctl") { epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) }
  }

  /// The numbers of some that can be read, or have ended; the others come with the next call.
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
  /// Lets the process open this many descriptors, as far as it may; returns how many it can open.
  package static func raiseDescriptors(to count: Int) -> Int { tp_raise_descriptors(max(0, count)) }

  /// Bytes of memory that the process occupies; `nil` when the kernel does not say.
  package static var residentSize: Int? {
    guard case .success(let file) = TextFile.read("/proc/self/statm", sizeMax: 4096) else { return nil }
    let fields = String(decoding: file.bytes, as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * Int(getpagesize())
  }
}
