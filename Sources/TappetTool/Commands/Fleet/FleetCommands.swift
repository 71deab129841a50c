// The commands of 'tappet fleet': names, options and help. Their functions are in tappet-mqtt.

import TappetConfig
import TappetCore

extension Command {
  /// The commands about all kiosks of a broker.
  static var fleet: [Command] { [.fleetList, .fleetWatch, .fleetSilent] }

  static var fleetList: Command {
    Command(
      words: "fleet list", section: .broker, summary: "list all kiosks of the broker, those with trouble first",
      options: brokerOptions + [.prometheus("print metrics of all kiosks for Prometheus"), .metricsFile, .json],
      abbreviatesOptions: true,
      details: """
        Lists every kiosk that is, or was, connected to the broker: its light, its version, when it last told
        its state, how many messages wait, and what is wrong with it. The broker keeps this: a kiosk with
        'telemetry: {state: true}' tells its state each minute, one without only whether it is connected.
        Exit status as 'mqtt connect'.
        """,
      example: "tappet fleet list",
      misuse: { misuseOfBroker($0) ?? MetricsText.misuse($0) }, body: .program("tappet-mqtt"))
  }

  static var fleetWatch: Command {
    Command(
      words: "fleet watch", section: .broker, summary: "show the same live",
      options: brokerOptions + [CommandOption("for", "SECONDS", .seconds(1...604_800), "end after this time")],
      abbreviatesOptions: true,
      details: """
        Shows the list of 'fleet list' on the whole terminal and follows every change, until Ctrl-C. Without
        a terminal it prints the list once, at the end.
        """,
      example: "tappet fleet watch", misuse: misuseOfBroker, body: .program("tappet-mqtt"))
  }

  static var fleetSilent: Command {
    Command(
      words: "fleet silent", section: .broker, summary: "list the kiosks that have not been heard, for a script",
      options: brokerOptions + [
        CommandOption("for", "SECONDS", .seconds(60...604_800), "how long a kiosk may be silent (300)"), .json,
      ],
      abbreviatesOptions: true,
      details: """
        Lists the kiosks that are not connected, or have told no state for that time. Prints nothing when
        there are none. Exit status: 1 there are some; else as 'mqtt connect'.
        """,
      example: "tappet fleet silent --for 600", misuse: misuseOfBroker, body: .program("tappet-mqtt"))
  }
}
