// The commands of the broker tool for scripts and stored messages: wait, clean, record, replay.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttWait: Command {
    Command(
      words: "mqtt wait", section: .broker, summary: "wait for one message, for scripts",
      operands: [Operand("FILTER", .topic, .oneOrMore)],
      options: brokerOptions + [
        .qos("maximum QoS (1)"),
        CommandOption("match", "TEXT", "TEXT occurs in the message, or member.member=VALUE in its JSON object"),
        CommandOption("ignore-retained", "only messages that are published from now on"),
        CommandOption("timeout", "SECONDS", .seconds(1...604_800), "how long to wait (30)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Prints the first message that fits. Exit status: 27 none came in time; 21 the broker refused a filter;
        else as 'mqtt connect'.
        """,
      example: "tappet mqtt wait home/door --match state.open=false --timeout 10", usageError: usageErrorOfSub,
      body: .plain(WaitCommand.run))
  }

  static var mqttClean: Command {
    Command(
      words: "mqtt clean", section: .broker, summary: "list and clear what the broker keeps",
      operands: [Operand("FILTER", .topic, .oneOrMore)],
      options: brokerOptions + [
        CommandOption("dry-run", "only list"), CommandOption("yes", "clear without asking"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Lists the retained messages of these filters and, after a question, has the broker forget them. All
        over one connection. Exit status 20: one was refused; the output says how many were cleared.
        """,
      example: "tappet mqtt clean 'home/old/#' --dry-run", usageError: usageErrorOfSub, body: .plain(CleanCommand.run))
  }

  static var mqttRecord: Command {
    Command(
      words: "mqtt record", section: .broker, summary: "write messages with their times to a file",
      operands: [Operand("FILE", .file), Operand("FILTER", .topic, .oneOrMore)],
      options: brokerOptions + [
        .qos("maximum QoS (1)"),
        CommandOption("count", "N", .number(1...1_000_000_000), "end after N messages"),
        CommandOption("for", "SECONDS", .seconds(1...604_800), "end after this time"),
      ],
      abbreviatesOptions: true,
      details: """
        Writes a new FILE (mode 0600) with one JSON object per line: microseconds since the first message,
        topic, QoS, retained, payload in base64. 'mqtt replay' publishes it again.
        """,
      usageError: usageErrorOfRecord, body: .plain(RecordCommand.run))
  }

  static var mqttReplay: Command {
    Command(
      words: "mqtt replay", section: .broker, summary: "publish the messages of a file at their times",
      operands: [Operand("FILE", .file)],
      options: brokerOptions + [
        CommandOption("speed", "N", .number(1...1_000_000), "N times as fast"),
        CommandOption("topic-map", "A/#=B/#", "topics below A go below B"),
      ],
      abbreviatesOptions: true,
      details: """
        Publishes what 'mqtt record' has written, with the same QoS and retain flag, to the same topics or to
        others. It has worked when the broker has acknowledged everything.
        """,
      example: "tappet mqtt replay tuesday.jsonl --speed 10 --topic-map home/#=test/#", usageError: usageErrorOfReplay,
      body: .plain(ReplayCommand.run))
  }

  private static func usageErrorOfRecord(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfBroker(arguments) ?? usageErrorOfQoS(arguments) { return mistake }
    return arguments.operands.dropFirst().compactMap { TopicFilter.mistake(in: $0) }.first
  }

  private static func usageErrorOfReplay(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfBroker(arguments) { return mistake }
    guard let map = arguments.value("topic-map"), !TopicFilter.isMap(map) else { return nil }
    return "--topic-map takes 'a/#=b/#', not '\(map)'"
  }
}
