// The judge's memory: a plain list of the accepted entries and their outcomes, made from the kiosk's orders alone.

import TappetCore

/// Every entry that was ever accepted, and the facts about this life of the kiosk.
struct Book {
  /// The course of one entry.
  struct Fate {
    /// Index of its action in `Cast.actions`.
    var action: Int
    var size: Int
    var isForWebhook = false
    /// A light has shown that it is accepted.
    var isPromised = false
    /// A light has shown its outcome.
    var hasOutcome = false
    /// The life in which the light did so.
    var outcomeLife = -1
  }

  var fates: [EntryID: Fate] = [:]
  /// Number of entries in the store as the kiosk must believe, and the bytes of their messages.
  var count = 0
  var size = 0
  /// Entries that the store was asked to append and has not confirmed yet.
  var pendingCount = 0
  var pendingSize = 0
  /// Acknowledged, refused, or expired in this life: never to be sent again.
  var settled: Set<EntryID> = []
  /// Delivered entries whose removal the kiosk has not requested yet.
  var delivered: Set<EntryID> = []
  /// Entries in the kiosk's memory alone, whose database was set aside.
  var memoryOnly: Set<EntryID> = []
  /// The entries that nobody's tap, press or command made.
  var newsEntries: Set<EntryID> = []
  /// Entries that the current event acknowledges, refuses or names as expired.
  var answering: [EntryID] = []

  // This connection.
  var sent: Set<EntryID> = []
  /// For each action the entry that was sent last: its era, and its place in the order.
  var lastSent: [(era: Int, sequence: Int64)]

  // The kiosk's reports to people.
  var shownLight: Light?
  var isStoreInTrouble = false
  var isLocked = false
  var certificateDays: Int?
  /// Time of the last touch of each action's button.
  var touchedAt: [Instant?]
  /// Whether the request of the current event was made long ago.
  var isLate = false
  var touchesSinceLock = 0
  /// For each card the time of its last refusal, and the number of its accepted taps.
  var refusedAt: [Instant?]
  var acceptedCounts: [Int]
  /// Times of the last reported refusals, oldest first; at most twice the number that a minute may have.
  var toldRefusals: [Instant] = []

  /// Their names, and at the end that of unknown tags.
  static let actionNumbers = Dictionary(
    uniqueKeysWithValues: (Cast.actions + [Cast.unknown, Cast.feed]).enumerated().map { ($1.name, $0) })

  init() {
    lastSent = [(era: Int, sequence: Int64)](repeating: (-1, 0), count: Book.actionNumbers.count)
    touchedAt = [Instant?](repeating: nil, count: Cast.actions.count)
    refusedAt = [Instant?](repeating: nil, count: Cast.cards.count)
    acceptedCounts = [Int](repeating: 0, count: Cast.cards.count)
  }

  mutating func connectionEnds() {
    sent.removeAll(keepingCapacity: true)
    for index in lastSent.indices { lastSent[index] = (-1, 0) }
  }

  /// A new process knows what the disk knows, and has reported nothing.
  mutating func begin(_ summary: OutboxSummary, isLocked: Bool) {
    connectionEnds()
    (count, size, pendingCount, pendingSize) = (summary.count, summary.size, 0, 0)
    settled.removeAll(keepingCapacity: true)
    delivered.removeAll(keepingCapacity: true)
    memoryOnly.removeAll(keepingCapacity: true)
    shownLight = nil
    isStoreInTrouble = false
    self.isLocked = isLocked
    certificateDays = nil
    touchesSinceLock = 0
    for index in touchedAt.indices { touchedAt[index] = nil }
    for index in refusedAt.indices { (refusedAt[index], acceptedCounts[index]) = (nil, 0) }
    toldRefusals.removeAll(keepingCapacity: true)
  }
}

/// Effects of one event, counted.
struct Seen {
  var stores = 0
  var touches = 0
  var otherActs = 0
  var forgets = 0
  var postedActions: [String] = []
  var acceptedLights = 0
  var deliveredLights = 0
  var expiredLights = 0
  var refusedLights = 0
  var lights = 0
  var acceptedReports = 0
  var deliveredReports = 0
  var expiredReports = 0
  var undeliverableReports = 0
  var questions = 0
  var codes = 0
  var performed = 0
  var droppedReports = 0
  var memoryOnlyExpired = 0
  var refusalsTold = 0
}

extension World {
  func beginBook(_ summary: OutboxSummary) {
    book.begin(summary, isLocked: settings.panel.lockAfter != nil)
    (hook.count, hook.size) = (summary.webhookCount, summary.webhookSize)
    presence.restart(summary) { isConfigured($0) }
    if let held = lying?.holding, presence.owed[held] == nil { lying?.holding = nil }
  }

  /// The process is gone: entries that the disk removed without a report have come to their end unseen.
  func endBook() {
    while let answer = disk.takeAnswer() {
      switch answer {
      case .dropped(let entries):
        for entry in entries { book.fates[entry.id]?.hasOutcome = true }
      case .replaced: recordLoss(disk.takeLoss())
      case _: break
      }
    }
  }

  /// The entries of the lost database are lost with it; those in memory may still be delivered.
  func recordLoss(_ rows: [Disk.Row]) { for row in rows { book.fates[row.id]?.hasOutcome = true } }

  /// Adapts the book to `settings`, which have just replaced `old`.
  func reloadBook(from old: KioskSettings) {
    if settings.panel != old.panel { for index in book.touchedAt.indices { book.touchedAt[index] = nil } }
    guard settings.panel.lockAfter != old.panel.lockAfter || settings.panel.unlockCode != old.panel.unlockCode else {
      return
    }
    book.isLocked = settings.panel.lockAfter != nil
    book.touchesSinceLock = 0
  }

  /// Notes that a person's finger was on this button.
  func touched(_ button: Int) {
    book.touchesSinceLock += 1
    guard settings.panel.buttons.indices.contains(button) else { return }
    for name in settings.panel.buttons[button].gestures.actions {
      if let name, let action = Book.actionNumbers[name] { book.touchedAt[action] = now.instant }
    }
    for chord in settings.panel.chords where chord.first == button || chord.second == button {
      if let action = Book.actionNumbers[chord.action] { book.touchedAt[action] = now.instant }
    }
  }
}
