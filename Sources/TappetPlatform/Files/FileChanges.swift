// Changes to one file, watched with inotify, so that no process wakes up while nothing is written.

import CPlatform

/// Watch for writes to a file by any process.
///
/// Must be used on one thread only.
package final class FileChanges {
  private let descriptor: FileDescriptor

  /// Watches the file at `path`, which must exist.
  package init(of path: String) throws(SystemError) {
    let descriptor = try FileDescriptor.make("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
    try checked("inotify_add_watch") { inotify_add_watch(descriptor.number, path, UInt32(IN_MODIFY)) }
    self.descriptor = descriptor
  }

  /// Descriptor that is readable after a change; `take` then resets it.
  package var fileDescriptor: Int32 { descriptor.number }

  /// Whether there were changes since the last call.
  package func take() -> Bool {
    var found = false
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(descriptor.number, buffer.baseAddress, buffer.count) > 0 { found = true }
    }
    return found
  }
}
