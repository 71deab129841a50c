// Who is at the other end of a Unix socket, by the kernel's word.

import CPlatform
import TappetCore

/// A process on this machine.
public struct LocalPeer: Hashable, Sendable {
  /// Its effective user when it connected.
  public var user: UInt32
  /// Its id then; it may be gone, and its number another's.
  public var process: Int32
  /// What it calls itself: a hint for people, it decides nothing.
  public var program: String

  /// A process.
  public init(user: UInt32, process: Int32, program: String) {
    self.user = user
    self.process = process
    self.program = program
  }

  /// This process, for the user who started it.
  public static func current() -> LocalPeer {
    let process = getpid()
    return LocalPeer(user: getuid(), process: process, program: name(of: process))
  }

  /// Who connected (SO_PEERCRED).
  init?(of socket: Int32) {
    var user: uid_t = 0
    var process: pid_t = 0
    guard tp_peer(socket, &user, &process) == 0 else { return nil }
    self.init(user: user, process: process, program: LocalPeer.name(of: process))
  }

  /// Its name in the kernel's table, made printable; empty when it is gone.
  private static func name(of process: Int32) -> String {
    guard case .success(let file) = TextFile.read("/proc/\(process)/comm", sizeMax: 64) else { return "" }
    let text = String(decoding: file.firstLine, as: UTF8.self)
    return text.isPrintable ? text : "?"
  }
}
