// The inventory commands that read and write files.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON

extension Command {
  static var label: Command {
    Command(
      words: "label", section: .inventory, summary: "create labels with QR codes, for paper or a label printer",
      operands: [Operand("THING", .text, .any)],
      options: [
        CommandOption("in", "SPOT", "label all boxes in this spot"), CommandOption("all", "label all boxes"),
        CommandOption("number", "N,N…", "also label these numbers of pieces, for jobs at the shelf"),
        CommandOption("link", "ADDRESS", "print links to the kiosk's page at ADDRESS, which phones open"),
        CommandOption("format", "FORMAT", .word(["text", "svg", "zpl", "escpos"]), "output format (text)"),
        CommandOption("sheet", "SHEET", .word(LabelSheet.all.map { $0.name }), "sheet layout for SVG (roll-62x29)"),
        CommandOption("skip", "N", .number(0...100), "number of used labels on the first sheet"),
        CommandOption("out", "FILE", .file, "write the SVG to a new file; several sheets are numbered"),
      ],
      details: """
        Creates a label for each THING (a box, spot, room, building or item) with a QR code, its name and its
        place. The code is a box's own code, or the id of any other thing; the scanner at the kiosk and 'tappet
        find' recognize both. Without --format, labels are shown on the terminal. SVG is a sheet at its true
        size: a4-3x8, a4-3x7 and a4-2x7 are Avery L7159, L7160 and L7163, letter-3x10 is 5160; tape-12, tape-18
        and tape-24 are tapes of 12 to 24 mm. Send ZPL and ESC/POS to a file or to the printer's device.
        A number of pieces, from 0 to \(Limits.inventoryPiecesMax), is scanned before or after an item, instead of
        scanning the item as many times.
        THING is a box's QR code, a name, a path (House / Cellar / Shelf / Screws) or an id; if things of
        several kinds have the same name, the box takes precedence, then the spot, and so on.
        """,
      example: "tappet label --all --format svg --sheet a4-3x8 --out labels.svg",
      usageError: usageErrorOfLabel, body: .running(LabelCommand.run))
  }

  /// Whether the text is `https://`, a host and perhaps a port.
  private static func isPage(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return text.begins(with: "https://") && parts.count == 3 && !parts[2].isEmpty && text == text.escaped
  }

  private static func usageErrorOfLabel(_ arguments: Arguments) -> String? {
    let format = arguments.value("format") ?? "text"
    if arguments.operands.isEmpty, !arguments.has("in"), !arguments.has("all"), !arguments.has("number") {
      return "specify the things to label, or --in SPOT, --all or --number"
    }
    if let numbers = arguments.value("number"), LabelCommand.numbers(numbers) == nil {
      return "--number must be numbers from 0 to \(Limits.inventoryPiecesMax), such as 1,5,25,100, not '\(numbers)'"
    }
    if let address = arguments.value("link"), !isPage(address) {
      return "--link must be the address of a page, such as https://front-door.local, not '\(address)'"
    }
    guard ["text", "svg", "zpl", "escpos"].contains(format) else {
      return "--format must be text, svg, zpl or escpos, not '\(format)'"
    }
    for option in ["sheet", "skip", "out"] where arguments.has(option) && format != "svg" {
      return "--\(option) requires --format svg"
    }
    if let sheet = arguments.value("sheet"), LabelSheet(name: sheet) == nil {
      return "--sheet must be one of \(LabelSheet.all.map { $0.name }.joined(separator: ", ")), not '\(sheet)'"
    }
    if let path = arguments.value("out"), !path.hasSuffixBytes(".svg") {
      return "--out must be a file name that ends in .svg"
    }
    if format == "escpos", isatty(1) == 1 {
      return "--format escpos cannot be shown on a terminal; redirect it to the printer's device, or to a file"
    }
    return nil
  }

  static var inventoryImport: Command {
    Command(
      words: "inventory import", section: .inventory, summary: "add or update things from a CSV or JSON file",
      operands: [Operand("FILE", .file)],
      options: [
        CommandOption("format", "FORMAT", .word(["csv", "json"]), "file format (default: from the file's extension)"),
        .encoding, CommandOption("dry-run", "show the differences without changing anything"), .by, .json,
      ],
      details: """
        Imports the file as a whole or, if one row is invalid, not at all. The first line names the columns, in
        any order: building, room, spot, box, item, code, barcodes, notes, quantity, minimum, photo,
        photo_sha256, created_at, id, in. A row describes the innermost of building to item that it specifies.
        It changes the thing with the same id, the box with the same code, or the thing with the same name in
        the same place; if no such thing exists, it adds one. Missing places of the path are added. Nothing is
        removed. The columns HB.* are those of a Homebox export. A JSON file contains an object with these
        members on each line. Use 'tappet inventory undo' to undo an import.
        """,
      example: "tappet inventory import --dry-run boxes.csv",
      usageError: { usageErrorOfFormat($0) ?? TextDecoder.usageError($0) }, body: .running(ImportCommand.run))
  }

  static var inventoryExport: Command {
    Command(
      words: "inventory export", section: .inventory, summary: "print the inventory as CSV or JSON",
      options: [
        CommandOption(
          "format", "FORMAT", .word(["csv", "json"]), "file format: csv, or json with an object on each line (csv)"),
        .excel,
      ],
      details: """
        Prints all buildings, rooms, spots, boxes and items to standard output, in a format that 'tappet inventory
        import' restores unchanged, here or elsewhere. The export contains neither history nor undo information.
        """,
      example: "tappet inventory export >inventory.csv",
      usageError: { arguments in
        if arguments.has("excel"), arguments.value("format") == "json" { return "--excel requires --format csv" }
        return usageErrorOfFormat(arguments)
      }, body: .running(ExportCommand.run))
  }

  private static func usageErrorOfFormat(_ arguments: Arguments) -> String? {
    guard let format = arguments.value("format"), format != "csv", format != "json" else { return nil }
    return "--format must be csv or json, not '\(format)'"
  }
}
