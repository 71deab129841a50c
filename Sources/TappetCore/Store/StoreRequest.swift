// The kiosk's requests to its database. The thread of TappetStore answers with a `StoreEvent`.

/// A request to the store.
package indirect enum StoreRequest: Sendable {
  /// Commit an accepted tap; answered by `stored` or `storeFailed`.
  case append(OutboxEntry)
  /// Count a use of a ticket; answered by `counted` or `storeFailed`.
  case countUse(EntryID, ticket: String)
  /// Remove the broker's entries, whose outcome is in the same event's reports; answered by `removed`, or by
  /// `removeFailed` first if it has to be tried again.
  ///
  /// With `mayWait` it is done with the next commit, whenever that is.
  case remove([EntryID], mayWait: Bool)
  /// Remove entries for webhooks, at their rows; answered as `remove`.
  case removeWebhooks([OutboxEntry])
  /// Remove an entry for a webhook, and list it among those given up; answered as `remove`.
  case giveUpWebhook(OutboxEntry, WebhookRefusal, unixMilliseconds: Int64)
  /// Read on in this outbox, in the order of acceptance, without the entries of these actions, whose servers rest;
  /// answered by `fetched` or `fetchFailed`.
  case fetch(Destination, after: Int64, limit: Int, clockIsGood: Bool, excluding: [String] = [])
  /// Name this outbox's entries whose time is over, except these, which are under way; answered by `expired` or
  /// `fetchExpiredFailed`.
  case fetchExpired(Destination, Moment, clockIsGood: Bool, excluding: [EntryID])
  /// Remove and name one entry, or the oldest ones if there is no id, except these, as a person asked; answered by
  /// `dropped` or `dropFailed`.
  case drop(EntryID?, excluding: [EntryID])
  /// Try whether the disk takes a write; answered by `checked` or `checkFailed`.
  case check

  // None of the following is answered; each says what its loss costs.

  /// Remember with the next commit that a tag of this secret was used; a lost use harms nobody.
  ///
  /// `uid`: the tag, if it was not known to have it.
  case noteSecretUse(id: String, uid: TagUID?, unixSeconds: Int64)
  /// Remember until then that a broker does not take MQTT 5; 0 means that it does. At worst it is asked again.
  case noteFallback(url: String, untilUnixSeconds: Int64)
  /// Forget all of these brokers; at worst one is asked later than it could be.
  case forgetFallbacks
  /// Remember how often the broker has closed the connection at entries; at worst it does so again.
  case noteCloses([CloseCount])
  /// Remember which of several brokers works, with which the next start begins; at worst it begins with another.
  case noteBroker(url: String)
  /// Remember that the broker keeps something at a topic; without content, that it does not any more. At worst it is
  /// kept for longer.
  case noteAnnounced(topic: String, content: String?)
  /// Remember when a timed opening closes; `nil` means that it has. At worst a restart does not close it.
  case noteTimedOpening(topic: String, closesAt: Instant?)
  /// Remember the wrong codes since the panel was unlocked last; at worst a restart forgets the last one.
  case noteWrongCodes(Int)
  /// Remember that the clock shows this time, and is believed; an hour later comes another.
  case noteTime(unixSeconds: Int64)
  /// Add a row to the log of taps, without a sync of its own; a lost row harms nobody.
  ///
  /// With `mayWait` it is written with the next commit, which a later request asks for.
  case noteTap(TapRecord, mayWait: Bool)
  /// Keep the log of taps for so long from now on; `nil` means that there is none.
  case keepHistory(Duration?)
}
