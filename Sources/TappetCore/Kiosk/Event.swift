// What the kiosk is told: facts, in the past tense.

/// How a process ended.
public enum ProcessEnd: Hashable, Sendable {
  /// With this exit status.
  case exited(Int32)
  /// By this signal.
  case signaled(Int32)
}

/// One thing that happened.
///
/// The answer about one entry names it: a stale one is recognised and dropped. Of `fetched`, `expired` and `dropped` there is one
/// question at a time.
public enum Event: Sendable {
  /// The devices are open and the reactor runs.
  indirect case started(OutboxSummary)
  /// A deadline may have passed.
  case timerFired
  /// Whether the kernel says that the wall clock is right; told at the start and at each change or step.
  case clockChecked(isSynchronised: Bool)
  /// Other settings are in force from now on; `reconnect`: those of the broker differ; `newReader`: the reader's device does.
  ///
  /// Whoever performs `connect` has the new endpoints before it tells this. When the panel's plan differs, its lines are
  /// opened anew after this was told; when they are opened anew for another reason, `PanelEvent.closed` is told first.
  indirect case reconfigured(KioskSettings, reconnect: Bool, newReader: Bool = false)
  /// How many days the first of the certificates in use to end has left; negative: it has ended; nil: there are none, or
  /// the clock cannot tell.
  case certificates(daysLeft: Int?)
  /// The secrets in force from now on.
  case secretsLoaded([TagSecret])
  /// The next tag is for a job (`TagJob`) and no tap, or is one again.
  case tagJob(TagJobPhase)
  /// tappet-reader said something.
  case reader(ReaderMessage)
  /// tappet-reader sent what is no message.
  case readerMalformed(ReaderMessageError)
  /// tappet-reader ended, for whatever reason.
  case readerEnded(ProcessEnd)
  /// tappet-reader could not be started; an errno.
  case readerNotStarted(code: Int32)
  /// The store answered.
  case store(StoreEvent)
  /// A person wants this entry out of the outbox, or with nil some of all of them.
  case dropAsked(EntryID?)
  /// The link to the broker changed, or the broker answered.
  case link(LinkEvent)
  /// A message could not be made from the entry: its time does not fit a token.
  case fillFailed(EntryID)
  /// Something happened on the panel.
  case panel(PanelEvent)
  /// A person or the service manager asked for an end.
  case stopRequested
}
