// Random operations. Each is drawn from the model alone, so that the same seed gives the same ones without a database.

import TappetCore
import TappetInventory

/// One random operation.
enum Operation {
  case add(Thing)
  case edit(Thing)
  case move(Int, to: Int)
  case remove(Int)
  case lend(Int, to: String)
  case takeBack(Int)
  case addBarcode(String, to: Int)
  case removeBarcode(String, from: Int)
  case reserve(Int, InventoryReservation)
  case unreserve(Int, from: CalendarDay)
  /// A stocktake of one item; its ticket is the same when the operation is repeated after a kill.
  case stocktake(Int, pieces: Int64, isKept: Bool, ticket: Int64)
  case adjust(Int, by: Int64, ticket: Int64)
  case undo
  case redo

  /// The words of names and notes.
  static let words = ["screw", "nail", "bolt", "nut", "washer", "cable", "tape", "lamp", "fuse", "hook"]
  /// Fewer than boxes, so that some are taken.
  private static let codesMax = 60

  /// Draws the next operation on `model`.
  static func draw(_ number: Int, _ model: Model, _ random: inout Random) -> Operation {
    switch random.below(120) {
    case 100..<111: return relabelling(model, &random) ?? .undo
    case 111..<113: return adjustment(number, model, &random) ?? .undo
    case 113..<115:
      guard let item = random.pick(model.all(.item)) else { return .undo }
      let (pieces, isKept) = (Int64(1 + random.below(20)), random.below(4) > 0)
      return .stocktake(item.number, pieces: pieces, isKept: isKept, ticket: Int64(number))
    // The redo of a change with others after it depends on what they touch, which the model does not know.
    case 115..<120 where model.canRedo: return .redo
    case 0..<50: return addition(number, model, &random) ?? edit(model, &random) ?? .undo
    case 50..<65: return edit(model, &random) ?? .undo
    case 65..<85: return move(model, &random) ?? .undo
    case 85..<93: return removal(model, &random) ?? .undo
    default: return .undo
    }
  }

  private static func addition(_ number: Int, _ model: Model, _ random: inout Random) -> Operation? {
    let kinds: [InventoryKind] = [.building, .room, .spot, .box, .box, .item, .item, .item, .item, .item]
    guard let kind = random.pick(kinds.filter { model.all($0).count < most($0) }) else { return nil }
    var container: Int?
    if let needed = kind.container {
      guard let place = random.pick(model.all(needed)) else {
        return .add(Thing(number: number, kind: .building, name: name(number, &random), code: ""))
      }
      container = place.number
    }
    var thing = Thing(number: number, kind: kind, container: container, name: name(number, &random), code: "")
    if kind == .box { thing.code = "B-\(random.below(codesMax))" }
    if kind == .item { vary(&thing, &random) }
    return .add(thing)
  }

  /// Maximum number of entries of a kind; otherwise, empty buildings would displace everything else over time.
  private static func most(_ kind: InventoryKind) -> Int {
    switch kind {
    case .building: 4
    case .room: 16
    case .spot: 40
    case .box: 80
    case .item: 260
    }
  }

  private static func edit(_ model: Model, _ random: inout Random) -> Operation? {
    guard var thing = random.pick(model.things) else { return nil }
    switch (thing.kind, random.below(3)) {
    case (.box, 0): thing.code = "B-\(random.below(codesMax))"
    case (.item, 0...1): vary(&thing, &random)
    default: thing.name = name(thing.number, &random)
    }
    return .edit(thing)
  }

  private static func move(_ model: Model, _ random: inout Random) -> Operation? {
    guard let thing = random.pick(model.things.filter { $0.kind != .building }), let kind = thing.kind.container,
      let place = random.pick(model.all(kind))
    else { return nil }
    return .move(thing.number, to: place.number)
  }

