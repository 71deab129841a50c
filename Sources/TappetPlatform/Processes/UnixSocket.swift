// Unix sockets: the control socket, the virtual panel, the readers' sockets, the service manager's.

import CPlatform
import TappetCore

/// One end of a connection, or a listener; closed with the last reference to it.
///
/// One thread. Nothing here waits, unless it says so.
package final class UnixSocket {
  /// How bytes are kept together.
  package enum Kind {
    /// SOCK_STREAM: not at all.
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
    /// One whole message, or the bytes of a stream that have come by now.
    case message([UInt8])
    case nothing
    case closed
  }

  /// The descriptor, for calls that may wait.
  package let descriptor: FileDescriptor
  /// For the reactor.
  package var fileDescriptor: Int32 { descriptor.number }
  /// Where a listener's file is removed at its end.
  private var ownedPath: String?
  /// Where datagrams go.
  private var destination: (address: sockaddr_un, size: socklen_t)?

  /// One end of a connection that is there already.
  package init(owning descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { if let ownedPath { unlink(ownedPath) } }

  // MARK: Connections

  /// Connects to a listener.
  ///
  /// `waits`: this call and the descriptor's own wait as long as it takes.
  package static func connect(
    to path: String, _ kind: Kind = .packets, waits: Bool = false
  ) throws(SystemError) -> UnixSocket {
    let new = try make(kind, waits: waits)
    var address = try address(of: path)
    try checked("connect") { tp_connect_unix(new.fileDescriptor, &address) }
    return new
  }

  /// Listens at `path`, in the place of a socket at which nobody listens; it is for its owner and group.
  ///
  /// EADDRINUSE: somebody listens there, or it is not a socket.
  @export(interface)
  package static func listen(at path: String, _ kind: Kind = .packets) throws(SystemError) -> UnixSocket {
    try removeStaleSocket(at: path, kind)
    let new = try make(kind, waits: false)
    var address = try address(of: path)
    // The socket's own mode becomes its file's, less the umask: never more than this. (The umask is the whole
    // process's.)
    try checked("fchmod") { fchmod(new.fileDescriptor, 0o660) }
    try checked("bind") { tp_bind_unix(new.fileDescriptor, &address) }
    new.ownedPath = path
    let place = try FileDescriptor.make("openat") { tp_open_place(AT_FDCWD, path) }
    var status = stat()
    guard fstat(place.number, &status) == 0, tp_is_socket(status.st_mode) != 0 else {
      throw SystemError(call: "bind", code: EADDRINUSE)
    }
    try checked("chmod") { tp_chmod_place(place.number, 0o660) }
    try checked("listen") { CPlatform.listen(new.fileDescriptor, 8) }
    return new
  }

  /// The socket to the parent, closed on exec from now on; `nil` when `descriptor` is not a SOCK_SEQPACKET socket.
  @export(interface)
  package static func toParent(_ descriptor: Int32) -> UnixSocket? {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0, type == tp_sock_seqpacket(),
      tp_fcntl_set(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    return UnixSocket(owning: FileDescriptor(owning: descriptor))
  }

  /// The two ends of a connection, the second one for a child.
  ///
  /// In a program whose standard descriptors are closed they could be numbered 0 to 2, which the child needs otherwise.
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

  /// A socket whose messages go to `name`: a path, or an abstract name that begins with `@`.
  @export(interface)
  package static func sender(to name: String) throws(SystemError) -> UnixSocket {
    let new = try make(.datagrams, waits: false)
    var address = try address(of: name)
    // An abstract name ends where the address does; a path may, too.
    if name.utf8.first == UInt8(ascii: "@") { withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 } }
    new.destination = (address, socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count))
    return new
  }

  /// The next client; `nil` when none waits.
  ///
  /// EMFILE and the like: one waits, and there is no descriptor for it.
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

  /// The client of a listener of ours; `nil` when the kernel does not say who it is.
  package var peer: LocalPeer? { LocalPeer(of: fileDescriptor) }

  // MARK: Messages

  /// The next message of up to `sizeMax` bytes; a longer one is cut.
  @export(interface)
  package func receive(sizeMax: Int) -> Receipt {
    var size: Int?
    let bytes = [UInt8](unsafeUninitializedCapacity: sizeMax) { buffer, count in
      size = receive(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<sizeMax]))
      count = size ?? 0
    }
    return size == nil ? .closed : size == 0 ? .nothing : .message(bytes)
  }

  /// The same into the caller's memory; returns the number of bytes, 0 when nothing waits, `nil` when the other end has
  /// gone.
  ///
  /// For what may hold a key, which would stay where an array was.
  package func receive(into memory: UnsafeMutableRawBufferPointer) -> Int? {
    do throws(SystemError) {
      guard let size = try receive(memory.baseAddress, memory.count) else { return 0 }
      return size == 0 ? nil : min(size, memory.count)
    } catch { return nil }
  }

  /// The next message into the caller's memory; returns its whole size, more than there was room for when it was cut,
  /// and `nil` when nothing waits.
  ///
  /// 0 is an empty message, or the end: then the other side has hung up.
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

  /// Sends one message; false when it was not taken: the other end is gone, or does not read.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool { sendSome(bytes) == bytes.count }

  /// Sends as much as a stream takes now; returns the number of bytes, `nil` when the other end has gone.
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

  /// Waits until something can be received; false when the time is up.
  package func waitReadable(for limit: Duration) -> Bool { !Poll.wait(fileDescriptor, limit: limit).isEmpty }

  /// Whether the other end has hung up.
  package var isHungUp: Bool { !Poll.wait(fileDescriptor, for: [], limit: .zero).isEmpty }

  /// Tells the other end that no more comes.
  package func endSending() { shutdown(fileDescriptor, tp_shut_write()) }

  // MARK: Addresses

  private static func make(_ kind: Kind, waits: Bool) throws(SystemError) -> UnixSocket {
    let flags = waits ? O_CLOEXEC : tp_sock_flags()
    return UnixSocket(owning: try .make("socket") { socket(AF_UNIX, kind.type | flags, 0) })
  }

  /// Removes what a killed process has left; never a file that is not a socket, or a socket at which somebody listens.
  private static func removeStaleSocket(at path: String, _ kind: Kind) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    do throws(SystemError) { _ = try connect(to: path, kind) } catch {
      // EACCES: another user's, in a folder of ours.
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
    // One byte is the end's.
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemError(call: "bind", code: ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }
}
