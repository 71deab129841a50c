// Removal of entries from a running kiosk's outbox, and the return of entries that were given up, through the kiosk's
// own store and core, so that no dropped entry is sent, and every entry is counted.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// A client that is waiting for entries to be dropped.
struct OutboxRequester {
  var client: ControlServer.Client
  /// Id of the entry to drop; `nil` means all entries.
  var id: EntryID?
  var droppedCount = 0
  /// Number of entries already sent to the broker.
  var sentCount = 0
}

extension Runtime {
  /// Drops one entry, or all if `id` is `nil`; the response is `{"dropped": COUNT, "sent": COUNT}`.
  ///
  /// The response is sent once the removal is on disk. Entries already sent to the broker count as sent, and are not
  /// removed.
  func dropEntries(_ id: EntryID?, for client: ControlServer.Client) {
    guard control.drops.count < Limits.controlClientsMax else {
      return client.send(.failure(SharedSentence.tooManyRequests))
    }
    order(OutboxRequester(client: client, id: id))
  }

  /// Sends one entry that was given up again, or all if `id` is `nil`; the response is `{"retried": COUNT}`, once the
  /// entries are in the outbox on disk.
  func retryEntries(_ id: EntryID?, for client: ControlServer.Client) {
    guard control.retries.count < Limits.controlClientsMax else {
      return client.send(.failure(SharedSentence.tooManyRequests))
    }
    guard kiosk.outboxRoom > 0 else {
      return client.send(.failure("the outbox is full; try again when entries were delivered"))
    }
    control.retries.append(client)
    feed(.retryAsked(id))
  }

  /// Handles a reply from the store; replies arrive in the order of the requests.
  func recordOutbox(_ event: StoreEvent) {
    switch event {
    case .dropped(let entries):
      guard !control.drops.isEmpty else { return }
      var requester = control.drops.removeFirst()
      requester.droppedCount += entries.count
      if requester.id == nil, entries.count == Limits.storeDropMax { return order(requester) }
      requester.client.send(
        .object(["dropped": .number(Int64(requester.droppedCount)), "sent": .number(Int64(requester.sentCount))]))
    case .dropFailed(let fault):
      guard !control.drops.isEmpty else { return }
      control.drops.removeFirst().client.send(.failure(fault.sentence(folder: configuration.stateFolder)))
    case .retried(let entries):
      guard !control.retries.isEmpty else { return }
      control.retries.removeFirst().send(.object(["retried": .number(Int64(entries.count))]))
    case .retryFailed(let fault):
      guard !control.retries.isEmpty else { return }
      control.retries.removeFirst().send(.failure(fault.sentence(folder: configuration.stateFolder)))
    case .outbox, .storeFailed, .counted, .roomCommandsRecorded, .roomCommandsFailed, .edit, .editFailed, .replaced,
      .checked, .checkFailed:
      break
    }
  }

  private func order(_ requester: OutboxRequester) {
    var requester = requester
    requester.sentCount = kiosk.inflightCount(of: requester.id)
    control.drops.append(requester)
    feed(.dropAsked(requester.id))
  }
}
