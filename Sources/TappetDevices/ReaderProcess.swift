// The parent's end of tappet-reader: a child process and its socket. Nothing here blocks or starts a thread: the descriptor goes
// into the reactor, and whoever owns this asks `receive` until it says `nothing`. When to start one anew is not decided here.

import CPlatform
import TappetCore

/// A running tappet-reader.
///
/// It ends with its owner: when this goes, the child is killed and reaped.
public final class ReaderProcess {
  /// What `receive` found.
  public enum Receipt: Equatable {
    case message(ReaderMessage)
    /// The child talks nonsense: it is another build, or was taken over by what it read. To be killed.
    case malformed(ReaderMessageError)
    /// No more for now.
    case nothing
    /// The child closed its end; it has ended or is about to.
    case closed
  }

  /// The child's process id; not to be used after `reap` told its end.
  public let pid: pid_t
  private let socket: Int32
  private var end: ProcessEnd?
  private var isStopping = false
  private var buffer = [UInt8](repeating: 0, count: Limits.readerMessageSizeMax + 1)

  /// Starts `executable` on the device `device`, and does not wait for it.
  ///
  /// `device` is libnfc's connection string; nil: the first device that libnfc finds.
  public convenience init(executable: String, device: String?) throws(SystemError) {
    let ends = try Self.socketPair()
    defer { close(ends.child) }
    do throws(SystemError) {
      self.init(pid: try Self.spawn(executable, device: device, socket: ends.child), socket: ends.parent)
    } catch {
      close(ends.parent)
      throw error
    }
  }

  // Embedded Swift leaks an object whose own initializer throws (6.3.1), and a missing tappet-reader is tried for ever.
  private init(pid: pid_t, socket: Int32) {
    self.pid = pid
    self.socket = socket
  }

  deinit {
    kill()
    _ = finish()
    close(socket)
  }

  /// For the reactor: readable when `receive` has something.
  ///
  /// Owned by this object and valid as long as it lives.
  public var fileDescriptor: Int32 { socket }

