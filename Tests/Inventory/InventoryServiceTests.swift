// The loop of tappet-inventory, with the test in the place of its kiosk.

import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetInventory

@Suite struct InventoryServiceTests {
  private let world: TestInventory
  private let kiosk: UnixSocket

  init() throws {
    world = try TestInventory()
    let ends = try UnixSocket.pair()
    kiosk = ends.ours
    let (number, folder) = (dup(ends.child.number), world.folder.path)
    Thread.detachNewThread {
      try? InventoryService(parent: UnixSocket(owning: FileDescriptor(owning: number)), folder: folder).run()
    }
  }

  private func order(_ order: InventoryOrder) { _ = kiosk.sendSome(order.encode()) }

  /// The next message; `nil` when none comes in this time.
  private func message(within limit: Duration = .seconds(Int64(patience))) throws -> InventoryMessage? {
    guard !Poll.wait(kiosk.fileDescriptor, for: .readable, limit: limit).isEmpty,
      case .message(let bytes) = kiosk.receive(sizeMax: Limits.inventoryMessageSizeMax)
    else { return nil }
    return try? InventoryMessage(decoding: bytes)
  }

  /// The number and the name of the next change.
  private func news() throws -> (number: Int64, name: String) {
    while let message = try message() {
      if case .news(let number, _, _, _, let thing, _) = message { return (number, thing.name) }
    }
    throw TestFault("no news")
  }

  @Test func `a tap is answered while another process writes, and its change is passed on afterwards`() throws {
    #expect(try world.inventory.nextNews() == nil)
    let nails = try world.add(.item, "Nails", try world.add(.box, "Tools", try world.spot())) {
      ($0.quantity, $0.minimum) = (1, 5)
    }
    order(.begin(scanner: ""))
    let first = try news()
    let writer = try Inventory.open(folder: world.folder.path)
    try writer.database.execute("BEGIN IMMEDIATE")
    let start = SystemClock().now().instant
    order(.passedOn(first.number))
    order(.passedLow(nails.id))
    for number: UInt32 in 1...4 {
      order(.lookUp(number, InventoryKey(code: nails.id.text)))
      while let message = try message() {
        if case .found(number, let thing) = message {
          #expect(thing.name == "Nails")
          break
        }
      }
    }
    // Each wait for the lock would take 5 s.
    #expect(SystemClock().now().instant - start < .seconds(15))
    try writer.database.execute("COMMIT")
    #expect(try news().number > first.number)
  }

  @Test func `an author's name that is too long is refused, and nothing changes`() throws {
    #expect(try world.inventory.nextNews() == nil)
    let spot = try world.spot()
    let long = String(repeating: "b", count: Limits.inventoryNameSizeMax + 1)
    let before = try world.dump("place change news")
    let refusal = InventoryError.tooLong(what: "author's name", size: 513, max: Limits.inventoryNameSizeMax)
    #expect(throws: refusal) { try world.inventory.remove(spot, by: long) }
    #expect(try world.dump("place change news") == before)
  }

  @Test func `a loan is refused with the reason if another person reserved the item`() throws {
    let drill = try world.add(.item, "Drill", try world.add(.box, "Tools", try world.spot()))
    try world.inventory.reserve(drill, InventoryReservation(person: "Ada", first: .today, last: .today), by: "Ann")
    order(.begin(scanner: ""))
    order(.lend(1, drill.id, to: "Ben", who: "Ben"))
    order(.lend(2, drill.id, to: "Ada", who: "Ada"))
    var answers: [InventoryMessage] = []
    while answers.count < 2, let message = try message() {
      switch message {
      case .failed, .found: answers.append(message)
      default: break
      }
    }
    #expect(answers.first == .failed(1, .reserved))
    guard case .found(2, let thing) = answers.last else { throw TestFault("no loan") }
    #expect(thing.holder == "Ada")
  }

