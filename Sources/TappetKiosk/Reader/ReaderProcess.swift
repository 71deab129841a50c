// The parent's end of tappet-reader: a child process and its socket. Nothing here blocks or starts a thread: the owner
// watches the descriptor with its reactor and calls `receive` until it returns `nothing`. The owner also decides when
// to restart the process.

import CPlatform
import TappetCore
import TappetPlatform

/// A running tappet-reader.
///
/// The child is killed and reaped with the last reference to this object.
package final class ReaderProcess {
  /// The result of `receive`.
  package enum Receipt: Equatable {
    case message(ReaderMessage)
    /// The child sent invalid data: it is from a different build, or was compromised by the data that it read. The
    /// child must be killed.
    case malformed(WireError)
    /// No further message for now.
    case nothing
    /// The child closed its end of the socket; it has exited or is about to exit.
    case closed
  }

  private let process: ServiceProcess
  /// The time at which the child sent the last received message, never later than its reception.
  package private(set) var sentAt = Instant.now()
  private var isStopping = false
  private var buffer = [UInt8](repeating: 0, count: Limits.readerMessageSizeMax + 1)

  /// Starts `executable` for `device`, without waiting for it.
  ///
  /// `device` is libnfc's connection string; `nil` means the first device that libnfc finds. The child inherits only
  /// the environment variables for libnfc and the loader.
  package convenience init(executable: String, device: String?) throws(SystemError) {
    let words = device.map { ["--device", $0] } ?? []
    self.init(try ServiceProcess.start(executable, words: words, variables: ["LIBNFC_"]))
  }

  private init(_ process: ServiceProcess) { self.process = process }

  /// PID of the child; must not be used after `reap` has returned how the child ended.
  package var pid: pid_t { process.child.id }

  /// File descriptor for the reactor; readable when `receive` has a message.
  package var fileDescriptor: Int32 { process.socket.fileDescriptor }

  /// Returns the next message, without waiting.
  @export(interface)
  package func receive() -> Receipt {
    var size: Int?
    do throws(SystemError) { size = try process.socket.receiveMessage(into: &buffer) } catch { return .closed }
    guard let size else { return .nothing }
    // An empty message looks like the end of the stream, but only at the end of the stream has the peer hung up.
    guard size > 0 else { return process.socket.isHungUp ? .closed : .malformed(.truncated(offset: 0)) }
    // The message may contain a tag's key.
    defer { buffer.withUnsafeMutableBytes { LibCrypto.wipe($0) } }
    return decoded(size: size)
  }

  /// Sends an order for a tag; the child replies with `ReaderMessage.orderDone`.
  ///
  /// Returns false if the child does not accept the order: it has ended, or hangs and will be detected as silent.
  package func send(_ order: ReaderOrder) -> Bool {
    var bytes = order.encode()
    // An order may contain a key.
    defer { LibCrypto.wipe(&bytes) }
    return process.socket.send(bytes)
  }

  /// Stops the child gracefully.
  ///
  /// The child switches the field off and exits; `receive` then returns `closed`, after any remaining messages.
  package func stop() {
    guard !isStopping else { return }
    isStopping = true
    process.socket.endSending()
    process.child.signal(SIGTERM)
  }

  /// Kills a child that does not respond.
  package func kill() { process.kill() }

  /// Returns how the child ended, or `nil` while it runs; the result does not change once the child has ended.
  ///
  /// If other code in this process has already waited for the child, its exit status is unknown: `exited(-1)`.
  package func reap() -> ProcessEnd? { process.child.reap() }

  /// Returns how a child ended after it closed its end of the socket or was killed.
  package func finish() -> ProcessEnd { process.finish() }

  private func decoded(size: Int) -> Receipt {
    guard size <= Limits.readerMessageSizeMax else { return .malformed(.tooLarge(size: size)) }
    do throws(WireError) {
      let frame = try ReaderFrame(decoding: Array(buffer[..<size]))
      sentAt = min(frame.sentAt, Instant.now())
      return .message(frame.message)
    } catch { return .malformed(error) }
  }

  // MARK: Where it is

  /// Returns the path of tappet-reader: `TAPPET_READER` if set, otherwise the installed program.
  package static func locateExecutable() -> String {
    if let path = secure_getenv("TAPPET_READER") { return String(cString: path) }
    return InstalledPrograms.locate("tappet-reader")
  }
}
