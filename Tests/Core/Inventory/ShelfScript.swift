// A kiosk at a shelf, with the test in the place of tappet-inventory.

@testable import TappetCore

extension Action {
  static let shelf = Action(
    name: "shelf", title: "Shelf", index: 9, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    mode: .inventory)

  static func job(_ job: InventoryJob, named name: String? = nil) -> Action {
    Action(
      name: name ?? job.rawValue, title: "",
      index: Int64(20 + (InventoryJob.allCases.firstIndex(of: job) ?? 0)), topic: nil, message: PayloadTemplate(""),
      cooldown: .zero, mode: .inventory, job: job)
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
  /// The pieces that are counted in stocktakes, and 0 for what was only seen.
  private(set) var tallies: [Stocktake: [String: Int64]] = [:]
  /// The places of the stocktakes, the last one last.
  private(set) var checked: [Stocktake: [(name: String, role: CheckedRole)]] = [:]
  /// The results of the stocktakes that have ended.
  private var ended: [Int64: (items: Int64, missing: InventoryList?)] = [:]
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

  func add(_ name: String, _ kind: InventoryKind, in place: String?) {
    guard let id = InventoryID([UInt8](repeating: UInt8(things.count + 1), count: 16)) else { preconditionFailure() }
    var thing = InventoryThing(id: id, kind: kind, name: name)
    if let place = place.flatMap({ things[$0] }) { thing.containers = [place.id] + place.containers }
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

  /// Somebody takes pieces of an item.
  func take(_ pieces: Int64, of name: String) { things[name]?.quantity -= pieces }

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
  func tellStocktakes(
    _ found: [Stocktake: [String: Int64]], by who: String = "kiosk",
    in places: [Stocktake: [(name: String, role: CheckedRole)]] = [:]
  ) -> [String] {
    tallies = found
    checked.merge(places) { $1 }
    return found.keys.flatMap { stocktake in
      let place = checked[stocktake]?.last.flatMap { things[$0.name] }.map { CheckedPlace(id: $0.id, kind: $0.kind) }
      let isAudit = stocktake.action == InventoryJob.audit.rawValue
      return at(.inventory(.message(.stocktake(stocktake, isAudit: isAudit, who: who, place))))
    }
  }

  /// Ada's tag is tapped a second later.
  @discardableResult
  func tapAda() -> [String] { tap(.of(adaSecret)) }

  /// A tag is tapped a second later.
  @discardableResult
  func tap(_ reading: TagReading) -> [String] {
    time += 1_000
    at(.reader(.tagArrived(reading.uid)))
    let words = at(.reader(.tagRead(reading)))
    at(.reader(.tagLeft(reading.uid)))
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
      return change(number, id) { ($0.containers, $0.holder) = ([place], nil) }
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
      let pieces = adjustment.pieces - adjustment.replaced
      guard adjustment.stocktake != nil || quantity(name(adjustment.id)) + pieces >= 0 else {
        return .failed(number, .noneLeft)
      }
      tickets.append(adjustment.ticket)
      if let stocktake = adjustment.stocktake {
        tallies[stocktake, default: [:]][name(adjustment.id), default: 0] += pieces
        return counted(number, adjustment.id, in: stocktake)
      }
      let former = adjustment.replaced == 0 ? "" : " instead of \(adjustment.replaced)"
      changes.append("\(adjustment.pieces) \(name(adjustment.id))\(former) by \(who)")
      return change(number, adjustment.id) { $0.quantity += pieces }
    case .endStocktake(let number, let stocktake, let isKept): return end(number, stocktake, isKept)
    case .see(let number, let id, let role, let stocktake, let who):
      changes.append("\(name(id)) seen by \(who)")
      tallies[stocktake, default: [:]][name(id), default: 0] += 0
      if role != .content { checked[stocktake, default: []].append((name(id), role)) }
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
    if let former = ended[stocktake] { return .ended(number, items: former.items, missing: former.missing) }
    let key = tallies.keys.first { $0.number == stocktake }
    let counts = key.flatMap { tallies.removeValue(forKey: $0) } ?? [:]
    for (name, count) in counts where isKept && count > 0 { things[name]?.quantity = count }
    let places = (key.flatMap { checked.removeValue(forKey: $0) } ?? []).filter { place in
      guard place.role == .auditedPlace, let box = things[place.name], box.kind == .box else { return isKept }
      return isKept && counts.keys.contains { things[$0]?.container == box.id }
    }
    var missing = InventoryList(.missing, count: 0)
    for thing in things.values where counts[thing.name] == nil && places.contains(where: { isPart(thing, $0) }) {
      missing.items.append(InventoryList.Item(id: thing.id, name: thing.name, path: "", quantity: thing.quantity))
    }
    missing.count = Int64(missing.items.count)
    ended[stocktake] = (Int64(counts.count), places.isEmpty ? nil : missing)
    return end(number, stocktake, isKept)
  }

  /// Whether a thing belongs to what is looked for in a place.
  private func isPart(_ thing: InventoryThing, _ place: (name: String, role: CheckedRole)) -> Bool {
    guard let id = things[place.name]?.id else { return false }
    return place.role == .auditedPlace ? thing.container == id : thing.kind == .item && thing.containers.contains(id)
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
    case .adjust, .endStocktake, .see: true
    default: false
    }
  }
}

extension Effect {
  var inventoryOrder: InventoryOrder? { if case .orderInventory(let order) = self { order } else { nil } }
}
