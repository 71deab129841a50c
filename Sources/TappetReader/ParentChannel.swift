// The socket to the parent and the request to end. Both are looked at only between libnfc's calls.

import TappetCore
import TappetPlatform

/// The way out to the parent, and the news that there is none any more.
struct ParentChannel {
  private let socket: UnixSocket
  private let signals: SignalDescriptor

  /// `signals` becomes readable when the process is asked to end.
  init(socket: UnixSocket, signals: SignalDescriptor) {
    self.socket = socket
    self.signals = signals
  }

  /// Sends one message as one datagram.
  ///
  /// False when it was not taken: the parent is gone, or has been stuck for too long.
  func send(_ message: ReaderMessage) -> Bool {
    let bytes = message.encode()
    while true {
      guard let sent = socket.sendSome(bytes) else { return false }
      if sent > 0 { return true }
      let room = Poll.wait(socket.fileDescriptor, for: .writable, limit: Limits.readerSilenceMax)
      if room.isEmpty { return false }
    }
  }

  /// How a rest ended.
  enum Rest {
    case timeUp
    case order(ReaderOrder)
    /// The parent closed its end or sent nonsense, or the process was asked to end.
    case ended
  }

  /// Sleeps until `deadline`, or until there is something to do.
  func rest(until deadline: Instant) -> Rest {
    let left = max(.zero, deadline - Instant.now())
    let ready = Poll.wait([(socket.fileDescriptor, .readable), (signals.fileDescriptor, .readable)], for: left)
    if !ready[1].isEmpty { return .ended }
    return ready[0].isEmpty ? .timeUp : receive()
  }

  private func receive() -> Rest {
    guard case .message(let bytes) = socket.receive(sizeMax: Limits.readerMessageSizeMax + 1),
      bytes.count <= Limits.readerMessageSizeMax, let order = try? ReaderOrder(decoding: bytes)
    else { return .ended }
    return .order(order)
  }
}
