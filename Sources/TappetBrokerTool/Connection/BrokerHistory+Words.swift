// The commands recorded in the history, and the topics that they contain.

import TappetCommandLine
import TappetCore
import TappetPlatform
import TappetStore

extension BrokerHistory {
  /// Records a command that was run, with its exit status.
  ///
  /// Disk errors are not reported, because the history is only a convenience.
  @export(interface)
  package static func note(_ words: [String], of command: Command, _ status: ExitStatus) {
    let kind: Kind
    switch command.words {
    case "mqtt connect": kind = .connection
    case "mqtt sub": kind = .subscription
    case "mqtt pub": kind = .publish
    default: return
    }
    guard status != .usage, status != .configuration, !words.contains(where: { $0 == "--help" || $0 == "-h" }),
      let folder = usualFolder
    else { return }
    let now = SystemClock().now().unixMilliseconds
    try? open(folder: folder, makes: true)?.note(Entry(kind: kind, words: words, unixMilliseconds: now))
  }

  /// Runs a command of the broker tool, and records it as if it had been typed.
  static func run(_ words: [String]) throws(CommandFailure) {
    let (global, rest) = CommandTable.split(words)
    guard let command = CommandTable(Command.broker).find(rest) else {
      throw .refused("the history contains a command that this version does not support")
    }
    let status = command.run(global + rest.dropFirst(2))
    note(words, of: command, status)
    if status != .success { throw .reported(status) }
  }

  /// Returns the topics and filters in the recorded commands, newest first.
  @export(interface)
  package static func topics() -> [String] {
    guard let folder = usualFolder, let entries = try? open(folder: folder, makes: false)?.entries() else { return [] }
    var topics: [String] = []
    for entry in entries where entry.kind != .connection {
      let (_, rest) = CommandTable.split(entry.words)
      guard let command = CommandTable(Command.broker).find(rest),
        let arguments = try? Arguments.parse(Array(rest.dropFirst(2)), for: command)
      else { continue }
      let operands = entry.kind == .publish ? arguments.operands.prefix(1) : arguments.operands[...]
      for topic in operands where topic.isPrintable && !topics.contains(topic) { topics.append(topic) }
    }
    return topics
  }
}
