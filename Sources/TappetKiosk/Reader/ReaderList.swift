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
    let process: ServiceProcess
    do throws(SystemError) {
      process = try ServiceProcess.start(executable, words: ["--list"], variables: ["LIBNFC_"])
    } catch { throw .cannotStart(error) }
    let deadline = Instant.now() + Limits.readerListTime
    var buffer = [UInt8](repeating: 0, count: Limits.readerDeviceSizeMax + 1)
    var found: [String] = []
    while true {
      let left = deadline - Instant.now()
      guard left > .zero, process.socket.waitReadable(for: left) else { throw .silent }
      // An error is an end as well: the list is what came.
      guard let size = try? process.socket.receiveMessage(into: &buffer) else { continue }
      guard size > 0, found.count < Limits.readersListedMax else { return found }
      found.append(String(decoding: buffer[..<min(size, buffer.count)], as: UTF8.self))
    }
  }
}
