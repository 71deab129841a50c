// The main loop of tappet-inventory, a child process of the kiosk. It receives orders, sends replies, and reports
// scanned codes and changes made by any process. It sleeps while there is nothing to do.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// Inventory service for a kiosk; it stops when the kiosk closes the socket.
package final class InventoryService {
  private let parent: UnixSocket
  let inventory: Inventory
  private let folder: String
  /// Watch for changes by any process, started with the kiosk's first order.
  private var changes: FileChanges?
  private var scanner: Scanner?
  private var isEnded = false
  private var lowCount: Int64?
  /// Whether the kiosk has not yet acknowledged the last change that was sent.
  private var owesNews = false
  private var owesLow = false
  private var hasToldStocktakes = false
  /// Acknowledged changes that have not been recorded in the database yet.
  private var taken: (news: Int64?, low: InventoryID?) = (nil, nil)
  /// The lists and items that the kiosk follows.
  var feed = InventoryFeed()
  /// Number of consecutive failures to read the changes.
  private var failures = 0

  /// Retry interval, short at first, because a commit is detected milliseconds before it is complete.
  private static var retry: Backoff { Backoff(.milliseconds(20), upTo: Limits.inventoryAskInterval) }

  /// Creates a service for the inventory in a folder; throws if the inventory cannot be opened.
  package init(parent: UnixSocket, folder: String) throws(DatabaseError) {
    self.parent = parent
    self.folder = folder
    inventory = try Inventory.open(folder: folder)
  }

  /// Runs until the kiosk closes the socket.
  @export(interface)
  package func run() {
    while !isEnded {
      let scannerNumber = scanner?.fileDescriptor ?? -1
      let ready = Poll.wait(
        [(parent.fileDescriptor, .readable), (changes?.fileDescriptor ?? -1, .readable), (scannerNumber, .readable)],
        for: wait)
      if !ready[0].isEmpty { receive() }
      let isChanged = !ready[1].isEmpty && changes?.take() == true
      if isChanged { failures = 0 }
      if isChanged || feed.isNewDay || ready[1].isEmpty && askIn != nil { tellNews() }
      if let scanner { tell(scanner.work(isReadable: !ready[2].isEmpty)) }
    }
  }

  /// Time until the next scheduled work; `nil` if there is none.
  private var wait: Duration? {
    [askIn, scanner?.dueIn, feed.untilNextDay].compactMap { $0 }.min()
  }

  /// Time until the database is polled again, because it was busy or failed, or because its changes cannot be watched.
  private var askIn: Duration? {
    if failures > 0 { return InventoryService.retry.pause(after: failures - 1) }
    return changes == nil ? Limits.inventoryAskInterval : nil
  }

  private func receive() {
    while !isEnded {
      switch parent.receive(sizeMax: Limits.inventoryMessageSizeMax) {
      case .nothing: return
      case .closed: isEnded = true
      case .message(let bytes):
        guard let order = try? InventoryOrder(decoding: bytes) else { return isEnded = true }
        execute(order)
      }
    }
  }

  private func execute(_ order: InventoryOrder) {
    switch order {
    case .begin(let path, let layout):
      changes = try? FileChanges(of: folder + "/" + Inventory.fileName + "-wal")
      send(.ready)
      if !path.isEmpty {
        let scanner = Scanner(path: path, layout: layout)
        self.scanner = scanner
        tell(scanner.work(isReadable: false))
      }
      tellNews()
    case .lookUp(let number, let key):
      answer(number, orElse: .unknown) { () throws(InventoryError) in try find(key) }
    case .move(let number, let id, let place, let who):
      answer(number) { () throws(InventoryError) in
        guard let thing = try inventory.entry(id), let container = try inventory.entry(place) else { return nil }
        return try settled(thing) { () throws(InventoryError) in
          _ = try inventory.move(thing, to: container, by: who)
        }
      }
    case .lend(let number, let id, let person, let who):
      answer(number) { () throws(InventoryError) in
        guard let thing = try inventory.entry(id) else { return nil }
        return try settled(thing) { () throws(InventoryError) in try inventory.lend(thing, to: person, by: who) }
      }
    case .takeBack(let number, let id, let who):
      answer(number) { () throws(InventoryError) in
        guard let thing = try inventory.entry(id) else { return nil }
        return try settled(thing) { () throws(InventoryError) in try inventory.takeBack(thing, by: who) }
      }
    case .adjust(let number, let adjustment, let who):
      answer(number) { () throws(InventoryError) in
        guard var item = try inventory.entry(adjustment.id, of: .item) else { return nil }
        if let stocktake = adjustment.stocktake {
          item.quantity = try inventory.tally(
            item, adjustment.pieces, replacing: adjustment.replaced, in: stocktake, ticket: adjustment.ticket, by: who)
          return item
        }
        return try inventory.adjust(
          item, by: adjustment.pieces, replacing: adjustment.replaced, ticket: adjustment.ticket, by: who)
      }
    case .endStocktake(let number, let stocktake, let isKept): end(number, stocktake, isKept)
    case .see(let number, let id, let role, let stocktake, let who):
      answer(number) { () throws(InventoryError) in
        guard let thing = try inventory.entry(id) else { return nil }
        try inventory.see(thing, role, in: stocktake, by: who)
        return thing
      }
    case .passedOn(let news):
      taken.news = news
      tellNews()
    case .passedLow(let id):
      taken.low = id
      tellNews()
    case .follow(let lists, let overdue, let clockIsGood):
      feed.follow(lists: lists, overdue: overdue, clockIsGood: clockIsGood)
      tellNews()
    case .passedOverdue(let id):
      feed.passedOverdue(id)
      tellNews()
    }
  }

  // MARK: Queries

  /// Returns the entry to which a tag is assigned, or the entry with a code on its label.
  private func find(_ key: InventoryKey) throws(InventoryError) -> InventoryEntry? {
    if let uid = key.uid, let thing = try inventory.entry(tag: uid) { return thing }
    return try inventory.thing(scanned: key.code)
  }

  /// Makes a change and returns the changed entry, even if the change was made before, because its reply may have been
  /// lost.
  private func settled(
    _ thing: InventoryEntry, _ change: () throws(InventoryError) -> Void
  ) throws(InventoryError) -> InventoryEntry? {
    do throws(InventoryError) { try change() } catch {
      guard case .unchanged = error else { throw error }
    }
    return try inventory.entry(thing.id, of: thing.kind)
  }

  /// Replies with the entry that `body` returns, or with the reason why there is none.
  private func answer(
    _ number: UInt32, orElse absence: InventoryFault = .gone, _ body: () throws(InventoryError) -> InventoryEntry?
  ) {
    do throws(InventoryError) {
      guard let entry = try body() else { return send(.failed(number, absence)) }
      send(.found(number, try thing(entry)))
    } catch {
      switch error {
      case .unknown, .unknownCode, .wrongContainer: send(.failed(number, .gone))
      case .reserved, .lent, .tooFewHere: send(.failed(number, .reserved))
      case .tooFew: send(.failed(number, .noneLeft))
      case .wrongQuantity: send(.failed(number, .tooMany))
      case .store(.full): send(.failed(number, .full))
      case _: send(.failed(number, .database))
      }
    }
    tellNews()
  }

  /// Ends a stocktake, and replies with the number of its items and what is missing.
  private func end(_ number: UInt32, _ stocktake: Int64, _ isKept: Bool) {
    do throws(InventoryError) {
      let end = try inventory.endStocktake(stocktake, isKept: isKept)
      send(.ended(number, items: end.items, missing: end.missing))
    } catch { send(.failed(number, .database)) }
    tellNews()
  }

  /// Returns the entry in the form that the kiosk displays.
  func thing(_ entry: InventoryEntry) throws(InventoryError) -> InventoryThing {
    var thing = InventoryThing(id: entry.id, kind: entry.kind, name: entry.name)
    thing.code = entry.code
    var place = try inventory.container(of: entry)
    while let container = place {
      thing.containers.append(container.id)
      place = try inventory.container(of: container)
    }
    thing.path = try inventory.location(of: entry).path
    thing.quantity = entry.quantity
    thing.minimum = entry.minimum
    let loans = try inventory.loans(of: entry)
    thing.holder = loans.first { $0.quantity == nil }?.person
    if thing.holder == nil { thing.pieceHolders = loans.people }
    thing.contentCount = Int(clamping: try inventory.contentCount(of: entry))
    try inventory.forEach(in: entry) { (content) throws(InventoryError) in
      thing.contents.append(InventoryThing.Content(name: content.name, quantity: content.quantity))
      return thing.contents.count < Limits.inventoryContentsMax
    }
    return thing
  }

  // MARK: News

  /// Sends the stocktakes that had not ended when the process was started.
  private func tellStocktakes() throws(InventoryError) {
    guard !hasToldStocktakes else { return }
    for open in try inventory.stocktakes() {
      send(.stocktake(open.stocktake, isAudit: open.isAudit, who: open.who, open.place))
    }
    hasToldStocktakes = true
  }

  /// Sends the next change and the next low item, each only after the kiosk has acknowledged the previous one.
  ///
  /// If the database is busy or an operation fails, the database is polled again.
  private func tellNews() {
    do throws(InventoryError) {
      try tellStocktakes()
      try inventory.clearLowReportsOfRestockedItems()
      try forgetTaken()
      if !owesNews, let news = try inventory.nextNews() {
        send(
          .news(
            news.number, news.verb, unixMilliseconds: news.unixMilliseconds, who: news.who, try thing(news),
            counted: news.correction))
        owesNews = true
      }
      if !owesLow { try tellLowItems() }
      try tellFeed()
      failures = 0
    } catch { failures += 1 }
  }

  /// Records acknowledged changes on disk; the next changes may be sent only after that.
  private func forgetTaken() throws(InventoryError) {
    if let news = taken.news {
      try inventory.passedOn(upTo: news)
      (taken.news, owesNews) = (nil, false)
    }
    if let id = taken.low {
      try inventory.passedOnLow(id)
      (taken.low, owesLow) = (nil, false)
    }
    try forgetTakenOverdue()
  }

  private func tellLowItems() throws(InventoryError) {
    if let item = try inventory.nextLowItem() {
      send(.low(try thing(item)))
      owesLow = true
    }
    let count = try inventory.lowItemCount()
    if count != lowCount { send(.lowCount(count)) }
    lowCount = count
  }

  /// Returns the entry of a change in its current state or, if it was removed, in its state at the time of the change.
  private func thing(_ news: InventoryNews) throws(InventoryError) -> InventoryThing {
    if let entry = try inventory.entry(news.id) { return try thing(entry) }
    var thing = InventoryThing(id: news.id, kind: news.kind, name: news.name)
    thing.path = news.path
    if news.verb == .gap { thing.quantity = news.droppedCount }
    return thing
  }

  // MARK: Replies

  private func tell(_ findings: [Scanner.Finding]) {
    for finding in findings {
      switch finding {
      case .scan(.success(let code)): send(.scanned(code))
      case .scan(.failure(let fault)): send(.misread(fault))
      case .state(let code): send(.scanner(errno: code))
      }
    }
  }

  /// Sends a message; a parent that does not accept it has exited, or has been blocked for too long.
  func send(_ message: InventoryMessage) {
    let bytes = message.encode()
    while !isEnded {
      guard let sent = parent.sendSome(bytes) else { return isEnded = true }
      if sent > 0 { return }
      if Poll.wait(parent.fileDescriptor, for: .writable, limit: Limits.inventoryAnswerMax).isEmpty {
        isEnded = true
      }
    }
  }
}
