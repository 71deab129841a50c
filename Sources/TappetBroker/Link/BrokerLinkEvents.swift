// The events posted by the link's thread. They are delivered together at the end of a turn: separate deliveries would
// wake the receiver before the last event.

import TappetCore

/// The events of one turn.
struct BrokerLinkEvents {
  private let receiver: @Sendable (LinkEvent) -> Void
  private var events: [LinkEvent] = []

  /// Creates an empty list of events for `receiver`.
  init(to receiver: @escaping @Sendable (LinkEvent) -> Void) { self.receiver = receiver }

  /// Adds an event.
  mutating func post(_ event: LinkEvent) { events.append(event) }

  /// Delivers the events in order.
  mutating func deliver() {
    for event in events { receiver(event) }
    events.removeAll(keepingCapacity: true)
  }
}
