// The kiosk's commands; the code that performs them decides nothing.

/// A command of the kiosk.
package enum Effect: Sendable {
  /// Start the process; answered by its `ready`, its end, or `notStarted`.
  case start(Helper)
  /// Let the process end by itself; answered by its end.
  case stop(Helper)
  /// Kill the process at once; answered by its end.
  case kill(Helper)
  /// Connect to the endpoint of this index; answered by `LinkEvent.connected` or `.failed`.
  ///
  /// Unless the settings name a version, `mqtt5` decides which it is.
  case connect(endpoint: Int, mqtt5: MQTT5Support)
  /// Remember until then that the endpoint of this index does not take MQTT 5; 0 means that it does.
  case noteFallback(endpoint: Int, untilUnixSeconds: Int64)
  /// Remember that the endpoint of this index works: the next start begins with it.
  case noteBroker(endpoint: Int)
  /// Disconnect in an orderly way; answered by `LinkEvent.disconnected`.
  case disconnect
  /// Fill the message with this second's token and send it; answered by `LinkEvent.acknowledged` or the link's end.
  indirect case publish(OutboxEntry, unixSeconds: Int64)
  /// Ask this of the store.
  indirect case store(StoreRequest)
  /// Fill the body with this second's token and post it; answered by `WebhookEvent.answered`, `.failed` or the
  /// process's end.
  indirect case postWebhook(OutboxEntry, unixSeconds: Int64)
  /// Send the order to tappet-inventory; answered as `InventoryOrder` says, or by its end.
  indirect case orderInventory(InventoryOrder)
  /// Check the bundle's signature and put it into force as a whole; answered by `SiteEvent.ended`.
  indirect case applySite(SiteBundle)
  /// Ask in a room; answered by `RoomMessage.answered`, or never.
  indirect case askRoom(RoomQuestion)
  /// Say in the room how the question of this number has ended.
  indirect case endQuestion(UInt64, RoomQuestionEnd)
  /// Show the light.
  case light(Light)
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
    case .store(.remove), .store(.removeWebhooks), .store(.giveUpWebhook): .forget
    case .store, .start, .stop, .kill, .connect, .noteFallback, .noteBroker, .orderInventory, .askRoom, .endQuestion,
      .applySite, .light, .retryPanel, .pauseButton, .resumeButton, .finish:
      .act
    // After `store`, and what it answers has been done: a reply promises it.
    case .report, .reply, .serve, .announce: .report
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
