// The commands of the broker tool that watch: stats, monitor, recent, history.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttStats: Command {
    Command(
      words: "mqtt stats", section: .broker, summary: "measure the round trip, and show the broker's statistics",
      options: brokerOptions + [
        CommandOption("for", "SECONDS", .seconds(1...604_800), "how long to stay connected and count traffic"),
        .json,
      ],
      abbreviatesOptions: true,
      details: """
        Prints the connect time, the round-trip time (minimum, median, p99), the statistics that the broker
        publishes below $SYS, if reading them is allowed, how long the connection has been up, its traffic, and
        the reason for each connection loss. Publishes nothing.
        """,
      example: "tappet mqtt stats", usageError: usageErrorOfBroker, body: .plain(StatsCommand.run))
  }

  static var mqttMonitor: Command {
    Command(
      words: "mqtt monitor", section: .broker, summary: "monitor the broker on the full screen, and publish",
      operands: [Operand("FILTER", .topic, .any)],
      options: brokerOptions + [.qos("maximum QoS (1)")],
      abbreviatesOptions: true,
      details: """
        Shows the connection, the topics that match FILTER (#) as a tree or, the busiest first, as a list, the
        newest messages, statistics, and an input line for publishing. The last row lists the keys. Requires
        ncurses (the package libncursesw6).
        """,
      example: "tappet mqtt monitor 'home/#'", usageError: usageErrorOfSub, body: .plain(MonitorCommand.run))
  }

  static var mqttRecent: Command {
    Command(
      words: "mqtt recent", section: .broker, summary: "show the newest messages that 'mqtt sub' received",
      operands: [Operand("FILTER", .topic, .any)],
      options: [
        CommandOption("match", "TEXT", "text that the message contains, or member.member=VALUE in its JSON object"),
        CommandOption("follow", "N", .number(1...50), "subscribe to the topic of message N").orElse,
        CommandOption("export", "FILE", .file, "write the messages to a new file, for 'mqtt replay'").orElse,
        CommandOption("csv", "print CSV for programs").orElse,
        CommandOption("format", "TEXT", "format of each line: %t topic, %p message, %q QoS, …").orElse,
        CommandOption("json", "print JSON for programs").orElse,
      ],
      abbreviatesOptions: true,
      details: """
        Lists the newest 50 messages that 'mqtt sub' received, newest first, or those that match FILTER. 'mqtt
        sub' saves them when it exits, up to 16 KB of each, in a file that only the same user can read.
        """,
      example: "tappet mqtt recent 'home/#' --match on", usageError: usageErrorOfRecent, body: .plain(RecentCommand.run)
    )
  }

  static var mqttHistory: Command {
    Command(
      words: "mqtt history", section: .broker, summary: "list the newest connections, subscriptions and publishes",
      options: [CommandOption("again", "N", .number(1...99), "run the command with this number again"), .json],
      details: """
        Lists the ten newest 'mqtt connect', 'mqtt sub' and 'mqtt pub' commands, from a file that only the same
        user can read. The file never contains passwords.
        """,
      example: "tappet mqtt history --again 2", body: .plain(HistoryCommand.run))
  }

  private static func usageErrorOfRecent(_ arguments: Arguments) -> String? {
    let forms = ["follow", "export", "csv", "format", "json"].filter { arguments.has($0) }
    if forms.count > 1 { return "specify only one of --follow, --export, --csv, --format and --json" }
    if arguments.has("follow"), arguments.has("match") || !arguments.operands.isEmpty {
      return "--follow cannot be combined with --match or FILTER"
    }
    return usageErrorOfSub(arguments)
  }
}
