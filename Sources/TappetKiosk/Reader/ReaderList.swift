// Lists the readers that libnfc finds, using a tappet-reader process, the only process that loads libnfc.

import CPlatform
import TappetCore
import TappetPlatform

/// Lists the connected readers.
package enum ReaderList {
  /// Reason why the readers could not be listed.
  package enum Trouble: Error {
    /// tappet-reader cannot be started.
    case cannotStart(SystemError)
    /// tappet-reader ended with an error before it found a reader.
    case failed
    /// The search took longer than `Limits.readerListTime`.
    case silent
  }

  /// Returns the connection strings of the readers that libnfc finds.
  ///
  /// Blocks for at most `Limits.readerListTime`. libnfc probes USB and the devices named in its own configuration; it
  /// opens a serial port, and may disturb the device there, only if that configuration allows it.
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
      let received: Int?
      // An error also terminates the list; the readers received so far are returned.
      do throws(SystemError) { received = try process.socket.receiveMessage(into: &buffer) } catch { received = 0 }
      guard let size = received else { continue }
      guard size > 0, found.count < Limits.readersListedMax else {
        guard found.isEmpty else { return found }
        // The process may have crashed in libnfc; -1 is the status if the program has reaped it first.
        guard [.exited(0), .exited(-1)].contains(process.finish()) else { throw .failed }
        return []
      }
      found.append(String(decoding: buffer[..<min(size, buffer.count)], as: UTF8.self))
    }
  }
}
