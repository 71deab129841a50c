// A separate story, told with each seed: taps that go to the broker and to a room, and the edits of their messages.
// The kiosk, its process, the connections and the disk fail at any moment; the homeserver keeps transactions.
//   - A message is edited with an outcome that its tap had, once in all lives, when both are on the disk.
//   - An edit is the homeserver's own, not a message, and keeps its name when it is sent again.
//   - No edit is sent while a tap for a room is under way; one that was limited waits, and one that was refused, or is
//     done, is not sent again.
//   - In the end each message is edited, or its edit was dropped for all to see.

import TappetCore

/// The world of one such story.
final class EditStory {
  /// A request under way to the homeserver.
  private enum Request {
    case tap(OutboxEntry)
    case edit(RoomEdit)
  }

  private static let actions = [
    Action(
      name: "bell", title: "bell", index: 1, topic: "home/bell", message: PayloadTemplate("ring"),
      expiresAfter: .seconds(40), cooldown: .zero, webhookBody: PayloadTemplate("bell")),
    Action(
      name: "note", title: "note", index: 2, topic: nil, message: PayloadTemplate(""), expiresAfter: .seconds(40),
      cooldown: .zero, webhookBody: PayloadTemplate("note")),
  ]

  private var random: Randomness
  private var now = Moment(instant: Instant(nanoseconds: 5_000_000_000), unixMilliseconds: 1_790_000_000_000)
  private var kiosk: Kiosk
  private var disk = EditDisk()
  private var isProcessReady = false
  private var isProcessStarting = false
  private var isProcessEnding = false
  /// How often the kiosk has started a process.
  private var startCount = 0
  private var isConnecting = false
  private var isUp = false
  /// The entries that the broker has not acknowledged on this connection.
  private var published: [EntryID] = []
  private var requests: [Request] = []

  // The homeserver.
  /// The event of each transaction.
  private var events: [EntryID: String] = [:]
  /// The number of edits of each event.
  private var edits: [String: Int] = [:]

  // The judge.
  private var outcomes: [EntryID: Set<RoomEditOutcome>] = [:]
  /// The taps whose edits have ended in this life.
  private var ended: Set<EntryID> = []
  /// The time until which the homeserver accepts no edit in this life.
  private var limitedUntil = Instant(nanoseconds: 0)
  private var dropped: Set<EntryID> = []
  private var taps: Set<EntryID> = []
  private(set) var failure: String?
  /// The events of the story, for a person who follows it.
  private(set) var lines: [String] = []
  private let isTold: Bool

  init(seed: UInt64, isTold: Bool = false) {
    self.isTold = isTold
    random = Randomness(seed: (seed, 7, seed &* 37, 3))
    kiosk = EditStory.kiosk(&random, at: now.instant)
    start()
  }

  private static func kiosk(_ random: inout Randomness, at now: Instant) -> Kiosk {
    var settings = KioskSettings(actions: actions)
    settings.hasReader = false
    for action in actions { settings.rooms.actions[action.name] = "#door:h" }
    settings.rooms.reporting = ["bell"]
    return Kiosk(settings: settings, seed: (random.next(), random.next(), random.next(), random.next()), at: now)
  }

  /// Tells the story; returns the rule that was broken.
  func tell(stepCount: Int) -> String? {
    for _ in 0..<stepCount where failure == nil { step(Int(random.next() % 32)) }
    heal()
    return failure
  }

  private func fail(_ sentence: String) { if failure == nil { failure = sentence } }

  // MARK: Steps

  private func step(_ number: Int) {
    switch number {
    case 0...4: tell(.panel(.asked(action: number < 4 ? "bell" : "note")))
    case 5...11: disk.commit(disk.asked.count, fails: false)
    case 12: disk.commit(disk.asked.count, fails: true)
    case 13...18: deliverAnswers()
    case 19...21: acknowledge(Int(random.next() % 8))
    case 22...26: answer(Int(random.next() % 12))
    case 27: connect()
    case 28: if random.next() % 4 == 0 { lose() }
    case 29: if random.next() % 4 == 0 { endProcess() } else { startProcess() }
    case 30: pass(milliseconds: Int(random.next() % 4000))
    case _:
      switch random.next() % 8 {
      case 0: kill()
      case 1: tell(.dropAsked(disk.broker.first?.id))
      case _: pass(milliseconds: 200)
      }
    }
  }

