// tappet output: switches the panel's outputs through the running kiosk, which has exclusive use of their lines.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

extension Command {
  static var outputList: Command {
    Command(
      words: "output list", section: .running, summary: "list the outputs and their levels", options: [.json],
      details: """
        Lists the outputs of 'panel.outputs': name, level, and whether the line is available.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        try show(.listOutputs, arguments, configuration)
      })
  }

  /// A command for each request.
  static var outputSwitches: [Command] { OutputRequest.allCases.map { switching($0) } }

  static var outputSafe: Command {
    Command(
      words: "output safe", section: .running, summary: "set the outputs of a killed kiosk to their safe levels",
      options: [
        CommandOption("state", "FOLDER", .folder, "the kiosk's state folder, instead of that in the configuration")
      ],
      details: """
        Some kernels keep the level of a line whose program was killed. This command sets the outputs and lights
        that the last kiosk has recorded in its state folder to their safe levels. The configuration may contain
        errors, because only its 'state' is read. The service does this each time its kiosk has ended. Exit status: 0
        all levels are set, or none is recorded since the machine started; 4 a level cannot be set, the record cannot
        be read or is damaged, or a kiosk is running.
        """,
      body: .plain { (arguments) throws(CommandFailure) in
        let given = arguments.value("state")
        if let given, access(given, F_OK) != 0 {
          throw .failed("nothing was set: \(given) cannot be opened: " + SystemError.last("access").adviceText())
        }
        let folder = given ?? ConfigurationParser.stateFolder(path: KioskAccess.path(arguments))
        switch SafeOutputs.restore(stateFolder: folder) {
        case .nothingRecorded: return
        case .kioskRuns: throw .failed("a kiosk is running with \(folder), and keeps its outputs")
        case .done(_, let faults):
          for fault in faults { Output.printError(fault.sentence) }
          if !faults.isEmpty { throw .reported(.failure, FailureCode.failed) }
        }
      })
  }

  private static func switching(_ request: OutputRequest) -> Command {
    let summary =
      switch request {
      case .on: "switch an output on"
      case .off: "switch an output off"
      case .pulse: "switch an output on for the duration of its pulse"
      case .toggle: "switch an output to the opposite level"
      }
    return Command(
      words: "output " + request.rawValue, section: .running, summary: summary, operands: [Operand("NAME", .output)],
      options: [.json],
      details: """
        Sends the request to the running kiosk. Its limits apply: 'max_on', the interlock and its dead time. The
        button lock does not apply. Exit status: 0 the request was executed, or will be after the dead time; 4
        the output does not exist, its line is missing, or no kiosk is running.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        try show(.switchOutput(arguments.operands[0], request), arguments, configuration)
      })
  }

  private static func show(
    _ request: KioskRequest, _ arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) {
    let answer = try KioskClient(configuration: configuration).ask(request)
    guard let outputs = answer["outputs"] else { throw .malformedAnswer }
    if let report = arguments.report { return report.set(.object(["outputs": outputs])) }
    for output in outputs.elements ?? [] {
      Output.print((Help.padded(output["name"]?.text ?? "", 16) + " " + outputState(output)).escaped)
    }
  }

  /// Returns the state of an output in a response: its level, and since when it is away from its safe level.
  static func outputState(_ output: JSON) -> String {
    guard output["good"] == .bool(true) else { return "line missing" }
    let level = output["on"] == .bool(true) ? "on" : "off"
    guard let since = output["since"]?.text.flatMap({ WallTime.unixMilliseconds(utc: $0) }) else {
      return level + ", its safe level"
    }
    let time = WallTime.brief(unixMilliseconds: since, now: SystemClock().now().unixMilliseconds)
    return level + " since " + time + "; safe level: " + (output["safe"] == .bool(true) ? "on" : "off")
  }
}
