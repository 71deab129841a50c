/// Local sockets: the control socket's streams and the panel's datagrams.

import CPlatform

/// A listening socket at a path, which goes when it does.
final class UnixListener {
  let descriptor: HostDescriptor
  private let path: String

  /// Takes the place of a socket that an earlier run left behind.
  init(path: String, type: Int32, backlog: Int32 = 16) throws(HostFailure) {
    var address = try UnixListener.address(path)
    let descriptor = HostDescriptor(
      try HostFailure.check("socket") { socket(AF_UNIX, type | tp_sock_flags(), 0) })
    var status = stat()
    if lstat(path, &status) == 0, tp_is_socket(status.st_mode) != 0 { unlink(path) }
    try HostFailure.check("bind") { tp_bind_unix(descriptor.number, &address) }
    try HostFailure.check("listen") { listen(descriptor.number, backlog) }
    self.descriptor = descriptor
    self.path = path
  }
  deinit { unlink(path) }

  /// The next one who wants to connect, if there is one.
  func accept() -> HostDescriptor? {
    let number = tp_accept(descriptor.number, tp_sock_flags())
    return number < 0 ? nil : HostDescriptor(number)
  }

  /// Connects to a stream socket, waiting as long as it takes.
  static func connect(path: String) throws(HostFailure) -> HostDescriptor {
    var address = try address(path)
    let descriptor = HostDescriptor(try HostFailure.check("socket") { socket(AF_UNIX, tp_sock_stream(), 0) })
    try HostFailure.check("connect") { tp_connect_unix(descriptor.number, &address) }
    return descriptor
  }

  private static func address(_ path: String) throws(HostFailure) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // One byte is the end's.
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw HostFailure(call: "socket path", code: ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { target in
      for (index, byte) in bytes.enumerated() { target[index] = byte }
    }
    return address
  }
}
