// Unix sockets: the control socket, the virtual panel, the readers' sockets and the service manager's socket.

import CPlatform
import TappetBase

/// One end of a connection, or a listener; closed when the last reference to it is released.
///
/// Must be used on one thread only. Calls do not block unless their comment states otherwise.
package final class UnixSocket {
  /// Socket type, which determines whether message boundaries are preserved.
  package enum Kind {
    /// SOCK_STREAM: a byte stream without message boundaries.
    case stream
    /// SOCK_SEQPACKET: whole messages on a connection.
    case packets
    /// SOCK_DGRAM: whole messages without a connection.
    case datagrams

    fileprivate var type: Int32 {
      switch self {
      case .stream: tp_sock_stream()
      case .packets: tp_sock_seqpacket()
      case .datagrams: tp_sock_dgram()
      }
    }
  }

  /// The outcome of a receive.
  package enum Receipt: Hashable, Sendable {
    /// One whole message, or the bytes of a stream received so far.
    case message([UInt8])
    case nothing
    case closed
  }

  /// Descriptor for calls that may block.
  package let descriptor: FileDescriptor
  /// Number of the descriptor, for the reactor.
  package var fileDescriptor: Int32 { descriptor.number }
  /// Path of the socket file that a listener removes when it is released.
  private var ownedPath: String?
  /// Destination address of sent datagrams.
  private var destination: (address: sockaddr_un, size: socklen_t)?

  /// Creates one end of an existing connection.
  package init(owning descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { if let ownedPath { unlink(ownedPath) } }

  // MARK: Connections

  /// Connects to a listener.
  ///
  /// With `waits`, this call and later calls on the descriptor block for as long as necessary.
  package static func connect(
    to path: String, _ kind: Kind = .packets, waits: Bool = false
  ) throws(SystemError) -> UnixSocket {
    let new = try make(kind, waits: waits)
    var address = try address(of: path)
    try checked("connect") { tp_connect_unix(new.fileDescriptor, &address) }
    return new
  }

  /// Listens at `path`, replacing a stale socket; by default, only owner and group can connect.
  ///
  /// Throws EADDRINUSE if a process is listening there, or if the file is not a socket.
  @export(interface)
  package static func listen(
    at path: String, _ kind: Kind = .packets, mode: mode_t = 0o660
  ) throws(SystemError) -> UnixSocket {
    try removeStaleSocket(at: path, kind)
    let new = try make(kind, waits: false)
    var address = try address(of: path)
    // The socket file gets the socket's mode minus the umask, and thus never more rights than this. (The umask applies
    // to the whole process.)
    try checked("fchmod") { fchmod(new.fileDescriptor, mode) }
    try checked("bind") { tp_bind_unix(new.fileDescriptor, &address) }
    new.ownedPath = path
    let place = try FileDescriptor.make("openat") { tp_open_place(AT_FDCWD, path, O_NOFOLLOW) }
    var status = stat()
    guard fstat(place.number, &status) == 0, tp_is_socket(status.st_mode) != 0, status.st_uid == geteuid() else {
      throw SystemError(call: "bind", code: EADDRINUSE)
    }
    try checked("chmod") { tp_chmod_place(place.number, mode) }
    try checked("listen") { CPlatform.listen(new.fileDescriptor, 8) }
    return new
  }

  /// Returns the socket to the parent, made close-on-exec; `nil` if `descriptor` is not a SOCK_SEQPACKET socket.
  @export(interface)
  package static func toParent(_ descriptor: Int32) -> UnixSocket? {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0, type == tp_sock_seqpacket(),
      tp_fcntl_set(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    return UnixSocket(owning: FileDescriptor(owning: descriptor))
  }

  /// Creates the two ends of a connection, the second one for a child process.
  ///
  /// If the standard descriptors are closed, the ends could be numbered 0 to 2, which the child needs for other
  /// purposes.
  @export(interface)
  package static func pair() throws(SystemError) -> (ours: UnixSocket, child: FileDescriptor) {
    var numbers: [Int32] = [-1, -1]
    try checked("socketpair") { socketpair(AF_UNIX, tp_sock_seqpacket() | O_CLOEXEC, 0, &numbers) }
    let ends = (FileDescriptor(owning: numbers[0]), FileDescriptor(owning: numbers[1]))
    let minimum = ChildProcess.inheritedDescriptor
    return (
      UnixSocket(owning: numbers[0] < minimum ? try ends.0.duplicate(from: minimum) : ends.0),
      numbers[1] < minimum ? try ends.1.duplicate(from: minimum) : ends.1
    )
  }

  /// Creates a socket that sends its messages to `name`: a path, or an abstract name that starts with `@`.
  @export(interface)
  package static func sender(to name: String) throws(SystemError) -> UnixSocket {
    let new = try make(.datagrams, waits: false)
    var address = try address(of: name)
    // An abstract name extends to the end of the address, and a path may also do so.
    if name.utf8.first == UInt8(ascii: "@") { withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 } }
    new.destination = (address, socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count))
    return new
  }

  /// Accepts the next client; returns `nil` if no client is waiting.
  ///
  /// Throws EMFILE or a similar error if a client is waiting but no descriptor is available for it.
  @export(interface)
  package func accept() throws(SystemError) -> UnixSocket? {
    do throws(SystemError) {
      return UnixSocket(owning: try .make("accept") { tp_accept(fileDescriptor, tp_sock_flags()) })
    } catch {
      switch error.code {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw error
      default: return nil
      }
    }
  }

  /// Process at the other end of an accepted connection; `nil` if the kernel does not report it.
  package var peer: LocalPeer? { LocalPeer(of: fileDescriptor) }

  // MARK: Messages

  /// Receives the next message of up to `sizeMax` bytes; a longer message is truncated.
  @export(interface)
  package func receive(sizeMax: Int) -> Receipt {
    var size: Int?
    let bytes = [UInt8](unsafeUninitializedCapacity: sizeMax) { buffer, count in
      size = receive(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<sizeMax]))
      count = size ?? 0
    }
    return size == nil ? .closed : size == 0 ? .nothing : .message(bytes)
  }

  /// Receives into the caller's memory; returns the number of bytes, 0 if nothing is pending, or `nil` if the peer is
  /// gone.
  ///
  /// Intended for data that may contain a key, which would remain in the freed memory of an array.
  package func receive(into memory: UnsafeMutableRawBufferPointer) -> Int? {
    do throws(SystemError) {
      guard let size = try receive(memory.baseAddress, memory.count) else { return 0 }
      return size == 0 ? nil : min(size, memory.count)
    } catch { return nil }
  }

  /// Receives the next message into the caller's memory; returns its full size, which exceeds the size of `memory` if
  /// the message was truncated, or `nil` if nothing is pending.
  ///
  /// 0 means an empty message, or that the peer has hung up.
  package func receiveMessage(into memory: inout [UInt8]) throws(SystemError) -> Int? {
    try receive(&memory, memory.count)
  }

  private func receive(_ memory: UnsafeMutableRawPointer?, _ room: Int) throws(SystemError) -> Int? {
    do throws(SystemError) {
      return try checked("recv") { recv(fileDescriptor, memory, room, Int32(MSG_DONTWAIT | MSG_TRUNC)) }
    } catch {
      if error.code == EAGAIN { return nil }
      throw error
    }
  }

  /// Sends one message; returns false if the peer is gone or does not read.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool { sendSome(bytes) == bytes.count }

  /// Sends as many bytes as the stream currently accepts; returns the number sent, or `nil` if the peer is gone.
  @export(interface)
  package func sendSome(_ bytes: [UInt8]) -> Int? {
    do throws(SystemError) {
      let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
      guard var destination else {
        return try checked("send") { CPlatform.send(fileDescriptor, bytes, bytes.count, flags) }
      }
      return try checked("sendto") {
        tp_sendto_unix(fileDescriptor, &destination.address, destination.size, bytes, bytes.count)
      }
    } catch { return error.code == EAGAIN || error.code == ENOBUFS ? 0 : nil }
  }

  /// Waits until data can be received; returns false on timeout.
  package func waitReadable(for limit: Duration) -> Bool { !Poll.wait(fileDescriptor, limit: limit).isEmpty }

  /// Whether the peer has hung up.
  package var isHungUp: Bool { !Poll.wait(fileDescriptor, for: [], limit: .zero).isEmpty }

  /// Shuts down the sending direction of the connection.
  package func endSending() { shutdown(fileDescriptor, tp_shut_write()) }

  // MARK: Addresses

  private static func make(_ kind: Kind, waits: Bool) throws(SystemError) -> UnixSocket {
    let flags = waits ? O_CLOEXEC : tp_sock_flags()
    return UnixSocket(owning: try .make("socket") { socket(AF_UNIX, kind.type | flags, 0) })
  }

  /// Removes the socket file left by a killed process, but never a different type of file or a socket in use.
  private static func removeStaleSocket(at path: String, _ kind: Kind) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    do throws(SystemError) { _ = try connect(to: path, kind) } catch {
      // EACCES: another user's socket in a folder that this user can change.
      if tp_is_socket(status.st_mode) != 0, error.code == ECONNREFUSED || error.code == EACCES {
        unlink(path)
        return
      }
    }
    throw SystemError(call: "bind", code: EADDRINUSE)
  }

  private static func address(of path: String) throws(SystemError) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // One byte is reserved for the terminator.
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemError(call: "bind", code: ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }
}