  @Test func `a box is lent and returned, and the people with pieces of an item are named`() throws {
    let box = try world.add(.box, "Tools", try world.spot())
    let nails = try world.add(.item, "Nails", box) { $0.quantity = 5 }
    for person in ["Ann", "Ben"] { try world.inventory.lend(nails, to: person, quantity: 2, by: "Eve") }
    order(.begin(scanner: ""))
    order(.lookUp(1, InventoryKey(code: nails.id.text)))
    order(.lend(2, box.id, to: "Ada", who: "Ada"))
    order(.takeBack(3, box.id, who: "Ada"))
    order(.lend(4, nails.id, to: "Ada", who: "Ada"))
    var holders: [String?] = []
    while holders.count < 3, let message = try message() {
      if case .found(_, let thing) = message { holders.append(thing.holders) }
    }
    // Both loans were made within the same millisecond, or one after the other.
    #expect(holders == ["Ann, Ben", "Ada", nil])
    #expect(try world.inventory.loans(of: box).isEmpty)
  }

  @Test func `pieces are counted once for each ticket, and none beyond the stock is taken`() throws {
    let nails = try world.add(.item, "Nails", try world.add(.box, "Tools", try world.spot())) { $0.quantity = 2 }
    order(.begin(scanner: ""))
    // The second order has the first one's ticket, as after a response that was lost.
    for (number, ticket): (UInt32, Int64) in [(1, 77), (2, 77), (3, 78), (4, 79)] {
      order(.adjust(number, Adjustment(id: nails.id, pieces: -1, ticket: ticket), who: "Ada"))
    }
    order(.adjust(5, Adjustment(id: nails.id, pieces: Limits.inventoryQuantityMax + 1, ticket: 80), who: "Ada"))
    var quantities: [Int64] = []
    var faults: [InventoryMessage] = []
    while quantities.count + faults.count < 5, let message = try message() {
      switch message {
      case .found(_, let thing): quantities.append(thing.quantity)
      case .failed: faults.append(message)
      default: break
      }
    }
    #expect(quantities == [1, 1, 0] && faults == [.failed(4, .noneLeft), .failed(5, .tooMany)])
    let inventory = try world.reopened()
    #expect(try inventory.changes().filter { $0.who == "Ada" }.count == 2)
    try inventory.undo(by: "Ada")
    #expect(try inventory.entry(nails.id)?.quantity == 1)
  }

  @Test func `a number replaces the preceding piece, and an undo reverts all of its pieces`() throws {
    let nails = try world.add(.item, "Nails", try world.add(.box, "Tools", try world.spot())) { $0.quantity = 30 }
    let stocktake = Stocktake(number: 2, action: "counting")
    order(.begin(scanner: ""))
    order(.adjust(1, Adjustment(id: nails.id, pieces: -1, ticket: 77), who: "Ada"))
    // The second order has the first one's ticket, as after a response that was lost.
    for number: UInt32 in 2...3 {
      order(.adjust(number, Adjustment(id: nails.id, pieces: -25, replacing: -1, ticket: 78), who: "Ada"))
    }
    // More than there are: the piece before is still taken.
    order(.adjust(4, Adjustment(id: nails.id, pieces: -1, ticket: 79), who: "Ada"))
    order(.adjust(5, Adjustment(id: nails.id, pieces: -25, replacing: -1, ticket: 80), who: "Ada"))
    order(.adjust(6, Adjustment(id: nails.id, pieces: 1, ticket: 81, in: stocktake), who: "Ada"))
    order(.adjust(7, Adjustment(id: nails.id, pieces: 25, replacing: 1, ticket: 82, in: stocktake), who: "Ada"))
    order(.adjust(8, Adjustment(id: nails.id, pieces: 1, replacing: .min, ticket: 83), who: "Ada"))
    order(.adjust(9, Adjustment(id: nails.id, pieces: 1, replacing: .min, ticket: 84, in: stocktake), who: "Ada"))
    var quantities: [Int64] = []
    var faults: [InventoryMessage] = []
    while quantities.count + faults.count < 9, let message = try message() {
      switch message {
      case .found(_, let thing): quantities.append(thing.quantity)
      case .failed: faults.append(message)
      default: break
      }
    }
    #expect(quantities == [29, 5, 5, 4, 1, 25])
    #expect(faults == [.failed(5, .noneLeft), .failed(8, .tooMany), .failed(9, .tooMany)])
    let inventory = try world.reopened()
    #expect(try inventory.changes().filter { $0.who == "Ada" }.count == 2)
    for quantity: Int64 in [5, 30] {
      try inventory.undo(by: "Ada")
      #expect(try inventory.entry(nails.id)?.quantity == quantity)
    }
    try inventory.redo(by: "Ada")
    #expect(try inventory.entry(nails.id)?.quantity == 5)
  }

