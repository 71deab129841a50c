// The page's inventory process: serves the page's requests about the store room, in order. The kiosk starts it with a
// socket; it sleeps while there is no request.

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
  private let folder: String
  private var inventory: Inventory
  /// The file of the inventory, which another program may replace.
  private var file: FileStamp?

  /// Creates a service for the inventory in a folder; throws if the inventory cannot be opened.
  package init(parent: UnixSocket, folder: String) throws(DatabaseError) {
    (self.parent, self.folder) = (parent, folder)
    (inventory, file) = try StockService.open(folder)
  }

  private static func open(_ folder: String) throws(DatabaseError) -> (Inventory, FileStamp?) {
    let inventory = try Inventory.open(folder: folder)
    try inventory.shortenBusyTimeout()
    return (inventory, FileStamp(folder + "/" + Inventory.fileName))
  }

  /// Opens the inventory again if its file was replaced, such as by one from a backup; returns false if it is missing.
  private mutating func follow() throws(DatabaseError) -> Bool {
    guard let current = FileStamp(folder + "/" + Inventory.fileName) else { return false }
    if let file, current.isOfSameFile(as: file) { return true }
    (inventory, file) = try StockService.open(folder)
    return true
  }

  @export(interface)
  package mutating func run() throws(DatabaseError) {
    while true {
      switch parent.receive(sizeMax: Limits.controlRequestSizeMax) {
      case .closed: return
      case .nothing: _ = Poll.wait(parent.fileDescriptor, for: .readable, limit: nil)
      case .message(let bytes):
        guard let inquiry = StockInquiry(decoding: bytes) else { return }
        var answer = StockAnswer(to: inquiry.number, try json(answering: inquiry).encoded()).encode()
        if answer.count > Limits.webMessageSizeMax {
          answer = StockAnswer(to: inquiry.number, StockService.tooLarge.encoded()).encode()
        }
        guard parent.send(answer) else { return }
      }
    }
  }

  private static var tooLarge: JSON { failure("this is too large to be shown", "failed") }

  private static func failure(_ sentence: String, _ code: String) -> JSON {
    .object(["error": .string(sentence), "code": .string(code)])
  }

  /// Returns the response; throws if the inventory was replaced, and cannot be opened.
  mutating func json(answering inquiry: StockInquiry) throws(DatabaseError) -> JSON {
    // The browser reports a timeout before the change would be complete.
    if Instant.now() > inquiry.until { return StockService.failure("the store room is busy; try again", "busy") }
    guard try follow() else {
      return StockService.failure("the file of the inventory is missing; see the kiosk's state folder", "failed")
    }
    do throws(InventoryError) { return try answer(inquiry.request, by: inquiry.who) } catch {
      return StockService.failure(error.pageSentence + candidates(of: error), error.code)
    }
  }

  /// Returns some of the places that were meant, for the end of the sentence; empty if none were.
  private func candidates(of error: InventoryError) -> String {
    guard case .ambiguous(let kind, let words, _) = error else { return "" }
    var paths: [String] = []
    try? inventory.search(words, limit: Limits.inventoryFindsMax) { (place) throws(InventoryError) in
      if place.kind == kind {
        var location = try inventory.location(of: place)
        location.names.append(place.name)
        paths.append(location.path + (place.code.isEmpty ? "" : " (\(place.code))"))
      }
      return paths.count < Limits.namedPlacesMax
    }
    return paths.isEmpty ? "" : ", such as " + paths.joined(separator: "; ")
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
      let to = try container(place, for: entry)
      return try changed(by: who) { () throws(InventoryError) in try inventory.move(entry, to: to, by: who) }
    case .lend(let id, let person, let day):
      let entry = try thing(id)
      return try changed(by: who) { () throws(InventoryError) in
        try inventory.lend(entry, to: person, until: day, by: who)
        return entry
      }
    case .takeBack(let id, let person):
      let entry = try thing(id)
      return try changed(by: who) { () throws(InventoryError) in
        try inventory.takeBack(entry, from: person.isEmpty ? nil : person, by: who)
        return entry
      }
    case .adjust(let id, let pieces, let ticket):
      let item = try thing(id)
      guard item.kind == .item else { return StockService.failure("only an item has pieces", "not-item") }
      return try changed(by: who) { () throws(InventoryError) in
        try inventory.adjust(item, by: pieces, ticket: ticket, by: who)
      }
    case .undo(let number):
      let change = try inventory.changes().first { $0.number == number }
      if let change, change.who != who {
        return StockService.failure("\(change.who) made this change, and can undo it", "others-change")
      }
      let undone = try inventory.undo(number: number, by: who)
      return .object(["undone": .string(undone.sentence)])
    }
  }

  private func thing(_ id: String) throws(InventoryError) -> InventoryEntry {
    guard let entry = try InventoryID(text: id).flatMap({ (id) throws(InventoryError) in try inventory.entry(id) })
    else { throw .unknownCode(id) }
    return entry
  }

  /// Returns the thing with this code, which a phone's keyboard may have changed to another case.
  private func thing(typed text: String) throws(InventoryError) -> InventoryEntry? {
    if let thing = try inventory.thing(scanned: text) { return thing }
    let upper = String(decoding: text.utf8.map { $0.asciiUppercased }, as: UTF8.self)
    for other in [upper, text.asciiLowercased] {
      if other != text, let thing = try inventory.thing(scanned: other) { return thing }
    }
    return nil
  }

  /// Returns the container with this code, name or path, or the only one that contains these words.
  private func container(_ words: String, for entry: InventoryEntry) throws(InventoryError) -> InventoryEntry {
    guard let kind = entry.kind.container else { throw .wrongContainer(entry.kind, nil) }
    if let place = try thing(typed: words) { return place }
    do throws(InventoryError) { return try inventory.resolve(words, kind) } catch {
      var found: [InventoryEntry] = []
      try inventory.search(words, limit: Limits.inventoryFindsMax) { (place) throws(InventoryError) in
        if place.kind == kind { found.append(place) }
        return true
      }
      if found.count == 1 { return found[0] }
      if !found.isEmpty { throw .ambiguous(kind, words, count: found.count) }
      // A place of another kind.
      if let other = try? inventory.resolve(anything: words) { throw .wrongContainer(entry.kind, other.kind) }
      throw error
    }
  }

  private func found(_ text: String) throws(InventoryError) -> JSON {
    var list = StockList(Limits.pageStockAnswerSizeMax)
    if let thing = try thing(typed: text) {
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
    let notes = String(String.UnicodeScalarView(entry.notes.unicodeScalars.prefix(500)))
    let place = try inventory.container(of: entry)
    return .object([
      "thing": try json(of: entry), "contents": contents.json, "notes": .string(notes),
      "place": place.map { .object(["id": .string($0.id.text), "name": .string($0.name)]) } ?? .null,
    ])
  }

  /// Makes a change; returns the thing after it, and the change's number, by which it can be undone.
  ///
  /// The number is null if nothing was changed, because the same was requested before.
  private func changed(
    by who: String, _ make: () throws(InventoryError) -> InventoryEntry
  ) throws(InventoryError) -> JSON {
    let last = try inventory.changes().first?.number ?? 0
    let entry = try make()
    let change = try inventory.changes().first { $0.number > last && $0.who == who }
    let now = try inventory.entry(entry.id) ?? entry
    return .object(["thing": try json(of: now), "change": change.map { .number($0.number) } ?? .null])
  }

  /// Returns the entry as the page shows it, without photos, tags and barcodes, and with its oldest loans only.
  private func json(of entry: InventoryEntry) throws(InventoryError) -> JSON {
    let isItem = entry.kind == .item
    let loans = entry.kind.isLendable ? try inventory.loans(of: entry) : []
    return .object([
      "id": .string(entry.id.text), "kind": .string(entry.kind.name), "name": .string(entry.name),
      "code": .string(entry.code), "path": .string(try inventory.location(of: entry).path),
      "quantity": isItem ? .number(entry.quantity) : .null, "minimum": entry.minimum.map { .number($0) } ?? .null,
      "low": .bool(entry.isLow), "contents": .number(try inventory.contentCount(of: entry)),
      "loans": .array(loans.prefix(Limits.inventoryPeopleMax).map { $0.json }),
      "borrowers": .number(Int64(loans.count)),
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
    hasMore = !things.isEmpty && (size > sizeMax || things.count >= Limits.inventoryFindsMax)
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
    case .unchanged: "it is so already; nothing was changed"
    case .wrongQuantity: "a quantity is a whole number from 0 to \(Limits.inventoryQuantityMax)"
    case .store(.busy): "another program is changing the inventory; try again"
    case .store: "the inventory cannot be read or written; see the kiosk's log"
    case _: sentence
    }
  }
}
