// A world around a kiosk for random stories: a reader, a broker, a disk and two clocks, which do anything that real ones may
// do, and a judge who holds every order of the kiosk against what may be ordered.

import Testing

@testable import TappetCore

/// One random story, told from its seed.
struct KioskWorld {
  /// A question to the store, answered in the order of asking.
  enum Question {
    case append(OutboxEntry)
    case remove(EntryID)
    case fetch(after: Int64, limit: Int, clockIsGood: Bool)
    case expire(clockIsGood: Bool, sparing: [EntryID])
    case check
  }

  enum Reader: Equatable {
    case none
    case starting
    case ready(tag: TagUID?)
    /// Told to end, or killed: its end is still to be noticed.
    case ending
  }

  enum Link: Equatable {
    case none
    case connecting
    case up
    case disconnecting
  }

  static let actions: [Action] = [.light, .garage, .scene, .patient, .brief]
  static let secrets: [TagSecret] = [.lightSecret, .spareSecret, .garageSecret, patientSecret, briefSecret]
  static let patientSecret = TagSecret.of(.patient, id: "patient-1", byte: 0x44)
  static let briefSecret = TagSecret.of(.brief, id: "brief-1", byte: 0x55)
  /// Made once: signing is most of the work of a story.
  static let goodTags: [TagReading] = secrets.enumerated().map { .of($0.element, uid: 100 + $0.offset) }
  static let badTags: [TagReading] = [
    .signed(index: 1, key: .repeating(0x99), uid: 200), .signed(index: 3, key: .repeating(0x11), uid: 201),
    .signed(index: 77, key: .repeating(0x11), uid: 202), .holding([UInt8]("https://example.org/".utf8), uid: 203),
    TagReading(uid: .number(204), model: .ntag213, bytes: []),
  ]

  var random: Randomness
  var kiosk: Kiosk
  var now = Moment(instant: Instant(nanoseconds: 0), unixMilliseconds: 1_790_000_000_000)
  var clockIsSynchronised = true

  // The parts.
  var reader = Reader.none
  var link = Link.none
  var diskIsGood = true
  var isFinished = false

  // The disk.
  var database: [OutboxEntry] = []
  var nextSequence: Int64 = 1
  var questions: [Question] = []

  // What the judge remembers.
  /// With the broker on this connection, PUBACK outstanding.
  var unacknowledged: [EntryID] = []
  var publishedOnConnection: Set<EntryID> = []
  /// Acknowledged, refused or expired in this life of the kiosk.
  var settled: Set<EntryID> = []
  /// Every entry that was promised by a light.
  var promised: Set<EntryID> = []
  var outcomes: Set<EntryID> = []
  var complaints: [String] = []
  /// The last events and orders, for the reader of a failure.
  var story: [String] = []

  init(seed: UInt64) {
    random = Randomness(seed: (seed, seed &* 0x9E37_79B9_7F4A_7C15, 7, ~seed))
    kiosk = Self.newKiosk(seed: seed, at: now)
    tell(.started(OutboxSummary()))
    tell(.clockChecked(isSynchronised: true))
    tell(.secretsLoaded(Self.secrets))
  }

