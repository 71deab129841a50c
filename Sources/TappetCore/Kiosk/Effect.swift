// The kiosk's commands; the code that performs them decides nothing.

/// A command of the kiosk.
package enum Effect: Sendable {
  /// Start the tappet-reader process; answered by `Event.reader(.ready)`, `.readerEnded` or `.readerNotStarted`.
  case startReader
  /// Kill tappet-reader at once; answered by `.readerEnded`.
  case killReader
  /// Let tappet-reader end by itself; answered by `.readerEnded`.
  case stopReader
  /// Connect to the endpoint of this index; answered by `LinkEvent.connected` or `.failed`.
  ///
  /// Unless the settings name a version, `mqtt5` decides which it is.
  case connect(endpoint: Int, mqtt5: MQTT5Support)
  /// Remember until then that the endpoint of this index does not take MQTT 5; 0 means that it does.
  case noteFallback(endpoint: Int, untilUnixSeconds: Int64)
  /// Forget all of these.
  case forgetFallbacks
  /// Remember that the endpoint of this index works: the next start begins with it.
  case noteBroker(endpoint: Int)
  /// Remember the number of wrong codes since the panel was unlocked last.
  case noteWrongCodes(Int)
  /// Disconnect in an orderly way; answered by `LinkEvent.disconnected`.
  case disconnect
  /// Fill the message with this second's token and send it; answered by `LinkEvent.acknowledged` or the link's end.
  indirect case publish(OutboxEntry, unixSeconds: Int64)
  /// Commit the entry; answered by `StoreEvent.stored` or `.storeFailed`.
  indirect case store(OutboxEntry)
  /// Count a use of the ticket; answered by `StoreEvent.counted` or `.storeFailed`.
  indirect case countUse(EntryID, ticket: String)
  /// Remove the entries, whose outcome is in the same event's reports; answered by `StoreEvent.removed`.
  ///
  /// With `mayWait` they share the next commit, which a later effect asks for.
  indirect case forget([EntryID], mayWait: Bool)
  /// Remember how often the broker has closed the connection at these entries.
  indirect case noteCloses([CloseCount])
  /// Remove and name the entry at a person's request; with `nil` a part of all entries.
  ///
  /// Leaves out `excluding`, which are with the broker; answered by `StoreEvent.dropped` or `.dropFailed`.
  indirect case drop(EntryID?, excluding: [EntryID])
  /// Fetch the entries after this sequence, in order; answered by `StoreEvent.fetched` or `.fetchFailed`.
  case fetch(after: Int64, limit: Int, clockIsGood: Bool)
  /// Name the expired entries without `excluding`, which are with the broker.
  ///
  /// Answered by `StoreEvent.expired` or `.fetchExpiredFailed`.
  indirect case fetchExpired(clockIsGood: Bool, excluding: [EntryID])
  /// Start the tappet-webhook process; answered by `WebhookEvent.ready`, `.ended` or `.notStarted`.
  case startWebhooks
  /// Let tappet-webhook end by itself; answered by `WebhookEvent.ended`.
  case stopWebhooks
  /// Kill tappet-webhook at once; answered by `WebhookEvent.ended`.
  case killWebhooks
  /// Fill the body with this second's token and post it; answered by `WebhookEvent.answered`, `.failed` or the
  /// process's end.
  indirect case postWebhook(OutboxEntry, unixSeconds: Int64)
  /// As `forget`, `fetch` and `fetchExpired`, for the webhooks' outbox; answered by `StoreEvent.webhooks`.
  indirect case forgetWebhooks([OutboxEntry])
  /// Leaves out the entries of the actions `excluding`, whose servers rest.
  indirect case fetchWebhooks(after: Int64, limit: Int, clockIsGood: Bool, excluding: [String])
  indirect case fetchExpiredWebhooks(clockIsGood: Bool, excluding: [EntryID])
  /// Remove the entry, and list it among those that were given up; answered by the removal.
  indirect case giveUpWebhook(OutboxEntry, WebhookRefusal, unixMilliseconds: Int64)
  /// Start the tappet-inventory process; answered by `InventoryEvent.message(.ready)`, `.ended` or `.notStarted`.
  case startInventory
  /// Let tappet-inventory end by itself; answered by `InventoryEvent.ended`.
  case stopInventory
  /// Kill tappet-inventory at once; answered by `InventoryEvent.ended`.
  case killInventory
  /// Start a tappet-webhook that listens in rooms; answered by `RoomEvent.message(.ready)`, `.ended` or `.notStarted`.
  case startRooms
  /// Let it end by itself; answered by `RoomEvent.ended`.
  case stopRooms
  /// Kill it at once; answered by `RoomEvent.ended`.
  case killRooms
  /// Send the order to tappet-inventory; answered as `InventoryOrder` says, or by its end.
  indirect case orderInventory(InventoryOrder)
  /// Check the bundle's signature and put it into force as a whole; answered by `SiteEvent.ended`.
  indirect case applySite(SiteBundle)
  /// Ask in a room; answered by `RoomMessage.answered`, or never.
  indirect case askRoom(RoomQuestion)
  /// Say in the room how the question of this number has ended.
  indirect case endQuestion(UInt64, RoomQuestionEnd)
  /// Try whether the store takes a write; answered by `StoreEvent.checked` or `.checkFailed`.
  case checkStore
  /// Remember that the secret was used.
  indirect case noteSecretUse(id: String, uid: TagUID?, unixSeconds: Int64)
  /// Show the light.
  case light(Light)
  /// Remember when a timed opening on this topic closes; `nil` means that it has.
  case noteTimedOpening(topic: String, closesAt: Instant?)
  /// Set the line of the output with this index.
  case setOutput(Int, isOn: Bool)
  /// Publish the reply to a command, if the link is up, or give it in the room; nobody waits for what becomes of it.
  indirect case reply(CommandReply)
  /// Ask the store for what the command wants of it, or change it there, and reply with its answer.
  indirect case serve(CommandReply.Address, by: String)
  /// Publish this about the kiosk, if the link is up; nobody waits for its PUBACK.
  case announce(Announcement)
  /// Try the missing parts of the panel again; answered by `PanelEvent.opened` or `.failed` of each.
  case retryPanel
  /// Stop listening to a button that bounces without end.
  case pauseButton(Int)
  /// Listen to it again; answered by `PanelEvent.opened` or `.failed`.
  case resumeButton(Int)
  /// Report to the log, the live view and the counters.
  case report(Report)
  /// Everything is at rest: end the process.
  case finish
}

