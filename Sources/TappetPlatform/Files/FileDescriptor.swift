// A file descriptor with an owner, and the calls that read and write through it.

import CPlatform

/// An open file, socket, pipe or terminal; closed when the last reference to it is released.
package final class FileDescriptor: Sendable {
  /// Number of the descriptor, for system calls; only this object may close it.
  package let number: Int32

  /// Takes ownership of `number`.
  package init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Takes ownership of the descriptor that `body` opens; `call` is the name of its system call.
  package static func make(_ call: String, _ body: () -> Int32) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try checked(call, body))
  }

  /// Opens a file with close-on-exec; `mode` applies if the file is created.
  package static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0o600
  ) throws(SystemError) -> FileDescriptor {
    try make("open") { tp_open(path, flags | O_CLOEXEC, mode) }
  }

  /// Duplicates the descriptor to a number of at least `minimum`.
  package func duplicate(from minimum: Int32) throws(SystemError) -> FileDescriptor {
    try Self.make("fcntl") { tp_fcntl_set(number, F_DUPFD_CLOEXEC, minimum) }
  }

  /// Makes reads and writes non-blocking from now on.
  package func setNonBlocking() throws(SystemError) {
    let flags = try checked("fcntl") { tp_fcntl_get(number, F_GETFL) }
    try checked("fcntl") { tp_fcntl_set(number, F_SETFL, flags | O_NONBLOCK) }
  }

  /// Returns the file's owner, mode and type.
  package func status() throws(SystemError) -> stat {
    var status = stat()
    try checked("fstat") { fstat(number, &status) }
    return status
  }

  /// Reads once into `memory`; returns the number of bytes read, or 0 at the end of the input.
  package func read(into memory: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try checked("read") { CPlatform.read(number, memory.baseAddress, memory.count) }
  }

  /// Reads once, up to `sizeMax` bytes; returns an empty array at the end of the input.
  package func read(sizeMax: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: sizeMax)
    let count = try checked("read") { CPlatform.read(number, &bytes, sizeMax) }
    bytes.removeLast(sizeMax - count)
    return bytes
  }

  /// Writes all of `bytes`.
  @export(interface)
  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try checked("write") {
        CPlatform.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes all of `bytes`.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    let outcome = bytes.withUnsafeBytes { (bytes) -> SystemError? in
      do throws(SystemError) { try write(bytes) } catch { return error }
      return nil
    }
    if let outcome { throw outcome }
  }

  /// Syncs the file to the disk.
  package func synchronize() throws(SystemError) { try checked("fsync") { fsync(number) } }
}
