// What the judge remembers: a plain list of what was accepted and what became of it, made from the orders alone.

import TappetCore

/// Everything that was ever accepted, and what is known of this life of the kiosk.
struct Book {
  /// One entry's way.
  struct Fate {
    /// Its action's place among `Cast.actions`.
    var action: Int
    var size: Int
    /// A light has said that it is accepted.
    var isPromised = false
    /// A light has said what became of it.
    var hasOutcome = false
    /// In which life it said so.
    var outcomeLife = -1
  }

  var fates: [EntryID: Fate] = [:]
  /// Entries in the store as the kiosk must believe, and the bytes of their messages.
  var count = 0
  var size = 0
  /// Asked of the store, not answered.
  var pendingCount = 0
  var pendingSize = 0
  /// Acknowledged, refused, or expired in this life: never to be sent again.
  var settled: Set<EntryID> = []
  /// In the kiosk's memory alone: their database was set aside.
  var homeless: Set<EntryID> = []
  /// What is acknowledged, refused or named as expired by the event that is told now.
  var answering: [EntryID] = []

  // This connection.
  var sent: Set<EntryID> = []
  /// For each action, what was sent last: when it was accepted, and its place in order.
  var lastSent: [(era: Int, sequence: Int64)]

  // What people were told.
  var shownLight: Light?
  var isStoreInTrouble = false
  var isLocked = false
  var certificateDays: Int?
  /// When each action's button was touched last.
  var touchedAt: [Instant?]
  var touchesSinceLock = 0
  /// When each card was refused last, and how often it was accepted.
  var refusedAt: [Instant?]
  var acceptedCounts: [Int]
  /// When the last refusals were told, the oldest first; at most twice what a minute may have.
  var toldRefusals: [Instant] = []

  static let actionNumbers = Dictionary(uniqueKeysWithValues: Cast.actions.enumerated().map { ($1.name, $0) })

  init() {
    lastSent = [(era: Int, sequence: Int64)](repeating: (-1, 0), count: Cast.actions.count)
    touchedAt = [Instant?](repeating: nil, count: Cast.actions.count)
    refusedAt = [Instant?](repeating: nil, count: Cast.cards.count)
    acceptedCounts = [Int](repeating: 0, count: Cast.cards.count)
  }

  mutating func connectionEnds() {
    sent.removeAll(keepingCapacity: true)
    for index in lastSent.indices { lastSent[index] = (-1, 0) }
  }

  /// Another process: it knows what the disk knows, and has told nobody anything.
  mutating func begin(_ summary: OutboxSummary, isLocked: Bool) {
    connectionEnds()
    (count, size, pendingCount, pendingSize) = (summary.count, summary.size, 0, 0)
    settled.removeAll(keepingCapacity: true)
    homeless.removeAll(keepingCapacity: true)
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

/// What one event led to.
struct Seen {
  var stores = 0
  var forgets = 0
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
  var droppedReports = 0
  var homelessExpired = 0
  var refusalsTold = 0
}

extension World {
  func beginBook(_ summary: OutboxSummary) { book.begin(summary, isLocked: settings.panel.lockAfter != nil) }

  /// The process is gone: what the disk let go and nobody was told of has come to its end unseen.
  func endBook() {
    while let answer = disk.takeAnswer() {
      switch answer {
      case .dropped(let entries):
        for entry in entries { book.fates[entry.id]?.hasOutcome = true }
      case .replaced: noteLoss(disk.takeLoss())
      case _: break
      }
    }
  }

  /// With the database went what it held; what is in memory may have a better end yet.
  func noteLoss(_ rows: [Disk.Row]) { for row in rows { book.fates[row.id]?.hasOutcome = true } }

  /// The settings are `settings` now.
  func reloadBook(from old: KioskSettings) {
    if settings.panel != old.panel { for index in book.touchedAt.indices { book.touchedAt[index] = nil } }
    guard settings.panel.lockAfter != old.panel.lockAfter || settings.panel.unlockCode != old.panel.unlockCode else {
      return
    }
    book.isLocked = settings.panel.lockAfter != nil
    book.touchesSinceLock = 0
  }

  /// A person's finger was on this button.
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
