// The process at the other end of a Unix socket, as the kernel knows it.

import CPlatform
import TappetCore

/// A process on this machine.
package struct LocalPeer: Hashable, Sendable {
  /// Its effective user when it connected.
  package var user: UInt32
  /// Its id then; the process may be gone, and the number another's.
  package var process: Int32
  /// Its name for itself: a hint for people, on which nothing depends.
  package var program: String

  /// A process with these facts.
  package init(user: UInt32, process: Int32, program: String) {
    self.user = user
    self.process = process
    self.program = program
  }

  /// This process, with the user who started it.
  package static func current() -> LocalPeer {
    let process = getpid()
    return LocalPeer(user: getuid(), process: process, program: name(of: process))
  }

  /// The process that connected (SO_PEERCRED).
  init?(of socket: Int32) {
    var user: uid_t = 0
    var process: pid_t = 0
    guard tp_peer(socket, &user, &process) == 0 else { return nil }
    self.init(user: user, process: process, program: LocalPeer.name(of: process))
  }

  /// The process's name in the kernel's table, made printable; empty when the process is gone.
  private static func name(of process: Int32) -> String {
    guard case .success(let file) = TextFile.read("/proc/\(process)/comm", sizeMax: 64) else { return "" }
    let text = String(decoding: file.firstLine, as: UTF8.self)
    return text.isPrintable ? text : "?"
  }
}
