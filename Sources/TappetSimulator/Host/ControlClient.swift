/// One connection to the control socket: lines in, answers out, one of them perhaps still to come.

import TappetCore
import TappetPlatform

/// The server's end of a test's connection.
final class ControlClient {
  let socket: UnixSocket
  /// The unanswered `lights wait`.
  var awaited: (name: String, deadline: Instant)?
  /// Its `play` is not over yet.
  var isAwaitingPlay = false
  /// The test sends no more; it may still wait for an answer.
  private(set) var hasEnded = false
  private(set) var isGone = false
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []

  /// Takes the connection over.
  init(_ socket: UnixSocket) { self.socket = socket }

  /// Nothing while an answer is owed, or at the end of the input; poll reports a hang-up anyway.
  var interest: Interest {
    var interest: Interest = hasEnded || isOwed ? [] : .readable
    if !outgoing.isEmpty { interest.insert(.writable) }
    return interest
  }
  /// An answer is owed.
  private var isOwed: Bool { awaited != nil || isAwaitingPlay }
  /// Nothing more will happen on it.
  var isFinished: Bool { isGone || (hasEnded && !isOwed && outgoing.isEmpty) }

  /// Takes what has come.
  func receive() {
    switch socket.receive(sizeMax: 4096) {
    case .message(let bytes): incoming += bytes
    case .nothing: break
    case .closed: hasEnded = true
    }
  }

  /// The next line, unless an answer is still owed.
  ///
  /// A line that is too long is returned before its end has come, and refused.
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

  /// Sends as much as the socket takes now.
  func flush() {
    guard !outgoing.isEmpty else { return }
    guard let count = socket.sendSome(outgoing) else {
      isGone = true
      return
    }
    outgoing.removeFirst(count)
  }
}
