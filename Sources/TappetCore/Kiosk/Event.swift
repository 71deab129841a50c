// The kiosk's input: facts, in the past tense.

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable {
  /// It exited with this status.
  case exited(Int32)
  /// It was ended by this signal.
  case signaled(Int32)
}

/// A fact that the kiosk handles.
///
/// An answer about one entry names it: a stale one is recognised and dropped. For `fetched`, `expired` and `dropped`
/// there is one question at a time.
package enum Event: Sendable {
  /// The devices are open and the reactor runs.
  indirect case started(OutboxSummary)
  /// A deadline may have passed.
  case timerFired
  /// Whether the kernel calls the wall clock right; reported at the start and at each change or step.
  case clockChecked(isSynchronised: Bool)
  /// Other settings apply from now on.
  ///
  /// With `reconnect` the broker's settings differ, with `newReader` the reader's device. The code that performs
  /// `connect` has the new endpoints before it reports this. When the panel's plan differs, its lines are opened again
  /// after this event; when they are opened again for another reason, `PanelEvent.closed` precedes.
  indirect case reconfigured(KioskSettings, reconnect: Bool, newReader: Bool = false)
  /// Days left until the first certificate in use expires; negative when it has expired.
  ///
  /// `nil` means that there are none, or that the clock cannot tell.
  case certificates(daysLeft: Int?)
  /// The secrets that apply from now on.
  case secretsLoaded([TagSecret])
  /// All tags of others that the store has; the kiosk knows none until then.
  case tagsLearned([ExternalTag])
  /// The store gave everything of the action `from` to the action `to`.
  case actionRenamed(from: String, to: String)
  /// Whether the next tag is for a job (`TagJob`), or a tap again.
  case tagJob(TagJobPhase)
  /// tappet-reader sent a message.
  case reader(ReaderMessage)
  /// tappet-reader sent bytes that are not a message.
  case readerMalformed(ReaderMessageError)
  /// tappet-reader ended, for whatever reason.
  case readerEnded(ProcessEnd)
  /// tappet-reader could not be started; an errno.
  case readerNotStarted(code: Int32)
  /// The store's thread answered.
  case store(StoreEvent)
  /// A person wants this entry removed from the outbox, or with `nil` a part of all entries.
  case dropAsked(EntryID?)
  /// The link to the broker changed, or the broker answered.
  case link(LinkEvent)
  /// tappet-webhook answered, or ended.
  case webhook(WebhookEvent)
  /// The entry yields no body for its webhook: its time does not fit a token.
  case webhookFillFailed(EntryID)
  /// Other webhooks apply from now on, or other files may.
  case webhooksReplaced
  /// tappet-inventory sent a message, or ended.
  indirect case inventory(InventoryEvent)
  /// The database or the scanner of the configuration is another one.
  case inventoryReplaced
  /// The process that listens in rooms sent a message, or ended.
  indirect case rooms(RoomEvent)
  /// The entry yields no message: its time does not fit a token.
  case fillFailed(EntryID)
  /// Something happened on the panel.
  case panel(PanelEvent)
  /// A person, or the program around the kiosk, requests this of the output with this name.
  case outputAsked(String, OutputRequest, by: OutputCause = .person)
  /// A message came on a topic with commands.
  indirect case commandArrived(CommandArrival)
  /// The broker answered the subscription to the topic of this index.
  case commandsSubscribed(Int, isGranted: Bool)
  /// The link threw commands away: there were too many of them.
  case commandsDiscarded
  /// A token was sealed into a message of this kiosk's.
  case tokenSealed(String, unixSeconds: Int64)
  /// A bundle with the site's people came, or was applied.
  indirect case site(SiteEvent)
  /// Home Assistant has started, or ends.
  case homeAssistant(isOnline: Bool)
  /// A person or the service manager requested the end.
  case stopRequested
}
