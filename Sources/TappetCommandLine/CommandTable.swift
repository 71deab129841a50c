// A table of commands, with the lookup of a command by its words.

import TappetCore

/// A table of commands that can be looked up by their words.
package struct CommandTable {
  package let commands: [Command]

  package init(_ commands: [Command]) { self.commands = commands }

  /// Returns the command that the words start with.
  package func find(_ words: [String]) -> Command? {
    guard let first = words.first else { return nil }
    let pair = words.prefix(2).joined(separator: " ")
    return commands.first { $0.words == ($0.isPair ? pair : first) }
  }

  /// Splits off global options that precede the command; only --config is allowed.
  @export(interface)
  package static func split(_ words: [String]) -> (global: [String], rest: [String]) {
    var count = 0
    while count < words.count, words[count].begins(with: "--config") {
      count += words[count] == "--config" ? 2 : 1
    }
    count = min(count, words.count)
    return (Array(words[..<count]), Array(words[count...]))
  }
}

extension Command {
  /// Whether the command consists of two words.
  package var isPair: Bool { words.utf8.contains(UInt8(ascii: " ")) }
}
