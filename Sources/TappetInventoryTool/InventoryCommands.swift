// The inventory commands: names, options and help, also used for completions and the manual page.

import TappetCommandLine
import TappetCore
import TappetInventory
import TappetJSON

extension Command {
  /// The inventory commands, in the order of the overview.
  package static var inventory: [Command] {
    @export(interface) get {
      let ofOneKind = InventoryKind.allCases.flatMap { kind in
        [thingAdd(kind), thingList(kind), thingShow(kind)] + (kind == .building ? [] : [thingMove(kind)])
          + [thingEdit(kind), thingRemove(kind)]
          + (kind == .item ? [itemTake, itemPut, itemCount] : []) + loans(of: kind)
      }
      return ofOneKind + [
        find, label, inventoryWatch, inventoryImport, inventoryExport, inventoryMoves, inventoryChanges, inventoryUndo,
        inventoryRedo,
      ]
    }
  }

  private static func thingAdd(_ kind: InventoryKind) -> Command {
    var options: [CommandOption] = []
    if let container = kind.container {
      options.append(CommandOption("in", container.operand, "\(container.name) to put the \(kind.name) in"))
    }
    return Command(
      words: kind.name + " add", section: .inventory, summary: "add \(kind.indefinite)",
      operands: [Operand(kind == .box ? "LABEL" : "NAME")],
      options: options + kind.valueOptions + [.barcode, .by, .json],
      details: details(of: kind) + "\n" + naming(kind.container),
      example: example(of: kind),
      usageError: { arguments in
        guard let container = kind.container, !arguments.has("in") else { return usageErrorOfMinimum(arguments) }
        return "missing --in \(container.operand)"
      },
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.add() })
  }

  private static func thingList(_ kind: InventoryKind) -> Command {
    var options: [CommandOption] = []
    if let container = kind.container {
      let places = InventoryKind.allCases.prefix { $0 != kind }.map { $0.name }.reversed().joined(separator: " or ")
      options.append(
        CommandOption("in", container == .building ? "BUILDING" : "PLACE", "only \(kind.plural) in this \(places)"))
    }
    if kind == .item { options.append(CommandOption("low", "only items whose quantity is below their minimum").orElse) }
    if kind.isLendable {
      let overdue = "only \(kind.plural) that were due before today, earliest due day first"
      options.append(CommandOption("lent", "only \(kind.plural) on loan, oldest loan first").orElse)
      options.append(CommandOption("overdue", overdue).orElse)
    }
    if kind != .building {
      let missing = "only \(kind.plural) that were not seen when their place was counted or audited"
      options.append(CommandOption("missing", missing).orElse)
    }
    options.append(
      CommandOption("unseen-since", "DAY", "only \(kind.plural) that were not seen in an audit on DAY or later"))
    return Command(
      words: kind.name + " list", section: .inventory, summary: "list the \(kind.plural)", options: options + [.json],
      details: """
        Lists the \(kind.plural), \(kind == .box || kind == .item ? "newest" : "oldest") first\
        \(kind == .box || kind == .item ? "; with --in, oldest first" : ""). With --json, one object per line.
        After an audit or a stocktake of a place at the kiosk, --missing lists what was not seen there, until it is
        seen, counted, moved, lent or returned.
        """,
      usageError: { arguments in
        ["in", "low", "lent", "overdue", "missing"].count(where: { arguments.has($0) }) > 1
          ? "specify only one of --in, --low, --lent, --overdue and --missing" : wrongDay(["unseen-since"], arguments)
      },
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.list() })
  }

  private static func thingShow(_ kind: InventoryKind) -> Command {
    Command(
      words: kind.name + " show", section: .inventory,
      summary: "show \(kind.indefinite)\(kind == .item ? "" : " and its contents")",
      operands: [Operand(kind.operand)], options: [.json],
      details: """
        Shows \(kind.indefinite): where it is, \(kind == .item ? "its quantity, notes and photo" : "its contents")\
        \(kind.isLendable ? ", who has it" : "").
        \(naming(kind))
        """,
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.show() })
  }

  private static func thingMove(_ kind: InventoryKind) -> Command {
    let container = kind.container ?? .building
    return Command(
      words: kind.name + " move", section: .inventory, summary: "move \(kind.indefinite) to another \(container.name)",
      operands: [Operand(kind.operand)],
      options: [CommandOption("to", container.operand, "\(container.name) to move the \(kind.name) to"), .by, .json],
      details: """
        Moves \(kind.indefinite)\(kind == .item ? "" : " with everything in it"), and records who moved it.
        Use 'tappet inventory moves' to list the moves.
        \(naming(kind))
        """,
      usageError: { $0.has("to") ? nil : "missing --to \(container.operand)" },
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.move() })
  }

  private static func thingEdit(_ kind: InventoryKind) -> Command {
    Command(
      words: kind.name + " edit", section: .inventory, summary: "change \(kind.indefinite)",
      operands: [Operand(kind.operand)],
      options: [CommandOption(kind.nameOption, "NAME", "new \(kind.nameOption)")] + kind.valueOptions + [
        CommandOption("tag", "UID", "UID of a tag to assign to the \(kind.name)"),
        .barcode,
        CommandOption("remove-barcode", "CODE", "barcode to remove"), .by, .json,
      ],
      details: """
        Changes the values of \(kind.indefinite); omitted options change nothing.\
        \(kind == .item ? " --minimum '' and\n--photo '' remove these values." : "")
        \(naming(kind))
        """,
      usageError: { arguments in
        let names = [kind.nameOption] + kind.valueOptions.map { $0.name } + ["tag", "barcode", "remove-barcode"]
        guard names.contains(where: { arguments.has($0) }) else {
          return "specify what to change: " + names.map { "--" + $0 }.joined(separator: ", ")
        }
        if let text = arguments.value("tag"), TagUID(written: text) == nil {
          let meant = TagUID.ofDecimal(text).map { ", which in decimal is " + $0.joined(separator: " or ") } ?? ""
          return "--tag must be a UID of 8, 14 or 20 hexadecimal digits\(meant), not '\(text)'"
        }
        return usageErrorOfMinimum(arguments)
      },
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.edit() })
  }

  private static func thingRemove(_ kind: InventoryKind) -> Command {
    Command(
      words: kind.name + " remove", section: .inventory,
      summary: "remove \(kind.indefinite)\(kind == .item ? "" : " and its contents")",
      operands: [Operand(kind.operand)], options: (kind == .item ? [] : [.yes]) + [.by, .json],
      details: """
        Removes \(kind.indefinite)\(kind == .item ? "" : " and its contents, after confirmation if it has any").
        Use 'tappet inventory undo' to restore it.
        \(naming(kind))
        """,
      body: .thing(kind) { (thing) throws(CommandFailure) in try thing.remove() })
  }

  private static var itemTake: Command {
    pieces("item take", "reduce the quantity of an item", "Reduces the quantity by N (1)", count: .optional) {
      (thing) throws(CommandFailure) in try thing.adjust(-1)
    }
  }

  private static var itemPut: Command {
    pieces("item put", "increase the quantity of an item", "Increases the quantity by N (1)", count: .optional) {
      (thing) throws(CommandFailure) in try thing.adjust(1)
    }
  }

  private static var itemCount: Command {
    pieces("item count", "set the quantity of an item", "Sets the quantity of an item to N, including pieces on loan") {
      (thing) throws(CommandFailure) in try thing.count()
    }
  }

  /// Returns a command that accepts a quantity.
  private static func pieces(
    _ words: String, _ summary: String, _ details: String, count: Operand.Count = .one,
    _ run: @escaping (InventoryCommand) throws(CommandFailure) -> Void
  ) -> Command {
    Command(
      words: words, section: .inventory, summary: summary, operands: [Operand("ITEM"), Operand("N", .text, count)],
      options: [.by, .json], details: "\(details).\n\(naming(.item))", example: "\(words) 'M4 x 20' 12",
      usageError: { arguments in
        guard arguments.operands.count > 1 else { return nil }
        let text = arguments.operands[1]
        if let number = Int64(decimal: text.utf8), number <= Limits.inventoryQuantityMax { return nil }
        return "N must be a whole number from 0 to \(Limits.inventoryQuantityMax), not '\(text)'"
      },
      body: .thing(.item, run))
  }

  static var find: Command {
    Command(
      words: "find", section: .inventory, summary: "find boxes and items by code, name or notes",
      operands: [Operand("TEXT", .text, .oneOrMore)],
      options: [
        CommandOption("code", "find only the thing with exactly this code"),
        CommandOption("limit", "N", .number(1...1_000_000), "show at most N (50)"), .json,
      ],
      details: """
        Finds the thing with TEXT as its QR code; otherwise boxes whose code starts with TEXT, and all things
        that contain each word of TEXT in their name, label or notes: at the start of a word or, for three
        letters or more, anywhere in the name. Words can also match the places that contain a thing. Case and
        accents are ignored. The newest things are listed first. Exit status: 1 nothing was found.
        """,
      example: "tappet find schraub m4",
      body: .running(FindCommand.run))
  }

  private static var inventoryWatch: Command {
    Command(
      words: "inventory watch", section: .inventory, summary: "show the entry last tapped at the kiosk", options: [],
      details: """
        Shows the entry of the last tap or scan on the full screen: its place, its contents, and whether a
        second tap would have an effect. For a screen at the shelf; press 'q' to quit. Without a terminal,
        prints a line for each tap. Requires a running kiosk on this machine.
        """,
      body: .running(InventoryWatch.run))
  }

  private static var inventoryMoves: Command {
    Command(
      words: "inventory moves", section: .inventory, summary: "list the moves of things, newest first",
      options: [
        CommandOption("box", "BOX", "only moves of this box"),
        CommandOption("item", "ITEM", "only moves of this item").orElse, .json,
      ],
      details: """
        Lists the last 100,000 moves: time, person, thing, origin and destination. If a move was undone, both the
        move and its reversal are listed. With --json, one object per line.
        """,
      usageError: { $0.has("box") && $0.has("item") ? "--box and --item cannot be combined" : nil },
      body: .running(InventoryHistory.listMoves))
  }

  private static var inventoryChanges: Command {
    Command(
      words: "inventory changes", section: .inventory, summary: "list the changes that can be undone, newest first",
      options: [.json],
      details: """
        Lists the last 50 changes: number, time, person, change. Loans, reservations, barcodes and tags
        also count as changes. An import is one change, and so is the removal of a place with everything in it.
        With --json, one object per line.
        """,
      body: .running(InventoryHistory.listChanges))
  }

  private static var inventoryUndo: Command {
    Command(
      words: "inventory undo", section: .inventory, summary: "undo a change to the inventory",
      operands: [Operand("NUMBER", .text, .optional)],
      options: [
        CommandOption("any", "undo the last change by any person, or another person's change NUMBER"), .yes, .by, .json,
      ],
      details: """
        Undoes your last change that has not been undone, or change NUMBER of 'tappet inventory changes': added
        things are removed, removed things are restored with their contents, and moved, edited, lent, returned or
        reserved things are as before. Asks for confirmation if more than one thing is affected. Refuses to undo
        a change if a later change affects the same things, or the same barcode or tag.
        """,
      usageError: { arguments in
        guard let text = arguments.operands.first, Int64(decimal: text.utf8) == nil else { return nil }
        return "NUMBER must be a number from 'tappet inventory changes', not '\(text)'"
      },
      body: .running(InventoryHistory.undo))
  }

  private static var inventoryRedo: Command {
    Command(
      words: "inventory redo", section: .inventory, summary: "redo a change that was undone",
      options: [.by, .json],
      details: """
        Redoes the change that you undid last. To redo an import of more than 10,000 things, import it again.
        """,
      body: .running(InventoryHistory.redo))
  }

  // MARK: Words

  private static func details(of kind: InventoryKind) -> String {
    switch kind {
    case .building: "Adds a building. Buildings contain rooms, rooms spots, spots boxes, and boxes items."
    case .room: "Adds a room to a building."
    case .spot: "Adds a spot to a room: a shelf, a drawer, a corner."
    case .box: "Adds a box to a spot. Without --code, it is assigned a unique code. Codes must be unique."
    case .item:
      """
      Adds an item to a box. An item is low if its quantity is below its minimum. A photo is not copied: its
      path and the hash of its content are stored.
      """
    }
  }

  static func naming(_ kind: InventoryKind?) -> String {
    switch kind {
    case nil: "Several buildings can have the same name."
    case .box: "BOX is a QR code, a label, a path (House / Cellar / Shelf / Screws) or an id."
    case let kind?: "\(kind.operand) is a name, a path (House / …), whose first parts can be omitted, or an id."
    }
  }

  private static func example(of kind: InventoryKind) -> String {
    switch kind {
    case .building: "tappet building add House"
    case .room: "tappet room add Cellar --in House"
    case .spot: "tappet spot add Shelf --in Cellar"
    case .box: "tappet box add Screws --in 'Cellar / Shelf' --code B-17"
    case .item: "tappet item add 'M4 x 20' --in B-17 --quantity 200 --minimum 50"
    }
  }

  private static func usageErrorOfMinimum(_ arguments: Arguments) -> String? {
    guard let text = arguments.value("minimum"), !text.isEmpty else { return nil }
    if let number = Int64(decimal: text.utf8), number <= Limits.inventoryQuantityMax { return nil }
    return "--minimum must be a whole number from 0 to \(Limits.inventoryQuantityMax), not '\(text)'"
  }
}