  static func newKiosk(seed: UInt64, at now: Moment) -> Kiosk {
    Kiosk(
      settings: KioskSettings(actions: actions, panel: .pressing("light"), endpointCount: 2, outboxCountMax: 60),
      seed: (seed, 1, seed &* 31, 5), at: now.instant)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func complain(_ sentence: String) {
    if complaints.count < 3 { complaints.append(sentence + "\n    " + story.suffix(12).joined(separator: "\n    ")) }
  }

  // MARK: The kiosk

  /// Tells the kiosk what happened and judges its orders.
  mutating func tell(_ event: Event) {
    let effects = kiosk.handle(event, at: now)
    story.append("\(now.instant.nanoseconds / 1_000_000) \(event) -> \(effects.map { $0.words })".prefixed(300))
    if story.count > 40 { story.removeFirst(20) }
    for effect in effects { perform(effect, after: event) }
    judgeThatSomethingIsAwaited()
  }

  private mutating func perform(_ effect: Effect, after event: Event) {
    switch effect {
    case .startReader:
      if reader != .none { complain("a second reader was started") }
      reader = .starting
    case .killReader, .stopReader:
      if reader == .none { complain("a reader was to end that is not there") }
      reader = .ending
    case .connect(let endpoint):
      if link != .none { complain("a second connection was ordered") }
      if !(0..<2).contains(endpoint) { complain("endpoint \(endpoint) is none") }
      link = .connecting
    case .disconnect:
      if link == .none || link == .disconnecting { complain("a disconnect without a connection") }
      link = .disconnecting
    case .publish(let entry, let unixSeconds): judge(entry, unixSeconds: unixSeconds)
    case .store(let entry):
      if !event.isGoodTap { complain("\(entry.action) was stored after \(event)".prefixed(200)) }
      questions.append(.append(entry))
    case .forget(let id):
      if !event.settles(id) { complain("an entry was forgotten that nobody settled") }
      questions.append(.remove(id))
    case .fetch(let after, let limit, let clockIsGood):
      let isAsked = questions.contains { if case .fetch = $0 { true } else { false } }
      if isAsked { complain("two fetches at a time") }
      questions.append(.fetch(after: after, limit: limit, clockIsGood: clockIsGood))
    case .expire(let clockIsGood, let spared): questions.append(.expire(clockIsGood: clockIsGood, sparing: spared))
    case .checkStore: questions.append(.check)
    case .light(.accepted), .light(.queued):
      if !event.isStored { complain("a promise was made before the commit") }
    case .light(.deliveredByTag), .light(.deliveredByButton):
      if !event.isAcknowledged { complain("delivery was shown without a PUBACK") }
    case .report(.delivered(let entry, _)), .report(.undeliverable(let entry, _)), .report(.expired(let entry)):
      if !outcomes.insert(entry.id).inserted, !entry.mayHaveTwoLives { complain("two outcomes of one entry") }
    case .report(.accepted(let entry, _)): promised.insert(entry.id)
    case .light, .report, .noteSecretUse, .retryPanel, .pauseButton, .resumeButton: break
    case .finish: isFinished = true
    }
  }

  private mutating func judge(_ entry: OutboxEntry, unixSeconds: Int64) {
    if link != .up { complain("published without a link") }
    if !database.contains(where: { $0.id == entry.id }) { complain("published what is not on the disk") }
    if !publishedOnConnection.insert(entry.id).inserted { complain("published twice on one connection") }
    if settled.contains(entry.id) { complain("published after its outcome") }
    if entry.expiry.isOver(at: now) { complain("published after its expiry") }
    if entry.message.usesTimestamp && !clockIsSynchronised { complain("a token without a clock") }
    if unixSeconds != now.unixSeconds { complain("a token of another second") }
    unacknowledged.append(entry.id)
    if unacknowledged.count > Limits.inflightMax { complain("\(unacknowledged.count) in flight") }
  }

  /// Nothing may wait for ever: an answer is outstanding, a part is alive, or a deadline is set.
  private mutating func judgeThatSomethingIsAwaited() {
    if isFinished || kiosk.nextDeadline(at: now) != nil || !questions.isEmpty { return }
    if reader == .starting || reader == .ending || link == .connecting || link == .disconnecting { return }
    complain("nothing is awaited and nothing is due")
  }

  // MARK: Time

  /// Lets time pass; the kiosk's own deadlines come when they are due.
  mutating func pass(milliseconds: Int64) {
    let end = now.instant + .milliseconds(milliseconds)
    var repeats = 0
    while let deadline = kiosk.nextDeadline(at: now), deadline <= end {
      repeats = deadline > now.instant ? 0 : repeats + 1
      if repeats > 20 { return complain("a deadline that does not pass: the kiosk spins") }
      advance(to: max(deadline, now.instant))
      tell(.timerFired)
      if isFinished { return }
    }
    advance(to: end)
  }

  private mutating func advance(to instant: Instant) {
    let milliseconds = (instant - now.instant).wholeNanoseconds
    now.instant = instant
    now.unixMilliseconds += milliseconds / 1_000_000
  }

  /// A timer that fires before its time changes nothing.
  mutating func fireEarly() {
    guard let deadline = kiosk.nextDeadline(at: now), deadline > now.instant else { return }
    var copy = kiosk
    let effects = copy.handle(.timerFired, at: now)
    if !effects.isEmpty { complain("a timer that fired early ordered \(effects.map { $0.words })") }
    if copy.nextDeadline(at: now) != deadline { complain("a timer that fired early moved the deadline") }
  }
}

extension String {
  fileprivate func prefixed(_ count: Int) -> String { String(prefix(count)) }
}

extension Event {
  fileprivate var isGoodTap: Bool {
    switch self {
    case .reader(.tagRead(let reading)): KioskWorld.goodTags.contains(reading)
    case .panel(.key(let button, let isDown, _)): button == 0 && isDown
    default: false
    }
  }
  fileprivate var isStored: Bool { if case .store(.stored) = self { true } else { false } }
  fileprivate var isAcknowledged: Bool { if case .link(.acknowledged) = self { true } else { false } }
  fileprivate func settles(_ id: EntryID) -> Bool {
    switch self {
    case .link(.acknowledged(let settled)), .link(.publishRefused(let settled, _)), .fillFailed(let settled):
      settled == id
    default: false
    }
  }
}

extension OutboxEntry {
  /// Fetched by a later life of the kiosk: what the earlier one said of it was lost with it.
  fileprivate var mayHaveTwoLives: Bool { acceptedAt == nil }
}
