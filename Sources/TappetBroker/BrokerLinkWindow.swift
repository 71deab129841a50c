// The messages that were handed to libmosquitto and have no PUBACK yet. It sends as many as the window has room for,
// and holds back the others until their turn.

import TappetCore

/// The window, and when a PUBACK for what is in it is overdue.
struct BrokerLinkWindow {
  private struct Message {
    var messageID: Int32
    var id: EntryID?
    /// `nil` while it is held back.
    var deadline: Instant?
  }

  /// Number of messages in flight at most.
  let size: Int
  private var messages = ArrivalQueue<Message>()

  /// An empty window.
  init(size: Int) { self.size = size }

  /// When the link counts as dead.
  var deadline: Instant? { messages.first?.deadline }

  /// Handles a message that libmosquitto took.
  mutating func took(_ messageID: Int32, _ id: EntryID?, at now: Instant) {
    let deadline = messages.count < size ? now + Limits.acknowledgeTimeout : nil
    messages.append(Message(messageID: messageID, id: id, deadline: deadline))
  }

  /// Handles a PUBACK; returns whose it is, if anybody wants to know.
  mutating func acknowledged(_ messageID: Int32, at now: Instant) -> EntryID? {
    guard let message = messages.remove(where: { $0.messageID == messageID }) else { return nil }
    // Its place is the next one's that was held back.
    messages.change(at: size - 1) { $0.deadline = $0.deadline ?? now + Limits.acknowledgeTimeout }
    return message.id
  }

  /// Forgets everything of a connection that has ended.
  mutating func empty() { messages.removeAll() }
}
