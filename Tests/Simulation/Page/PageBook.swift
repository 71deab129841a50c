// The judge's book of a story about the page: the presses that had an effect, the question that may be pending, the
// lock of the panel, and the fates of the messages.

import TappetCore

struct PageBook {
  /// The author of a press.
  enum Author: Hashable {
    case caller(PressCaller)
    /// The panel's button for `gate`.
    case button
  }

  struct Question {
    var author: Author
    var action: String
    var until: Instant

    var caller: PressCaller? { if case .caller(let caller) = author { caller } else { nil } }
  }

  private struct Fate {
    var isPromised = false
    /// The life in which it had its last outcome.
    var outcomeLife: Int?
  }

  private let isLocking: Bool
  private var life = 0
  private var startedAt: Instant
  private(set) var question: Question?
  /// Time at which the panel locks; `nil` while it is locked.
  private var openUntil: Instant?
  /// The times of the presses that this life of the kiosk has admitted.
  private var admitted: [PressCaller: [Instant]] = [:]
  /// The ids that any life has admitted.
  private var known: Set<String> = []
  private var fates: [EntryID: Fate] = [:]
  /// The messages that were sent on this connection, and those that the broker has acknowledged in this life.
  private var sent: Set<EntryID> = []
  private var acknowledged: Set<EntryID> = []

  init(isLocking: Bool, at now: Instant) { (self.isLocking, startedAt) = (isLocking, now) }

  mutating func restart(at now: Instant) {
    (life, startedAt, question, openUntil, admitted) = (life + 1, now, nil, nil, [:])
    (sent, acknowledged) = ([], [])
  }

  // MARK: The panel

  var isLocked: Bool { isLocking && openUntil == nil }

  /// Records a press that reaches the kiosk; returns the actions that it triggers.
  mutating func press(_ action: Action, by author: Author, isUp: Bool, at now: Instant) -> [String] {
    if isLocked { return [] }
    openUntil = now + PageCast.lockAfter
    if let asked = question {
      question = nil
      guard asked.author == author, asked.action == action.name else { return [] }
    } else if let within = action.confirmWithin {
      question = Question(author: author, action: action.name, until: now + within)
      return []
    }
    return action.offline == .drop && !isUp ? [] : [action.name]
  }

  /// Records a press of the button that unlocks the panel, or that ends a question of others.
  mutating func touch(at now: Instant) {
    if isLocked { openUntil = now + PageCast.lockAfter }
    question = nil
  }

  mutating func cancel(by author: Author) { if question?.author == author { question = nil } }

  mutating func lock() {
    guard isLocking else { return }
    (openUntil, question) = (nil, nil)
  }

  /// Records that the kiosk has handled everything that is due.
  mutating func pass(to now: Instant) {
    if let question, question.until <= now { self.question = nil }
    if let openUntil, openUntil <= now { lock() }
  }

  // MARK: Decisions

  func isTimely(_ message: PageMessage, at now: Instant) -> Bool {
    let age = now - message.time
    let ageMax = message.isForm ? Limits.pageFormAgeMax : Limits.pagePressAgeMax
    let ahead = Limits.pagePressAheadMax
    return message.time - startedAt > ahead && age <= ageMax && .zero - age <= ahead
  }

  func mayAnswer(_ number: Int64, _ device: PageDevice?, at now: Instant) -> Bool {
    guard let device, device.level >= .press, let question else { return false }
    return question.caller == device.caller && question.until.wholeMilliseconds == number && now < question.until
  }

  /// Judges a decision about a press, and records it; returns the rule that was broken.
  mutating func fault(
    of decision: PressDecision, _ action: String, _ id: String, _ message: PageMessage, by device: PageDevice?,
    at now: Instant
  ) -> String? {
    guard let device, device.level >= .press else {
      return decision == .notAllowed ? nil : "a device presses that may not"
    }
    let recent = admitted[device.caller, default: []].filter { now - $0 <= Limits.pagePressMemory }
    switch decision {
    case .notAllowed: return "a device may not press that may"
    case .repeated: return known.contains(id) ? nil : "a new press counts as repeated"
    case .late: return isTimely(message, at: now) ? "a press in time counts as late" : nil
    case .tooMany: return recent.count < Limits.pagePressesMax ? "a press counts as one too many" : nil
    case .act, .ask: break
    }
    if known.contains(id) { return "one press acts twice" }
    if !isTimely(message, at: now) { return "a press acts that is late, early, or from before the start" }
    if recent.count >= Limits.pagePressesMax { return "a device presses without end" }
    known.insert(id)
    admitted[device.caller] = recent + [now]
    let isOwn = question?.caller == device.caller && question?.action == action
    return isOwn == (decision == .ask) ? nil : "a second press is an answer, or a first one counts as the second"
  }

  // MARK: Messages

  mutating func stored(_ id: EntryID) -> String? {
    fates.updateValue(Fate(), forKey: id) == nil ? nil : "a name was used twice"
  }

  mutating func connectionEnds() { sent = [] }

  mutating func published(_ id: EntryID, isOnDisk: Bool) -> String? {
    if !isOnDisk { return "a message is sent that is not on the disk" }
    if !sent.insert(id).inserted { return "a message is sent twice on one connection" }
    return fates[id]?.outcomeLife == life ? "a message is sent after its outcome" : nil
  }

  mutating func acknowledge(_ id: EntryID) { acknowledged.insert(id) }

  mutating func judge(_ report: EntryReport, isOnDisk: Bool, at now: Instant) -> String? {
    guard let entry = report.entry else { return nil }
    switch report {
    case .accepted:
      fates[entry.id]?.isPromised = true
      return isOnDisk ? nil : "a message is promised that is not on the disk"
    case .delivered, .deliveredOfMany:
      if !acknowledged.contains(entry.id) { return "a message counts as delivered, and the broker does not have it" }
    case .expired:
      if case .at(let end) = entry.expiry, now < end { return "a message has expired before its time" }
    case .queued, .setAside, .deliveredMore, .droppedMore: return nil
    case .dropped, .droppedOfMany, .undeliverable, .givenUp: return "a message is given up"
    }
    guard let fate = fates[entry.id] else { return "a message has an outcome, and nobody pressed for it" }
    if fate.outcomeLife == life { return "a message has two outcomes" }
    fates[entry.id]?.outcomeLife = life
    return nil
  }

  /// Number of promised messages, and of those without an outcome.
  var promises: (count: Int, openCount: Int) {
    let promised = fates.values.filter { $0.isPromised }
    return (promised.count, promised.count { $0.outcomeLife == nil })
  }
}
