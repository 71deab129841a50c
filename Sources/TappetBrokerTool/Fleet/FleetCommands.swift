// The commands of 'tappet fleet': names, options and help.

import TappetCommandLine
import TappetCore
import TappetJSON

extension Command {
  static var fleetList: Command {
    Command(
      words: "fleet list", section: .broker, summary: "list all kiosks on the broker, those with problems first",
      options: brokerOptions + [.prometheus("print metrics of all kiosks for Prometheus"), .metricsFile, .json],
      abbreviatesOptions: true,
      details: """
        Lists every kiosk that is, or was, connected to the broker: its light, its version, the time since its
        last state message, the number of pending messages, the days until its first certificate expires, its
        reader, its clock, and its worst problem. The broker retains these facts: a kiosk with 'telemetry:
        {state: true}' publishes its state each minute, and other kiosks publish only whether they are
        connected. On a terminal, lines are truncated to its width. Exit status as for 'mqtt connect'.
        """,
      example: "tappet fleet list",
      usageError: { usageErrorOfBroker($0) ?? MetricsText.usageError($0) }, body: .plain(FleetCommand.list))
  }

  static var fleetWatch: Command {
    Command(
      words: "fleet watch", section: .broker, summary: "show a live view of 'fleet list'",
      options: brokerOptions + [CommandOption("for", "TIME", .seconds(1...604_800), "stop after this time")],
      abbreviatesOptions: true,
      details: """
        Shows the output of 'fleet list' on the full screen and updates it with every change, until q or Ctrl-C,
        which restores the terminal. Press ? to explain the keys: / finds, p shows only problems, n sorts by
        name. NO_COLOR disables colours. Without a terminal, the command prints the list once, at the end.
        """,
      example: "tappet fleet watch", usageError: usageErrorOfBroker, body: .plain(FleetCommand.watch))
  }

  static var fleetSilent: Command {
    Command(
      words: "fleet silent", section: .broker, summary: "list the kiosks that have gone silent, for scripts",
      options: brokerOptions + [
        CommandOption("for", "TIME", .seconds(60...604_800), "how long a kiosk may be silent (5min)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Lists the kiosks that are not connected, or have not published a state for that time. Prints nothing if
        there are no such kiosks. Exit status: 1 there are such kiosks; otherwise as for 'mqtt connect'.
        """,
      example: "tappet fleet silent --for 10min", usageError: usageErrorOfBroker, body: .plain(FleetCommand.silent))
  }

  /// The default topic for commands to kiosks.
  static var fleetCommandTopic: String { "tappet/+/command" }

  static var fleetRun: Command {
    Command(
      words: "fleet run", section: .broker, summary: "run a check on all kiosks",
      operands: [Operand("CHECK", .word(["check"])), Operand("KIOSK", .text, .any)],
      options: brokerOptions + [
        CommandOption("topic", "TOPIC", "topic for commands; + stands for each kiosk's name (\(fleetCommandTopic))"),
        CommandOption("key-file", "FILE", .file, "file containing the key that signs these commands (mode 0600)"),
        CommandOption("for", "TIME", .seconds(1...600), "how long to wait for each kiosk's response (10)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        'fleet run check' sends a signed command to every connected kiosk, or to the specified ones, and shows
        the result of each kiosk's 'check --running': a line for each part that does not work. A kiosk responds
        if its kiosk.yaml sets 'check: true' for a topic of 'commands'. With a + in TOPIC, the command is sent
        to each kiosk's own topic, 100 at a time; otherwise one command is sent to all kiosks.
        Exit status: 0 all kiosks responded without problems; 1 a kiosk has a problem, is not connected or did
        not respond; otherwise as for 'mqtt connect'.
        """,
      example: "tappet fleet run check --key-file fleet.key", usageError: usageErrorOfFleetRun,
      body: .plain(FleetRunCommand.run))
  }

  private static func usageErrorOfFleetRun(_ arguments: Arguments) -> String? {
    if let mistake = usageErrorOfBroker(arguments) { return mistake }
    let check = arguments.operands[0]
    if check != "check" { return "unknown check \(check.quoted); use 'check'" }
    if !arguments.has("key-file") { return "missing --key-file FILE: the key that signs the command" }
    let topic = arguments.value("topic") ?? fleetCommandTopic
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    let rest = levels.filter { $0 != "+" }.joined(separator: "/")
    if rest.isEmpty || levels.count(where: { $0 == "+" }) > 1 || usageErrorOfTopic(rest) != nil {
      return "--topic must be a topic, in which one level can be + for each kiosk's name, not \(topic.quoted)"
    }
    let strange = arguments.operands.dropFirst().first { !BrokerSettings.isClientID($0) }
    return strange.map { "\($0.quoted) cannot be a kiosk's client id" }
  }
}
