// The kiosk's requests to its database. The thread of TappetStore answers with a `StoreEvent`.

/// A request to the store.
///
/// A case without references is not `indirect`: Embedded Swift 6.3 leaks its box.
package enum StoreRequest: Sendable {
  /// Commit an accepted tap; answered by `stored` or `storeFailed`.
  indirect case append(OutboxEntry)
  /// Count a use of a ticket; answered by `counted` or `storeFailed`.
  indirect case countUse(EntryID, ticket: String)
  /// Remove broker entries, whose outcome is in the reports of the same event; answered by `removed`, or first by
  /// `removeFailed` if the removal has to be retried.
  ///
  /// With `mayWait`, the removal is part of the next commit, whenever that is.
  indirect case remove([EntryID], mayWait: Bool)
  /// Remove webhook entries by row; answered like `remove`.
  indirect case removeWebhooks([OutboxEntry])
  /// Remove a webhook entry, and list it among the entries given up; answered like `remove`.
  indirect case giveUpWebhook(OutboxEntry, WebhookRefusal, unixMilliseconds: Int64)
  /// Read the next entries of this outbox in the order of acceptance, excluding the actions whose servers are paused;
  /// answered by `fetched` or `fetchFailed`.
  indirect case fetch(Destination, after: Int64, limit: Int, clockIsGood: Bool, excluding: [String] = [])
  /// Return this outbox's expired entries, excluding the entries in flight; answered by `expired` or
  /// `fetchExpiredFailed`.
  indirect case fetchExpired(Destination, Moment, clockIsGood: Bool, excluding: [EntryID])
  /// Remove and return one entry, or the oldest entries if there is no id, excluding these, at a user's request;
  /// answered by `dropped` or `dropFailed`.
  indirect case drop(EntryID?, excluding: [EntryID])
  /// Perform a test write to the disk; answered by `checked` or `checkFailed`.
  case check

  // The following requests are not answered; each comment states the cost of losing the request.

  /// Record with the next commit that a tag of this secret was used; losing the record is harmless.
  ///
  /// `uid` is the tag, if it was not known to have this secret.
  indirect case recordSecretUse(id: String, uid: TagUID?, unixSeconds: Int64)
  /// Store until when a broker is assumed not to support MQTT 5, or 0 if it does; at worst MQTT 5 is tried again.
  indirect case recordFallback(url: String, untilUnixSeconds: Int64)
  /// Forget these assumptions about all brokers; at worst MQTT 5 is tried later than it could be.
  case forgetFallbacks
  /// Store how often the broker has closed the connection with entries in flight; at worst it does so again.
  indirect case recordCloses([CloseCount])
  /// Store which of several brokers works, to try it first at the next start; at worst another is tried first.
  indirect case recordBroker(url: String)
  /// Store that the broker retains a message at a topic, or, without content, no longer does; at worst it is retained
  /// for longer.
  indirect case recordAnnounced(topic: String, content: String?)
  /// Store when a timed opening closes, or `nil` if it has; at worst a restart does not close it.
  indirect case recordTimedOpening(topic: String, closesAt: Instant?)
  /// Store the number of wrong codes since the panel was last unlocked; at worst a restart loses the last one.
  case recordWrongCodes(Int)
  /// Store the time of a trusted clock; at worst, the next time is stored an hour later.
  case recordTime(unixSeconds: Int64)
  /// Add a row to the log of taps, without a separate sync; losing the row is harmless.
  ///
  /// With `mayWait`, the row is part of the next commit, which a later request causes.
  indirect case recordTap(TapRecord, mayWait: Bool)
  /// Set the retention time of the log of taps; `nil` means that there is no log.
  case keepHistory(Duration?)
}
