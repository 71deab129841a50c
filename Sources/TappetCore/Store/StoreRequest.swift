// The kiosk's requests to its database. TappetStore's thread responds with a `StoreEvent`.

/// A request to the store.
///
/// A case without references is not `indirect`: Embedded Swift 6.3 leaks its box.
package enum StoreRequest: Sendable {
  /// Commit an accepted tap; the response is `stored` or `storeFailed`.
  indirect case append(OutboxEntry)
  /// Count a use of a ticket; the response is `counted` or `storeFailed`.
  indirect case countUse(EntryID, ticket: String)
  /// Remove this outbox's entries, whose outcome is in the reports of the same event; the response is `removed`,
  /// preceded by `removeFailed` if the removal has to be retried.
  ///
  /// `event` is the id of the event of a message in a room that is to be edited, and is recorded with the removal.
  indirect case remove(Destination, [OutboxEntry], event: String? = nil)
  /// Remove an entry, and list it among the entries given up; the response is the same as for `remove`.
  indirect case giveUp(OutboxEntry, DeliveryRefusal, unixMilliseconds: Int64)
  /// At a user's request, move entries that were given up back to their outbox; the response is `retried` or
  /// `retryFailed`.
  indirect case retry(RetryOrder)
  /// Read the next entries of this outbox in the order of acceptance, excluding the actions whose servers are paused;
  /// the response is `fetched` or `fetchFailed`.
  indirect case fetch(Destination, after: Int64, limit: Int, clockIsGood: Bool, excluding: [String] = [])
  /// Return this outbox's expired entries, excluding the entries in flight; the response is `expired` or
  /// `fetchExpiredFailed`.
  indirect case fetchExpired(Destination, Moment, clockIsGood: Bool, excluding: [EntryID])
  /// At a user's request, remove and return one entry, or the oldest entries if there is no id, except the excluded
  /// entries; the response is `dropped` or `dropFailed`.
  indirect case drop(EntryID?, excluding: [EntryID])
  /// Commit these commands from rooms, and the position after them; the response is `roomCommandsRecorded` or
  /// `roomCommandsFailed`.
  indirect case recordRoomCommands([RecordedCommand], position: String)
  /// Remove the row of a finished edit, if any, and return the next edit that is due; the response is `edit` or
  /// `editFailed`.
  case fetchEdit(done: EntryID?)
  /// Perform a test write to the disk; the response is `checked` or `checkFailed`.
  case check

  // The following requests receive no response; each comment states the cost of losing the request.

  /// Record with the next commit, or with the tap's row, that a tag with this secret was used; losing the record is
  /// harmless.
  ///
  /// `uid` is the UID of the tag, if the tag was not known to have this secret.
  indirect case recordSecretUse(id: String, uid: TagUID?, unixSeconds: Int64)
  /// Record the outcome of a broker entry whose message in a room is to be edited; if this fails, it is retried with
  /// the removal of the entry, which follows, so it is not lost.
  case recordOutcome(EntryID, RoomEditOutcome)
  /// Store the time until which a broker is assumed not to support MQTT 5, or 0 if it does; at worst, MQTT 5 is tried
  /// again.
  indirect case recordFallback(url: String, untilUnixSeconds: Int64)
  /// Forget the brokers' MQTT 5 support; at worst, MQTT 5 is tried later than it could be.
  case forgetFallbacks
  /// Store how often the broker has closed connections with entries in flight; at worst, it closes another connection.
  indirect case recordCloses([CloseCount])
  /// Store which of several brokers works, so that the next start tries it first; at worst, it tries a different one.
  indirect case recordBroker(url: String)
  /// Store that an action's webhook has worked (`WebhookEndpoint.target`); at worst, a refusal is taken as permanent.
  indirect case recordWebhook(action: String, target: Int64)
  /// Store that the broker retains a message on a topic, or no longer does if `content` is `nil`; at worst, the message
  /// is retained for longer.
  indirect case recordAnnounced(topic: String, content: String?)
  /// Store when the timed opening on a topic stops and closes, or `nil` if it has closed; at worst, a restart omits or
  /// repeats a step.
  indirect case recordTimedOpening(topic: String, TimedOpening?)
  /// Record that the final answer to a command from a room was sent, with its event's id; at worst, a restart sends
  /// another answer.
  indirect case settleRoomCommand(String)
  /// Store the number of wrong codes since the panel was last unlocked; at worst a restart loses the last one.
  case recordWrongCodes(Int)
  /// Store the time of a trusted clock; at worst, the next time is stored an hour later.
  case recordTime(unixSeconds: Int64)
  /// Add a row to the tap log, without a separate sync; losing the row is harmless.
  ///
  /// If `mayWait` is true, the row is part of the next commit, which a later request causes.
  indirect case recordTap(TapRecord, mayWait: Bool)
  /// Set the retention time of the tap log; `nil` means that there is no log.
  case keepHistory(Duration?)
}

/// A user's request to send entries that were given up again.
package struct RetryOrder: Sendable {
  /// The entry's id; `nil` for all that were given up.
  package var id: EntryID?
  /// How long the entries of each action may be sent from now on.
  package var lifetimes: [String: Duration] = [:]
  /// Maximum number of entries, so that the outbox is not filled beyond its limit.
  package var countMax: Int
  package var moment: Moment

  @export(interface)
  package init(_ id: EntryID?, _ actions: [Action], countMax: Int, at moment: Moment) {
    self.id = id
    self.countMax = countMax
    self.moment = moment
    for action in actions { lifetimes[action.name] = action.expiresAfter }
  }

  /// Returns when an entry of the action expires, counted from now; an action that no longer exists has the default.
  package func expiry(of action: String) -> Expiry {
    .at(moment.instant + (lifetimes[action] ?? Limits.expiresAfterDefault))
  }
}
