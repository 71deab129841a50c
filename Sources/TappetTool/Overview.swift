// The overview of all commands, and of the commands with the same first word.

import TappetBrokerTool
import TappetCommandLine
import TappetInventoryTool
import TappetKioskTool
import TappetMatrixTool

extension Help {
  /// The commands that the overview describes individually.
  private static var everyday: [Command] {
    [
      ["init"], ["check"], ["run"], ["status"], ["history"], ["tag", "write"], ["secret", "list"], ["mqtt", "connect"],
      ["backup"],
    ].compactMap { CommandTable.all.find($0) }
  }

  /// Text of `tappet --help`, which fits on a screen of 24 rows and 80 columns.
  static var overview: String {
    let groups = CommandGroup.all
    let sections = Section.allCases.map { section in
      (section.title, groups.filter { $0.commands[0].section == section }.map { $0.word }.joined(separator: ", "))
    }
    let width = (everyday.map { $0.words } + sections.map { $0.0 }).reduce(0) { max($0, $1.utf8.count) }
    return "Usage: tappet COMMAND [OPTION]…\n\n" + rows(everyday.map { ($0.words, $0.summary) }, width) + "\n"
      + rows(sections, width) + "\nUse 'tappet help NAME' or 'man tappet-NAME' for help on a command or a group."
  }

  /// Returns the text of `tappet help secret`: all commands with this first word.
  static func list(_ group: CommandGroup) -> String {
    "Usage: tappet \(group.word) COMMAND [OPTION]…\n\n" + rows(group.commands.map { ($0.words, $0.summary) })
      + (group.details.isEmpty ? "" : "\n" + group.details + "\n")
      + "\nUse 'tappet help \(group.word) COMMAND' for help on a command, 'man tappet-\(group.word)' for all of them."
  }
}
