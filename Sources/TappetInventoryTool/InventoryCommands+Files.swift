// The commands of the inventory that read and write files.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON

extension Command {
  static var label: Command {
    Command(
      words: "label", section: .inventory, summary: "make labels with QR codes, for paper or a printer",
      operands: [Operand("THING", .text, .any)],
      options: [
        CommandOption("in", "SPOT", "labels of all boxes in this spot"), CommandOption("all", "labels of all boxes"),
        CommandOption("format", "FORMAT", .word(["text", "svg", "zpl", "escpos"]), "text, svg, zpl or escpos (text)"),
        CommandOption("sheet", "SHEET", .word(LabelSheet.all.map { $0.name }), "the sheet of an SVG (roll-62x29)"),
        CommandOption("skip", "N", .number(0...100), "labels of the first sheet that are used up"),
        CommandOption("out", "FILE", .file, "draw the SVG into a new file; several sheets get numbers"),
      ],
      details: """
        Makes a label for each THING, a box, spot, room, building or item: a QR code, its name and its place. The
        code is a box's own, or the id of anything else; a scanner at the kiosk knows both, and so does 'tappet
        find'. Without --format on the terminal. SVG is a sheet at its true size: a4-3x8, a4-3x7 and a4-2x7 are
        Avery L7159, L7160 and L7163, letter-3x10 is 5160; tape-12, tape-18 and tape-24 are tapes of 12 to
        24 mm. ZPL and ESC/POS go to a file or to the printer's device.
        THING is a box's QR code, a name, a path (House / Cellar / Shelf / Screws) or an id; of several kinds
        with one name the box is meant, else the spot, and so on.
        """,
      example: "tappet label --all --format svg --sheet a4-3x8 --out labels.svg",
      usageError: usageErrorOfLabel, body: .running(LabelCommand.run))
  }

  private static func usageErrorOfLabel(_ arguments: Arguments) -> String? {
    let format = arguments.value("format") ?? "text"
    if arguments.operands.isEmpty, !arguments.has("in"), !arguments.has("all") {
      return "name the things, or give --in SPOT or --all"
    }
    guard ["text", "svg", "zpl", "escpos"].contains(format) else {
      return "--format takes text, svg, zpl or escpos, not '\(format)'"
    }
    for option in ["sheet", "skip", "out"] where arguments.has(option) && format != "svg" {
      return "--\(option) is for --format svg"
    }
    if let sheet = arguments.value("sheet"), LabelSheet(name: sheet) == nil {
      return "--sheet takes \(LabelSheet.all.map { $0.name }.joined(separator: ", ")), not '\(sheet)'"
    }
    if let path = arguments.value("out"), !path.hasSuffixBytes(".svg") {
      return "--out takes a FILE whose name ends in .svg"
    }
    if format == "escpos", isatty(1) == 1 {
      return "--format escpos is for a printer; send it to its device, or to a file"
    }
    return nil
  }

  static var inventoryImport: Command {
    Command(
      words: "inventory import", section: .inventory, summary: "add and change things from a CSV or JSON file",
      operands: [Operand("FILE", .file)],
      options: [
        CommandOption("format", "FORMAT", .word(["csv", "json"]), "instead of the one by the file's name"),
        CommandOption("dry-run", "show the differences, and change nothing"), .by, .json,
      ],
      details: """
        Imports the file as a whole or, if one row is wrong, not at all. The first line names the columns, in
        any order: building, room, spot, box, item, code, barcodes, notes, quantity, minimum, photo,
        photo_sha256, created_at, id, in. A row is about the last of building to item that it has. It changes
        the thing with its id, the box with its code, or the thing of its name in its place, else it adds one;
        places of the path that are missing are added. Nothing is removed. The columns HB.* are an export of
        Homebox. JSON has an object with these members on each line. 'tappet inventory undo' takes an import
        back.
        """,
      example: "tappet inventory import --dry-run boxes.csv",
      usageError: usageErrorOfFormat, body: .running(ImportCommand.run))
  }

  static var inventoryExport: Command {
    Command(
      words: "inventory export", section: .inventory, summary: "print everything as CSV or JSON",
      options: [
        CommandOption("format", "FORMAT", .word(["csv", "json"]), "csv, or json with an object on each line (csv)"),
        .excel,
      ],
      details: """
        Prints all buildings, rooms, spots, boxes and items to standard output, in a form that 'tappet inventory
        import' reads back unchanged, here or elsewhere. History and undo are not in it.
        """,
      example: "tappet inventory export >inventory.csv",
      usageError: { arguments in
        if arguments.has("excel"), arguments.value("format") == "json" { return "--excel is for --format csv" }
        return usageErrorOfFormat(arguments)
      }, body: .running(ExportCommand.run))
  }

  private static func usageErrorOfFormat(_ arguments: Arguments) -> String? {
    guard let format = arguments.value("format"), format != "csv", format != "json" else { return nil }
    return "--format takes csv or json, not '\(format)'"
  }
}
