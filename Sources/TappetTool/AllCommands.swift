// The table of all commands, and the lookup of a command by its words.

import TappetBrokerTool
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventoryTool
import TappetKioskTool
import TappetMatrixTool
import TappetStore

extension Command {
  /// All commands in the order of the overview.
  static var all: [Command] { kiosk + matrix + broker + inventory + [completion] }
}

extension CommandTable {
  /// The table of all commands.
  static var all: CommandTable { CommandTable(Command.all) }

  static func run(_ words: [String]) -> ExitStatus {
    let (global, rest) = split(words)
    guard let first = rest.first else {
      Output.printError(Help.overview)
      return .usage
    }
    switch first {
    case "--help", "-h": return help([])
    case "help": return help(Array(rest.dropFirst()))
    default: break
    }
    guard let command = all.find(rest) else { return unknown(first, rest.count > 1 ? rest[1] : nil) }
    let own = rest.dropFirst(command.isPair ? 2 : 1)
    // Used only by the scripts of 'tappet completion'.
    if command.words == "completion", own.first == "--words" {
      Output.write(Completion(of: Array(own.dropFirst(2))).text)
      return .success
    }
    let status = command.run(global + own)
    BrokerHistory.note(words, of: command, status)
    return status
  }

  private static func help(_ words: [String]) -> ExitStatus {
    let first = words.first ?? "--help"
    switch first {
    case "--help", "-h", "help": Output.print(Help.overview)
    // Used only by tools/documentation/command-pages.
    case "--table": Output.print(ManualTable.pages)
    default:
      guard let command = all.find(words) else { return unknown(first, words.count > 1 ? words[1] : "--help") }
      Output.print(command.help)
    }
    return .success
  }

  /// Reports an unknown or incomplete command.
  private static func unknown(_ first: String, _ second: String?) -> ExitStatus {
    guard let group = CommandGroup.named(first) else {
      let known = CommandGroup.all.map { $0.word } + ["help", "--help", "--version"]
      let suggestion = Synonyms.suggestion(for: first, among: known)
      Output.printError("tappet: unknown command '\(first)'\(suggestion); see 'tappet --help'")
      return .usage
    }
    if second == "--help" || second == "-h" {
      Output.print(Help.list(group))
      return .success
    }
    let known = "the commands are " + group.seconds.joined(separator: ", ")
    guard let second, !second.begins(with: "-") else {
      Output.printError("tappet \(first): missing command; " + known)
      return .usage
    }
    let suggestion = Synonyms.suggestion(forSecond: second, among: group.seconds)
    Output.printError("tappet \(first): unknown command '\(second)'\(suggestion); " + known)
    return .usage
  }
}
