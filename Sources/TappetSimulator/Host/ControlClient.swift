/// One connection to the control socket: lines in, answers out, one of them perhaps still to come.

import TappetCore

/// A test's end of the control socket.
final class ControlClient {
  let descriptor: HostDescriptor
  /// `lights wait`, not yet answered.
  var awaited: (name: String, deadline: Instant)?
  /// The test has said all; it may still wait for an answer.
  private(set) var hasEnded = false
  private(set) var isGone = false
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []

  /// Takes the connection over.
  init(_ descriptor: HostDescriptor) { self.descriptor = descriptor }

  /// Not while an answer is owed, or when all was said; that it hung up, poll tells anyway.
  var wantsToRead: Bool { !hasEnded && awaited == nil }
  var wantsToWrite: Bool { !outgoing.isEmpty }
  /// Nothing more will happen on it.
  var isFinished: Bool { isGone || (hasEnded && awaited == nil && outgoing.isEmpty) }

  /// Takes what is there.
  func receive() {
    switch descriptor.receive() {
    case .bytes(let bytes): incoming += bytes
    case .nothing: break
    case .end: hasEnded = true
    }
  }

  /// The next line, unless an answer is still owed.
  ///
  /// A line without end that is too long is given as it is, and refused.
  func nextLine() -> [UInt8]? {
    guard awaited == nil else { return nil }
    if let end = incoming.firstIndex(of: 0x0A) {
      let line = Array(incoming[..<end])
      incoming.removeFirst(end + 1)
      return line
    }
    guard incoming.count > Limits.simulatorLineSizeMax || (hasEnded && !incoming.isEmpty) else { return nil }
    defer { incoming = [] }
    return incoming
  }

  /// Sends lines.
  func answer(_ lines: [String]) {
    for line in lines { outgoing += Array(line.utf8) + [0x0A] }
    flush()
  }

  /// As much as goes.
  func flush() {
    guard !outgoing.isEmpty else { return }
    guard let count = descriptor.send(outgoing) else {
      isGone = true
      return
    }
    outgoing.removeFirst(count)
  }
}
