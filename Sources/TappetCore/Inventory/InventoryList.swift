// The lists of low, lent and missing items, which the broker retains. tappet-inventory sends them when they change, and
// only while the kiosk requests them.

/// A list of items, truncated to what a message may contain.
package struct InventoryList: Equatable, Sendable {
  /// The condition that the listed items fulfil.
  package enum Kind: UInt8, CaseIterable, Sendable {
    /// The quantity is below the minimum.
    case low = 1
    /// The item is lent.
    case out = 2
    /// The item, or another entry, was not seen when its place was counted or audited.
    case missing = 3

    /// Name in topics.
    var name: String {
      switch self {
      case .low: "low"
      case .out: "out"
      case .missing: "missing"
      }
    }
  }

  /// A listed item.
  package struct Item: Equatable, Sendable {
    /// Identity of the item.
    package var id: InventoryID
    /// Name of the item.
    package var name: String
    /// The path of the box that contains the item.
    package var path: String
    /// Number of pieces.
    package var quantity: Int64
    /// Number of pieces below which the stock is low; `nil` if the item has no minimum.
    package var minimum: Int64?
    /// Loan of the item; `nil` unless the item is lent.
    package var loan: Loan?

    package init(id: InventoryID, name: String, path: String, quantity: Int64) {
      (self.id, self.name, self.path, self.quantity) = (id, name, path, quantity)
    }
  }

  /// The loan of a listed item.
  package struct Loan: Equatable, Sendable {
    /// Name of the person.
    package var person: String
    /// Start of the loan in milliseconds since 1970.
    package var unixMilliseconds: Int64
    /// Due date, such as `2026-12-24`; empty if none was set.
    package var due: String
    /// Whether the item was due before today; `nil` while the clock is unreliable.
    package var isOverdue: Bool?

    package init(person: String, unixMilliseconds: Int64, due: String, isOverdue: Bool?) {
      (self.person, self.unixMilliseconds, self.due, self.isOverdue) = (person, unixMilliseconds, due, isOverdue)
    }
  }

  package var kind: Kind
  /// Number of all items that fulfil the condition, listed or not.
  package var count: Int64
  package var items: [Item] = []

  package init(_ kind: Kind, count: Int64) { (self.kind, self.count) = (kind, count) }
}

/// The timing of the messages with the lists: all of them on connect, later those that change, each at most once per
/// `Limits.stateIntervalMin`.
struct InventoryListPublisher: Sendable {
  private struct Entry: Sendable {
    var list: InventoryList
    /// The last message on this connection, and its time.
    var published: InventoryList?
    var publishedAt: Instant?

    var isPublished: Bool { published == list }
  }

  private var entries: [Entry] = []
  private var isUp = false

  /// Time at which a message is due; `nil` if there is none.
  var deadline: Instant? {
    guard isUp else { return nil }
    // A list that was never published is due immediately, and `takeDue` follows each event.
    return entries.compactMap { entry in
      entry.isPublished ? nil : entry.publishedAt.map { $0 + Limits.stateIntervalMin }
    }.min()
  }

  /// Replaces the list of the same kind.
  mutating func update(_ list: InventoryList) {
    guard let index = entries.firstIndex(where: { $0.list.kind == list.kind }) else {
      return entries.append(Entry(list: list))
    }
    entries[index].list = list
  }

  /// Returns the lists to publish now, and records them as published.
  mutating func takeDue(at now: Instant) -> [InventoryList] {
    isUp = true
    var due: [InventoryList] = []
    for index in entries.indices where !entries[index].isPublished {
      if let before = entries[index].publishedAt, now < before + Limits.stateIntervalMin { continue }
      (entries[index].published, entries[index].publishedAt) = (entries[index].list, now)
      due.append(entries[index].list)
    }
    return due
  }

  /// Forgets which lists were published, because the connection has ended.
  mutating func disconnected() {
    guard isUp else { return }
    isUp = false
    for index in entries.indices { (entries[index].published, entries[index].publishedAt) = (nil, nil) }
  }
}

extension Kiosk {
  /// Publishes the lists that have changed.
  mutating func inventoryListsDue(at now: Moment) -> [Effect] {
    guard settings.announcesInventory else {
      selfReport.lists = InventoryListPublisher()
      return []
    }
    guard delivery.link.isUp else {
      selfReport.lists.disconnected()
      return []
    }
    return selfReport.lists.takeDue(at: now.instant).map { .announce(.inventoryList($0)) }
  }
}