  @Test func `a number after another person's change adds the remaining pieces`() throws {
    let nails = try world.add(.item, "Nails", try world.add(.box, "Tools", try world.spot())) { $0.quantity = 30 }
    let inventory = world.inventory
    _ = try inventory.adjust(nails, by: 1, ticket: 1, by: "Ada")
    _ = try inventory.adjust(nails, by: 1, by: "Ben")
    #expect(try inventory.adjust(nails, by: 25, replacing: 1, ticket: 2, by: "Ada").quantity == 56)
    #expect(try inventory.changes().prefix(3).map(\.who) == ["Ada", "Ben", "Ada"])
    // The same number as before changes nothing.
    #expect(try inventory.adjust(nails, by: 1, replacing: 1, ticket: 3, by: "Ada").quantity == 56)
    #expect(try inventory.changes().prefix(3).map(\.who) == ["Ada", "Ben", "Ada"])
  }

  @Test func `counts and sightings are on disk when answered, and an open count is reported`() throws {
    let nails = try world.add(.item, "Nails", try world.add(.box, "Tools", try world.spot())) { $0.quantity = 2 }
    let (left, stocktake) = (Stocktake(number: 1, action: "old"), Stocktake(number: 2, action: "counting"))
    _ = try world.inventory.tally(nails, 1, in: left, ticket: 76, by: "Eve")
    order(.begin(scanner: ""))
    for (number, ticket): (UInt32, Int64) in [(1, 77), (2, 77), (3, 78)] {
      order(.adjust(number, Adjustment(id: nails.id, pieces: 1, ticket: ticket, in: stocktake), who: "Ada"))
    }
    order(.endStocktake(4, 2, isKept: true))
    order(.endStocktake(5, 1, isKept: false))
    order(.see(6, nails.id, .content, in: Stocktake(number: 3, action: "audit"), who: "Ada"))
    var tallies: [Int64] = []
    var others: [InventoryMessage] = []
    while tallies.count + others.count < 7, let message = try message() {
      switch message {
      case .found(_, let thing): tallies.append(thing.quantity)
      case .stocktake, .ended: others.append(message)
      default: break
      }
    }
    #expect(tallies == [1, 1, 2, 2], "the last is the item's quantity")
    #expect(others == [.stocktake(left, isAudit: false, who: "Eve"), .ended(4, items: 1), .ended(5, items: 1)])
    let inventory = try world.reopened()
    #expect(try inventory.entry(nails.id)?.quantity == 2)
    #expect(try inventory.stocktakes().map { $0.stocktake.number } == [3])
    #expect(try inventory.sighting(of: nails)?.who == "Ada")
  }

