// The messages that were handed to libmosquitto and have no PUBACK yet. It sends as many as the window has room for,
// and holds back the others until their turn.

import TappetCore

/// The window, and when a PUBACK for what is in it is overdue.
struct BrokerLinkWindow {
  private struct Message {
    var messageID: Int32
    var id: EntryID?
    /// `nil` while it is held back.
    var sentAt: Instant?
  }

  /// Number of messages in flight at most.
  let size: Int
  private var messages = ArrivalQueue<Message>()

  /// An empty window.
  init(size: Int) { self.size = size }

  /// Returns when the link counts as dead: when the oldest PUBACK is too late, or the broker owes one and was silent
  /// since `receivedAt` for `answerMax`.
  func deadline(receivedAt: Instant, answerMax: Duration) -> Instant? {
    guard let sentAt = messages.first?.sentAt else { return nil }
    return min(sentAt + max(answerMax, Limits.acknowledgeTimeout), max(sentAt, receivedAt) + answerMax)
  }

  /// Handles a message that libmosquitto took.
  mutating func took(_ messageID: Int32, _ id: EntryID?, at now: Instant) {
    messages.append(Message(messageID: messageID, id: id, sentAt: messages.count < size ? now : nil))
  }

  /// Handles a PUBACK; returns whose it is, if anybody wants to know.
  mutating func acknowledged(_ messageID: Int32, at now: Instant) -> EntryID? {
    guard let message = messages.remove(where: { $0.messageID == messageID }) else { return nil }
    // Its place is the next one's that was held back.
    messages.change(at: size - 1) { $0.sentAt = $0.sentAt ?? now }
    return message.id
  }

  /// Forgets everything of a connection that has ended.
  mutating func empty() { messages.removeAll() }
}
