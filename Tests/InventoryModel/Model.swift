// The inventory as a plain value in memory: arrays in the order of creation, and nothing clever.

import TappetCore
import TappetInventory

/// One thing of the model.
struct Thing: Equatable {
  /// The number of the operation that made it, which is also its name's end.
  var number: Int
  var kind: InventoryKind
  var container: Int?
  var name: String
  var code: String
  var notes = ""
  var quantity: Int64 = 1
  var minimum: Int64?
  var labels = Labels()

  var isLow: Bool { minimum.map { quantity < $0 } ?? false }
}

/// The facts about a thing besides its values: its holder, its barcodes in order, and its reservations.
struct Labels: Equatable {
  var holder: String?
  var barcodes: [String] = []
  var reservations: [InventoryReservation] = []
}

/// All things, the states before the last changes, and the moves.
struct Model {
  private(set) var things: [Thing] = []
  private var past: [[Thing]] = []
  /// The states that were taken back since the last change.
  private var future: [(state: [Thing], change: Int)] = []
  /// The changes that are kept, oldest first, also those that were taken back.
  private var journal: [(change: Int, isTakenBack: Bool)] = []
  /// The number of moves, newest last: who moved, and to which thing's path.
  private(set) var moves: [String] = []
  /// The last change that may be asked for again, and its item.
  private(set) var lastTicket: (ticket: Int64, number: Int)?
  private static let changesMax = 50

  /// The things of a kind in the order of creation.
  func all(_ kind: InventoryKind) -> [Thing] { things.filter { $0.kind == kind } }

  /// The contents of a thing.
  func contents(of number: Int) -> [Thing] { things.filter { $0.container == number } }

  func thing(_ number: Int) -> Thing? { things.first { $0.number == number } }

  /// The names of the places that a thing is in.
  func path(of thing: Thing) -> String {
    var names: [String] = []
    var next = thing.container.flatMap { self.thing($0) }
    while let place = next {
      names.insert(place.name, at: 0)
      next = place.container.flatMap { self.thing($0) }
    }
    return names.joined(separator: " → ")
  }

  /// The holder of a thing, or the path of its place.
  private func whereabouts(_ thing: Thing) -> String { thing.labels.holder ?? path(of: thing) }

  /// Whether a change was just taken back.
  var canRedo: Bool { !future.isEmpty }

  /// Whether no thing has the barcode.
  func isFree(_ barcode: String) -> Bool { !things.contains { $0.labels.barcodes.contains(barcode) } }

  // MARK: Changes

  /// Adds a thing; false when its code is another box's.
  mutating func add(_ thing: Thing) -> Bool {
    if thing.kind == .box, isTaken(thing.code, except: thing.number) { return false }
    remember()
    things.append(thing)
    return true
  }

  /// Replaces a thing's values; false when its code is another's, or nothing would change.
  mutating func edit(_ changed: Thing) -> Bool {
    guard let index = things.firstIndex(where: { $0.number == changed.number }), things[index] != changed else {
      return false
    }
    if changed.kind == .box, isTaken(changed.code, except: changed.number) { return false }
    remember()
    things[index] = changed
    return true
  }

  /// Moves a thing, and ends its loan; false when it is there already.
  mutating func move(_ number: Int, to container: Int) -> Bool {
    guard let index = things.firstIndex(where: { $0.number == number }) else { return false }
    if things[index].container == container, things[index].labels.holder == nil { return false }
    remember()
    let before = self
    things[index].container = container
    things[index].labels.holder = nil
    recordMoves(since: before)
    return true
  }

  /// Sets the quantity of an item that a stocktake found.
  mutating func count(_ number: Int, found pieces: Int64) {
    guard let index = things.firstIndex(where: { $0.number == number }), things[index].quantity != pieces else {
      return
    }
    remember()
    things[index].quantity = pieces
  }

  /// Changes the labels of a thing; false when nothing would change.
  mutating func relabel(_ number: Int, _ change: (inout Labels) -> Void) -> Bool {
    guard let index = things.firstIndex(where: { $0.number == number }) else { return false }
    var labels = things[index].labels
    change(&labels)
    if labels == things[index].labels { return false }
    remember()
    let before = self
    things[index].labels = labels
    recordMoves(since: before)
    return true
  }

