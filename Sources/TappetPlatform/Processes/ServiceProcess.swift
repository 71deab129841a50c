// A child process with a socket to it, one message per datagram. When to start another one is not decided here.

import CPlatform
import TappetCore

/// A running child and our end of its socket.
///
/// The child is killed and reaped with the last reference to this object. One thread.
package final class ServiceProcess {
  /// Our end of the socket pair.
  package let socket: UnixSocket
  package let child: ChildProcess

  // Embedded Swift leaks an object whose own initializer throws (6.3.1), and a missing program is tried again.
  private init(_ child: ChildProcess, _ socket: UnixSocket) {
    self.child = child
    self.socket = socket
  }

  deinit {
    kill()
    _ = finish()
  }

  /// Starts the program, with `option` for its socket and these words, and does not wait for it.
  ///
  /// Of our environment it gets what is meant for the loader, and the variables whose names begin with one of
  /// `variables`.
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

  /// How a child ended that closed its end of the socket, or was killed.
  ///
  /// Waits for the moment that the kernel takes to end it. Bounded, for a serial port may hold a dying process while
  /// its output drains: after `Limits.readerDeathMax` it is killed and left to the system.
  package func finish() -> ProcessEnd {
    if let end = child.reap() { return end }
    child.waitForEnd(limit: Limits.readerDeathMax)
    if let end = child.reap() { return end }
    kill()
    return .signaled(SIGKILL)
  }
}