  private func deliverAnswers() {
    while failure == nil, let answer = disk.takeAnswer() {
      if case .outbox(.broker, .expired(let entries, _)) = answer {
        for entry in entries { outcomes[entry.id, default: []].insert(.expired) }
      }
      tell(.store(answer))
    }
  }

  private func connect() {
    guard isConnecting else { return }
    (isConnecting, isUp) = (false, true)
    tell(.link(.connected(sessionPresent: false)))
  }

  private func lose() {
    guard isUp else { return }
    (isUp, published) = (false, [])
    tell(.link(.lost(.keepaliveExpired)))
  }

  private func acknowledge(_ number: Int) {
    guard isUp, !published.isEmpty else { return }
    let id = published.removeFirst()
    outcomes[id, default: []].insert(number == 0 ? .unheard : number == 1 ? .undeliverable : .delivered)
    switch number {
    case 0: tell(.link(.acknowledgedUnheard(id)))
    case 1: tell(.link(.publishRefused(id, code: 135)))
    case _: tell(.link(.acknowledged(id)))
    }
  }

  private func startProcess() {
    if isProcessEnding {
      isProcessEnding = false
      return tell(.rooms(.ended(.exited(0))))
    }
    guard isProcessStarting else { return }
    (isProcessStarting, isProcessReady) = (false, true)
    tell(.rooms(.message(.ready)))
  }

  private func endProcess() {
    guard isProcessReady || isProcessStarting else { return }
    // The homeserver may have had the requests.
    for request in requests where random.next() % 2 == 0 { serve(request) }
    (isProcessReady, isProcessStarting, requests) = (false, false, [])
    tell(.rooms(.ended(.signaled(9))))
  }

  /// The homeserver accepts a request (0 to 5), and the answer may be lost (6); or it fails (7), limits the rate (8),
  /// or refuses (9); others are late.
  private func answer(_ number: Int) {
    guard isProcessReady, !requests.isEmpty, number < 10 else { return }
    let request = requests.remove(at: number % requests.count)
    let id = EditStory.transaction(of: request)
    var pause: Duration = .seconds(2)
    if case .edit(let edit) = request {
      if random.next() % 16 == 0 { pause = .seconds(400) }
      // Only without an answer, after a failure of the server, or after a short pause is an edit sent again.
      if number < 6 || number == 9 || number == 8 && pause > .seconds(2) { ended.insert(edit.entry) }
      if number == 8 { limitedUntil = now.instant + pause }
    }
    switch number {
    case 0...5: return tell(.rooms(.message(.created(id, event: serve(request)))))
    case 6:
      serve(request)
      tell(.rooms(.message(.undelivered(id, .timedOut, code: 28))))
    case 7: tell(.rooms(.message(.posted(id, status: 500, retryAfter: nil))))
    case 8: tell(.rooms(.message(.posted(id, status: 429, retryAfter: pause))))
    case _: tell(.rooms(.message(.undelivered(id, .roomClosed, code: 403))))
    }
  }

  private static func transaction(of request: Request) -> EntryID {
    switch request {
    case .tap(let entry): entry.id
    case .edit(let edit): edit.transaction
    }
  }

  /// The homeserver handles a request; returns the event.
  @discardableResult
  private func serve(_ request: Request) -> String {
    let id = EditStory.transaction(of: request)
    if let event = events[id] { return event }
    let event = "$\(events.count)"
    events[id] = event
    switch request {
    case .tap: if !taps.contains(id) { fail("a second message for a tap") }
    case .edit(let edit):
      if events[edit.entry] != edit.event { fail("an edit of another message") }
      edits[edit.event, default: 0] += 1
      if edits[edit.event, default: 0] > 1 { fail("a message was edited twice") }
    }
    return event
  }

  private func pass(milliseconds: Int) {
    let end = now.instant + .milliseconds(Int64(milliseconds))
    for _ in 0..<50 where failure == nil {
      guard let deadline = kiosk.nextDeadline(at: now), deadline <= end else { break }
      advance(to: max(deadline, now.instant))
      tell(.timerFired)
    }
    advance(to: max(end, now.instant))
  }

  private func advance(to instant: Instant) {
    now.unixMilliseconds += (instant - now.instant).wholeMilliseconds
    now.instant = instant
  }

  /// The kiosk is killed, and the disk has done some of its requests.
  private func kill() {
    disk.commit(disk.asked.isEmpty ? 0 : Int(random.next() % UInt64(disk.asked.count + 1)), fails: false)
    for request in requests where random.next() % 2 == 0 { serve(request) }
    disk.forget()
    (isProcessReady, isProcessStarting, isProcessEnding, isConnecting, isUp) = (false, false, false, false, false)
    (published, requests, ended, limitedUntil) = ([], [], [], Instant(nanoseconds: 0))
    kiosk = EditStory.kiosk(&random, at: now.instant)
    start()
  }

