// Detects device nodes that appear and vanish. Kernels before 6.6 do not wake a program that waits for a removed chip.

import CPlatform
import TappetPlatform

/// Watches a folder of device nodes, usually /dev, with inotify; causes no wake-ups while the nodes do not change.
final class DeviceNodes {
  /// A change of one node.
  enum Change: Hashable {
    /// The node is new, or its permissions have changed.
    case appeared(name: String)
    case vanished(name: String)
    /// The kernel's queue overflowed, and changes were lost.
    case lost
  }

  /// The descriptor for the reactor; readable while changes are pending.
  let fileDescriptor: Int32

  /// Starts watching `folder`.
  init(folder: String) throws(SystemError) {
    let descriptor = try checked("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
    let events = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO)
    do throws(SystemError) {
      try checked("inotify_add_watch") { inotify_add_watch(descriptor, folder, events) }
    } catch {
      close(descriptor)
      throw error
    }
    fileDescriptor = descriptor
  }

  deinit { close(fileDescriptor) }

  /// Returns the changes since the last call, in order, without blocking.
  func read() -> [Change] {
    var changes: [Change] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = CPlatform.read(fileDescriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        let headerSize = MemoryLayout<inotify_event>.size
        while offset + headerSize <= count {
          let header = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = buffer[(offset + headerSize)...].prefix(Int(header.len)).prefix { $0 != 0 }
          changes.append(Self.change(header.mask, String(decoding: name, as: UTF8.self)))
          offset += headerSize + Int(header.len)
        }
      }
    }
    return changes
  }

  private static func change(_ mask: UInt32, _ name: String) -> Change {
    if mask & UInt32(IN_Q_OVERFLOW) != 0 { return .lost }
    return mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 ? .vanished(name: name) : .appeared(name: name)
  }
}