  /// The next message, without waiting.
  public func receive() -> Receipt {
    while true {
      let flags = Int32(MSG_DONTWAIT | MSG_TRUNC)
      let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, flags) }
      if count > 0 { return decoded(size: count) }
      // An empty datagram looks like the end; only at the end has the other side hung up.
      if count == 0 { return isHungUp ? .closed : .malformed(.empty) }
      switch tp_errno() {
      case EINTR: continue
      case EAGAIN: return .nothing
      default: return .closed
      }
    }
  }

  /// Orders something to be done to a tag; answered by `ReaderMessage.orderDone`.
  ///
  /// False when the child does not take it: it is gone, or so stuck that it will be found silent.
  public func send(_ order: ReaderOrder) -> Bool {
    var bytes = order.encode()
    // A message may carry a key.
    defer { LibCrypto.wipe(&bytes) }
    while true {
      let count = bytes.withUnsafeBytes {
        CPlatform.send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
      if count >= 0 || tp_errno() != EINTR { return count == bytes.count }
    }
  }

  /// Asks the child to end.
  ///
  /// It switches the field off and goes; `receive` says `closed` then, after whatever it still had to say.
  public func stop() {
    guard !isStopping else { return }
    isStopping = true
    shutdown(socket, Int32(SHUT_WR))
    signal(SIGTERM)
  }

  /// Ends a child that does not react.
  public func kill() { signal(SIGKILL) }

  /// How the child ended, nil while it runs; the same answer again once it has ended.
  ///
  /// Where something else in this process waited for the child first, its end is not known: `exited(-1)`.
  public func reap() -> ProcessEnd? {
    guard end == nil else { return end }
    var status: Int32 = 0
    var result = waitpid(pid, &status, WNOHANG)
    while result < 0, tp_errno() == EINTR { result = waitpid(pid, &status, WNOHANG) }
    if result == pid {
      end = tp_wait_signaled(status) != 0 ? .signaled(tp_wait_signal(status)) : .exited(tp_wait_exit_status(status))
    } else if result < 0 {
      end = .exited(-1)
    }
    return end
  }

  /// How a child ended that closed its end of the socket, or was killed.
  ///
  /// Waits for the moment that the kernel takes to end it. Bounded, for a serial port may hold a dying process while its
  /// output drains: past `Limits.readerDeathMax` it is killed and left to the system.
  public func finish() -> ProcessEnd {
    if let end = reap() { return end }
    awaitEnd()
    if let end = reap() { return end }
    kill()
    return .signaled(SIGKILL)
  }

  private func signal(_ number: Int32) {
    // After its end the number may be another process's.
    if reap() == nil { CPlatform.kill(pid, number) }
  }

  private func awaitEnd() {
    let process = tp_pidfd_open(pid)
    guard process >= 0 else { return }
    var state = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
    poll(&state, 1, Int32(clamping: Limits.readerDeathMax.wholeMilliseconds))
    close(process)
  }

  private func decoded(size: Int) -> Receipt {
    guard size <= Limits.readerMessageSizeMax else { return .malformed(.tooLarge(size: size)) }
    do throws(ReaderMessageError) {
      return .message(try ReaderMessage(decoding: Array(buffer[..<size])))
    } catch {
      return .malformed(error)
    }
  }

  private var isHungUp: Bool {
    var state = pollfd(fd: socket, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0
  }
}

// MARK: - Where it is

extension ReaderProcess {
  /// The path of tappet-reader.
  ///
  /// It is where TAPPET_READER says, else where `make install` puts it beside the program that runs, else beside that
  /// program itself (a build folder), else the same beside libtappet, else where packages put it. Where there is none, the last
  /// of these, so that starting it says what is missing.
  public static func locateExecutable() -> String {
    if let path = secure_getenv("TAPPET_READER") { return String(cString: path) }
    return locateHelper("tappet-reader")
  }

  /// The path of a program that is installed under libexec; the same places, in the same order.
  public static func locateHelper(_ name: String) -> String {
    var candidates = ["/usr/local/libexec/tappet/\(name)", "/usr/libexec/tappet/\(name)"]
    // libtappet may lie in lib/ or in lib/TRIPLE/.
    if let folder = folderOfThisCode() {
      candidates = ["..", "../.."].map { "\(folder)/\($0)/libexec/tappet/\(name)" } + candidates
    }
    if let folder = folderOfThisProgram() {
      candidates = ["\(folder)/../libexec/tappet/\(name)", "\(folder)/\(name)"] + candidates
    }
    return candidates.first { access($0, X_OK) == 0 } ?? "/usr/libexec/tappet/\(name)"
  }

  /// The folder of the executable that runs, links followed.
  static func folderOfThisProgram() -> String? { folder(of: "/proc/self/exe") }

  /// The folder of libtappet, or of the program that this code is a part of, links followed.
  static func folderOfThisCode() -> String? { tp_library_path().flatMap { folder(of: $0) } }

  private static func folder(of file: UnsafePointer<CChar>) -> String? {
    guard let path = realpath(file, nil) else { return nil }
    defer { free(path) }
    guard let slash = strrchr(path, Int32(UInt8(ascii: "/"))) else { return nil }
    slash.pointee = 0
    return String(cString: path)
  }
}

// MARK: - Starting it

extension ReaderProcess {
  /// The number of the socket in the child.
  private static let childSocket: Int32 = 3

  private static func socketPair() throws(SystemError) -> (parent: Int32, child: Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    try checked("socketpair") { socketpair(AF_UNIX, type, 0, &ends) }
    // In a program whose standard descriptors are closed these could be 0 to 2, which the child needs otherwise.
    var pair = (parent: ends[0], child: ends[1])
    do throws(SystemError) {
      pair.parent = try raised(pair.parent)
      pair.child = try raised(pair.child)
      return pair
    } catch {
      close(pair.parent)
      close(pair.child)
      throw error
    }
  }

  /// The same descriptor under a number above the standard ones.
  private static func raised(_ descriptor: Int32) throws(SystemError) -> Int32 {
    guard descriptor < childSocket else { return descriptor }
    let raised = try checked("fcntl") { tp_fcntl_set(descriptor, F_DUPFD_CLOEXEC, childSocket) }
    close(descriptor)
    return raised
  }

  private static func spawn(_ executable: String, device: String?, socket: Int32) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    try spawnChecked(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try spawnChecked(posix_spawn_file_actions_adddup2(&actions, socket, childSocket))
    try spawnChecked(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0))
    // Whatever a program around us left open without close-on-exec.
    try spawnChecked(posix_spawn_file_actions_addclosefrom_np(&actions, childSocket + 1))

    var attributes = posix_spawnattr_t()
    try spawnChecked(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    try spawnChecked(posix_spawnattr_setsigmask(&attributes, &signals))
    sigfillset(&signals)
    try spawnChecked(posix_spawnattr_setsigdefault(&attributes, &signals))
    try spawnChecked(posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)))

    var words = [executable, "--socket", "\(childSocket)"]
    if let device { words += ["--device", device] }
    var pid: pid_t = 0
    let code = withCStrings(words) { arguments in
      withCStrings(environment()) { posix_spawn(&pid, executable, &actions, &attributes, arguments, $0) }
    }
    try spawnChecked(code)
    return pid
  }

  /// These calls return their errno.
  private static func spawnChecked(_ code: Int32) throws(SystemError) {
    if code != 0 { throw SystemError(call: "posix_spawn", code: code) }
  }

  /// What the child may know of our environment: what is meant for libnfc and for the loader, nothing else.
  private static func environment() -> [String] {
    var kept: [String] = []
    var next = tp_environ()
    while let pointer = next, let entry = pointer.pointee {
      let text = String(cString: entry)
      if text.begins(with: "LIBNFC_") || text.begins(with: "LD_") { kept.append(text) }
      next = pointer + 1
    }
    return kept
  }

  /// `texts` as a C array of C strings that ends with NULL.
  private static func withCStrings(
    _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return ENOMEM }
      return body(base)
    }
  }
}
