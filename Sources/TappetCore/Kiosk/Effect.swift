// The effects of the kiosk's decisions; the code that performs them makes no decisions.

/// A command issued by the kiosk.
package enum Effect: Sendable {
  /// Start the process; results in its `ready` message, its exit, or `notStarted`.
  case start(Helper)
  /// Tell the process to exit; results in the event for its exit.
  case stop(Helper)
  /// Kill the process immediately; results in the event for its exit.
  case kill(Helper)
  /// Connect to the endpoint with this index; results in `LinkEvent.connected` or `.failed`.
  ///
  /// `mqtt5` determines the MQTT version, unless the settings specify one.
  case connect(endpoint: Int, mqtt5: MQTT5Support)
  /// Store the time until which the endpoint with this index is assumed not to support MQTT 5; 0 means that MQTT 5 is
  /// supported.
  case recordFallback(endpoint: Int, untilUnixSeconds: Int64)
  /// Store that the endpoint with this index works, so that the next start tries it first.
  case recordBroker(endpoint: Int)
  /// Close the connection gracefully; results in `LinkEvent.disconnected`.
  case disconnect
  /// Fill in the given second's token and send the message; results in `LinkEvent.acknowledged` or the link's end.
  indirect case publish(OutboxEntry, unixSeconds: Int64)
  /// Send this request to the store.
  indirect case store(StoreRequest)
  /// Fill in the given second's token and post the body to the action's webhook, or in this room; results in
  /// `WebhookEvent.answered`, `.created`, `.failed` or the process's exit.
  indirect case post(OutboxEntry, room: String?, unixSeconds: Int64)
  /// Edit the message in its room; results in the same events as `post`, under the edit's transaction id.
  indirect case postEdit(RoomEdit, room: String?)
  /// Send the order to tappet-inventory; results in the response stated in `InventoryOrder`, or the process's exit.
  indirect case orderInventory(InventoryOrder)
  /// Verify the bundle's signature and apply the bundle as a whole; results in `SiteEvent.ended`.
  indirect case applySite(SiteBundle)
  /// Perform the step of the tag job; `order` may result in `TagJobEvent.orderLost`, `save` in `.secretSaved`.
  indirect case tagJob(TagJob.Step)
  /// Send the reading or fault of a tag to those who wait for it.
  indirect case showTag(TagSighting)
  /// Let tappet-matrix poll the homeserver again.
  case pollRooms
  /// Join the room with this id; results in `RoomMessage.joined`.
  case joinRoom(String)
  /// Cancel the last will; results in `RoomMessage.will`, or the end of the process.
  case cancelWill
  /// Post the question in its room; results in `RoomMessage.answered`, or in no event.
  indirect case askRoom(RoomQuestion)
  /// Post the outcome of the question with this number in its room.
  indirect case endQuestion(UInt64, RoomQuestionEnd)
  /// Show the light.
  case light(Light)
  /// Set the line of the output with this index.
  case setOutput(Int, isOn: Bool)
  /// Publish the reply to a command, if the link is up, or post it in the room; its delivery is not tracked.
  indirect case reply(CommandReply)
  /// Read or change the store as the command requests, and reply with the result.
  indirect case serve(CommandReply.Address, by: String)
  /// Publish this announcement, if the link is up; its PUBACK is not tracked.
  case announce(Announcement)
  /// Retry the missing parts of the panel; results in `PanelEvent.opened` or `.failed` for each part.
  case retryPanel
  /// Stop listening to a button that does not stop bouncing.
  case pauseButton(Int)
  /// Resume listening to a button; results in `PanelEvent.opened` or `.failed`.
  case resumeButton(Int)
  /// Report to the log, the live view and the counters.
  case report(Report)
  /// Exit the process, because all work has ended.
  case finish
}

extension Effect {
  /// The order in which the effects of one event are performed.
  fileprivate enum Turn: Int, CaseIterable {
    /// Outputs first: a door opens, and a pulse ends, before anything else.
    case drive
    /// Messages next: the broker's thread sends them while this thread shows the lights.
    case send
    case act
    /// Reports are not urgent.
    case report
    /// An outcome is reported before its entry is removed: if the process is killed in between, the outcome is reported
    /// twice rather than never.
    case forget
    /// The link is closed after everything has been passed to it.
    case disconnect
  }

  fileprivate var turn: Turn {
    switch self {
    case .setOutput: .drive
    case .publish, .post, .postEdit: .send
    case .store(.remove), .store(.giveUp): .forget
    case .store, .start, .stop, .kill, .connect, .recordFallback, .recordBroker, .orderInventory, .askRoom,
      .endQuestion, .pollRooms, .joinRoom, .cancelWill, .applySite, .light, .retryPanel, .pauseButton, .resumeButton,
      .finish:
      .act
    // After `store` and the commanded effects, because a reply confirms them.
    case .report, .reply, .serve, .announce, .showTag, .tagJob(.end): .report
    case .tagJob: .act
    case .disconnect: .disconnect
    }
  }
}

extension [Effect] {
  /// Returns the effects in the order in which to perform them; effects of the same turn keep their relative order.
  func inOrderOfPerformance() -> [Effect] {
    let turns = map { $0.turn }
    let isInOrder = zip(turns, turns.dropFirst()).allSatisfy { $0.rawValue <= $1.rawValue }
    return isInOrder
      ? self : Effect.Turn.allCases.flatMap { turn in indices.filter { turns[$0] == turn }.map { self[$0] } }
  }
}