  @Test func `a thing or place removed before the second tap is refused, and nothing else moves`() throws {
    let (rack, shelf) = (try world.spot(["House", "Cellar", "Rack"]), try world.spot())
    let box = try world.add(.box, "Tools", rack)
    let nails = try world.add(.item, "Nails", box)
    try world.inventory.remove(shelf, by: "Eve")
    order(.begin(scanner: ""))
    order(.move(1, box.id, to: shelf.id, who: "Ann"))
    order(.lookUp(2, InventoryKey(code: shelf.id.text)))
    try world.inventory.remove(nails, by: "Eve")
    order(.lend(3, nails.id, to: "Ada", who: "Ada"))
    order(.move(4, nails.id, to: box.id, who: "Ann"))
    var answers: [InventoryMessage] = []
    while answers.count < 4, let message = try message() {
      switch message {
      case .failed, .found: answers.append(message)
      default: break
      }
    }
    #expect(answers == [.failed(1, .gone), .failed(2, .unknown), .failed(3, .gone), .failed(4, .gone)])
    #expect(try world.inventory.entry(box.id) == box && world.inventory.changes().first?.verb == .removed)
  }

  @Test func `a move on a full disk changes nothing, and works once there is room`() throws {
    let name = String(repeating: "x", count: Limits.inventoryNameSizeMax)
    let spots = [try world.spot(["House", name, "Rack"]), try world.spot(["Barn", name, "Shelf"])]
    let box = try world.add(.box, name, spots[0])
    try world.inventory.database.execute("CREATE TABLE junk AS SELECT zeroblob(1000000) AS bytes")
    let pages = try #require(try world.inventory.database.integer("PRAGMA page_count"))
    let ends = try UnixSocket.pair()
    let (number, folder) = (dup(ends.child.number), world.folder.path)
    Thread.detachNewThread {
      let parent = UnixSocket(owning: FileDescriptor(owning: number))
      guard let service = try? InventoryService(parent: parent, folder: folder) else { return }
      try? service.inventory.database.execute("PRAGMA max_page_count = \(pages)")
      service.run()
    }
    func move(_ number: UInt32) throws -> InventoryMessage {
      _ = ends.ours.sendSome(InventoryOrder.move(number, box.id, to: spots[Int(number) % 2].id, who: "Ann").encode())
      while !Poll.wait(ends.ours.fileDescriptor, for: .readable, limit: .seconds(Int64(patience))).isEmpty,
        case .message(let bytes) = ends.ours.receive(sizeMax: Limits.inventoryMessageSizeMax)
      {
        switch try? InventoryMessage(decoding: bytes) {
        case .found(number, let thing)?: return .found(number, thing)
        case .failed(number, let fault)?: return .failed(number, fault)
        default: break
        }
      }
      throw TestFault("no answer to \(number)")
    }
    func place() throws -> InventoryID? {
      try world.inventory.entry(box.id).flatMap { try world.inventory.container(of: $0)?.id }
    }
    var last: UInt32 = 0
    var fault: InventoryFault?
    while fault == nil, last < 1_000 {
      last += 1
      if case .failed(_, let reason) = try move(last) { fault = reason }
    }
    #expect(try fault == .full && place() == spots[Int(last + 1) % 2].id)
    try world.inventory.database.execute("DROP TABLE junk")
    guard case .found(_, let thing) = try move(last) else { throw TestFault("refused although there is room") }
    #expect(try thing.container == spots[Int(last) % 2].id && place() == thing.container && world.isWhole())
  }

  @Test func `a stocktake of a box ends with a list of missing items, which is kept`() throws {
    let box = try world.add(.box, "Tools", try world.spot())
    let nails = try world.add(.item, "Nails", box)
    try world.add(.item, "Drill", box)
    let stocktake = Stocktake(number: 2, action: "counting")
    order(.begin(scanner: ""))
    order(.follow(lists: true, overdue: false, clockIsGood: false))
    order(.see(1, box.id, .countedPlace, in: stocktake, who: "Ada"))
    order(.adjust(2, Adjustment(id: nails.id, pieces: 1, ticket: 77, in: stocktake), who: "Ada"))
    order(.endStocktake(3, 2, isKept: true))
    var containers: [[InventoryID]] = []
    var (ended, listed): (InventoryList?, InventoryList?)
    while ended == nil || listed == nil, let message = try message() {
      if case .found(_, let thing) = message { containers.append(thing.containers) }
      if case .ended(3, items: 1, let missing) = message { ended = missing }
      if case .list(let list) = message, list.kind == .missing, list.count > 0 { listed = list }
    }
    #expect(containers.map(\.count) == [3, 4] && containers.last?.first == box.id)
    #expect(ended?.count == 1 && ended?.items.map(\.name) == ["Drill"])
    #expect(listed?.items.map(\.path) == ["House → Cellar → Shelf → Tools"])
  }

