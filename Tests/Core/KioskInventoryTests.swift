// Taps and scans at the shelf, with the test in the place of tappet-inventory.

import Testing

@testable import TappetCore

extension Action {
  static let shelf = Action(
    name: "shelf", title: "Shelf", index: 9, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    mode: .inventory)

  static func job(_ job: InventoryJob) -> Action {
    Action(
      name: job.rawValue, title: "", index: Int64(20 + (InventoryJob.allCases.firstIndex(of: job) ?? 0)), topic: nil,
      message: PayloadTemplate(""), cooldown: .zero, mode: .inventory, job: job)
  }
}

/// A kiosk at a shelf: its things are scanned by name, and are where the kiosk has moved them.
final class ShelfScript {
  let story: KioskScript
  private(set) var things: [String: InventoryThing] = [:]
  /// The orders so far that change something, in words.
  private(set) var changes: [String] = []
  /// The time, in milliseconds.
  var time = 1_000

  /// The tickets of the changes that were made.
  private(set) var tickets: [Int64] = []
  /// The pieces that are counted in stocktakes.
  private(set) var tallies: [Stocktake: [String: Int64]] = [:]
  /// Whether tappet-inventory is killed when it has made the next change of a job, before it answers.
  var isKilledNext = false
  /// Whether the database does not accept the next end of a stocktake.
  var isBusyNext = false
  /// Whether the disk is full at the next move or count.
  var isFullNext = false

  init() {
    story = KioskScript([.shelf, .light] + InventoryJob.allCases.filter { $0 != .show }.map { .job($0) })
    var plan = InventoryPlan()
    plan.scanAction = Action.shelf.name
    story.kiosk.settings.inventory = plan
    story.kiosk.settings.kioskName = "kiosk"
    add("cellar", .room, in: nil)
    for spot in ["rack", "shelf"] { add(spot, .spot, in: "cellar") }
    for box in ["screws", "nails"] { add(box, .box, in: "rack") }
    add("m4", .item, in: "screws")
    story.startAll()
    story.at(20, .secretsLoaded([adaSecret]))
    story.at(30, .inventory(.message(.ready)))
  }

  private func add(_ name: String, _ kind: InventoryKind, in place: String?) {
    guard let id = InventoryID([UInt8](repeating: UInt8(things.count + 1), count: 16)) else { preconditionFailure() }
    var thing = InventoryThing(id: id, kind: kind, name: name)
    thing.container = place.flatMap { things[$0]?.id }
    thing.quantity = 5
    things[name] = thing
  }

  var light: Light { story.kiosk.baseLight }

  func quantity(_ name: String) -> Int64 { things[name]?.quantity ?? 0 }

  private var adaSecret: TagSecret {
    var secret = TagSecret.of(.shelf, id: "ada", byte: 0x44)
    secret.person = Person(id: "p1", name: "Ada", createdUnixSeconds: 1)
    return secret
  }

  /// Feeds an event, and answers the orders that follow; returns the words of all effects.
  @discardableResult
  func at(_ event: Event) -> [String] {
    story.at(time, .reader(.heartbeat))
    return answerAll(story.at(time, event))
  }

  private func answerAll(_ first: [String]) -> [String] {
    var words = first
    while let order = story.lastEffects.lazy.compactMap({ $0.inventoryOrder }).first, let answer = answer(order) {
      if isKilledNext, order.isOfJob {
        isKilledNext = false
        words += story.at(time, .inventory(.ended(.signaled(9))))
      } else {
        words += story.at(time, .inventory(.message(answer)))
      }
    }
    return words.filter { !$0.hasPrefix("order") }
  }

  /// Somebody removes a thing.
  func remove(_ name: String) { things[name] = nil }

  /// A code is scanned a second later.
  @discardableResult
  func scan(_ name: String) -> [String] {
    time += 1_000
    return at(.inventory(.message(.scanned(name))))
  }

  /// The button of this job is pressed a second later.
  @discardableResult
  func press(_ job: InventoryJob) -> [String] {
    time += 1_000
    return at(.panel(.asked(action: job.rawValue)))
  }

