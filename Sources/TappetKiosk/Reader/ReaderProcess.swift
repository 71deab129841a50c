// The parent's end of tappet-reader: a child process and its socket. Nothing here blocks or starts a thread: the owner
// watches the descriptor with its reactor and calls `receive` until it returns `nothing`. When to start another one is
// not decided here.

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
    /// The child sent nonsense: it is another build, or was taken over by what it read. To be killed.
    case malformed(ReaderMessageError)
    /// No more for now.
    case nothing
    /// The child closed its end; it has ended or is about to.
    case closed
  }

  private let process: ServiceProcess
  private var isStopping = false
  private var buffer = [UInt8](repeating: 0, count: Limits.readerMessageSizeMax + 1)

  /// Starts `executable` on the device `device`, and does not wait for it.
  ///
  /// `device` is libnfc's connection string; `nil` is the first device that libnfc finds. Of our environment the child
  /// gets what is meant for libnfc and for the loader, nothing else.
  package convenience init(executable: String, device: String?) throws(SystemError) {
    let words = device.map { ["--device", $0] } ?? []
    self.init(try ServiceProcess.start(executable, words: words, variables: ["LIBNFC_"]))
  }

  private init(_ process: ServiceProcess) { self.process = process }

  /// The child's process id; not to be used after `reap` has returned its end.
  package var pid: pid_t { process.child.id }

  /// For the reactor: readable when `receive` has something.
  package var fileDescriptor: Int32 { process.socket.fileDescriptor }

  /// The next message, without waiting.
  @export(interface)
  package func receive() -> Receipt {
    var size: Int?
    do throws(SystemError) { size = try process.socket.receiveMessage(into: &buffer) } catch { return .closed }
    guard let size else { return .nothing }
    // An empty message looks like the end; only at the end has the other side hung up.
    guard size > 0 else { return process.socket.isHungUp ? .closed : .malformed(.empty) }
    // Some tags carry their key.
    defer { buffer.withUnsafeMutableBytes { LibCrypto.wipe($0) } }
    return decoded(size: size)
  }

  /// Orders something to be done to a tag; answered by `ReaderMessage.orderDone`.
  ///
  /// False when the child does not take it: it is gone, or so stuck that it will be found silent.
  package func send(_ order: ReaderOrder) -> Bool {
    var bytes = order.encode()
    // A message may carry a key.
    defer { LibCrypto.wipe(&bytes) }
    return process.socket.send(bytes)
  }

  /// Asks the child to end.
  ///
  /// It switches the field off and ends; `receive` returns `closed` then, after the messages that it still had.
  package func stop() {
    guard !isStopping else { return }
    isStopping = true
    process.socket.endSending()
    process.child.signal(SIGTERM)
  }

  /// Ends a child that does not react.
  package func kill() { process.kill() }

  /// How the child ended, `nil` while it runs; always the same once it has ended.
  ///
  /// Where something else in this process waited for the child first, its end is unknown: `exited(-1)`.
  package func reap() -> ProcessEnd? { process.child.reap() }

  /// How a child ended that closed its end of the socket, or was killed.
  package func finish() -> ProcessEnd { process.finish() }

  private func decoded(size: Int) -> Receipt {
    guard size <= Limits.readerMessageSizeMax else { return .malformed(.tooLarge(size: size)) }
    do throws(ReaderMessageError) {
      return .message(try ReaderMessage(decoding: Array(buffer[..<size])))
    } catch {
      return .malformed(error)
    }
  }

  // MARK: Where it is

  /// The path of tappet-reader: TAPPET_READER, else where it is installed.
  package static func locateExecutable() -> String {
    if let path = secure_getenv("TAPPET_READER") { return String(cString: path) }
    return InstalledPrograms.locate("tappet-reader")
  }
}
