// A table of commands, and the way from words to one of them.

import TappetCore

/// Commands by their words.
package struct CommandTable {
  package let commands: [Command]

  package init(_ commands: [Command]) { self.commands = commands }

  /// The command that these words begin with.
  package func find(_ words: [String]) -> Command? {
    guard let first = words.first else { return nil }
    let pair = words.prefix(2).joined(separator: " ")
    return commands.first { $0.words == ($0.isPair ? pair : first) }
  }

  /// Options that precede the command: --config may.
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
  /// Whether it has two words.
  package var isPair: Bool { words.utf8.contains(UInt8(ascii: " ")) }
}
