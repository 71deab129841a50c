// The world around a kiosk: a reader, a panel, a broker, a disk and two clocks. They do anything that real ones may do,
// but only when a step says so. The kiosk is the real one; the judge (Judge.swift) checks each of its effects.

import TappetCore

/// The world of one story.
final class World {
  enum Reader { case none, starting, ready, ending }

  enum Link { case none, connecting, up, closing(wasUp: Bool) }

  /// The card on the reader.
  struct Lying {
    var card: Int
    /// Whether the present reader process has seen it.
    var isSeen = false
    /// Time of its first reading since it came; `nil` means that it has not been read.
    var readAt: Instant?
    /// The action that it was genuine for at that time; `nil` means none.
    var action: Action?
    /// Whether it has triggered something and has not been away since.
    var isSpent = false
    /// Whether it lay there when the kiosk started, and has not been away since.
    var wasLeft = false
    /// Whether it lay there when the reader became ready.
    var wasPresent = false
    /// The arrival that ends when it leaves.
    var holding: EntryID?
  }

  var kiosk: Kiosk
  var now = Moment(instant: Instant(nanoseconds: 5_000_000_000), unixMilliseconds: 1_790_000_000_000)
  var isSynchronized = true
  var settings: KioskSettings
  /// Index of the configuration in the file; the kiosk has it from its next start at the latest.
  var settingsNumber = 0
  var secretsNumber = 0
  var random: Randomness

  // The parts.
  var reader = Reader.none
  var readyAt = Instant(nanoseconds: 0)
  /// Whether the reader has fallen silent.
  var isHanging = false
  var lying: Lying?
  var link = Link.none
  var poison = PoisonBook()
  /// Entries that were published on this connection and have no answer yet.
  var outstanding: [EntryID] = []
  /// The last few entries that were answered on this connection, newest last.
  var answered: [EntryID] = []
  /// Whether each button's contact is closed.
  var contacts = [Bool](repeating: false, count: 4)
  var disk = Disk()
  /// The lines of the outputs.
  var outputs = OutputBook([], at: Instant(nanoseconds: 0))
  var doors = DoorBook()
  var commands = CommandBook()
  var assistant = AssistantBook()
  var hook = WebhookBook()
  var shelf = ShelfBook()
  var jobs = JobBook()
  var room = RoomBook()
  var invitations = InvitationBook()
  var site = SiteBook()
  var tagJob = TagJobBook()
  var tickets = TicketBook()
  var presence = PresenceBook()
  /// Whether the webhooks were replaced since the process has started.
  var hookReloaded = false

  // Lives.
  var life = 0
  var boot = 0
  /// Whether it has all the events of a start.
  var isBegun = false
  var isStopping = false
  var isFinished = false

  // The judge's book; see Judge.swift.
  var book = Book()
  var seen = Seen()
  /// The first rule that was broken.
  private(set) var failure: String?
  private(set) var eventCount = 0
  /// Receives a line for each event and its effects, for a person who follows the story.
  let listener: ((String) -> Void)?

  init(seed: UInt64, listener: ((String) -> Void)? = nil) {
    random = Randomness(seed: (seed, 1, seed &* 31, 5))
    settings = Cast.settings[0]
    self.listener = listener
    kiosk = Kiosk(settings: settings, seed: (seed, 2, 3, 4), at: now.instant)
    begin()
  }

  func fail(_ sentence: @autoclosure () -> String) {
    if failure == nil { failure = sentence() }
  }

  // MARK: The kiosk

  /// Passes an event to the kiosk, performs the effects and judges them.
  func tell(_ event: Event) {
    guard failure == nil else { return }
    eventCount += 1
    seen = Seen()
    let effects = kiosk.handle(event, at: now)
    if let listener { listener(line(event, effects)) }
    for effect in effects { perform(effect, after: event) }
    judge(event)
    judgeTagJob(after: event)
  }

