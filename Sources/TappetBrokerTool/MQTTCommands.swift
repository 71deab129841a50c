// The commands of the broker tool, 'tappet mqtt': names, options and help, also used for completions and the manual
// page.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

extension Command {
  /// The commands for brokers and their kiosks, in the order of the overview.
  package static var broker: [Command] {
    @export(interface) get {
      [
        .mqttConnect, .mqttProbe, .mqttPub, .mqttSub, .mqttWait, .mqttClean, .mqttRecord, .mqttReplay, .mqttBench,
        .mqttStats, .mqttMonitor, .mqttDiff, .mqttBridgeCheck, .mqttRecent, .mqttHistory,
        .fleetList, .fleetWatch, .fleetSilent, .fleetRun,
      ]
    }
  }

  static var mqttConnect: Command {
    Command(
      words: "mqtt connect", section: .broker, summary: "connect to the broker step by step, and show which step fails",
      options: brokerOptions + [
        CommandOption("timeout", "SECONDS", .seconds(1...120), "how long to wait for a response (20)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Connects to each endpoint of the broker as the kiosk does: name, TCP, TLS with the certificates, MQTT;
        prints the time of each step. Publishes nothing, and uses a separate client id unless --client-id is
        specified, so that a running kiosk keeps its connection. Without --url, the broker, the certificates and
        the login are the kiosk's. If a port responds, but not as expected, the command detects the protocol of
        that port.
        Exit status: 10 name, 11 refused port, 12 unreachable, 13 the broker's certificate, 14 the broker
        refused the TLS handshake, 15 wrong protocol on that port, 16 no response, 17 login refused, 18 refused
        for another reason, 19 connection lost.
        """,
      example: "sudo -u tappet tappet mqtt connect", usageError: usageErrorOfBroker, body: .plain(ConnectCommand.run))
  }

  static var mqttPub: Command {
    Command(
      words: "mqtt pub", section: .broker, summary: "publish, and wait for the broker's acknowledgement",
      operands: [Operand("TOPIC", .topic), Operand("MESSAGE", .text, .optional)],
      options: brokerOptions + [
        .qos("quality of service (1)"), CommandOption("retain", "publish a retained message"),
        CommandOption("file", "FILE", .file, "publish this file's content"),
        CommandOption("lines", "publish each line of standard input as a message"),
        CommandOption("empty", "publish an empty message; with --retain, this clears the retained message"),
        CommandOption("fill", "replace the first %T and %I of each message, as the kiosk does"), .keyFile,
        CommandOption(
          "expiry", "SECONDS", .seconds(1...4_294_967_295), "time until the broker discards the message (MQTT 5)"),
        .json,
      ],
      abbreviatesOptions: true,
      details: """
        Publishes MESSAGE, a file's content, or each line of standard input. Succeeds when the broker has
        acknowledged every message with a success code (PUBACK, or PUBCOMP with QoS 2); with QoS 0, delivery
        cannot be verified, as the output states. After a lost connection, unacknowledged messages are resent.
        Exit status: 20 the broker refused a message or did not acknowledge all of them; otherwise as for 'mqtt
        connect'.
        """,
      example: "tappet mqtt pub home/light on", usageError: usageErrorOfPub, body: .plain(PubCommand.run))
  }

  static var mqttSub: Command {
    Command(
      words: "mqtt sub", section: .broker, summary: "subscribe to topics, and print their messages",
      operands: [Operand("FILTER", .topic, .oneOrMore)],
      options: brokerOptions + [
        .qos("maximum QoS (1)"),
        CommandOption("count", "N", .number(1...1_000_000_000), "stop after N messages"),
        CommandOption("for", "SECONDS", .seconds(1...604_800), "stop after this time"),
        CommandOption(
          "retained", "WHICH", .word(["all", "only", "no"]), "only, no or all retained messages (all)"),
        CommandOption("diff", "print only the changed members of JSON objects"),
        CommandOption("decode-token", "decode %T in messages with the timestamp key, and show its age"), .keyFile,
        CommandOption("csv", "print CSV for programs").orElse,
        CommandOption("format", "TEXT", "format of each line: %t topic, %p message, %q QoS, …").orElse,
        CommandOption("json", "print JSON for programs").orElse,
      ],
      abbreviatesOptions: true,
      details: """
        Subscribes and prints each message with its time, QoS, topic and text; r marks a retained message. Text
        that is not UTF-8 is printed as base64, and terminal control characters are escaped. After a lost
        connection, reconnects and subscribes again; after more than 10 losses in a minute, pauses for a minute.
        Ctrl-C stops it and prints a summary. '--retained only' stops after the last retained message.
        Exit status: 21 the broker refused a filter; 27 the time limit expired before N messages arrived;
        otherwise as for 'mqtt connect'.
        """,
      example: "tappet mqtt sub 'home/#' --for 60", usageError: usageErrorOfSub, body: .plain(SubCommand.run))
  }
}

// MARK: - Mistakes

extension CommandOption {
  static func qos(_ summary: String) -> CommandOption {
    CommandOption("qos", "QOS", .word(["0", "1", "2"]), summary)
  }
}

extension Command {
  static func usageErrorOfQoS(_ arguments: Arguments) -> String? {
    guard let text = arguments.value("qos"), !["0", "1", "2"].contains(text) else { return nil }
    return "--qos must be 0, 1 or 2, not '\(text)'"
  }

  private static func usageErrorOfPub(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfBroker(arguments) ?? usageErrorOfQoS(arguments) { return mistake }
    let sources = ["file", "lines", "empty"].filter { arguments.has($0) }.count + arguments.operands.count - 1
    guard sources == 1 else { return "specify exactly one of MESSAGE, --file, --lines or --empty" }
    if arguments.has("key-file"), !arguments.has("fill") { return "--key-file requires --fill" }
    if arguments.has("expiry"), arguments.value("protocol")?.begins(with: "3") == true {
      return "--expiry requires MQTT 5"
    }
    return usageErrorOfTopic(arguments.operands[0])
  }

  static func usageErrorOfTopic(_ topic: String) -> String? {
    if topic.isEmpty { return "the topic is empty" }
    guard topic.isOfMQTT else { return "a topic cannot contain control characters or non-characters (such as U+FFFE)" }
    guard topic.utf8.contains(UInt8(ascii: "+")) || topic.utf8.contains(UInt8(ascii: "#")) else { return nil }
    return "a topic for publishing cannot contain wildcards ('+', '#')"
  }

  static func usageErrorOfSub(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfBroker(arguments) ?? usageErrorOfQoS(arguments) { return mistake }
    if let which = arguments.value("retained"), !["all", "only", "no"].contains(which) {
      return "--retained must be all, only or no, not '\(which)'"
    }
    if ["csv", "format", "json"].filter({ arguments.has($0) }).count > 1 {
      return "specify only one of --csv, --format and --json"
    }
    if let format = arguments.value("format"), LineTemplate(format) == nil {
      return "--format supports %t, %p, %x, %l, %q, %r, %I, %U, %%, \\n, \\t, \\\\ and other text, not \(format.quoted)"
    }
    if arguments.has("key-file"), !arguments.has("decode-token") { return "--key-file requires --decode-token" }
    return arguments.operands.compactMap { TopicFilter.mistake(in: $0) }.first
  }
}
