/// One connection to the control socket, with at most one pending response.

import TappetTag
import TappetPlatform

/// The server side of a test's connection.
final class ControlClient {
  let socket: UnixSocket
  /// The pending `lights wait` command.
  var awaited: (name: String, deadline: Instant)?
  /// Whether a `play` command of this client is running.
  var isAwaitingPlay = false
  /// Whether the test has finished sending commands; a response may still be pending.
  private(set) var hasEnded = false
  private(set) var isGone = false
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []

  /// Takes ownership of the connection.
  init(_ socket: UnixSocket) { self.socket = socket }

  /// The events to wait for: no input while a response is pending or after the end of the input, but always hang-ups.
  var interest: Interest {
    var interest: Interest = hasEnded || isOwed ? [] : .readable
    if !outgoing.isEmpty { interest.insert(.writable) }
    return interest
  }
  /// Whether a response is pending.
  private var isOwed: Bool { awaited != nil || isAwaitingPlay }
  /// Whether the connection can be closed.
  var isFinished: Bool { isGone || (hasEnded && !isOwed && outgoing.isEmpty) }

  /// Reads the available data.
  func receive() {
    switch socket.receive(sizeMax: 4096) {
    case .message(let bytes): incoming += bytes
    case .nothing: break
    case .closed: hasEnded = true
    }
  }

  /// Returns the next line, unless a response is still pending.
  ///
  /// An overlong line is returned incomplete, so that the caller refuses it.
  func nextLine() -> [UInt8]? {
    guard !isOwed else { return nil }
    if let end = incoming.firstIndex(of: 0x0A) {
      let line = Array(incoming[..<end])
      incoming.removeFirst(end + 1)
      return line
    }
    guard incoming.count > Limits.simulatorLineSizeMax || (hasEnded && !incoming.isEmpty) else { return nil }
    defer { incoming = [] }
    return incoming
  }

  /// Sends lines to the test.
  func answer(_ lines: [String]) {
    for line in lines { outgoing += Array(line.utf8) + [0x0A] }
    flush()
  }

  /// Sends as much as the socket currently accepts.
  func flush() {
    guard !outgoing.isEmpty else { return }
    guard let count = socket.sendSome(outgoing) else {
      isGone = true
      return
    }
    outgoing.removeFirst(count)
  }
}
