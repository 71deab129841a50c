// The commands of tappet-mqtt with what they do. No other program refers to this, so none has their code.

import TappetStore

/// The way from words to a command of the broker tool.
enum MQTTProgram {
  /// The command that these words begin with; `nil` when they ask for help, or make no sense.
  static func find(_ words: [String]) -> Command? {
    guard words.first == "mqtt", words.count > 1 else { return nil }
    guard var command = Command.mqtt.first(where: { $0.words == "mqtt " + words[1] }) else { return nil }
    switch words[1] {
    case "connect": command.body = .plain(ConnectCommand.run)
    case "probe": command.body = .plain(ProbeCommand.run)
    case "wait": command.body = .plain(WaitCommand.run)
    case "clean": command.body = .plain(CleanCommand.run)
    case "record": command.body = .plain(RecordCommand.run)
    case "replay": command.body = .plain(ReplayCommand.run)
    case "bench": command.body = .plain(BenchCommand.run)
    case "stats": command.body = .plain(StatsCommand.run)
    case "top": command.body = .plain(TopCommand.run)
    case "diff": command.body = .plain(DiffCommand.run)
    case "bridge-check": command.body = .plain(BridgeCheckCommand.run)
    case "monitor": command.body = .plain(MonitorCommand.run)
    case "recent": command.body = .plain(RecentCommand.run)
    case "history": command.body = .plain(HistoryCommand.run)
    case "pub": command.body = .plain(PubCommand.run)
    case "sub": command.body = .plain(SubCommand.run)
    default: return nil
    }
    return command
  }

  /// Runs the command of these words, and keeps it in the history; `nil` when they are none.
  static func run(_ words: [String]) -> ExitStatus? {
    let (global, rest) = CommandTable.split(words)
    guard let command = find(rest) else { return nil }
    let status = command.run(global + rest.dropFirst(2))
    let wasRun = status != .usage && status != .configuration && !words.contains { $0 == "--help" || $0 == "-h" }
    if wasRun { BrokerHistory.note(words, of: command) }
    return status
  }
}