  private func perform(_ effect: Effect, after event: Event) {
    switch effect {
    case .start(.reader):
      if reader != .none { fail("a second reader was started") }
      if !settings.hasReader { fail("a reader was started though none is configured") }
      reader = .starting
    case .kill(.reader), .stop(.reader):
      if reader == .none { fail("a reader was to end although none runs") }
      reader = .ending
    case .start(.inventory), .stop(.inventory), .kill(.inventory), .orderInventory: performInventory(effect)
    case .start(.rooms), .stop(.rooms), .kill(.rooms), .pollRooms, .cancelWill: performRooms(effect)
    case .joinRoom(let id): judgeJoin(id)
    case .start(.webhooks), .stop(.webhooks), .kill(.webhooks), .post: performWebhook(effect)
    case .postEdit: fail("a message is edited, and no action reports")
    case .connect(let endpoint, _):
      if case .none = link {} else { fail("a second connection was ordered") }
      if !(0..<settings.endpointCount).contains(endpoint) { fail("there is no endpoint \(endpoint)") }
      link = .connecting
      poison.endpoint = endpoint
    case .disconnect:
      switch link {
      case .connecting: link = .closing(wasUp: false)
      case .up: link = .closing(wasUp: true)
      case .none, .closing: fail("a disconnect without a connection")
      }
    case .publish(let entry, let unixSeconds): judgePublished(entry, unixSeconds: unixSeconds)
    case .store(let request): perform(request, after: event)
    case .applySite(let bundle): judgeSite(bundle)
    case .tagJob(let step): perform(step, after: event)
    case .showTag: break
    case .light(let light): judgeLight(light)
    case .setOutput(let index, let isOn): judgeOutput(index, isOn: isOn)
    case .report(let report): judgeReport(report, after: event)
    case .announce(let announcement): judgeAnnouncement(announcement)
    case .serve(let address, _): judgeServed(address.target)
    case .askRoom(let question): judgeAsked(question)
    case .endQuestion(let number, let end): judgeEnd(of: number, end)
    case .reply(let reply): judgeReply(reply, after: event)
    case .recordFallback, .recordBroker, .retryPanel, .pauseButton, .resumeButton: break
    case .finish: isFinished = true
    }
  }

  private func perform(_ request: StoreRequest, after event: Event) {
    switch request {
    case .append(let entry): judgeStored(entry, after: event)
    case .countUse(let id, _): judgeCounting(id)
    case .remove(_, _, _?), .fetchEdit, .recordOutcome:
      fail("an outcome is kept for an edit, and no action reports")
    case .remove(_, let entries, _): for entry in entries { judgeForgotten(entry) }
    case .giveUp(let entry, _, _): judgeForgotten(entry)
    case .retry: fail("a retry was ordered, and nobody requested one")
    case .drop(let id, let excluding): judgeDrop(of: id, sparing: excluding)
    case .fetch(let destination, _, let limit, _, _):
      if !disk.owedFetches.insert(destination).inserted { fail("two fetches for the \(destination) at a time") }
      if limit > Limits.outboxWindow { fail("\(limit) entries were asked for at once") }
    case .fetchExpired(let destination, let moment, _, _):
      if !disk.owedExpiries.insert(destination).inserted { fail("two expiry passes for the \(destination) at a time") }
      if moment != now { fail("an expiry pass for another moment") }
    case .recordRoomCommands(let rows, _): judgeRecorded(rows)
    case .check, .recordWebhook, .recordCloses, .settleRoomCommand: break
    case .recordSecretUse, .recordTimedOpening, .recordWrongCodes, .recordFallback, .forgetFallbacks, .recordBroker,
      .recordAnnounced, .recordTime, .recordTap, .keepHistory:
      return
    }
    disk.asked.append(request)
  }

  /// Takes the kiosk `inout` although nothing changes, since the whole kiosk would be copied otherwise.
  static func nextDeadline(of kiosk: inout Kiosk, at now: Moment) -> Instant? { kiosk.nextDeadline(at: now) }

  // MARK: Time