  /// Lets this time pass.
  @discardableResult
  func wait(milliseconds: Int) -> [String] {
    let end = time + milliseconds
    var words: [String] = []
    while let due = story.wakesAt, due <= end {
      time = max(time, due)
      words += answerAll(story.at(time, .timerFired))
    }
    time = end
    return words
  }

  /// tappet-inventory is started again.
  @discardableResult
  func restart() -> [String] {
    wait(milliseconds: 5_000)
    return at(.inventory(.message(.ready))) + tellStocktakes(tallies)
  }

  /// tappet-inventory has found these counts, as after a restart of the kiosk.
  @discardableResult
  func tellStocktakes(_ found: [Stocktake: [String: Int64]], by who: String = "kiosk") -> [String] {
    tallies = found
    return found.keys.flatMap { at(.inventory(.message(.stocktake($0, who: who)))) }
  }

  /// Ada's tag is tapped a second later.
  @discardableResult
  func tapAda() -> [String] {
    time += 1_000
    at(.reader(.tagArrived(.number(1))))
    let words = at(.reader(.tagRead(.of(adaSecret))))
    at(.reader(.tagLeft(.number(1))))
    return words
  }

  /// Ada is suspended.
  func suspendAda() {
    var secret = adaSecret
    secret.person = secret.person?.with(isSuspended: true)
    at(.secretsLoaded([secret]))
  }

  /// Carries out an order, and returns its answer; `nil` if there is none.
  private func answer(_ order: InventoryOrder) -> InventoryMessage? {
    switch order {
    case .lookUp(let number, let key):
      guard let thing = things[key.code] else { return .failed(number, .unknown) }
      return .found(number, thing)
    case .move(let number, _, _, _) where isFullNext, .adjust(let number, _, _) where isFullNext:
      isFullNext = false
      return .failed(number, .full)
    case .move(let number, let id, let place, _):
      changes.append("\(name(id)) to \(name(place))")
      return change(number, id) { ($0.container, $0.holder) = (place, nil) }
    case .lend(let number, let id, let person, _):
      changes.append("\(name(id)) to \(person)")
      return change(number, id) { $0.holder = person }
    case .takeBack(let number, let id, let who):
      changes.append("\(name(id)) from \(who)")
      return change(number, id) { $0.holder = nil }
    case .adjust(let number, let adjustment, let who):
      guard !tickets.contains(adjustment.ticket) else {
        return adjustment.stocktake.map { counted(number, adjustment.id, in: $0) }
          ?? change(number, adjustment.id) { _ in }
      }
      tickets.append(adjustment.ticket)
      if let stocktake = adjustment.stocktake {
        tallies[stocktake, default: [:]][name(adjustment.id), default: 0] += adjustment.pieces
        return counted(number, adjustment.id, in: stocktake)
      }
      changes.append("\(adjustment.pieces) \(name(adjustment.id)) by \(who)")
      return change(number, adjustment.id) { $0.quantity += adjustment.pieces }
    case .endStocktake(let number, let stocktake, let isKept): return end(number, stocktake, isKept)
    case .see(let number, let id, let who):
      changes.append("\(name(id)) seen by \(who)")
      return change(number, id) { _ in }
    case .begin, .passedOn, .passedLow, .passedOverdue, .follow: return nil
    }
  }

  private func counted(_ number: UInt32, _ id: InventoryID, in stocktake: Stocktake) -> InventoryMessage {
    guard var thing = things[name(id)] else { return .failed(number, .gone) }
    thing.quantity = tallies[stocktake]?[thing.name] ?? 0
    return .found(number, thing)
  }

  private func end(_ number: UInt32, _ stocktake: Int64, _ isKept: Bool) -> InventoryMessage {
    if isBusyNext {
      isBusyNext = false
      return .failed(number, .database)
    }
    let key = tallies.keys.first { $0.number == stocktake }
    let counts = key.flatMap { tallies.removeValue(forKey: $0) } ?? [:]
    for (name, count) in counts where isKept { things[name]?.quantity = count }
    return .ended(number, items: Int64(counts.count))
  }

  private func name(_ id: InventoryID) -> String { things.values.first { $0.id == id }?.name ?? "?" }