extension Command.Body {
  /// Returns the body of a command for a building, room, spot, box or item.
  static func thing(
    _ kind: InventoryKind, _ run: @escaping (InventoryCommand) throws(CommandFailure) -> Void
  ) -> Command.Body {
    .running { (arguments, settings) throws(CommandFailure) in try run(InventoryCommand(kind, arguments, settings)) }
  }
}

extension CommandOption {
  static let barcode = CommandOption("barcode", "CODE", "additional barcode, such as an EAN")
  static let by = CommandOption("by", "NAME", "person who makes the change (default: the user)")
}

extension InventoryKind {
  /// The operand's name on the command line.
  var operand: String { String(decoding: name.utf8.map { $0 & 0xDF }, as: UTF8.self) }

  /// The kind with its article: `a building`, `an item`.
  var indefinite: String { (self == .item ? "an " : "a ") + name }

  /// The option for the entry's name.
  var nameOption: String { self == .box ? "label" : "name" }

  /// The options that only this kind supports.
  var valueOptions: [CommandOption] {
    switch self {
    case .building, .room, .spot: []
    case .box: [CommandOption("code", "CODE", "text of the box's QR code")]
    case .item:
      [
        CommandOption("notes", "TEXT", "notes"),
        CommandOption("quantity", "N", .number(0...Limits.inventoryQuantityMax), "quantity of the item"),
        CommandOption("minimum", "N", "quantity below which the item is low"),
        CommandOption("photo", "FILE", .file, "photo of the item"),
      ]
    }
  }
}
