// The reports of the link's thread. They leave together at the end of a turn: each by itself would wake its receiver in
// the midst of the others.

import TappetCore

/// The events of one turn.
struct BrokerLinkEvents {
  private let receiver: @Sendable (LinkEvent) -> Void
  private var events: [LinkEvent] = []

  /// No events yet for `receiver`.
  init(to receiver: @escaping @Sendable (LinkEvent) -> Void) { self.receiver = receiver }

  /// Adds an event.
  mutating func post(_ event: LinkEvent) { events.append(event) }

  /// Hands the events over, in order.
  mutating func deliver() {
    for event in events { receiver(event) }
    events.removeAll(keepingCapacity: true)
  }
}
