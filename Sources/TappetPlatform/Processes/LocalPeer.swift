// The process at the other end of a Unix socket, as reported by the kernel.

import CPlatform
import TappetBase

/// A process on this machine.
package struct LocalPeer: Hashable, Sendable {
  /// Effective user of the process when it connected.
  package var user: UInt32
  /// Process id when it connected; the process may be gone and its id reused.
  package var process: Int32
  /// Name that the process gave itself: for display only, never the basis of a decision.
  package var program: String

  package init(user: UInt32, process: Int32, program: String) {
    self.user = user
    self.process = process
    self.program = program
  }

  /// Returns this process, with the user who started it.
  package static func current() -> LocalPeer {
    let process = getpid()
    return LocalPeer(user: getuid(), process: process, program: name(of: process))
  }

  /// Looks up the process that connected (SO_PEERCRED).
  init?(of socket: Int32) {
    var user: uid_t = 0
    var process: pid_t = 0
    guard tp_peer(socket, &user, &process) == 0 else { return nil }
    self.init(user: user, process: process, program: LocalPeer.name(of: process))
  }

  /// Returns the process's name in the kernel, `?` if it is not printable, or an empty string if the process is gone.
  private static func name(of process: Int32) -> String {
    guard case .success(let file) = TextFile.read("/proc/\(process)/comm", sizeMax: 64) else { return "" }
    let text = String(decoding: file.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return text.isPrintable ? text : "?"
  }
}
