// The commands of the broker tool that test the broker: probe, bench.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttProbe: Command {
    Command(
      words: "mqtt probe", section: .broker, summary: "try what the broker supports, and what it allows this kiosk",
      options: brokerOptions + [
        CommandOption("topic", "TOPIC", .topic, "test messages go below this (tappet/probe)"),
        CommandOption("yes", "send the test messages without asking"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Says what the broker states in CONNACK, and tries the rest with messages of its own: QoS 1 and 2,
        retained messages, wildcards, shared subscriptions. Then, for the kiosk's broker, the rights of its
        certificate or login: a test message to each action's topic, which must come back, and a subscription
        to each topic with commands. Every subscriber to a topic receives the test message.
        Exit status 1: something is missing or denied.
        """,
      example: "sudo -u tappet tappet mqtt probe", usageError: usageErrorOfProbe, body: .plain(ProbeCommand.run))
  }

  static var mqttBench: Command {
    Command(
      words: "mqtt bench", section: .broker, summary: "measure how fast and how late messages come through",
      options: brokerOptions + [
        .qos("quality of service (1)"),
        CommandOption("clients", "N", .number(1...Limits.benchClientsMax), "clients that publish in turn (1)"),
        CommandOption("rate", "N", .number(1...100_000), "messages a second (100)"),
        CommandOption("for", "SECONDS", .seconds(1...3600), "how long (10)"),
        CommandOption("size", "BYTES", .number(16...65_536), "bytes of a message (64)"),
        CommandOption("topic", "TOPIC", .topic, "messages go below this (tappet/bench)"),
        CommandOption("compat", "TOOL", .word(["emqtt"]), "messages as emqtt-bench has them: cnt64,ts"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Publishes at a steady rate over one connection, or --clients N, and receives over another. A latency
        counts from the time at which its message was due, so that a broker that stalls hides nothing; the
        tool's own part of it is shown separately. Ends with the rate, losses, duplicates, order, percentiles
        and a histogram, also after Ctrl-C.
        Exit status 1: a message was lost or refused.
        """,
      example: "tappet mqtt bench --rate 1000 --for 10", usageError: usageErrorOfBench, body: .plain(BenchCommand.run))
  }

  private static func usageErrorOfProbe(_ arguments: Arguments) -> String? {
    usageErrorOfBroker(arguments) ?? arguments.value("topic").flatMap { usageErrorOfTopic($0) }
  }

  private static func usageErrorOfBench(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfProbe(arguments) ?? usageErrorOfQoS(arguments) { return mistake }
    if let tool = arguments.value("compat"), tool != "emqtt" { return "--compat takes emqtt, not '\(tool)'" }
    let count = (arguments.number("rate") ?? 100) * (arguments.number("for") ?? 10)
    return count > Limits.benchMessagesMax ? "at most \(Limits.benchMessagesMax) messages are measured at once" : nil
  }
}