  @Test func `a database that is busy when a change was passed on is retried`() throws {
    // The first look of all begins with what is new from then on.
    #expect(try world.inventory.nextNews() == nil)
    try world.add(.building, "House")
    try world.add(.building, "Barn")
    order(.begin(scanner: ""))
    let first = try news()
    #expect(try first.name == "House" && message() == .lowCount(0))
    // Somebody keeps the database for longer than one waits for it, and then writes nothing.
    try world.inventory.database.execute("BEGIN IMMEDIATE")
    order(.passedOn(first.number))
    #expect(try message(within: Limits.storeBusyTimeout + .seconds(1)) == nil)
    try world.inventory.database.execute("COMMIT")
    let second = try news()
    #expect(second.number == first.number + 1 && second.name == "Barn")
    order(.passedOn(second.number))
    #expect(try eventually { try world.inventory.nextNews() == nil })
  }

  @Test func `lists are sent when requested, and again when they change`() throws {
    let box = try world.add(.box, "Tools", try world.spot())
    let drill = try world.add(.item, "Drill", box)
    try world.add(.item, "Nails", box) { ($0.quantity, $0.minimum) = (1, 5) }
    try world.inventory.lend(drill, to: "Ann", until: CalendarDay(number: 20_000), by: "Ben")
    order(.begin(scanner: ""))
    order(.follow(lists: true, overdue: true, clockIsGood: false))
    func next(_ kind: InventoryList.Kind, _ isMeant: (InventoryList) -> Bool) throws -> InventoryList {
      while let message = try message() {
        if case .overdue = message { throw TestFault("overdue by an unknown clock") }
        if case .list(let list) = message, list.kind == kind, isMeant(list) { return list }
      }
      throw TestFault("no list")
    }
    let low = try next(.low) { _ in true }
    #expect(low.count == 1 && low.items.map(\.name) == ["Nails"] && low.items[0].minimum == 5)
    let out = try next(.out) { _ in true }
    #expect(out.items.map(\.id) == [drill.id] && out.items[0].path == "House → Cellar → Shelf → Tools")
    let loan = try #require(out.items[0].loan)
    #expect(loan.person == "Ann" && loan.due == CalendarDay(number: 20_000).text && loan.isOverdue == nil)
    try world.inventory.takeBack(drill, by: "Ann")
    #expect(try next(.out) { $0.count == 0 }.items.isEmpty)
  }

  @Test func `overdue items are reported once the clock is known, one at a time, and once each`() throws {
    let box = try world.add(.box, "Tools", try world.spot())
    let items = try ["Drill", "Saw"].map { try world.add(.item, $0, box) }
    for (days, item) in items.enumerated() {
      try world.inventory.lend(item, to: "Ann", until: CalendarDay(number: 20_000 + Int64(days)), by: "Ben")
    }
    func next() throws -> String {
      while let message = try message() { if case .overdue(let due, let thing) = message { return thing.name + due } }
      throw TestFault("nothing is overdue")
    }
    order(.begin(scanner: ""))
    order(.follow(lists: false, overdue: true, clockIsGood: true))
    #expect(try next() == "Drill" + CalendarDay(number: 20_000).text)
    order(.passedOverdue(items[0].id))
    #expect(try next() == "Saw" + CalendarDay(number: 20_001).text)
    order(.passedOverdue(items[1].id))
    #expect(try eventually { try world.sqlite("SELECT count(*) FROM announced_overdue") == "2\n" })
    #expect(try world.inventory.nextOverdueLoan(on: .today)?.entry == nil)
  }
}
