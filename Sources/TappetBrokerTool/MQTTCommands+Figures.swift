// The statistics commands of the broker tool: stats, top.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttStats: Command {
    Command(
      words: "mqtt stats", section: .broker, summary: "show the round trip, and the broker's own figures",
      options: brokerOptions + [
        CommandOption("for", "SECONDS", .seconds(1...604_800), "stay connected this long, and count"),
        CommandOption("prometheus", "print metrics, for Prometheus' textfile collector").orElse,
        CommandOption("json", "print JSON for programs").orElse,
      ],
      abbreviatesOptions: true,
      details: """
        Prints how long connecting and a round trip take (minimum, median, p99), and what the broker tells
        about itself below $SYS, where that is allowed; how long the connection is up, what came over it, and
        each reason for which it was lost. Publishes nothing.
        """,
      example: "tappet mqtt stats", usageError: usageErrorOfStats, body: .plain(StatsCommand.run))
  }

  static var mqttTop: Command {
    Command(
      words: "mqtt top", section: .broker, summary: "show which topics have the most messages or bytes",
      operands: [Operand("FILTER", .topic, .any)],
      options: brokerOptions + [
        .qos("maximum QoS (1)"),
        CommandOption("by", "WHAT", .word(["messages", "bytes"]), "order of the table (messages)"),
        CommandOption("for", "SECONDS", .seconds(1...604_800), "end after this time"),
        CommandOption("retained", "WHICH", .word(["all", "no"]), "count what the broker had kept, or not (all)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Counts the messages of FILTER (#) by topic, over the last second, minute and hour. A terminal shows
        the busiest and draws them again each second; otherwise the table is printed at the end.
        """,
      example: "tappet mqtt top 'home/#' --by bytes", usageError: usageErrorOfTop, body: .plain(TopCommand.run))
  }

  static var mqttMonitor: Command {
    Command(
      words: "mqtt monitor", section: .broker, summary: "watch the broker on a full screen, and publish",
      operands: [Operand("FILTER", .topic, .any)],
      options: brokerOptions + [.qos("maximum QoS (1)")],
      abbreviatesOptions: true,
      details: """
        Shows the connection, the topics of FILTER (#) as a tree, the newest messages, statistics, and a line
        to publish. The last row names the keys. Needs ncurses (the package libncursesw6).
        """,
      example: "tappet mqtt monitor 'home/#'", usageError: usageErrorOfSub, body: .plain(MonitorCommand.run))
  }

  static var mqttRecent: Command {
    Command(
      words: "mqtt recent", section: .broker, summary: "show the newest messages of 'mqtt sub' again",
      operands: [Operand("FILTER", .topic, .any)],
      options: [
        CommandOption("match", "TEXT", "TEXT occurs in the message, or member.member=VALUE in its JSON object"),
        CommandOption("follow", "N", .number(1...50), "subscribe to the topic of message N").orElse,
        CommandOption("export", "FILE", .file, "write them to a new file, for 'mqtt replay'").orElse,
        CommandOption("hex", "messages in hexadecimal").orElse, CommandOption("csv", "a table for programs").orElse,
        CommandOption("format", "TEXT", "lines of this form: %t topic, %p message, %q QoS, …").orElse,
        CommandOption("json", "print JSON for programs").orElse,
      ],
      abbreviatesOptions: true,
      details: """
        'mqtt sub' keeps its newest 50 messages when it ends, in a file that only their user can read; of a
        long one the first 16 KB. Lists them, the newest first, or those of FILTER.
        """,
      example: "tappet mqtt recent 'home/#' --match on", usageError: usageErrorOfRecent, body: .plain(RecentCommand.run)
    )
  }

  static var mqttHistory: Command {
    Command(
      words: "mqtt history", section: .broker, summary: "list the newest connections, subscriptions and publishes",
      options: [CommandOption("again", "N", .number(1...99), "run the command of this number once more"), .json],
      details: """
        Lists the ten newest 'mqtt connect', 'mqtt sub' and 'mqtt pub', from a file that only their user can
        read. Passwords are never in it.
        """,
      example: "tappet mqtt history --again 2", body: .plain(HistoryCommand.run))
  }

  private static func usageErrorOfStats(_ arguments: Arguments) -> String? {
    if arguments.has("prometheus"), arguments.asJSON { return "give one of --prometheus and --json" }
    return usageErrorOfBroker(arguments)
  }

  private static func usageErrorOfRecent(_ arguments: Arguments) -> String? {
    let forms = ["follow", "export", "hex", "csv", "format", "json"].filter { arguments.has($0) }
    if forms.count > 1 { return "give one of --follow, --export, --hex, --csv, --format and --json" }
    if arguments.has("follow"), arguments.has("match") || !arguments.operands.isEmpty {
      return "--follow takes the number of a message, and no filter"
    }
    return usageErrorOfSub(arguments)
  }

  private static func usageErrorOfTop(_ arguments: Arguments) -> String? {
    if let by = arguments.value("by"), by != "messages", by != "bytes" {
      return "--by takes messages or bytes, not '\(by)'"
    }
    return usageErrorOfSub(arguments)
  }
}
