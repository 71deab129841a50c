// The commands of 'tappet fleet': names, options and help.

import TappetCommandLine
import TappetCore
import TappetJSON

extension Command {
  static var fleetList: Command {
    Command(
      words: "fleet list", section: .broker, summary: "list all kiosks of the broker, those with trouble first",
      options: brokerOptions + [.prometheus("print metrics of all kiosks for Prometheus"), .metricsFile, .json],
      abbreviatesOptions: true,
      details: """
        Lists every kiosk that is, or was, connected to the broker: its light, its version, when it last told
        its state, how many messages wait, the days of its first certificate, its reader, its clock, and the
        worst of what is wrong with it. The broker keeps this: a kiosk with 'telemetry: {state: true}' tells
        its state each minute, one without only whether it is connected. On a terminal the lines are cut to
        its width. Exit status as 'mqtt connect'.
        """,
      example: "tappet fleet list",
      usageError: { usageErrorOfBroker($0) ?? MetricsText.usageError($0) }, body: .plain(FleetCommand.list))
  }

  static var fleetWatch: Command {
    Command(
      words: "fleet watch", section: .broker, summary: "show the same live",
      options: brokerOptions + [CommandOption("for", "TIME", .seconds(1...604_800), "end after this time")],
      abbreviatesOptions: true,
      details: """
        Shows the list of 'fleet list' on the whole terminal and follows every change, until q or Ctrl-C; the
        terminal is then as it was. ? explains the keys: / finds, p shows only problems, n sorts by name.
        With NO_COLOR nothing is coloured. Without a terminal it prints the list once, at the end.
        """,
      example: "tappet fleet watch", usageError: usageErrorOfBroker, body: .plain(FleetCommand.watch))
  }

  static var fleetSilent: Command {
    Command(
      words: "fleet silent", section: .broker, summary: "list the kiosks that have not been heard, for a script",
      options: brokerOptions + [
        CommandOption("for", "TIME", .seconds(60...604_800), "how long a kiosk may be silent (5m)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Lists the kiosks that are not connected, or have told no state for that time. Prints nothing when
        there are none. Exit status: 1 there are some; else as 'mqtt connect'.
        """,
      example: "tappet fleet silent --for 10m", usageError: usageErrorOfBroker, body: .plain(FleetCommand.silent))
  }

  /// The default topic for commands to kiosks.
  static var fleetCommandTopic: String { "tappet/+/command" }

  static var fleetRun: Command {
    Command(
      words: "fleet run", section: .broker, summary: "ask all kiosks how their parts are",
      operands: [Operand("CHECK", .word(["check"])), Operand("KIOSK", .text, .any)],
      options: brokerOptions + [
        CommandOption("topic", "TOPIC", "where they take commands; + stands for each name (\(fleetCommandTopic))"),
        CommandOption("key-file", "FILE", .file, "the key of these commands; only its owner may read it"),
        CommandOption("for", "TIME", .seconds(1...600), "how long a kiosk may take to answer (10)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        'fleet run check' sends a signed command to every connected kiosk, or to those that are named, and
        shows what each one's 'check --running' says: a line for each part that does not work. A kiosk
        answers where its kiosk.yaml has 'check: true' at a topic of 'commands'. With a + in TOPIC each kiosk
        is asked at its own topic, 100 at a time; without, one command is for all.
        Exit status: 0 all have answered and nothing is wrong; 1 something is, or a kiosk is not connected
        or does not answer; else as 'mqtt connect'.
        """,
      example: "tappet fleet run check --key-file fleet.key", usageError: usageErrorOfFleetRun,
      body: .plain(FleetRunCommand.run))
  }

  private static func usageErrorOfFleetRun(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfBroker(arguments) { return mistake }
    let check = arguments.operands[0]
    if check != "check" { return "kiosks can be asked for 'check', not \(check.quoted)" }
    if !arguments.has("key-file") { return "the command is signed: --key-file FILE gives the key of the kiosks' topic" }
    let topic = arguments.value("topic") ?? fleetCommandTopic
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    let rest = levels.filter { $0 != "+" }.joined(separator: "/")
    if rest.isEmpty || levels.count(where: { $0 == "+" }) > 1 || usageErrorOfTopic(rest) != nil {
      return "--topic takes a topic, in which one level may be + for each kiosk's name, not \(topic.quoted)"
    }
    let strange = arguments.operands.dropFirst().first { !BrokerSettings.isClientID($0) }
    return strange.map { "\($0.quoted) cannot be a kiosk's client id" }
  }
}