  private func change(_ number: UInt32, _ id: InventoryID, _ body: (inout InventoryThing) -> Void) -> InventoryMessage {
    guard var thing = things[name(id)] else { return .failed(number, .gone) }
    body(&thing)
    things[thing.name] = thing
    return .found(number, thing)
  }
}

extension InventoryOrder {
  fileprivate var isOfJob: Bool {
    switch self {
    case .adjust, .endStocktake: true
    default: false
    }
  }
}

extension Effect {
  fileprivate var inventoryOrder: InventoryOrder? { if case .orderInventory(let order) = self { order } else { nil } }
}

@Suite struct KioskInventoryTests {
  private let shelf = ShelfScript()

  @Test func `a box that was tapped goes to the spot tapped next, and on to a further one in time`() {
    #expect(shelf.light == .ready)
    #expect(shelf.scan("screws").contains("report shown screws") && shelf.light == .holding)
    #expect(shelf.scan("shelf").contains("light accepted") && shelf.light == .holding)
    shelf.scan("rack")
    #expect(shelf.changes == ["screws to shelf", "screws to rack"])
    _ = shelf.story.sleep(until: shelf.time + 9_999)
    #expect(shelf.light == .holding)
    _ = shelf.story.sleep(until: shelf.time + 10_000)
    #expect(shelf.light != .holding)
    shelf.time += 10_000
    shelf.scan("shelf")
    #expect(shelf.changes.count == 2)
  }

  @Test func `each box tapped in time after a spot goes there`() {
    for name in ["shelf", "screws", "nails"] { shelf.scan(name) }
    #expect(shelf.changes == ["screws to shelf", "nails to shelf"])
    // The spot is held still; a box that is there is held instead, and goes back to the rack.
    for name in ["nails", "rack"] { shelf.scan(name) }
    #expect(shelf.changes.last == "nails to rack")
  }

  @Test func `a box that is removed between the taps is refused, and the next one is moved`() {
    shelf.scan("screws")
    shelf.remove("screws")
    #expect(shelf.scan("shelf").contains("light refused"))
    #expect(shelf.scan("screws").contains("light refused"))
    shelf.scan("nails")
    #expect(shelf.scan("shelf").contains("report moved nails"))
  }

  @Test(arguments: [-86_400_000, 86_400_000])
  func `a wall clock that jumps neither ends nor prolongs what is held`(_ milliseconds: Int64) {
    shelf.scan("screws")
    shelf.story.wallOffset += milliseconds
    #expect(shelf.scan("shelf").contains("report moved screws") && shelf.light == .holding)
    shelf.story.wallOffset -= milliseconds
    _ = shelf.story.sleep(until: shelf.time + 9_999)
    #expect(shelf.light == .holding)
    _ = shelf.story.sleep(until: shelf.time + 10_000)
    #expect(shelf.light != .holding)
  }

  @Test func `an item goes into a box, but not onto a spot`() {
    shelf.scan("m4")
    #expect(shelf.scan("nails").contains("report moved m4"))
    shelf.scan("cellar")
    shelf.scan("m4")
    let refused = shelf.scan("rack")
    #expect(refused.contains("light refused") && shelf.light != .holding, "\(refused)")
    #expect(shelf.scan("screws").contains("report shown screws"))
    #expect(shelf.changes == ["m4 to nails"])
  }

  @Test func `a thing that is tapped again is held no more, also after it was moved`() {
    for first in [[], ["shelf"]] {
      for name in ["screws"] + first { shelf.scan(name) }
      #expect(shelf.light == .holding)
      #expect(shelf.scan("screws").contains("report released screws") && shelf.light != .holding)
      #expect(shelf.scan("rack").contains("report shown rack"))
      shelf.scan("rack")
    }
    #expect(shelf.changes == ["screws to shelf"])
  }

  @Test func `another thing that does not fit is held instead`() {
    for name in ["screws", "nails", "shelf"] { shelf.scan(name) }
    #expect(shelf.changes == ["nails to shelf"])
  }

