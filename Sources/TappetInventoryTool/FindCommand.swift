// tappet find, and the inventory's history.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetMessages
import TappetPlatform

/// Finds boxes by code, and everything by its words.
enum FindCommand {
  static func run(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    let text = arguments.operands[0]
    arguments.report?.beginList()
    let count = try judged { () throws(InventoryError) -> Int in
      if let box = try inventory.box(code: text) {
        try print(box, inventory, arguments)
        return 1
      }
      if arguments.has("code") { throw .unknownCode(text) }
      var count = 0
      try inventory.search(text, limit: arguments.number("limit") ?? Limits.inventoryFindsMax) {
        (entry) throws(InventoryError) in
        count += 1
        try print(entry, inventory, arguments)
        return Output.isTaken
      }
      return count
    }
    if count == 0 {
      let failure = InventoryError.unknownCode(text)
      throw .refused(failure.sentence + ", and nothing has these words", failure.code)
    }
  }

  private static func print(
    _ entry: InventoryEntry, _ inventory: Inventory, _ arguments: Arguments
  ) throws(InventoryError) {
    guard let report = arguments.report else {
      return Output.print("\(Help.padded(entry.kind.name, 8))  " + (try inventory.line(of: entry)))
    }
    report.print(try inventory.json(of: entry, hashesPhoto: false))
  }
}

/// Moves, and the last change.
enum InventoryHistory {
  static func listMoves(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    arguments.report?.beginList()
    try judged { () throws(InventoryError) in
      var subject: InventoryID?
      for kind in [InventoryKind.box, .item] {
        if let words = arguments.value(kind.name) { subject = try inventory.resolve(words, kind).id }
      }
      try inventory.forEachMove(of: subject) { move in
        if let report = arguments.report {
          report.print(move.json)
        } else {
          Output.print(move.line)
        }
        return Output.isTaken
      }
    }
  }

  static func undo(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    let change = try judged { () throws(InventoryError) in try inventory.undo(by: arguments.who) }
    if let report = arguments.report { return report.set(change.json) }
    let time = WallTime.second(unixMilliseconds: change.unixMilliseconds)
    Output.printError("Taken back: \(change.sentence) by \(change.who) at \(time).")
  }
}

extension InventoryMove {
  fileprivate var line: String {
    let time = WallTime.second(unixMilliseconds: unixMilliseconds)
    return "\(time)  \(who)  \(kind.name) \(name): \(origin), now \(destination)"
  }

  fileprivate var json: JSON {
    .object([
      "time": .time(unixMilliseconds: unixMilliseconds), "by": .string(who), "kind": .string(kind.name),
      "id": .string(id.text), "name": .string(name), "from": .string(origin), "to": .string(destination),
    ])
  }
}

extension InventoryChange {
  fileprivate var json: JSON {
    .object([
      "kind": .string(kind.name), "verb": .string(verb.name), "name": .string(name), "by": .string(who),
      "time": .time(unixMilliseconds: unixMilliseconds),
    ])
  }
}
