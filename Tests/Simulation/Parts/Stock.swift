// The stock of the store room: an item that is low, a loan that is overdue, and the list that the broker keeps.
//   - The kiosk reports each once in each dip or loan, and again after the item was restocked or returned.
//   - It is passed on once its message is on the kiosk's disk, and none is lost.
//   - Nothing is overdue while the clock is not good.
//   - A list is published on each connection, and within a second of its change.

import TappetCore

/// The stock, what tappet-inventory has told of it, and what the broker keeps.
struct StockBook {
  enum Kind: CaseIterable { case low, overdue }

  struct Alert {
    /// Whether the item is low, or its loan overdue.
    var isDue = false
    /// Whether the inventory has the report on its disk.
    var isPassed = false
    /// Whether the process has told it, and it was not passed on since.
    var isTold = false
    /// The entry about it, if there is one by now.
    var entry: EntryID?
  }

  var low = Alert()
  var overdue = Alert()
  /// The last order about what to send.
  var followed: InventoryOrder?
  /// The number in the list that the process has sent, that the kiosk has heard, and that was published on this
  /// connection.
  var sent: Int64?
  var heard: Int64?
  var published: Int64?
  var publishedAt: Instant?

  subscript(kind: Kind) -> Alert {
    get { kind == .low ? low : overdue }
    set { if kind == .low { low = newValue } else { overdue = newValue } }
  }

  mutating func processEnds() {
    for kind in Kind.allCases { (self[kind].isTold, self[kind].entry) = (false, nil) }
    (followed, sent) = (nil, nil)
  }

  mutating func connectionEnds() { (published, publishedAt) = (nil, nil) }

  mutating func restart() {
    processEnds()
    connectionEnds()
    heard = nil
  }

  /// Forgets the entry that could not be written.
  mutating func notStored(_ id: EntryID) {
    for kind in Kind.allCases where self[kind].entry == id { self[kind].entry = nil }
  }
}

extension World {
  /// Somebody takes pieces (0) or puts them back (1), or the last day of a loan ends (2), or the item is returned (3).
  func stockChanges(_ number: Int) {
    let kind: StockBook.Kind = number < 2 ? .low : .overdue
    shelf.stock[kind].isDue = number % 2 == 0
    // After a restock or a return, it is news again.
    if number % 2 == 1 { shelf.stock[kind].isPassed = false }
  }

  /// The process sends what is low, overdue and listed, each once.
  func tellStock(_ item: InventoryThing) {
    for kind in StockBook.Kind.allCases where shelf.process == .ready {
      let alert = shelf.stock[kind]
      guard alert.isDue, !alert.isPassed, !alert.isTold, kind == .low || tellsOverdue else { continue }
      shelf.stock[kind].isTold = true
      tell(.inventory(.message(kind == .low ? .low(item) : .overdue(due: "2026-12-24", item))))
    }
    let count: Int64 = shelf.stock.low.isDue ? 1 : 0
    guard shelf.process == .ready, case .follow(lists: true, _, _) = shelf.stock.followed, shelf.stock.sent != count
    else { return }
    (shelf.stock.sent, shelf.stock.heard) = (count, count)
    tell(.inventory(.message(.list(InventoryList(.low, count: count)))))
  }

  private var tellsOverdue: Bool {
    if case .follow(_, overdue: true, clockIsGood: true) = shelf.stock.followed { true } else { false }
  }

  /// Whether an alert waits that nothing holds up.
  var owesAlert: Bool {
    let low = shelf.stock.low
    let overdue = shelf.stock.overdue
    return low.isDue && !low.isPassed || overdue.isDue && !overdue.isPassed && tellsOverdue
  }

  /// Whether the lists of the inventory are published.
  var announcesInventory: Bool {
    settings.inventory != nil && (settings.inventory?.topic != nil || settings.homeAssistant != nil)
  }

  // MARK: Rules

  func judgePassed(_ kind: StockBook.Kind) {
    let alert = shelf.stock[kind]
    if !alert.isTold { fail("\(kind) was passed on, and nobody told it") }
    let action = kind == .low ? settings.inventory?.lowStockAction : settings.inventory?.overdueAction
    let isOnDisk = alert.entry.map { shelf.committed.contains($0) } ?? false
    if settings.actions.contains(where: { $0.name == action && !$0.needsProof }), !isOnDisk {
      fail("\(kind) was passed on before it was on the disk")
    }
    shelf.stock[kind] = StockBook.Alert(isDue: alert.isDue, isPassed: alert.isDue)
  }

  /// An entry for what needs attention.
  func judgeAlert(_ entry: OutboxEntry) {
    let kind: StockBook.Kind = entry.action == settings.inventory?.overdueAction ? .overdue : .low
    let alert = shelf.stock[kind]
    if !alert.isTold || alert.entry != nil { fail("\(kind) was reported without news of it, or twice") }
    shelf.stock[kind].entry = entry.id
  }

  func judgeList(_ list: InventoryList) {
    if !announcesInventory { fail("a list was published, and nobody is to know it") }
    if list.count != shelf.stock.heard { fail("a list was published that nobody told") }
    if let before = shelf.stock.publishedAt, now.instant - before < Limits.stateIntervalMin {
      fail("two lists within a second")
    }
    (shelf.stock.published, shelf.stock.publishedAt) = (list.count, now.instant)
  }

  /// After each event: the process knows what to send, and the broker keeps the list.
  func judgeStock() {
    guard isBegun, !isStopping, !isFinished else { return }
    if !announcesInventory { (shelf.stock.heard, shelf.stock.published, shelf.stock.publishedAt) = (nil, nil, nil) }
    if shelf.process == .ready {
      let wanted = InventoryOrder.follow(
        lists: announcesInventory, overdue: settings.inventory?.overdueAction != nil, clockIsGood: clockIsGood)
      if shelf.stock.followed != wanted { return fail("tappet-inventory was told to send something else") }
    }
    guard isUp, let heard = shelf.stock.heard, heard != shelf.stock.published else { return }
    if shelf.stock.publishedAt.map({ $0 + Limits.stateIntervalMin < now.instant }) ?? true {
      fail("a list has changed, and the broker keeps another")
    }
  }
}
