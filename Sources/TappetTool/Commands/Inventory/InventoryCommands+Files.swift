// The commands of the inventory that read and write files.

import TappetConfig
import TappetCore

extension Command {
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
        any order: building, room, spot, box, item, code, notes, quantity, minimum, photo, photo_sha256,
        created_at, id, in. A row is about the last of building to item that it has. It changes the thing with
        its id, the box with its code, or the thing of its name in its place, else it adds one; places of the
        path that are missing are added. Nothing is removed. The columns HB.* are an export of Homebox. JSON has
        an object with these members on each line. 'tappet inventory undo' takes an import back.
        """,
      example: "tappet inventory import --dry-run boxes.csv",
      misuse: misuseOfFormat, body: .program(InventoryProgram.name))
  }

  static var inventoryExport: Command {
    Command(
      words: "inventory export", section: .inventory, summary: "print everything as CSV or JSON",
      options: [
        CommandOption("format", "FORMAT", .word(["csv", "json"]), "csv, or json with an object on each line (csv)")
      ],
      details: """
        Prints all buildings, rooms, spots, boxes and items to standard output, in a form that 'tappet inventory
        import' reads back unchanged, here or elsewhere. History and undo are not in it.
        """,
      example: "tappet inventory export >inventory.csv",
      misuse: misuseOfFormat, body: .program(InventoryProgram.name))
  }

  private static func misuseOfFormat(_ arguments: Arguments) -> String? {
    guard let format = arguments.value("format"), format != "csv", format != "json" else { return nil }
    return "--format takes csv or json, not '\(format)'"
  }
}
