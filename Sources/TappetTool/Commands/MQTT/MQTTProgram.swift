// The commands of tappet-mqtt with what they do. No other program refers to this, so none has their code.

import TappetStore

/// The way from words to a command of the broker tool.
enum MQTTProgram {
  /// The command that these words begin with; `nil` when they ask for help, or make no sense.
  static func find(_ words: [String]) -> Command? {
    guard words.count > 1, case let name = words[0] + " " + words[1],
      var command = (Command.mqtt + Command.fleet + Command.people).first(where: { $0.words == name })
    else { return nil }
    switch name {
    case "mqtt connect": command.body = .plain(ConnectCommand.run)
    case "mqtt probe": command.body = .plain(ProbeCommand.run)
    case "mqtt wait": command.body = .plain(WaitCommand.run)
    case "mqtt clean": command.body = .plain(CleanCommand.run)
    case "mqtt record": command.body = .plain(RecordCommand.run)
    case "mqtt replay": command.body = .plain(ReplayCommand.run)
    case "mqtt bench": command.body = .plain(BenchCommand.run)
    case "mqtt stats": command.body = .plain(StatsCommand.run)
    case "mqtt top": command.body = .plain(TopCommand.run)
    case "mqtt diff": command.body = .plain(DiffCommand.run)
    case "mqtt bridge-check": command.body = .plain(BridgeCheckCommand.run)
    case "mqtt monitor": command.body = .plain(MonitorCommand.run)
    case "mqtt recent": command.body = .plain(RecentCommand.run)
    case "mqtt history": command.body = .plain(HistoryCommand.run)
    case "mqtt pub": command.body = .plain(PubCommand.run)
    case "mqtt sub": command.body = .plain(SubCommand.run)
    case "fleet list": command.body = .plain(FleetCommand.list)
    case "fleet watch": command.body = .plain(FleetCommand.watch)
    case "fleet silent": command.body = .plain(FleetCommand.silent)
    case "fleet run": command.body = .plain(FleetRunCommand.run)
    case "people keys": command.body = .plain(SiteKeys.run)
    case "people push": command.body = .plain(PushCommand.run)
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