  /// Changes the quantity of an item once for each ticket; false when there are too few pieces.
  mutating func adjust(_ number: Int, by pieces: Int64, ticket: Int64) -> Bool {
    if lastTicket?.ticket == ticket { return true }
    guard let index = things.firstIndex(where: { $0.number == number }), things[index].quantity + pieces >= 0 else {
      return false
    }
    remember()
    things[index].quantity += pieces
    lastTicket = (ticket, number)
    return true
  }

  /// Adds a barcode; false when another thing has it.
  mutating func addBarcode(_ code: String, to number: Int) -> Bool {
    guard isFree(code) else { return false }
    return relabel(number) { $0.barcodes = ($0.barcodes + [code]).sorted() }
  }

  /// Adds a reservation; false when it overlaps another.
  mutating func reserve(_ number: Int, _ wanted: InventoryReservation) -> Bool {
    relabel(number) { labels in
      if labels.reservations.contains(where: { $0.first <= wanted.last && wanted.first <= $0.last }) { return }
      labels.reservations = (labels.reservations + [wanted]).sorted { $0.first < $1.first }
    }
  }

  /// Removes a thing and everything in it.
  mutating func remove(_ number: Int) {
    remember()
    var gone: Set<Int> = [number]
    // A container is always made before its contents, unless they were moved there: so until nothing is found.
    while true {
      let more = things.filter { !gone.contains($0.number) && $0.container.map { gone.contains($0) } ?? false }
      if more.isEmpty { break }
      gone.formUnion(more.map { $0.number })
    }
    things.removeAll { gone.contains($0.number) }
  }

  /// Takes the last change back; false when none is left.
  mutating func undo() -> Bool {
    guard let state = past.popLast() else { return false }
    let before = self
    if let place = journal.lastIndex(where: { !$0.isTakenBack }) {
      journal[place].isTakenBack = true
      future.append((things, journal[place].change))
    }
    things = state
    recordMoves(since: before)
    return true
  }

  /// Makes the change that was taken back last again; false when another change was made since.
  mutating func redo() -> Bool {
    guard let (state, change) = future.popLast() else { return false }
    if let place = journal.firstIndex(where: { $0.change == change }) { journal[place].isTakenBack = false }
    let before = self
    past.append(things)
    things = state
    recordMoves(since: before)
    return true
  }

  private mutating func remember() {
    past.append(things)
    future = []
    journal.append(((journal.last?.change ?? 0) + 1, false))
    if journal.count > Model.changesMax, !journal.removeFirst().isTakenBack { past.removeFirst() }
  }

  /// A thing moves with a change of its own place or holder alone, not with the place that it is in.
  private mutating func recordMoves(since before: Model) {
    for thing in things {
      guard let old = before.thing(thing.number) else { continue }
      guard old.container != thing.container || old.labels.holder != thing.labels.holder else { continue }
      moves.append(thing.name + ": " + before.whereabouts(old) + " > " + whereabouts(thing))
    }
  }

  private func isTaken(_ code: String, except number: Int) -> Bool {
    things.contains { $0.kind == .box && $0.code == code && $0.number != number }
  }

  // MARK: Questions

  /// The things that `query` finds, in no order; its words are of plain lower-case letters.
  ///
  /// Each word begins one of the thing's, or is inside its name; or some begin words of places that it is in. A single
  /// word may also begin the code of a box.
  func search(_ query: [String]) -> Set<Int> {
    Set(
      things.filter { thing in
        if thing.kind == .box, thing.code.lowercased().hasPrefix(query.joined(separator: " ")) { return true }
        let own = query.map { Model.begins($0, thing.name + " " + thing.notes) }
        let places = path(of: thing)
        let isInside = query.allSatisfy { $0.count >= 3 && thing.name.contains($0) }
        let isSpread = own.contains(true) && zip(query, own).allSatisfy { $1 || Model.begins($0, places) }
        return isInside || isSpread
      }.map { $0.number })
  }

  private static func begins(_ part: String, _ text: String) -> Bool {
    text.split(separator: " ").contains { $0.hasPrefix(part) }
  }
}