  private static func relabelling(_ model: Model, _ random: inout Random) -> Operation? {
    let barcode = "E-\(random.below(codesMax))"
    let person = people[random.below(people.count)]
    guard let item = random.pick(model.all(.item)), let thing = random.pick(model.things) else { return nil }
    switch random.below(6) {
    case 0: return .lend(item.number, to: person)
    case 1: return .takeBack(item.number)
    case 2: return thing.labels.barcodes.contains(barcode) ? nil : .addBarcode(barcode, to: thing.number)
    case 3:
      let labelled = random.pick(model.things.filter { !$0.labels.barcodes.isEmpty })
      return labelled.flatMap { .removeBarcode($0.labels.barcodes[0], from: $0.number) }
    case 4:
      let first = Int64(random.below(20))
      let last = first + Int64(random.below(4))
      // Often an item with reservations, with which the new one may overlap.
      let wanted = random.below(2) == 0 ? reserved(model, &random) ?? item : item
      return .reserve(wanted.number, InventoryReservation(person: person, first: day(first), last: day(last)))
    default: return reserved(model, &random).flatMap { .unreserve($0.number, from: $0.labels.reservations[0].first) }
    }
  }

  private static func reserved(_ model: Model, _ random: inout Random) -> Thing? {
    random.pick(model.all(.item).filter { !$0.labels.reservations.isEmpty })
  }

  /// Sometimes the last one again, as a kiosk asks again that got no answer.
  private static func adjustment(_ number: Int, _ model: Model, _ random: inout Random) -> Operation? {
    guard let item = random.pick(model.all(.item)) else { return nil }
    let pieces = Int64(random.below(2) == 0 ? 1 : -3)
    if let last = model.lastTicket, let other = model.thing(last.number), random.below(3) == 0 {
      return .adjust(other.number, by: pieces, ticket: last.ticket)
    }
    return .adjust(item.number, by: pieces, ticket: Int64(number))
  }

  /// Days that are neither today nor over while the program runs.
  private static func day(_ number: Int64) -> CalendarDay { CalendarDay(number: 60_000 + number) }

  private static let people = ["Ann", "Ben", "Cy"]

  /// Seldom something large, or the store room would always be empty.
  private static func removal(_ model: Model, _ random: inout Random) -> Operation? {
    let kind: InventoryKind = [.building, .room, .spot, .box, .box][random.below(40) / 8]
    let things = random.below(4) == 0 ? model.all(kind) : model.all(.item)
    return random.pick(things).map { .remove($0.number) }
  }

  private static func vary(_ thing: inout Thing, _ random: inout Random) {
    thing.notes = (0..<random.below(4)).map { _ in words[random.below(words.count)] }.joined(separator: " ")
    thing.quantity = Int64(random.below(20))
    thing.minimum = random.below(3) == 0 ? Int64(random.below(20)) : nil
  }

  private static func name(_ number: Int, _ random: inout Random) -> String {
    words[random.below(words.count)] + " n\(number)"
  }

  /// Does it to the model; whether it is allowed.
  func perform(on model: inout Model) -> Bool {
    switch self {
    case .add(let thing): return model.add(thing)
    case .edit(let thing): return model.edit(thing)
    case .move(let number, let container): return model.move(number, to: container)
    case .remove(let number):
      model.remove(number)
      return true
    case .lend(let number, let person): return model.relabel(number) { $0.holder = person }
    case .takeBack(let number): return model.relabel(number) { $0.holder = nil }
    case .addBarcode(let code, let number): return model.addBarcode(code, to: number)
    case .removeBarcode(let code, let number): return model.relabel(number) { $0.barcodes.removeAll { $0 == code } }
    case .reserve(let number, let wanted): return model.reserve(number, wanted)
    case .unreserve(let number, let first):
      return model.relabel(number) { $0.reservations.removeAll { $0.first == first } }
    case .stocktake(let number, let pieces, let isKept, _):
      if isKept { model.count(number, found: pieces) }
      return true
    case .adjust(let number, let pieces, let ticket): return model.adjust(number, by: pieces, ticket: ticket)
    case .undo: return model.undo()
    case .redo: return model.redo()
    }
  }
}
