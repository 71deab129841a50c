// The readers that libnfc finds, asked of a tappet-reader: libnfc is loaded nowhere else.

import CPlatform
import TappetCore
import TappetPlatform

/// Asks for the readers.
package enum ReaderList {
  /// Why there is no list.
  package enum Trouble: Error {
    /// tappet-reader cannot be started.
    case cannotStart(SystemError)
    /// It took longer than `Limits.readerListTime`.
    case silent
  }

  /// The connection strings of the readers that libnfc finds.
  ///
  /// Blocks for at most `Limits.readerListTime`. libnfc looks at USB and at what its own configuration names; it
  /// opens a serial port, and may disturb what is there, only if that configuration allows it.
  @export(interface)
  package static func find(executable: String) throws(Trouble) -> [String] {
    let (child, socket) = try start(executable)
    defer {
      child.signal(SIGKILL)
      child.waitForEnd(limit: Limits.readerDeathMax)
      _ = child.reap()
    }
    let deadline = Instant.now() + Limits.readerListTime
    var buffer = [UInt8](repeating: 0, count: Limits.readerDeviceSizeMax + 1)
    var found: [String] = []
    while true {
      let left = deadline - Instant.now()
      guard left > .zero, socket.waitReadable(for: left) else { throw .silent }
      // An error is an end as well: the list is what came.
      guard let size = try? socket.receiveMessage(into: &buffer) else { continue }
      guard size > 0, found.count < Limits.readersListedMax else { return found }
      found.append(String(decoding: buffer[..<min(size, buffer.count)], as: UTF8.self))
    }
  }

  private static func start(_ executable: String) throws(Trouble) -> (ChildProcess, UnixSocket) {
    do throws(SystemError) {
      let ends = try UnixSocket.pair()
      let words = ["--list", "--socket", "\(ChildProcess.inheritedDescriptor)"]
      let child = try ChildProcess.spawn(executable, words, variables: ["LIBNFC_", "LD_"], inherited: ends.child)
      return (child, ends.ours)
    } catch { throw .cannotStart(error) }
  }
}
