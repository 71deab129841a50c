// The commands of the broker tool that test the broker: probe, bench.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  static var mqttProbe: Command {
    Command(
      words: "mqtt probe", section: .broker,
      summary: "test what the broker supports, and what it allows this kiosk to do",
      options: brokerOptions + [
        CommandOption("topic", "TOPIC", .topic, "topic below which test messages are published (tappet/probe)"),
        CommandOption("yes", "send the test messages without confirmation"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Shows the capabilities that the broker states in CONNACK, and tests others with its own messages: QoS 1
        and 2, retained messages, wildcards, shared subscriptions. Then, for the kiosk's broker, tests the
        permissions of the kiosk's certificate or login: publishes a test message to each action's topic, which
        must be received back, and subscribes to each command topic. Every subscriber to a topic receives the
        test message.
        Exit status 1: something is missing or denied.
        """,
      example: "sudo -u tappet tappet mqtt probe", usageError: usageErrorOfProbe, body: .plain(ProbeCommand.run))
  }

  static var mqttBench: Command {
    Command(
      words: "mqtt bench", section: .broker, summary: "measure the throughput and latency of messages",
      options: brokerOptions + [
        .qos("quality of service (1)"),
        CommandOption("clients", "N", .number(1...Limits.benchClientsMax), "number of clients publishing in turn (1)"),
        CommandOption("rate", "N", .number(1...100_000), "messages per second (100)"),
        CommandOption("for", "SECONDS", .seconds(1...3600), "how long to publish (10)"),
        CommandOption("size", "BYTES", .number(16...65_536), "size of each message (64)"),
        CommandOption("topic", "TOPIC", .topic, "topic below which messages are published (tappet/bench)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Publishes at a steady rate over one connection, or over --clients N, and receives over a separate
        connection. Latency is measured from the time at which a message was due, so that a stalling broker
        cannot hide delays; the tool's own share is shown separately. At the end, even after Ctrl-C, prints the
        rate, losses, duplicates, order, percentiles and a histogram.
        Exit status 1: a message was lost or refused.
        """,
      example: "tappet mqtt bench --rate 1000 --for 10", usageError: usageErrorOfBench, body: .plain(BenchCommand.run))
  }

  private static func usageErrorOfProbe(_ arguments: Arguments) -> String? {
    usageErrorOfBroker(arguments) ?? arguments.value("topic").flatMap { usageErrorOfTopic($0) }
  }

  private static func usageErrorOfBench(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfProbe(arguments) ?? usageErrorOfQoS(arguments) { return mistake }
    let count = (arguments.number("rate") ?? 100) * (arguments.number("for") ?? 10)
    return count > Limits.benchMessagesMax ? "a run can send at most \(Limits.benchMessagesMax) messages" : nil
  }
}
