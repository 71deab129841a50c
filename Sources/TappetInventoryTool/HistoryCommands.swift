// tappet inventory moves, changes, undo and redo.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetMessages
import TappetPlatform

/// Lists moves and changes, and undoes or redoes changes.
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

  static func listChanges(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    arguments.report?.beginList()
    try judged { () throws(InventoryError) in
      for change in try inventory.changes() {
        if let report = arguments.report {
          report.print(change.json)
        } else {
          Output.print(change.line(try inventory.correction(by: change)))
        }
      }
    }
  }

  static func undo(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    let number = arguments.operands.first.flatMap { Int64(decimal: $0.utf8) }
    let isAny = arguments.has("any")
    let changes = try judged { () throws(InventoryError) in try inventory.changes() }.filter { !$0.isTakenBack }
    let change = changes.first { change in
      number.map { change.number == $0 } ?? (isAny || change.who == arguments.who)
    }
    guard let change else {
      let own = "there is no change by \(arguments.who)"
      let what = number.map { "there is no change \($0)" } ?? (isAny ? "there is no change" : own)
      throw .refused(
        "\(what) that can be undone; use 'tappet inventory changes' to list the "
          + "last \(Limits.inventoryUndoMax) changes",
        InventoryError.nothingToUndo.code)
    }
    guard isAny || change.who == arguments.who else {
      throw .refused(
        "\(change.sentence) by \(change.who), not by \(arguments.who); use --any to undo it",
        FailureCode.othersChange)
    }
    if number == nil, let newest = changes.first, newest.number != change.number {
      let count = changes.count { $0.number > change.number }
      Output.printError(
        "note: \(plural(count, "newer change")) by others: the last is change \(newest.number) by \(newest.who), "
          + "\(newest.sentence); use --any to undo that one instead")
    }
    // To restore what was removed loses nothing.
    if change.thingCount > 1, change.verb != .removed {
      let fact = "\(change.sentence), which affects \(change.thingCount) things"
      try Prompt.require("take back", fact + ".", fact: fact, arguments)
    }
    _ = try judged { () throws(InventoryError) in try inventory.undo(number: change.number, by: arguments.who) }
    report(change, "Undone", arguments)
  }

  static func redo(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    report(
      try judged { () throws(InventoryError) in try inventory.redo(by: arguments.who) }, "Redone", arguments)
  }

  private static func report(_ change: InventoryChange, _ what: String, _ arguments: Arguments) {
    if let report = arguments.report { return report.set(change.json) }
    let time = WallTime.second(unixMilliseconds: change.unixMilliseconds)
    Output.printError("\(what): \(change.sentence) by \(change.who) at \(time).")
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
  /// Returns the change as one line, with the quantity of its item before and after it, if it changed that.
  fileprivate func line(_ correction: StockCorrection?) -> String {
    let time = WallTime.second(unixMilliseconds: unixMilliseconds)
    let count = thingCount > 1 ? ": \(thingCount) things" : ""
    let quantity = correction.map { ": quantity \($0.from), then \($0.to)" } ?? ""
    return "\(number)  \(time)  \(who)  \(sentence)\(count)\(quantity)" + (isTakenBack ? ", undone" : "")
  }

  fileprivate var json: JSON {
    .object([
      "number": .number(number), "kind": .string(kind.name), "verb": .string(verb.name), "name": .string(name),
      "by": .string(who), "time": .time(unixMilliseconds: unixMilliseconds), "things": .number(thingCount),
      "taken_back": .bool(isTakenBack),
    ])
  }
}