  private func start() {
    tell(.started(disk.summary))
    tell(.clockChecked(isSynchronized: true))
    tell(.secretsLoaded([]))
  }

  /// Everything goes well for a while; then nothing is left.
  private func heal() {
    let waits = !disk.rooms.isEmpty && !isProcessReady && !isProcessStarting
    let before = startCount
    // Nothing but edits may be left when a kiosk dies.
    var dies = random.next() % 2 == 0
    // An edit may be under way when the process ends; nothing but its end tells the kiosk.
    var processEnds = random.next() % 2 == 0
    // Or it may be limited, and is sent again.
    var limits = random.next() % 2 == 0
    for _ in 0..<3000 where failure == nil {
      if disk.isEmpty { break }
      if dies, disk.broker.isEmpty, disk.rooms.isEmpty {
        dies = false
        kill()
      }
      disk.commit(disk.asked.count, fails: false)
      deliverAnswers()
      connect()
      startProcess()
      acknowledge(2)
      if processEnds, !dies, isEditing {
        processEnds = false
        endProcess()
      }
      let isLimited = limits && !dies && isEditing
      answer(isLimited ? 8 : 0)
      if isLimited { limits = false }
      pass(milliseconds: 500)
    }
    if waits, startCount == before { fail("no process was started for the messages to rooms") }
    if !disk.edits.isEmpty { fail("\(disk.edits.count) messages are left to be edited") }
    for id in disk.complete where !dropped.contains(id) {
      if events[id].flatMap({ edits[$0] }) == nil { fail("a message was never edited") }
    }
  }

  // MARK: The kiosk

  private func tell(_ event: Event) {
    guard failure == nil else { return }
    let effects = kiosk.handle(event, at: now)
    if isTold { lines.append("\(now.instant.nanoseconds / 1_000_000) \(event): \(effects)") }
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .start(.rooms): (isProcessStarting, startCount) = (true, startCount + 1)
    case .stop(.rooms), .kill(.rooms): endProcessSoon()
    case .connect: isConnecting = true
    case .publish(let entry, _): published.append(entry.id)
    case .post(let entry, let room, _):
      if room != "#door:h" { fail("a message for another room") }
      if !isProcessReady { fail("a message without a process") }
      requests.append(.tap(entry))
    case .postEdit(let edit, let room):
      if room != "#door:h" || !isProcessReady { fail("an edit for another room, or without a process") }
      judge(edit)
    case .store(let request): judge(request)
    case .report(.room(.edited(let edit))):
      if edits[edit.event] != 1 { fail("an edit counts as done, and the message is as it was") }
      ended.insert(edit.entry)
    case .report(.room(.editDropped(let edit, _))):
      if !ended.contains(edit.entry) { fail("an edit was dropped that the homeserver has not refused") }
      dropped.insert(edit.entry)
      ended.insert(edit.entry)
    case _: break
    }
  }

  private var isEditing: Bool { requests.contains { if case .edit = $0 { true } else { false } } }

  private func endProcessSoon() {
    (isProcessReady, isProcessStarting, requests) = (false, false, [])
    isProcessEnding = true
  }

  private func judge(_ edit: RoomEdit) {
    guard let row = disk.edits.first(where: { $0.entry == edit.entry }) else { return fail("an edit of no row") }
    if row.event != edit.event || row.outcome != edit.outcome { fail("an edit before its event and its outcome") }
    if outcomes[edit.entry]?.contains(edit.outcome) != true { fail("an edit with an outcome that never was") }
    if ended.contains(edit.entry) { fail("an edit after its end") }
    if now.instant < limitedUntil { fail("an edit in the pause that the homeserver requested") }
    for request in requests {
      if case .edit = request { fail("two edits at a time") }
      if case .tap = request { fail("an edit while a tap is under way") }
    }
    requests.append(.edit(edit))
  }

  private func judge(_ request: StoreRequest) {
    switch request {
    case .append(let entry): taps.insert(entry.id)
    case .recordOutcome(let id, let outcome):
      if outcomes[id]?.contains(outcome) != true { fail("an outcome is recorded that never was") }
    case .drop: for entry in disk.broker { outcomes[entry.id, default: []].insert(.dropped) }
    case _: break
    }
    disk.asked.append(request)
  }
}
