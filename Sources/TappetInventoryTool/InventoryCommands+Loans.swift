// The commands for loans and reservations of items.

import TappetCommandLine
import TappetCore
import TappetInventory
import TappetJSON

extension Command {
  /// The commands for loans and reservations of a kind.
  static func loans(of kind: InventoryKind) -> [Command] {
    guard kind.isLendable else { return [] }
    return [thingLend(kind), thingReturn(kind)] + (kind == .item ? [itemReserve, itemUnreserve] : [])
  }

  private static func thingLend(_ kind: InventoryKind) -> Command {
    let pieces = "With --quantity, several people can have pieces of the item, as many as there are."
    let some = quantity("number of pieces to lend, in addition to earlier ones (default: all)")
    return Command(
      words: kind.name + " lend", section: .inventory, summary: "check \(kind.indefinite) out to a person",
      operands: [Operand(kind.operand)],
      options: [
        CommandOption("to", "PERSON", .person, "person to lend the \(kind.name) to"),
        CommandOption("until", "DAY", "last day of the loan, such as 2026-12-24"),
      ] + (kind == .item ? [some] : []) + [.by, .json],
      details: """
        Checks \(kind.indefinite) out, as two taps do: the tag of the \(kind.name), then the person's. This ends its
        previous loan. Lending it to the same person again changes the last day. A lent \(kind.name)
        keeps its place, to which it returns. Use 'tappet \(kind.name) list --overdue' to list the \(kind.plural)
        that were due before today.\(kind == .item ? "\n" + pieces : "")
        \(naming(kind))
        """,
      example: kind == .item
        ? "tappet item lend 'Drill' --to Ada --until 2026-12-24" : "tappet box lend B-17 --to Ada --until 2026-12-24",
      usageError: { missing([("to", "PERSON")], $0) ?? wrongDay(["until"], $0) },
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.lend() })
  }

  private static func thingReturn(_ kind: InventoryKind) -> Command {
    let some = [
      CommandOption("from", "PERSON", .person, "person who returns it, if several people have pieces"),
      quantity("number of pieces to return (default: all that the person has)"),
    ]
    return Command(
      words: kind.name + " return", section: .inventory, summary: "check \(kind.indefinite) in",
      operands: [Operand(kind.operand)], options: (kind == .item ? some : []) + [.by, .json],
      details: """
        Ends a loan: the \(kind.name) is back in its place.
        \(naming(kind))
        """,
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.takeBack() })
  }

  private static func quantity(_ summary: String) -> CommandOption {
    CommandOption("quantity", "N", .number(1...Limits.inventoryQuantityMax), summary)
  }

  private static var itemReserve: Command {
    Command(
      words: "item reserve", section: .inventory, summary: "reserve an item for a person",
      operands: [Operand("ITEM")],
      options: [
        CommandOption("for", "PERSON", .person, "person for whom the item is reserved"),
        CommandOption("from", "DAY", "first day, such as 2026-12-24"),
        CommandOption("until", "DAY", "last day"), quantity("number of pieces (default: all)"), .by, .json,
      ],
      details: """
        Reserves an item from the first to the last day. It is refused if other reservations and loans leave too
        few pieces on one of these days, and so is a loan to another person then, by hand or by two taps. Use
        'tappet item show' to list current and future reservations.
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
      options: [
        CommandOption("from", "DAY", "first day of the reservation"),
        CommandOption("for", "PERSON", .person, "the person, if several reservations start on that day"), .by, .json,
      ],
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

  static func wrongDay(_ options: [String], _ arguments: Arguments) -> String? {
    for option in options where arguments.has(option) && arguments.day(option) == nil {
      return "--\(option) must be a day such as 2026-12-24, not '\(arguments.value(option) ?? "")'"
    }
    return nil
  }
}
