// tappet find: searches for the code on a label, or for words.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetMessages
import TappetPlatform

/// Finds a single entry by the code on its label, otherwise all entries that contain the words.
enum FindCommand {
  static func run(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let inventory = try Inventory.of(configuration)
    let text = arguments.operands.joined(separator: " ")
    arguments.report?.beginList()
    let count = try judged { () throws(InventoryError) -> Int in
      if let thing = try inventory.thing(scanned: text) {
        try print(thing, inventory, arguments)
        return 1
      }
      if arguments.has("code") { throw .unknownCode(text) }
      let limit = arguments.number("limit") ?? Limits.inventoryFindsMax
      var count = 0
      try inventory.search(text, limit: limit + 1) { (entry) throws(InventoryError) in
        count += 1
        if count <= limit { try print(entry, inventory, arguments) }
        return Output.isTaken
      }
      if count > limit {
        Output.printError("More than \(plural(limit, "match", "matches")); add words, or raise --limit.")
      }
      return count
    }
    if count == 0 {
      let failure = InventoryError.unknownCode(text)
      throw .refused("nothing found for '\(text)'", failure.code)
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
