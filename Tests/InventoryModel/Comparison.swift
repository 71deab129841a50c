// The database next to the model: the same operations, the same answers.

import Foundation
import TappetCore
import TappetInventory

/// A difference between the two, which ends the run.
struct Difference: Error, CustomStringConvertible {
  var description: String
}

/// The row of a place.
private struct Place: Hashable {
  var kind: InventoryKind
  var row: Int64
}

/// The database, the model, and which thing of one is which of the other.
struct Comparison {
  let inventory: Inventory
  var model = Model()
  private var entries: [Int: InventoryEntry] = [:]

  init(_ inventory: Inventory) { self.inventory = inventory }

  // MARK: Operations

  /// Does an operation to both.
  mutating func perform(_ operation: Operation) throws {
    let before = model
    let isAllowed = operation.perform(on: &model)
    do {
      try apply(operation)
      guard isAllowed else { throw Difference(description: "\(operation) was done, and must be refused") }
    } catch let error as InventoryError {
      guard !isAllowed, error.isRefusal else { throw Difference(description: "\(operation): \(error)") }
    }
    switch operation {
    case .undo, .redo: try readEntries(changedSince: before)
    default: break
    }
  }

  private mutating func apply(_ operation: Operation) throws {
    switch operation {
    case .add(let thing):
      let container = try thing.container.map { try entry($0) }
      entries[thing.number] = try inventory.add(thing.kind, to: container, thing.values, by: "model")
    case .edit(let thing):
      entries[thing.number] = try inventory.edit(try entry(thing.number), thing.values, by: "model")
    case .move(let number, let container):
      entries[number] = try inventory.move(try entry(number), to: try entry(container), by: "model")
    case .remove(let number): try inventory.remove(try entry(number), by: "model")
    case .stocktake(let number, let pieces, let isKept, let ticket):
      let (item, stocktake) = (try entry(number), Stocktake(number: ticket, action: "model"))
      _ = try inventory.tally(item, pieces, in: stocktake, ticket: ticket, by: "model")
      _ = try inventory.endStocktake(ticket, isKept: isKept)
      entries[number] = try inventory.entry(item.id, of: .item)
    case .adjust(let number, let pieces, let ticket):
      entries[number] = try inventory.adjust(try entry(number), by: pieces, ticket: ticket, by: "model")
    case .undo: try inventory.undo(by: "model")
    case .redo: try inventory.redo(by: "model")
    case .lend, .takeBack, .addBarcode, .removeBarcode, .reserve, .unreserve: try relabel(operation)
    }
  }

  private func relabel(_ operation: Operation) throws {
    var edit = InventoryEdit()
    switch operation {
    case .lend(let number, let person): try inventory.lend(try entry(number), to: person, by: "model")
    case .takeBack(let number): try inventory.takeBack(try entry(number), by: "model")
    case .addBarcode(let code, let number):
      edit.barcode = code
      try inventory.edit(try entry(number), edit, by: "model")
    case .removeBarcode(let code, let number):
      edit.removedBarcode = code
      try inventory.edit(try entry(number), edit, by: "model")
    case .reserve(let number, let wanted): try inventory.reserve(try entry(number), wanted, by: "model")
    case .unreserve(let number, let first): try inventory.unreserve(try entry(number), from: first, by: "model")
    case .add, .edit, .move, .remove, .adjust, .stocktake, .undo, .redo: break
    }
  }

  private func entry(_ number: Int) throws -> InventoryEntry {
    guard let entry = entries[number] else { throw Difference(description: "n\(number) is not known") }
    return entry
  }

  /// Undoing may have changed any thing, also one that was removed before a kill and is known by its name alone.
  private mutating func readEntries(changedSince before: Model) throws {
    let changed = model.things.filter { before.thing($0.number) != $0 }
    if changed.contains(where: { entries[$0.number] == nil }) { return try readAllEntries() }
    for thing in changed {
      guard let entry = try inventory.entry(try entry(thing.number).id, of: thing.kind) else {
        throw Difference(description: "n\(thing.number) did not come back")
      }
      entries[thing.number] = entry
    }
  }

  /// Learns from their names which things are in the database.
  mutating func readAllEntries() throws {
    entries.removeAll()
    for kind in InventoryKind.allCases {
      try inventory.forEach(kind) { entry in
        if let number = entry.number { entries[number] = entry }
        return true
      }
    }
  }

  // MARK: Answers

