// The commands of tappet-inventory with what they do. No other program refers to this, so none has their code.

import TappetConfig
import TappetCore
import TappetInventory

/// The way from words to a command of the inventory.
enum InventoryProgram {
  static let name = "tappet-inventory"

  /// The command that these words begin with; `nil` when they ask for help, or make no sense.
  static func find(_ words: [String]) -> Command? {
    guard let first = words.first else { return nil }
    let pair = words.prefix(2).joined(separator: " ")
    guard var command = Command.inventory.first(where: { $0.words == ($0.isPair ? pair : first) }) else { return nil }
    let verb = words.count > 1 ? words[1] : ""
    if let kind = InventoryKind(name: first) {
      guard let body = body(of: verb, kind) else { return nil }
      command.body = .running(body)
    } else {
      switch command.words {
      case "find": command.body = .running(FindCommand.run)
      case "label": command.body = .running(LabelCommand.run)
      case "inventory import": command.body = .running(ImportCommand.run)
      case "inventory export": command.body = .running(ExportCommand.run)
      case "inventory moves": command.body = .running(InventoryHistory.listMoves)
      case "inventory undo": command.body = .running(InventoryHistory.undo)
      default: return nil
      }
    }
    return command
  }

  /// Runs the command of these words; `nil` when they are none.
  static func run(_ words: [String]) -> ExitStatus? {
    let (global, rest) = CommandTable.split(words)
    guard let command = find(rest) else { return nil }
    return command.run(global + rest.dropFirst(command.isPair ? 2 : 1))
  }

  private typealias Body = (Arguments, KioskConfiguration) throws(CommandFailure) -> Void

  private static func body(of verb: String, _ kind: InventoryKind) -> Body? {
    switch verb {
    case "add": { (arguments, settings) throws(CommandFailure) in try ThingCommand(kind, arguments, settings).add() }
    case "list": { (arguments, settings) throws(CommandFailure) in try ThingCommand(kind, arguments, settings).list() }
    case "show": { (arguments, settings) throws(CommandFailure) in try ThingCommand(kind, arguments, settings).show() }
    case "move": { (arguments, settings) throws(CommandFailure) in try ThingCommand(kind, arguments, settings).move() }
    case "edit": { (arguments, settings) throws(CommandFailure) in try ThingCommand(kind, arguments, settings).edit() }
    case "remove":
      { (arguments, settings) throws(CommandFailure) in try ThingCommand(kind, arguments, settings).remove() }
    default: nil
    }
  }
}
