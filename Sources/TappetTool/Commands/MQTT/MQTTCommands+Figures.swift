// The commands of the broker tool that count: stats, top.

import TappetConfig
import TappetCore

extension Command {
  static var mqttStats: Command {
    Command(
      words: "mqtt stats", section: .broker, summary: "show the round trip, and the broker's own figures",
      options: brokerOptions + [
        CommandOption("prometheus", "print metrics, for Prometheus' textfile collector").orElse,
        CommandOption("json", "print JSON for programs").orElse,
      ],
      abbreviatesOptions: true,
      details: """
        Prints how long connecting and a round trip take (minimum, median, p99), and what the broker tells
        about itself below $SYS, where that is allowed. Publishes nothing.
        """,
      example: "tappet mqtt stats", misuse: misuseOfStats, body: .program("tappet-mqtt"))
  }

  static var mqttTop: Command {
    Command(
      words: "mqtt top", section: .broker, summary: "show which topics have the most messages or bytes",
      operands: [Operand("FILTER", .topic, .any)],
      options: brokerOptions + [
        .qos("largest quality of service (1)"),
        CommandOption("by", "WHAT", .word(["messages", "bytes"]), "order of the table (messages)"),
        CommandOption("for", "SECONDS", .seconds(1...604_800), "end after this time"),
        CommandOption("retained", "WHICH", .word(["all", "no"]), "count what the broker had kept, or not (all)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Counts the messages of FILTER (#) by topic, over the last second, minute and hour. A terminal shows
        the busiest and draws them again each second; otherwise the table is printed at the end.
        """,
      example: "tappet mqtt top 'home/#' --by bytes", misuse: misuseOfTop, body: .program("tappet-mqtt"))
  }

  static var mqttHistory: Command {
    Command(
      words: "mqtt history", section: .broker, summary: "list the newest connections, subscriptions and publishes",
      options: [CommandOption("again", "N", .number(1...99), "run the command of this number once more"), .json],
      details: """
        Lists the ten newest 'mqtt connect', 'mqtt sub' and 'mqtt pub', from a file that only their user can
        read. Passwords are never in it.
        """,
      example: "tappet mqtt history --again 2", body: .program("tappet-mqtt"))
  }

  private static func misuseOfStats(_ arguments: Arguments) -> String? {
    if arguments.has("prometheus"), arguments.asJSON { return "give one of --prometheus and --json" }
    return misuseOfBroker(arguments)
  }

  private static func misuseOfTop(_ arguments: Arguments) -> String? {
    if let by = arguments.value("by"), by != "messages", by != "bytes" {
      return "--by takes messages or bytes, not '\(by)'"
    }
    return misuseOfSub(arguments)
  }
}
