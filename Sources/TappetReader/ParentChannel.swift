// The socket to the parent, and termination requests. Both are checked only between calls to libnfc.

import TappetTag
import TappetPlatform

/// The channel to the parent, which also detects that the parent is gone.
struct ParentChannel {
  private let socket: UnixSocket
  private let signals: SignalDescriptor

  /// Creates the channel; `signals` becomes readable when termination is requested.
  init(socket: UnixSocket, signals: SignalDescriptor) {
    self.socket = socket
    self.signals = signals
  }

  /// Sends one message as one datagram.
  ///
  /// Returns false if the message was not accepted, because the parent is gone or was blocked for too long. A parent
  /// that is held up needs no heartbeat, and reads the tags later.
  func send(_ message: ReaderMessage) -> Bool {
    let bytes = ReaderFrame(message, sentAt: Instant.now()).encode()
    while true {
      guard let sent = socket.sendSome(bytes) else { return false }
      if sent > 0 || message == .heartbeat { return true }
      let room = Poll.wait(socket.fileDescriptor, for: .writable, limit: Limits.readerSilenceMax)
      if room.isEmpty { return false }
    }
  }

  /// The reason why a pause ended.
  enum Rest {
    case timeUp
    case order(ReaderOrder)
    /// The parent closed its end or sent an invalid message, or termination was requested.
    case ended
  }

  /// Sleeps until `deadline`, or until an order or a termination request arrives.
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
