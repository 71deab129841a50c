// Unix sockets of whole messages (SOCK_SEQPACKET): the control socket and the virtual panel speak over them.

import CPlatform
import TappetCore

/// One end of a connection, or a listener.
///
/// Closed when the last holder lets go. One thread.
public final class LocalSocket {
  /// For the reactor.
  public let fileDescriptor: Int32
  private let ownedPath: String?

  private init(owning fileDescriptor: Int32, path: String? = nil) {
    self.fileDescriptor = fileDescriptor
    ownedPath = path
  }

  deinit {
    close(fileDescriptor)
    if let ownedPath { unlink(ownedPath) }
  }

  /// Connects, without waiting.
  public static func connect(to path: String) throws(SystemError) -> LocalSocket {
    let fd = try checked("socket") { socket(AF_UNIX, tp_sock_seqpacket() | tp_sock_flags(), 0) }
    let local = LocalSocket(owning: fd)
    var address = try address(of: path)
    try checked("connect") { tp_connect_unix(fd, &address) }
    return local
  }

  /// Listens at `path`, replacing what nobody listens at; the socket is for its owner and group.
  ///
  /// EADDRINUSE: somebody does.
  public static func listen(at path: String) throws(SystemError) -> LocalSocket {
    try clear(path)
    let fd = try checked("socket") { socket(AF_UNIX, tp_sock_seqpacket() | tp_sock_flags(), 0) }
    let local = LocalSocket(owning: fd, path: path)
    var address = try address(of: path)
    // The socket's own mode becomes its file's, less the umask: never more than this. (The umask is the whole process's.)
    try checked("fchmod") { fchmod(fd, 0o660) }
    try checked("bind") { tp_bind_unix(fd, &address) }
    try checked("chmod") { chmod(path, 0o660) }
    try checked("listen") { CPlatform.listen(fd, 8) }
    return local
  }

  /// Takes away what a process that was killed has left; never what is no socket, or what somebody listens at.
  private static func clear(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    do throws(SystemError) { _ = try connect(to: path) } catch {
      // EACCES: another user's, in a folder of ours.
      if tp_is_socket(status.st_mode) != 0, error.code == ECONNREFUSED || error.code == EACCES {
        unlink(path)
        return
      }
    }
    throw SystemError(call: "bind", code: EADDRINUSE)
  }

  /// The next client, or nil when none waits.
  ///
  /// EMFILE and its like: one waits, and there is no descriptor for it.
  public func accept() throws(SystemError) -> LocalSocket? {
    do throws(SystemError) {
      return LocalSocket(owning: try checked("accept") { tp_accept(fileDescriptor, tp_sock_flags()) })
    } catch {
      switch error.code {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw error
      default: return nil
      }
    }
  }

  /// Who connected to a listener of ours; nil when the kernel does not say.
  public var peer: LocalPeer? { LocalPeer(of: fileDescriptor) }

  /// What a receive came to.
  public enum Receipt: Hashable, Sendable {
    case message([UInt8])
    case nothing
    case closed
  }

  /// The next message of up to `sizeMax` bytes, without waiting; a longer one is cut.
  public func receive(sizeMax: Int) -> Receipt {
    var size = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: sizeMax) { buffer, count in
      size = recv(fileDescriptor, buffer.baseAddress, sizeMax, Int32(MSG_DONTWAIT))
      count = max(0, size)
    }
    if size > 0 { return .message(bytes) }
    let code = tp_errno()
    return size < 0 && (code == EAGAIN || code == EINTR) ? .nothing : .closed
  }

  /// As `receive(sizeMax:)`, into the caller's memory; how much came, 0 when nothing waits, nil when the other end has gone.
  ///
  /// For what may hold a key, which would stay where an array was.
  public func receive(into memory: UnsafeMutableRawBufferPointer) -> Int? {
    let size = recv(fileDescriptor, memory.baseAddress, memory.count, Int32(MSG_DONTWAIT))
    if size > 0 { return size }
    let code = tp_errno()
    return size < 0 && (code == EAGAIN || code == EINTR) ? 0 : nil
  }

  /// Sends one message without waiting; false when it was not taken: the other end is gone, or does not read.
  public func send(_ bytes: [UInt8]) -> Bool {
    let sent = bytes.withUnsafeBytes {
      CPlatform.send(fileDescriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
    return sent == bytes.count
  }

  /// Waits until something can be received; false when the time is up.
  public func waitReadable(for limit: Duration) -> Bool {
    var entry = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(clamping: limit.wholeMilliseconds)
    return ((try? checked("poll") { poll(&entry, 1, milliseconds) }) ?? 0) > 0
  }

  private static func address(of path: String) throws(SystemError) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw SystemError(call: "bind", code: ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }
}
