// The loop of tappet-inventory while a kiosk is its parent: orders in, answers out, and between them the changes that
// anybody made and the codes that somebody scans. It sleeps unless there is one of these.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// Serves a kiosk until it closes the socket.
package final class InventoryService {
  private let parent: UnixSocket
  private let inventory: Inventory
  private let folder: String
  /// The changes that any process makes, from the kiosk's first order on.
  private var changes: FileChanges?
  private var scanner: Scanner?
  private var isEnded = false
  private var lowCount: Int64?
  /// Whether the kiosk has not yet taken the news that it got.
  private var owesNews = false
  private var owesLow = false
  /// The news that the kiosk has taken, until the database remembers that.
  private var taken: (news: Int64?, low: InventoryID?) = (nil, nil)
  /// Whether time has to pass before the database is asked again: it refused, or its changes are not reported.
  private var asksLater = false

  /// The service of the inventory in a folder; throws when that cannot be opened.
  package init(parent: UnixSocket, folder: String) throws(DatabaseError) {
    self.parent = parent
    self.folder = folder
    inventory = try Inventory.open(folder: folder)
  }

  /// Returns when the kiosk has gone.
  @export(interface)
  package func run() {
    while !isEnded {
      let scannerNumber = scanner?.fileDescriptor ?? -1
      let ready = Poll.wait(
        [(parent.fileDescriptor, .readable), (changes?.fileDescriptor ?? -1, .readable), (scannerNumber, .readable)],
        for: wait)
      if !ready[0].isEmpty { receive() }
      if ready[1].isEmpty ? asksLater : changes?.take() == true { tellNews() }
      if let scanner { tell(scanner.work(isReadable: !ready[2].isEmpty)) }
    }
  }

  /// The time until something is to be done without a cause.
  private var wait: Duration? {
    let ask = asksLater ? Limits.inventoryAskInterval : nil
    guard let ask, let retry = scanner?.retryIn else { return ask ?? scanner?.retryIn }
    return min(ask, retry)
  }

  private func receive() {
    while !isEnded {
      switch parent.receive(sizeMax: Limits.inventoryMessageSizeMax) {
      case .nothing: return
      case .closed: isEnded = true
      case .message(let bytes):
        guard let order = InventoryOrder(decoding: bytes) else { return isEnded = true }
        execute(order)
      }
    }
  }

  private func execute(_ order: InventoryOrder) {
    switch order {
    case .begin(let path):
      changes = try? FileChanges(of: folder + "/" + Inventory.fileName + "-wal")
      send(.ready)
      if !path.isEmpty {
        let scanner = Scanner(path: path)
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
        guard let item = try inventory.entry(id, of: .item) else { return nil }
        return try settled(item) { () throws(InventoryError) in try inventory.lend(item, to: person, by: who) }
      }
    case .takeBack(let number, let id, let who):
      answer(number) { () throws(InventoryError) in
        guard let item = try inventory.entry(id, of: .item) else { return nil }
        return try settled(item) { () throws(InventoryError) in try inventory.takeBack(item, by: who) }
      }
    case .passedOn(let news):
      taken.news = news
      tellNews()
    case .passedLow(let id):
      taken.low = id
      tellNews()
    }
  }

  // MARK: Questions

  /// The thing of a tag, or of the code on a label.
  private func find(_ key: InventoryKey) throws(InventoryError) -> InventoryEntry? {
    if let uid = key.uid, let thing = try inventory.entry(tag: uid) { return thing }
    return try inventory.thing(onLabel: key.code)
  }

  /// The thing after a change, also if it was made before: an answer may have been lost.
  private func settled(
    _ thing: InventoryEntry, _ change: () throws(InventoryError) -> Void
  ) throws(InventoryError) -> InventoryEntry? {
    do throws(InventoryError) { try change() } catch {
      guard case .unchanged = error else { throw error }
    }
    return try inventory.entry(thing.id, of: thing.kind)
  }

  /// Answers with the thing that `body` returns, or with the reason why there is none.
  private func answer(
    _ number: UInt32, orElse absence: InventoryFault = .gone, _ body: () throws(InventoryError) -> InventoryEntry?
  ) {
    do throws(InventoryError) {
      guard let entry = try body() else { return send(.failed(number, absence)) }
      send(.found(number, try thing(entry)))
    } catch {
      switch error {
      case .unknown, .unknownCode, .wrongContainer: send(.failed(number, .gone))
      case _: send(.failed(number, .database))
      }
    }
    tellNews()
  }

  /// The thing as the kiosk shows it.
  private func thing(_ entry: InventoryEntry) throws(InventoryError) -> InventoryThing {
    var thing = InventoryThing(id: entry.id, kind: entry.kind, name: entry.name)
    thing.code = entry.code
    thing.container = try inventory.container(of: entry)?.id
    thing.path = try inventory.location(of: entry).path
    thing.quantity = entry.quantity
    thing.minimum = entry.minimum
    if entry.kind == .item { thing.holder = try inventory.loan(of: entry)?.person }
    thing.contentCount = Int(clamping: try inventory.contentCount(of: entry))
    try inventory.forEach(in: entry) { (content) throws(InventoryError) in
      thing.contents.append(InventoryThing.Content(name: content.name, quantity: content.quantity))
      return thing.contents.count < Limits.inventoryContentsMax
    }
    return thing
  }

  // MARK: News

  /// Tells the next change and the next low item, unless the kiosk still has the ones before.
  ///
  /// A database that refuses is asked again after `Limits.inventoryAskInterval`.
  private func tellNews() {
    do throws(InventoryError) {
      try forgetTaken()
      if !owesNews, let news = try inventory.nextNews() {
        send(.news(news.number, news.verb, unixMilliseconds: news.unixMilliseconds, who: news.who, try thing(news)))
        owesNews = true
      }
      if !owesLow { try tellLowItems() }
      asksLater = changes == nil
    } catch { asksLater = true }
  }

  /// Remembers on the disk what the kiosk has taken: only then there may be more for it.
  private func forgetTaken() throws(InventoryError) {
    if let news = taken.news {
      try inventory.passedOn(upTo: news)
      (taken.news, owesNews) = (nil, false)
    }
    if let id = taken.low {
      try inventory.passedOnLow(id)
      (taken.low, owesLow) = (nil, false)
    }
  }

  private func tellLowItems() throws(InventoryError) {
    try inventory.forgetStockedItems()
    if let item = try inventory.nextLowItem() {
      send(.low(try thing(item)))
      owesLow = true
    }
    let count = try inventory.lowItemCount()
    if count != lowCount { send(.lowCount(count)) }
    lowCount = count
  }

  /// The thing of a change: as it is now, else as it was.
  private func thing(_ news: InventoryNews) throws(InventoryError) -> InventoryThing {
    if let entry = try inventory.entry(news.id) { return try thing(entry) }
    var thing = InventoryThing(id: news.id, kind: news.kind, name: news.name)
    thing.path = news.path
    return thing
  }

  // MARK: Answers

  private func tell(_ findings: [Scanner.Finding]) {
    for finding in findings {
      switch finding {
      case .code(let code): send(.scanned(code))
      case .state(let code): send(.scanner(errno: code))
      }
    }
  }

  /// A parent that does not take the answer is gone, or stuck for too long.
  private func send(_ message: InventoryMessage) {
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
