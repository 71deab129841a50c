// The commands of the broker tool for scripts and stored messages: wait, clean, record, replay.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttWait: Command {
    Command(
      words: "mqtt wait", section: .broker, summary: "wait for one message, for use in scripts",
      operands: [Operand("FILTER", .topic, .oneOrMore)],
      options: brokerOptions + [
        .qos("maximum QoS (1)"),
        CommandOption("match", "TEXT", "text that the message contains, or member.member=VALUE in its JSON object"),
        CommandOption("ignore-retained", "accept only messages that are published from now on"),
        CommandOption("timeout", "SECONDS", .seconds(1...604_800), "how long to wait (30)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Prints the first matching message. Exit status: 27 no matching message arrived in time; 21 the broker
        refused a filter; otherwise as for 'mqtt connect'.
        """,
      example: "tappet mqtt wait home/door --match state.open=false --timeout 10", usageError: usageErrorOfSub,
      body: .plain(WaitCommand.run))
  }

  static var mqttClean: Command {
    Command(
      words: "mqtt clean", section: .broker, summary: "list and clear retained messages",
      operands: [Operand("FILTER", .topic, .oneOrMore)],
      options: brokerOptions + [
        CommandOption("dry-run", "only list the messages"), CommandOption("yes", "clear without confirmation"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Lists the retained messages that match these filters and, after confirmation, clears them, all over a
        single connection. Exit status 20: the broker refused to clear a message; the output shows how many were
        cleared.
        """,
      example: "tappet mqtt clean 'home/old/#' --dry-run", usageError: usageErrorOfSub, body: .plain(CleanCommand.run))
  }

  static var mqttRecord: Command {
    Command(
      words: "mqtt record", section: .broker, summary: "record messages and their times in a file",
      operands: [Operand("FILE", .file), Operand("FILTER", .topic, .oneOrMore)],
      options: brokerOptions + [
        .qos("maximum QoS (1)"),
        CommandOption("count", "N", .number(1...1_000_000_000), "stop after N messages"),
        CommandOption("for", "SECONDS", .seconds(1...604_800), "stop after this time"),
      ],
      abbreviatesOptions: true,
      details: """
        Writes a new FILE (mode 0600) with one JSON object per line: microseconds since the first message,
        topic, QoS, retained, payload in base64. Use 'mqtt replay' to publish the messages again.
        """,
      usageError: usageErrorOfRecord, body: .plain(RecordCommand.run))
  }

  static var mqttReplay: Command {
    Command(
      words: "mqtt replay", section: .broker, summary: "publish recorded messages with their original timing",
      operands: [Operand("FILE", .file)],
      options: brokerOptions + [
        CommandOption("speed", "N", .number(1...1_000_000), "replay N times as fast"),
        CommandOption("topic-map", "A/#=B/#", "publish to topics below B instead of below A"),
      ],
      abbreviatesOptions: true,
      details: """
        Publishes the messages that 'mqtt record' has written, with the same QoS and retain flag, to the same
        topics or to different ones. Succeeds when the broker has acknowledged every message.
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
    return "--topic-map must have the form 'a/#=b/#', not '\(map)'"
  }
}