  @Test func `an item goes to the person whose tag is tapped, and back when they have it`() {
    shelf.scan("m4")
    shelf.tapAda()
    shelf.tapAda()
    #expect(shelf.changes == ["m4 to Ada", "m4 from Ada"])
    // The person first.
    shelf.scan("rack")
    shelf.tapAda()
    #expect(shelf.light == .holding)
    shelf.scan("m4")
    #expect(shelf.changes.last == "m4 to Ada" && shelf.changes.count == 3)
  }

  @Test func `a box goes to a person in either order, and comes back from them or at its spot`() {
    shelf.scan("screws")
    #expect(shelf.tapAda().contains("report lent screws"))
    shelf.tapAda()
    #expect(shelf.changes == ["screws to Ada", "screws from Ada"])
    shelf.scan("rack")
    shelf.tapAda()
    #expect(shelf.scan("nails").contains("report lent nails"))
    // The box is not at the spot that it belongs to, so it is put back there.
    shelf.scan("rack")
    #expect(shelf.scan("nails").contains("report moved nails"))
    #expect(shelf.changes.suffix(2) == ["nails to Ada", "nails to rack"])
  }

  @Test(arguments: [InventoryFault.scanTooLong, .scanIncomplete, .scanUnreadable])
  func `a code that cannot be used is refused with its reason, and what is held stays held`(_ fault: InventoryFault) {
    shelf.scan("screws")
    let refused = shelf.at(.inventory(.message(.misread(fault))))
    #expect(refused.contains("light refused") && refused.contains { $0.contains("\(fault)") }, "\(refused)")
    #expect(shelf.light == .holding && shelf.scan("shelf").contains("report moved screws"))
    #expect(shelf.changes == ["screws to shelf"])
  }

  @Test(arguments: [
    ("smp://box?id=019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11", "019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11"),
    ("https://homebox.example/a/000-017", "https://homebox.example/a/000-017"),
    ("smp://action?idx=77&ts=1&sig=00&key=00", ""), ("smpshare://secret?idx=1&key=00", ""),
  ])
  func `a tag with a link is looked up by it, but no proof or secret is passed on`(_ link: String, _ code: String) {
    shelf.story.kiosk.settings.unknownTags = Action(
      name: KioskSettings.unknownTagsName, title: "", index: -1, topic: nil, message: PayloadTemplate(""),
      cooldown: .zero, mode: .inventory)
    shelf.story.tap(at: 1_000, .holding(Array(link.utf8), uid: 80))
    let key = shelf.story.lastEffects.compactMap(\.inventoryOrder).first
    #expect(key == .lookUp(1, InventoryKey(uid: .number(80), code: code)))
  }

  @Test func `a disk that is full at the second tap moves nothing, and both taps work when there is room`() {
    shelf.scan("screws")
    shelf.isFullNext = true
    let refused = shelf.scan("shelf")
    #expect(refused.contains("light refused") && refused.contains { $0.contains(" full") }, "\(refused)")
    #expect(shelf.changes.isEmpty && shelf.light != .holding)
    #expect(shelf.scan("screws").contains("report shown screws"))
    #expect(shelf.scan("shelf").contains("report moved screws") && shelf.changes == ["screws to shelf"])
    // The piece was not counted, and the next tap counts one.
    shelf.press(.remove)
    shelf.isFullNext = true
    #expect(shelf.scan("m4").contains("light refused") && shelf.quantity("m4") == 5 && shelf.light == .holding)
    #expect(shelf.scan("m4").contains("light accepted") && shelf.quantity("m4") == 4)
  }

  @Test func `a disk that is full when a lost piece is requested again counts it once`() {
    shelf.press(.remove)
    shelf.isKilledNext = true
    #expect(shelf.scan("m4").contains("light refused") && shelf.quantity("m4") == 4)
    shelf.restart()
    shelf.isFullNext = true
    #expect(shelf.scan("m4").contains("light refused"))
    #expect(shelf.scan("m4").contains("light accepted") && shelf.quantity("m4") == 4)
  }

  @Test func `the light that something is held ends with the process`() {
    shelf.scan("screws")
    #expect(shelf.light == .holding)
    shelf.at(.inventory(.ended(.signaled(9))))
    #expect(shelf.light != .holding)
  }
}
