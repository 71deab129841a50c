// The process that answers the page's requests about the store room, one after the other: started by the kiosk with a
// socket. It sleeps while there is nothing to answer.

import CPlatform
import TappetCore
import TappetInventory
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetSQLite

/// Answers requests until the kiosk closes the socket.
package struct StockService {
  private let parent: UnixSocket
  private let inventory: Inventory

  /// Creates a service for the inventory in a folder; throws if the inventory cannot be opened.
  package init(parent: UnixSocket, folder: String) throws(DatabaseError) {
    self.parent = parent
    inventory = try Inventory.open(folder: folder)
  }

  @export(interface)
  package func run() {
    while true {
      switch parent.receive(sizeMax: Limits.controlRequestSizeMax) {
      case .closed: return
      case .nothing: _ = Poll.wait(parent.fileDescriptor, for: .readable, limit: nil)
      case .message(let bytes):
        guard let inquiry = StockInquiry(decoding: bytes) else { return }
        let answer = StockAnswer(to: inquiry.number, json(answering: inquiry).encoded())
        guard parent.send(answer.encode()) else { return }
      }
    }
  }

  private func json(answering inquiry: StockInquiry) -> JSON {
    do throws(InventoryError) { return try answer(inquiry.request, by: inquiry.who) } catch {
      return .object(["error": .string(error.pageSentence), "code": .string(error.code)])
    }
  }

  private func answer(_ request: StockRequest, by who: String) throws(InventoryError) -> JSON {
    switch request {
    case .find(let text): return try found(text)
    case .show(let id): return try shown(thing(id))
    case .list:
      let sizeMax = Limits.pageStockAnswerSizeMax / 3
      var (low, lent, missing) = (StockList(sizeMax), StockList(sizeMax), StockList(sizeMax))
      try inventory.forEachLowItem { (item) throws(InventoryError) in low.add(try json(of: item)) }
      var last: InventoryID?
      try inventory.forEachLoan { (entry, _) throws(InventoryError) in
        defer { last = entry.id }
        return last == entry.id ? true : lent.add(try json(of: entry))
      }
      try inventory.forEachMissing { (entry) throws(InventoryError) in missing.add(try json(of: entry)) }
      return .object(["low": low.json, "lent": lent.json, "missing": missing.json])
    case .move(let id, let place):
      let entry = try thing(id)
      return try changed(try inventory.move(entry, to: container(place, for: entry), by: who), by: who)
    case .lend(let id, let person, let day):
      let entry = try thing(id)
      try inventory.lend(entry, to: person, until: day, by: who)
      return try changed(entry, by: who)
    case .takeBack(let id, let person):
      let entry = try thing(id)
      try inventory.takeBack(entry, from: person.isEmpty ? nil : person, by: who)
      return try changed(entry, by: who)
    case .adjust(let id, let pieces, let ticket):
      let item = try thing(id)
      guard item.kind == .item else { throw .unknown(.item, item.name) }
      return try changed(try inventory.adjust(item, by: pieces, ticket: ticket, by: who), by: who)
    case .undo(let number):
      guard try inventory.changes().contains(where: { $0.number == number && $0.who == who }) else {
        throw .nothingToUndo
      }
      let change = try inventory.undo(number: number, by: who)
      return .object(["undone": .string(change.sentence)])
    }
  }

  private func thing(_ id: String) throws(InventoryError) -> InventoryEntry {
    guard let entry = try InventoryID(text: id).flatMap({ (id) throws(InventoryError) in try inventory.entry(id) })
    else { throw .unknownCode(id) }
    return entry
  }

  /// Returns the container with this code, name or path, or the only one that contains these words.
  private func container(_ words: String, for entry: InventoryEntry) throws(InventoryError) -> InventoryEntry {
    guard let kind = entry.kind.container else { throw .wrongContainer(entry.kind, nil) }
    if let place = try inventory.thing(scanned: words) { return place }
    do throws(InventoryError) { return try inventory.resolve(words, kind) } catch {
      var found: [InventoryEntry] = []
      try inventory.search(words, limit: Limits.inventoryFindsMax) { (place) throws(InventoryError) in
        if place.kind == kind { found.append(place) }
        return true
      }
      if found.count == 1 { return found[0] }
      throw found.isEmpty ? error : .ambiguous(kind, words, count: found.count)
    }
  }

  private func found(_ text: String) throws(InventoryError) -> JSON {
    var list = StockList(Limits.pageStockAnswerSizeMax)
    if let thing = try inventory.thing(scanned: text) {
      _ = list.add(try json(of: thing))
    } else {
      try inventory.search(text, limit: Limits.inventoryFindsMax + 1) { (entry) throws(InventoryError) in
        list.add(try json(of: entry))
      }
    }
    return list.json
  }

  private func shown(_ entry: InventoryEntry) throws(InventoryError) -> JSON {
    var contents = StockList(Limits.pageStockAnswerSizeMax)
    try inventory.forEach(in: entry) { (content) throws(InventoryError) in contents.add(try json(of: content)) }
    return .object(["thing": try json(of: entry), "contents": contents.json])
  }

  /// Returns the thing after a change, and the change's number, by which it can be undone.
  private func changed(_ entry: InventoryEntry, by who: String) throws(InventoryError) -> JSON {
    let change = try inventory.changes().first { !$0.isTakenBack && $0.who == who }
    let now = try inventory.entry(entry.id) ?? entry
    return .object(["thing": try json(of: now), "change": change.map { .number($0.number) } ?? .null])
  }

  /// Returns the entry as the page shows it: nothing about photos, tags and barcodes.
  private func json(of entry: InventoryEntry) throws(InventoryError) -> JSON {
    let isItem = entry.kind == .item
    let loans = entry.kind.isLendable ? try inventory.loans(of: entry) : []
    return .object([
      "id": .string(entry.id.text), "kind": .string(entry.kind.name), "name": .string(entry.name),
      "code": .string(entry.code), "path": .string(try inventory.location(of: entry).path),
      "quantity": isItem ? .number(entry.quantity) : .null, "minimum": entry.minimum.map { .number($0) } ?? .null,
      "low": .bool(entry.isLow), "contents": .number(try inventory.contentCount(of: entry)),
      "loans": .array(loans.map { $0.json }),
    ])
  }
}

/// A list of things that fits into a response.
private struct StockList {
  private let sizeMax: Int
  private var things: [JSON] = []
  private var size = 0
  private var hasMore = false

  init(_ sizeMax: Int) { self.sizeMax = sizeMax }

  /// Adds a thing; returns whether another one fits.
  mutating func add(_ thing: JSON) -> Bool {
    size += thing.encoded().count
    hasMore = size > sizeMax || things.count >= Limits.inventoryFindsMax
    if !hasMore { things.append(thing) }
    return !hasMore
  }

  var json: JSON { .object(["things": .array(things), "more": .bool(hasMore)]) }
}

extension InventoryError {
  /// The sentence for a browser, which names no command.
  fileprivate var pageSentence: String {
    switch self {
    case .unknownCode, .unknown: "nothing has this name or code"
    case .tooFew(let name, let quantity): "there are only \(quantity) of '\(name)'"
    case .tooFewHere(let name, let here):
      "only \(here) of '\(name)' can be had: people have the others, or reserved them"
    case .reserved(let other):
      "it is reserved by \(other.person) from \(other.first.text) to \(other.last.text)"
    case .ambiguous(_, let words, let count): "\(count) places match '\(words)'; type more of the path, or a code"
    case .changedSince(let change): "it was changed since, by \(change.who)"
    case .nothingToUndo: "this can no longer be undone"
    case _: sentence
    }
  }
}
