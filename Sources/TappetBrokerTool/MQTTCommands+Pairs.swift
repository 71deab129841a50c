// The commands of the broker tool that use two brokers: diff, bridge-check.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttDiff: Command {
    Command(
      words: "mqtt diff", section: .broker, summary: "compare the retained messages of two brokers",
      operands: [Operand("FILTER", .topic, .any)],
      options: brokerOptions + otherBrokerOptions + [.json],
      abbreviatesOptions: true,
      details: """
        Prints the topics matching FILTER (#) whose retained messages differ, or exist on only one of the brokers.
        Exit status 1: there are such topics.
        """,
      example: "tappet mqtt diff --other mqtts://new.example 'home/#'", usageError: usageErrorOfDiff,
      body: .plain(DiffCommand.run))
  }

  static var mqttBridgeCheck: Command {
    Command(
      words: "mqtt bridge-check", section: .broker, summary: "check that messages cross a bridge to another broker",
      options: brokerOptions + otherBrokerOptions + [
        CommandOption("topic", "TOPIC", .topic, "topic on this broker that the bridge forwards (tappet/bridge)"),
        CommandOption("other-topic", "TOPIC", "topic on the other broker, if the bridge renames it"),
        CommandOption("direction", "WAY", .word(["out", "in", "both"]), "direction: out, in or both (out)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Publishes a test message to one broker and waits for it on the other. A message that arrives more than
        once, or returns, indicates a loop. Every subscriber to the topic receives the message.
        Exit status 1: the message did not arrive, or there is a loop.
        """,
      example: "tappet mqtt bridge-check --other mqtts://cloud.example --topic site/test",
      usageError: usageErrorOfBridge,
      body: .plain(BridgeCheckCommand.run))
  }

  private static func usageErrorOfDiff(_ arguments: Arguments) -> String? {
    usageErrorOfOther(arguments) ?? usageErrorOfSub(arguments)
  }

  private static func usageErrorOfBridge(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfOther(arguments) ?? usageErrorOfBroker(arguments) { return mistake }
    if let way = arguments.value("direction"), !["out", "in", "both"].contains(way) {
      return "--direction must be out, in or both, not '\(way)'"
    }
    return ["topic", "other-topic"].compactMap { arguments.value($0) }.compactMap { usageErrorOfTopic($0) }.first
  }
}