  /// Compares the answers to one random question.
  func ask(_ random: inout Random) throws {
    switch random.below(7) {
    case 6:
      guard let thing = random.pick(model.things) else { return }
      try require(try labels(of: try entry(thing.number)) == thing.labels, "labels of \(thing)")
      let barcode = random.pick(model.things.filter { !$0.labels.barcodes.isEmpty })
      guard let labelled = barcode, let code = labelled.labels.barcodes.first else { return }
      try require(try inventory.thing(onLabel: code)?.number == labelled.number, "barcode \(code)")
    case 0:
      let words = (0...random.below(2)).map { _ in
        String((random.pick(Operation.words) ?? "").prefix(1 + random.below(5)))
      }
      var found: Set<Int> = []
      try inventory.search(words.joined(separator: " "), limit: 10_000) { entry in
        if let number = entry.number { found.insert(number) }
        return true
      }
      try require(found == model.search(words), "find \(words)")
    case 1:
      let code = "B-\(random.below(70))"
      try require(
        try inventory.box(code: code)?.number == model.all(.box).first { $0.code == code }?.number, "code \(code)")
    case 2:
      guard let thing = random.pick(model.things) else { return }
      try require(try inventory.location(of: try entry(thing.number)).path == model.path(of: thing), "path of \(thing)")
    case 3:
      guard let place = random.pick(model.things.filter { $0.kind != .item }) else { return }
      var names: [String] = []
      try inventory.forEach(in: try entry(place.number)) { entry in
        names.append(entry.name)
        return true
      }
      try require(names == model.contents(of: place.number).map { $0.name }, "contents of \(place)")
    case 4:
      var low: [Int?] = []
      try inventory.forEachLowItem { entry in
        low.append(entry.number)
        return true
      }
      try require(low == model.all(.item).filter { $0.isLow }.reversed().map { $0.number }, "low items")
    default:
      guard let kind = random.pick(Array(InventoryKind.allCases)) else { return }
      try require(try inventory.count(of: kind) == Int64(model.all(kind).count), "number of \(kind)")
    }
  }

  /// Compares all things and the last moves.
  func compareAll() throws {
    var places: [Place: Int] = [:]
    for thing in model.things {
      // The rows of things that are gone may be others' now.
      if let entry = entries[thing.number] { places[Place(kind: thing.kind, row: entry.row)] = thing.number }
    }
    for kind in InventoryKind.allCases {
      var found: [Thing] = []
      try inventory.forEach(kind) { entry in
        found.append(thing(entry, places))
        return true
      }
      for index in found.indices where found[index].number >= 0 {
        if let entry = entries[found[index].number] { found[index].labels = try labels(of: entry) }
      }
      let known = model.all(kind)
      try require(found == (kind == .box || kind == .item ? known.reversed() : known), "all of \(kind)")
    }
    var moves: [String] = []
    try inventory.forEachMove(of: nil) { move in
      moves.append(move.name + ": " + move.origin + " > " + move.destination)
      return moves.count < 100
    }
    // One undo can be several moves, in whatever order.
    try require(moves.sorted() == model.moves.suffix(100).sorted(), "moves")
  }

  /// The thing as the model has it; -1 for one that is not the model's.
  private func thing(_ entry: InventoryEntry, _ places: [Place: Int]) -> Thing {
    let number = entry.number ?? -1
    var container: Int?
    if let kind = entry.kind.container, let row = entry.container { container = places[Place(kind: kind, row: row)] }
    return Thing(
      number: number, kind: entry.kind, container: container, name: entry.name, code: entry.code, notes: entry.notes,
      quantity: entry.quantity, minimum: entry.minimum)
  }

  private func labels(of entry: InventoryEntry) throws -> Labels {
    let isItem = entry.kind == .item
    return Labels(
      holder: isItem ? try inventory.loan(of: entry)?.person : nil, barcodes: try inventory.barcodes(of: entry),
      reservations: isItem ? try inventory.reservations(of: entry) : [])
  }

  private func require(_ condition: Bool, _ what: String) throws {
    if !condition { throw Difference(description: what + " differ") }
  }
}

extension Thing {
  /// All of its values.
  var values: InventoryEdit {
    var values = InventoryEdit()
    values.name = name
    if kind == .box { values.code = code }
    if kind == .item {
      values.notes = notes
      values.quantity = quantity
      values.minimum = .some(minimum)
    }
    return values
  }
}

extension InventoryEntry {
  /// The model's number of it, which ends its name.
  var number: Int? { name.split(separator: " ").last.flatMap { Int($0.dropFirst()) } }
}

extension InventoryError {
  /// Whether a rule and not the disk was in the way.
  var isRefusal: Bool {
    switch self {
    case .codeTaken, .barcodeTaken, .unchanged, .reserved, .tooFew, .nothingToUndo: true
    default: false
    }
  }
}
