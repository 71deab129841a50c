// The lists of low, lent and missing items, which tappet-inventory sends when they change, and the items that become
// overdue, as far as the kiosk follows them. A loan becomes overdue at midnight: the process wakes up then while an
// item is due.

import TappetCore
import TappetPlatform

/// The lists and items that the kiosk follows, and those that it was sent.
struct InventoryFeed {
  private(set) var hasLists = false
  private(set) var hasOverdue = false
  private var clockIsGood = false
  /// The lists as they were last sent.
  private var sent: [InventoryList] = []
  /// The overdue item that was sent and that the kiosk has not acknowledged yet, with its loan.
  private(set) var told: (id: InventoryID, loan: InventoryLoan)?
  /// Whether the kiosk has acknowledged the item, but the database does not contain this yet.
  private(set) var isTaken = false
  /// Day for which the due dates were last compared; `nil` while the clock is unreliable.
  private(set) var day: CalendarDay?
  /// Whether an item is due on that day or later.
  private var awaitsNextDay = false

  /// Whether the due dates have to be compared with another day.
  var isNewDay: Bool { awaitsNextDay && day != CalendarDay.today }

  /// Time until midnight; `nil` if nothing becomes overdue then.
  var untilNextDay: Duration? {
    guard awaitsNextDay else { return nil }
    let now = SystemClock().now().unixSeconds
    let rest = (now + WallTime.secondsEastOfUTC(unixSeconds: now)) % 86_400
    return .seconds(86_400 - max(0, rest))
  }

  mutating func follow(lists: Bool, overdue: Bool, clockIsGood: Bool) {
    // Lists that are requested again are sent again.
    if !lists { sent = [] }
    (hasLists, hasOverdue, self.clockIsGood) = (lists, overdue, clockIsGood)
  }

  /// Starts a comparison with the current day; returns the day, or `nil` while the clock is unreliable.
  mutating func beginDay() -> CalendarDay? {
    day = clockIsGood && (hasLists || hasOverdue) ? .today : nil
    awaitsNextDay = false
    return day
  }

  mutating func awaitNextDay(_ isAwaited: Bool) { awaitsNextDay = isAwaited }

  /// Returns whether the list differs from the one that was last sent, and records it as sent.
  mutating func isChanged(_ list: InventoryList) -> Bool {
    if sent.contains(list) { return false }
    sent.removeAll { $0.kind == list.kind }
    sent.append(list)
    return true
  }

  mutating func tell(_ id: InventoryID, _ loan: InventoryLoan) { (told, isTaken) = ((id, loan), false) }

  mutating func passedOverdue(_ id: InventoryID) { isTaken = told?.id == id }

  mutating func forgetTold() { (told, isTaken) = (nil, false) }
}

extension InventoryService {
  /// Sends what has changed of what the kiosk follows.
  func tellFeed() throws(InventoryError) {
    guard feed.hasLists || feed.hasOverdue else { return feed.awaitNextDay(false) }
    let today = feed.beginDay()
    if feed.hasLists {
      for kind in InventoryList.Kind.allCases {
        let list = try list(kind, on: today)
        if feed.isChanged(list) { send(.list(list)) }
      }
    }
    guard let today else { return }
    if feed.hasOverdue, feed.told == nil, let (entry, loan) = try inventory.nextOverdueLoan(on: today),
      let due = loan.due
    {
      var thing = try thing(entry)
      thing.holder = loan.person
      send(.overdue(due: due.text, thing))
      feed.tell(entry.id, loan)
    }
    feed.awaitNextDay(try inventory.hasLoanDue(from: today))
  }

  /// Records on disk that the overdue item was acknowledged; the next one may be sent only after that.
  func forgetTakenOverdue() throws(InventoryError) {
    guard feed.isTaken, let told = feed.told else { return }
    try inventory.passedOnOverdue(told.id, told.loan)
    feed.forgetTold()
  }

  private func list(_ kind: InventoryList.Kind, on today: CalendarDay?) throws(InventoryError) -> InventoryList {
    let count =
      switch kind {
      case .low: try inventory.lowItemCount()
      case .out: try inventory.loanCount()
      case .missing: try inventory.missingCount()
      }
    var list = InventoryList(kind, count: count)
    var size = 0
    func add(_ entry: InventoryEntry, _ loan: InventoryLoan?) throws(InventoryError) -> Bool {
      let item = try listed(entry, loan, on: today)
      // Items that exceed the size of the message would not be published.
      size += item.name.utf8.count + item.path.utf8.count + (item.loan?.person.utf8.count ?? 0)
      list.items.append(item)
      return list.items.count < Limits.inventoryListMax && size < Limits.inventoryListSizeMax
    }
    switch kind {
    case .low: try inventory.forEachLowItem { (item) throws(InventoryError) in try add(item, nil) }
    case .missing: try inventory.forEachMissing { (entry) throws(InventoryError) in try add(entry, nil) }
    case .out: try inventory.forEachLoan { (entry, loan) throws(InventoryError) in try add(entry, loan) }
    }
    return list
  }

  private func listed(
    _ entry: InventoryEntry, _ loan: InventoryLoan?, on today: CalendarDay?
  ) throws(InventoryError) -> InventoryList.Item {
    var item = InventoryList.Item(
      id: entry.id, name: entry.name, path: try inventory.location(of: entry).path,
      quantity: loan?.quantity ?? entry.quantity)
    item.minimum = entry.minimum
    guard let loan else { return item }
    item.loan = InventoryList.Loan(
      person: loan.person, unixMilliseconds: loan.unixMilliseconds, due: loan.due?.text ?? "",
      isOverdue: loan.due == nil ? false : today.map { today in loan.due.map { $0 < today } ?? false })
    return item
  }
}
