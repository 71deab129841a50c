// tappet command test: a command as a sender would publish it, made and judged by the running kiosk.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk

extension Command {
  package static var commandTest: Command {
    Command(
      words: "command test", section: .running, summary: "make a command, prove it, and let the kiosk judge it",
      operands: [Operand("TOPIC", .commandTopic), Operand("WHAT", .text, .oneOrMore)], options: [.json],
      details: """
        The running kiosk makes a command for TOPIC with its own keys, judges it as if it had come from the
        broker, and does it. WHAT is an action, an output and what to do with it (gate pulse), or with
        'role: esp32' a number from 1 to 5. Prints the payload, for senders to imitate, and the result.
        For root and the kiosk's own user. Exit status: 0 accepted or done; 1 refused; 4 no kiosk runs, it
        does not have the topic, or no proof can be made.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try KioskClient(configuration: configuration).request("command", members(arguments.operands)) {
          (_) throws(CommandFailure) in throw .failed(RunningKiosk.absence(configuration), FailureCode.kioskAbsent)
        }.json
        guard let payload = answer["payload"]?.text, let result = answer["result"]?.text else {
          throw .malformedAnswer
        }
        if let report = arguments.report {
          report.set(answer)
        } else {
          Output.print(payload)
          Output.print(result + (answer["text"]?.text.map { ": " + $0 } ?? ""))
        }
        if result == "refused" { throw .found }
      })
  }

  /// The request's members for a topic and what to do.
  private static func members(_ words: [String]) throws(CommandFailure) -> [JSON.Member] {
    var members = [JSON.Member(name: "topic", value: .string(words[0]))]
    func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name: name, value: value)) }
    switch words.count {
    case 2:
      add("action", .string(words[1]))
      if let number = Int64(decimal: words[1].utf8) { add("number", .number(number)) }
    case 3:
      add("output", .string(words[1]))
      add("do", .string(words[2]))
    default: throw .usage("expected an action, or an output and what to do with it")
    }
    return members
  }
}
