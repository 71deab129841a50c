// The kiosk's input: events, named in the past tense.

/// An event that the kiosk handles.
///
/// A response about one entry identifies the entry, so that a stale response is recognized and discarded. For
/// `fetched`, `expired` and `dropped`, at most one request is pending at a time.
package enum Event: Sendable {
  /// The devices are open and the reactor is running.
  indirect case started(OutboxSummary)
  /// A deadline may have passed.
  case timerFired
  /// Whether the kernel reports the wall clock as synchronized; sent at the start and on each change or step.
  case clockChecked(isSynchronized: Bool)
  /// New settings apply from now on.
  ///
  /// `reconnect` means that the broker's settings changed, `newReader` that the reader's device changed. The code that
  /// performs `connect` has the new endpoints before it reports this event. If the panel's plan changed, the panel's
  /// lines are reopened after this event; if they are reopened for a different reason, `PanelEvent.closed` comes first.
  indirect case reconfigured(KioskSettings, reconnect: Bool, newReader: Bool = false)
  /// Days left until the first certificate in use expires; negative if it has expired.
  ///
  /// `nil` if there are no certificates, or if the clock is not reliable.
  case certificates(daysLeft: Int?)
  /// The secrets that apply from now on.
  case secretsLoaded([TagSecret])
  /// All external tags in the store; until this event, the kiosk does not know any of them.
  case tagsLearned([ExternalTag])
  /// The store reassigned everything from the action `from` to the action `to`.
  case actionRenamed(from: String, to: String)
  /// The job for the next tag was requested, prepared or cancelled, or one of its steps has ended.
  indirect case tagJob(TagJobEvent)
  /// tappet-reader sent a message.
  case reader(ReaderMessage, sentAt: Instant? = nil)
  /// tappet-reader sent bytes that are not a message.
  case readerMalformed(WireError)
  /// tappet-reader exited, for any reason.
  case readerEnded(ProcessEnd)
  /// tappet-reader could not be started; `code` is the errno.
  case readerNotStarted(code: Int32)
  /// The store's thread responded.
  case store(StoreEvent)
  /// A user requested the removal of this entry from the outbox, or, if `nil`, of a batch of the oldest entries.
  case dropAsked(EntryID?)
  /// A user requested that this entry, or, if `nil`, all entries that were given up be sent again.
  case retryAsked(EntryID?)
  /// The link to the broker changed, or the broker responded.
  case link(LinkEvent)
  /// The broker acknowledged several entries at the same time (`LinkEvent.acknowledged`, `.acknowledgedUnheard`).
  case delivered([(id: EntryID, isHeard: Bool)])
  /// tappet-webhook responded or exited.
  case webhook(WebhookEvent)
  /// The webhooks have changed, or their files may have.
  case webhooksReplaced
  /// tappet-inventory sent a message or exited.
  indirect case inventory(InventoryEvent)
  /// The configured database or scanner has changed.
  case inventoryReplaced
  /// tappet-matrix sent a message or exited.
  indirect case rooms(RoomEvent)
  /// The page's socket was created (0), could not be created (errno), or was closed because there is no page (`nil`).
  case pageOpened(errno: Int32?)
  /// The entry's message or body could not be filled: its time does not fit a token.
  case fillFailed(EntryID, Destination)
  /// An event on the panel, such as a press.
  case panel(PanelEvent)
  /// A user, or the embedding program, sent this request to the output with this name, at this time if it is known.
  case outputAsked(String, OutputRequest, by: Originator = .tool, at: Instant? = nil)
  /// A message arrived on a command topic.
  indirect case commandArrived(CommandArrival)
  /// The broker responded to the subscription to the topic with this index.
  case commandsSubscribed(Int, isGranted: Bool)
  /// The link discarded commands, because there were too many of them.
  case commandsDiscarded
  /// A token was sealed into one of this kiosk's messages.
  case tokenSealed(String, unixSeconds: Int64)
  /// A bundle with the site's people arrived, or was applied.
  indirect case site(SiteEvent)
  /// Home Assistant has started, or is shutting down.
  case homeAssistant(isOnline: Bool)
  /// A user or the service manager requested a stop.
  case stopRequested
}

extension Event {
  /// The acknowledgements of the event, which may be combined with those of the next.
  package var acknowledgements: [(id: EntryID, isHeard: Bool)] {
    if case .delivered(let acknowledgements) = self { return acknowledgements }
    if case .link(.acknowledged(let id)) = self { return [(id, true)] }
    if case .link(.acknowledgedUnheard(let id)) = self { return [(id, false)] }
    return []
  }
}