extension Effect {
  /// The turn in which an effect is performed among those of one event.
  private enum Turn: Int {
    /// A door opens, and a pulse ends, before anything else.
    case drive
    /// Messages leave first: the broker's thread sends them while this one shows the lights.
    case send
    case act
    /// Nobody waits for reports.
    case report
    /// An outcome is reported before its entry is forgotten: a kill in between reports it twice, never not at all.
    case forget
    /// The link ends after everything that was given to it.
    case disconnect
  }

  private var turn: Turn {
    switch self {
    case .setOutput: .drive
    case .publish, .postWebhook: .send
    case .startReader, .killReader, .stopReader, .connect, .noteFallback, .forgetFallbacks, .noteBroker, .noteCloses,
      .store,
      .countUse, .drop, .fetch, .fetchExpired, .fetchWebhooks, .fetchExpiredWebhooks, .startWebhooks,
      .stopWebhooks, .startInventory, .stopInventory, .killInventory, .orderInventory, .startRooms, .stopRooms,
      .killRooms, .askRoom, .endQuestion,
      .killWebhooks, .checkStore, .applySite, .noteSecretUse, .noteTimedOpening, .noteWrongCodes, .light, .retryPanel,
      .pauseButton,
      .resumeButton, .finish:
      .act
    // After `store`, and what it answers has been done: a reply promises it.
    case .report, .reply, .serve, .announce: .report
    case .forget, .forgetWebhooks, .giveUpWebhook: .forget
    case .disconnect: .disconnect
    }
  }

  fileprivate static func follows(_ left: Effect, _ right: Effect) -> Bool { left.turn.rawValue > right.turn.rawValue }
}

extension [Effect] {
  /// Returns the effects in the order in which to perform them; those of one turn keep the order of their decision.
  func inOrderOfPerformance() -> [Effect] {
    var ordered = self
    // Insertion: there are few, and most are in order already.
    for index in ordered.indices.dropFirst() {
      var place = index
      while place > 0, Effect.follows(ordered[place - 1], ordered[place]) {
        ordered.swapAt(place - 1, place)
        place -= 1
      }
    }
    return ordered
  }
}