  /// Lets time pass with the kiosk's deadlines in it and, if `beats`, the reader's heartbeats.
  func pass(milliseconds: Int, beats: Bool) {
    let end = now.instant + .milliseconds(Int64(milliseconds))
    var beatAt = now.instant + Limits.readerHeartbeatInterval
    var repeats = 0
    while failure == nil, !isFinished {
      let deadline = World.nextDeadline(of: &kiosk, at: now) ?? Instant(nanoseconds: .max)
      if beats, reader == .ready, !isHanging, beatAt < deadline, beatAt <= end {
        advance(to: beatAt)
        beatAt = beatAt + Limits.readerHeartbeatInterval
        tell(.reader(.heartbeat))
        continue
      }
      guard deadline <= end else { break }
      repeats = deadline > now.instant ? 0 : repeats + 1
      if repeats > 20 { return fail("a deadline is not met: the kiosk spins") }
      advance(to: max(deadline, now.instant))
      tell(.timerFired)
    }
    advance(to: end)
  }

  private func advance(to instant: Instant) {
    let nanoseconds = instant.nanoseconds - now.instant.nanoseconds
    now.instant = instant
    now.unixMilliseconds += nanoseconds / 1_000_000
  }

  /// A timer that fires before its time changes nothing.
  func fireEarly() {
    guard let deadline = World.nextDeadline(of: &kiosk, at: now), deadline > now.instant else { return }
    var copy = kiosk
    let effects = copy.handle(.timerFired, at: now)
    if !effects.isEmpty { fail("a timer that fired early led to " + words(effects)) }
    if copy.nextDeadline(at: now) != deadline { fail("a timer that fired early moved the deadline") }
  }

  // MARK: Lives

  /// Starts a process: it opens the disk and gets the events of a start.
  func begin() {
    let clockIsGood = isSynchronized || settings.trustsClock
    var summary = disk.summary(at: now, clockIsGood: clockIsGood)
    summary.site = site.record
    beginBook(summary)
    closeOutputs()
    doors.close()
    isBegun = false
    tell(.started(summary))
    tell(.clockChecked(isSynchronized: isSynchronized))
    loadSecrets()
    tell(.tagsLearned(Cast.learnedVersions[presence.learned]))
    isBegun = true
  }

  /// Ends the process and starts another; the disk finishes its requests first, or loses them.
  func startAgain(diskFinishes: Bool, reboots: Bool = false, clockIsLost: Bool = false) {
    guard failure == nil else { return }
    if diskFinishes { disk.commitAll() }
    endBook()
    (reader, link, isStopping, isFinished) = (.none, .none, false, false)
    outstanding.removeAll(keepingCapacity: true)
    answered.removeAll(keepingCapacity: true)
    contacts = [Bool](repeating: false, count: contacts.count)
    lying?.isSeen = false
    lying?.isSpent = false
    lying?.wasLeft = true
    lying?.readAt = nil
    hook = WebhookBook()
    hook.worked = Set(disk.workedWebhooks.keys)
    hookReloaded = false
    shelf.restart()
    jobs.restart()
    tagJob = TagJobBook()
    room.restart(disk.roomCommands)
    invitations = InvitationBook()
    site.restart(diskFinishes: diskFinishes && disk.fault == nil, at: now)
    assistant.restart()
    tickets.restart { disk.hasTaken($0) }
    poison.restart(isKnown: diskFinishes && !disk.hasLostCloses, disk.rows)
    disk.restart(fromOtherBootAt: reboots ? now : nil)
    life += 1
    if reboots {
      boot += 1
      now = Moment(instant: Instant(nanoseconds: 5_000_000_000), unixMilliseconds: now.unixMilliseconds + 20_000)
      if clockIsLost {
        now.unixMilliseconds = 5_000
        commands.clockEra += 1
        isSynchronized = false
      }
    }
    settings = Cast.settings[settingsNumber]
    settings.hasAnnounced = assistant.isKept
    kiosk = Kiosk(
      settings: settings, seed: (random.next(), random.next(), random.next(), random.next()), at: now.instant)
    begin()
  }
}
