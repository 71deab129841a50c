// The parent's end of a helper process: starts and stops it as the core requests, and receives its messages. Nothing
// here blocks.

import CPlatform
import TappetCore
import TappetPlatform

/// An event of a helper process.
enum HelperNotice<Message> {
  case message(Message)
  /// The process sent bytes that are not a valid message.
  case malformed
  case ended(ProcessEnd)
}

/// A helper process and its socket, while it runs.
///
/// Confined to one thread.
final class HelperHost<Message> {
  private let sizeMax: Int
  private let decode: ([UInt8]) -> Message?
  private var process: ServiceProcess?
  private var watch: Watch?
  private var buffer: [UInt8] = []
  /// Called with each event of the process, in order.
  var onNotice: (HelperNotice<Message>) -> Void = { _ in }

  /// Creates a host for a helper whose messages are at most `sizeMax` bytes long.
  init(sizeMax: Int, decode: @escaping ([UInt8]) -> Message?) {
    self.sizeMax = sizeMax
    self.decode = decode
  }

  /// PID of the process; `nil` if none is running.
  var processID: pid_t? { process?.child.id }

  /// Starts the program with the given arguments, and with `option` (such as `--socket`) for its socket; throws if it
  /// cannot be started.
  ///
  /// With `opensSecrets`, the process inherits CREDENTIALS_DIRECTORY, the folder of the kiosk's own credentials; and
  /// always the variables whose names start with one of `variables`.
  func start(
    _ path: String, _ option: String, _ words: [String], _ reactor: Reactor, opensSecrets: Bool = false,
    variables: [String] = []
  ) throws(SystemError) {
    let process = try ServiceProcess.start(
      path, option, words: words, variables: variables + (opensSecrets ? ["CREDENTIALS_DIRECTORY="] : []))
    let readable = process.socket.fileDescriptor
    watch = try reactor.watch(readable, for: .readable, calling(self) { host, _ in host.receive() })
    self.process = process
  }

  /// Stops the process gracefully.
  func stop() { process?.socket.endSending() }

  func kill() { process?.kill() }

  /// Sends an order; returns whether the order was accepted.
  ///
  /// An order that is not accepted receives no reply, which the core detects.
  @discardableResult
  func send(_ order: [UInt8]) -> Bool { process?.socket.send(order) == true }

  private func receive() {
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: sizeMax) }
    while let socket = process?.socket {
      let size: Int?
      do throws(SystemError) { size = try socket.receiveMessage(into: &buffer) } catch { return end() }
      guard let size else { return }
      guard size > 0 else { return end() }
      guard size <= buffer.count, let message = decode(Array(buffer[..<size])) else {
        return onNotice(.malformed)
      }
      onNotice(.message(message))
    }
  }

  private func end() {
    watch = nil
    buffer = []
    guard let process else { return }
    self.process = nil
    onNotice(.ended(process.finish()))
  }
}
