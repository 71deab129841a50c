/// A file descriptor with an owner.

import CPlatform

/// Closes its descriptor when nobody holds it any more.
final class HostDescriptor {
  /// What a read brought.
  enum Incoming {
    case bytes([UInt8])
    /// Nothing now.
    case nothing
    /// The other side is gone.
    case end
  }

  let number: Int32

  /// Takes the descriptor over.
  init(_ number: Int32) { self.number = number }
  deinit { _ = close(number) }

  /// Reads and writes never wait from now on.
  func setNonBlocking() throws(HostFailure) {
    let flags = try HostFailure.check("fcntl") { tp_fcntl_get(number, F_GETFL) }
    try HostFailure.check("fcntl") { tp_fcntl_set(number, F_SETFL, flags | O_NONBLOCK) }
  }

  /// At most `capacity` bytes.
  func receive(_ capacity: Int = 4096) -> Incoming {
    var buffer = [UInt8](repeating: 0, count: capacity)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
      if count > 0 { return .bytes(Array(buffer.prefix(count))) }
      if count == 0 { return .end }
      let code = tp_errno()
      if code == EAGAIN { return .nothing }
      if code != EINTR { return .end }
    }
  }

  /// As many bytes as go at once; how many, or nil when the other side is gone.
  func send(_ bytes: [UInt8]) -> Int? {
    while true {
      let count = bytes.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
      if count >= 0 { return count }
      let code = tp_errno()
      if code == EAGAIN { return 0 }
      if code != EINTR { return nil }
    }
  }
}
