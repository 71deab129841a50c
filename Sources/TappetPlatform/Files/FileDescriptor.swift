// A file descriptor with an owner, and the calls that move bytes through it.

import CPlatform

/// An open file, socket, pipe or terminal; closed with the last reference to it.
package final class FileDescriptor: Sendable {
  /// The bare number, for calls that need one; never to be closed by others.
  package let number: Int32

  /// Takes over `number`.
  package init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Takes over what `body` opens; `call` is the name of its system call.
  package static func make(_ call: String, _ body: () -> Int32) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try checked(call, body))
  }

  /// Opens a file, closed on exec; `mode` is for one that `flags` create.
  package static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0o600
  ) throws(SystemError) -> FileDescriptor {
    try make("open") { tp_open(path, flags | O_CLOEXEC, mode) }
  }

  /// The same file under a number of at least `minimum`.
  package func duplicate(from minimum: Int32) throws(SystemError) -> FileDescriptor {
    try Self.make("fcntl") { tp_fcntl_set(number, F_DUPFD_CLOEXEC, minimum) }
  }

  /// Reads and writes never wait from now on.
  package func setNonBlocking() throws(SystemError) {
    let flags = try checked("fcntl") { tp_fcntl_get(number, F_GETFL) }
    try checked("fcntl") { tp_fcntl_set(number, F_SETFL, flags | O_NONBLOCK) }
  }

  /// The file's owner, mode and kind.
  package func status() throws(SystemError) -> stat {
    var status = stat()
    try checked("fstat") { fstat(number, &status) }
    return status
  }

  /// Returns the number of bytes that one read brought, 0 at the end.
  package func read(into memory: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try checked("read") { CPlatform.read(number, memory.baseAddress, memory.count) }
  }

  /// Returns up to `sizeMax` bytes of one read; an empty array is the end.
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

  /// Has the disk keep what was written.
  package func synchronise() throws(SystemError) { try checked("fsync") { fsync(number) } }
}
