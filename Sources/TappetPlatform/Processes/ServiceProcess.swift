// A child process connected through a socket that carries one message per packet. The owner decides when to restart
// the process.

import CPlatform
import TappetBase

/// A running child and our end of its socket.
///
/// The child is killed and reaped when the last reference to this object is released. Must be used on one thread only.
package final class ServiceProcess {
  /// Our end of the socket pair.
  package let socket: UnixSocket
  package let child: ChildProcess

  // Embedded Swift leaks an object whose own initializer throws (6.3.1), and starting a missing program is retried.
  private init(_ child: ChildProcess, _ socket: UnixSocket) {
    self.child = child
    self.socket = socket
  }

  deinit {
    kill()
    _ = finish()
  }

  /// Starts the program with `option` for its socket, followed by `words`; does not wait for the program.
  ///
  /// From this process's environment, the child inherits the variables for the loader, and those whose names start with
  /// one of `variables`.
  @export(interface)
  package static func start(
    _ executable: String, _ option: String = "--socket", words: [String] = [], variables: [String] = []
  ) throws(SystemError) -> ServiceProcess {
    let ends = try UnixSocket.pair()
    let child = try ChildProcess.spawn(
      executable, [option, "\(ChildProcess.inheritedDescriptor)"] + words, variables: ["LD_"] + variables,
      inherited: ends.child)
    return ServiceProcess(child, ends.ours)
  }

  package func kill() { child.signal(SIGKILL) }

  /// Returns how the child ended, after it closed its end of the socket or was killed.
  ///
  /// Waits until the kernel has ended the child. The wait is limited, because a serial port may hold a dying process
  /// while its output drains: after `Limits.readerDeathMax`, the child is killed and no longer waited for.
  package func finish() -> ProcessEnd {
    if let end = child.reap() { return end }
    child.waitForEnd(limit: Limits.readerDeathMax)
    if let end = child.reap() { return end }
    kill()
    return .signaled(SIGKILL)
  }
}
