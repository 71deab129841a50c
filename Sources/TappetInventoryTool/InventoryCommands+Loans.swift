// The commands for loans and reservations of items.

import TappetCommandLine
import TappetCore
import TappetInventory
import TappetJSON

extension Command {
  /// The commands for loans and reservations.
  static var loans: [Command] { [itemLend, itemReturn, itemReserve, itemUnreserve] }

  private static var itemLend: Command {
    Command(
      words: "item lend", section: .inventory, summary: "check an item out to a person", operands: [Operand("ITEM")],
      options: [
        CommandOption("to", "PERSON", .person, "person to lend the item to"),
        CommandOption("until", "DAY", "last day of the loan, such as 2026-12-24"), .by, .json,
      ],
      details: """
        Checks an item out, as two taps do: the item's tag, then the person's. This ends any previous loan of
        the item. Lending it to the same person again changes the last day. Use 'tappet item list --overdue' to
        list the items that were due before today. A lent item keeps its place, to which it returns.
        \(naming(.item))
        """,
      example: "tappet item lend 'Drill' --to Ada --until 2026-12-24",
      usageError: { missing([("to", "PERSON")], $0) ?? wrongDay(["until"], $0) },
      body: .thing(.item) { (thing) throws(CommandFailure) in try thing.lend() })
  }

  private static var itemReturn: Command {
    Command(
      words: "item return", section: .inventory, summary: "check an item in", operands: [Operand("ITEM")],
      options: [.by, .json],
      details: """
        Ends a loan: the item is back in its place.
        \(naming(.item))
        """,
      body: .thing(.item) { (thing) throws(CommandFailure) in try thing.takeBack() })
  }

  private static var itemReserve: Command {
    Command(
      words: "item reserve", section: .inventory, summary: "reserve an item for a person",
      operands: [Operand("ITEM")],
      options: [
        CommandOption("for", "PERSON", .person, "person for whom the item is reserved"),
        CommandOption("from", "DAY", "first day, such as 2026-12-24"),
        CommandOption("until", "DAY", "last day"), .json,
      ],
      details: """
        Reserves an item from the first to the last day. Days that overlap another reservation are refused, and
        so is a loan to another person on these days, by hand or by two taps. Use 'tappet item show' to list
        current and future reservations.
        \(naming(.item))
        """,
      example: "tappet item reserve 'Drill' --for Ada --from 2026-12-24 --until 2026-12-26",
      usageError: {
        missing([("for", "PERSON"), ("from", "DAY"), ("until", "DAY")], $0) ?? wrongDay(["from", "until"], $0)
      },
      body: .thing(.item) { (thing) throws(CommandFailure) in try thing.reserve() })
  }

  private static var itemUnreserve: Command {
    Command(
      words: "item unreserve", section: .inventory, summary: "end a reservation", operands: [Operand("ITEM")],
      options: [CommandOption("from", "DAY", "first day of the reservation"), .json],
      details: """
        Removes the reservation that starts on this day.
        \(naming(.item))
        """,
      example: "tappet item unreserve 'Drill' --from 2026-12-24",
      usageError: { missing([("from", "DAY")], $0) ?? wrongDay(["from"], $0) },
      body: .thing(.item) { (thing) throws(CommandFailure) in try thing.unreserve() })
  }

  private static func missing(_ options: [(name: String, value: String)], _ arguments: Arguments) -> String? {
    options.first { !arguments.has($0.name) }.map { "missing --\($0.name) \($0.value)" }
  }

  private static func wrongDay(_ options: [String], _ arguments: Arguments) -> String? {
    for option in options where arguments.has(option) && arguments.day(option) == nil {
      return "--\(option) must be a day such as 2026-12-24, not '\(arguments.value(option) ?? "")'"
    }
    return nil
  }
}
