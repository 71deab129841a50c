// The messages that were passed to libmosquitto and have no PUBACK yet. libmosquitto sends as many as fit in the
// window, and holds back the others until there is room.

import TappetCore

/// The window, and the deadline of the PUBACKs for its messages.
struct BrokerLinkWindow {
  private struct Message {
    var messageID: Int32
    var id: EntryID?
    /// Time of sending; `nil` while the message is held back.
    var sentAt: Instant?
  }

  /// Maximum number of messages in flight.
  let size: Int
  private var messages = ArrivalQueue<Message>()

  init(size: Int) { self.size = size }

  /// Returns when the link is considered dead: the oldest PUBACK is overdue, or a PUBACK is pending and the broker has
  /// been silent for `answerMax` since `receivedAt`.
  func deadline(receivedAt: Instant, answerMax: Duration) -> Instant? {
    guard let sentAt = messages.first?.sentAt else { return nil }
    return min(sentAt + max(answerMax, Limits.acknowledgeTimeout), max(sentAt, receivedAt) + answerMax)
  }

  /// Handles a message that libmosquitto accepted.
  mutating func took(_ messageID: Int32, _ id: EntryID?, at now: Instant) {
    messages.append(Message(messageID: messageID, id: id, sentAt: messages.count < size ? now : nil))
  }

  /// Handles a PUBACK; returns the id of its message, if the message has an id.
  mutating func acknowledged(_ messageID: Int32, at now: Instant) -> EntryID? {
    guard let message = messages.remove(where: { $0.messageID == messageID }) else { return nil }
    // The next message that was held back enters the window.
    messages.change(at: size - 1) { $0.sentAt = $0.sentAt ?? now }
    return message.id
  }

  /// Discards the messages of a connection that has ended.
  mutating func empty() { messages.removeAll() }
}
