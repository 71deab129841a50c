// The commands of the broker tool for two brokers: diff, bridge-check.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttDiff: Command {
    Command(
      words: "mqtt diff", section: .broker, summary: "compare what two brokers keep",
      operands: [Operand("FILTER", .topic, .any)],
      options: brokerOptions + otherBrokerOptions + [.json],
      abbreviatesOptions: true,
      details: """
        Prints the topics of FILTER (#) whose retained messages are only at one of the brokers, or differ.
        Exit status 1: there are some.
        """,
      example: "tappet mqtt diff --other mqtts://new.example 'home/#'", usageError: usageErrorOfDiff,
      body: .plain(DiffCommand.run))
  }

  static var mqttBridgeCheck: Command {
    Command(
      words: "mqtt bridge-check", section: .broker, summary: "check that messages cross a bridge to another broker",
      options: brokerOptions + otherBrokerOptions + [
        CommandOption("topic", "TOPIC", .topic, "the topic here that the bridge forwards (tappet/bridge)"),
        CommandOption("other-topic", "TOPIC", "the same there, if the bridge renames it"),
        CommandOption("direction", "WAY", .word(["out", "in", "both"]), "from here, from there, or both (out)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Publishes a test message at one broker and waits for it at the other. A message that comes more than
        once, or comes back, is a loop. Every subscriber to the topic receives it.
        Exit status 1: it did not arrive, or there is a loop.
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
      return "--direction takes out, in or both, not '\(way)'"
    }
    return ["topic", "other-topic"].compactMap { arguments.value($0) }.compactMap { usageErrorOfTopic($0) }.first
  }
}
