// What a person does to the outbox of a running kiosk. It goes through the kiosk's own store and core, so that nothing is sent
// that was dropped, and nothing is dropped that was not counted.

import TappetCore
import TappetDevices

/// A tool that waits for entries to be dropped.
struct OutboxAsker {
  var client: ControlServer.Client
  /// Nil: all of them.
  var id: EntryID?
  var droppedCount = 0
  /// Those that are with the broker already.
  var sentCount = 0
}

extension Runtime {
  /// `{"request": "outbox-drop", "id": HEX}`, or with `"all": true`; answered by `{"dropped": COUNT, "sent": COUNT}`.
  ///
  /// The answer comes when it is on the disk. What is with the broker already is counted as sent, and stays.
  func dropFromOutbox(_ request: JSON, for client: ControlServer.Client) {
    var asker = OutboxAsker(client: client)
    if request["all"] != .bool(true) {
      guard let id = EntryID(hex: request["id"]?.text ?? "") else {
        return client.send(.failure("an entry's id has 32 hex digits; 'tappet outbox list' shows them"))
      }
      asker.id = id
    }
    order(asker)
  }

  /// The store's answers come in the order of the orders.
  func noteOutbox(_ event: StoreEvent) {
    switch event {
    case .dropped(let entries):
      guard !outboxAskers.isEmpty else { return }
      var asker = outboxAskers.removeFirst()
      asker.droppedCount += entries.count
      if asker.id == nil, entries.count == Limits.storeDropMax { return order(asker) }
      asker.client.send(
        .object(["dropped": .number(Int64(asker.droppedCount)), "sent": .number(Int64(asker.sentCount))]))
    case .dropFailed(let fault):
      guard !outboxAskers.isEmpty else { return }
      outboxAskers.removeFirst().client.send(.failure(fault.sentence(folder: configuration.stateFolder)))
    case .stored, .storeFailed, .removed, .removeFailed, .fetched, .fetchFailed, .expired, .fetchExpiredFailed,
      .replaced, .checked, .checkFailed:
      break
    }
  }

  private func order(_ asker: OutboxAsker) {
    var asker = asker
    asker.sentCount = kiosk.inflightCount(of: asker.id)
    outboxAskers.append(asker)
    feed(.dropAsked(asker.id))
  }
}
