// tappet command test: builds a command as a sender would publish it, and has the running kiosk evaluate it.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk

extension Command {
  static var commandTest: Command {
    Command(
      words: "command test", section: .running, summary: "have the running kiosk create and execute a test command",
      operands: [Operand("TOPIC", .commandTopic), Operand("WHAT", .text, .oneOrMore)], options: [.json],
      details: """
        The running kiosk creates a command for TOPIC with its own keys, validates it as if it had been received
        from the broker, and executes it. WHAT is an action, an output and its operation (gate pulse), or, with
        'role: esp32', a number from 1 to 5. Prints the payload, as an example for senders, and the result. Only
        for root and the kiosk's own user. Exit status: 0 accepted or done; 1 refused; 4 no kiosk is running,
        the topic is not configured, or no proof can be created.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try KioskClient(configuration: configuration).ask(request(arguments.operands))
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

  private static func request(_ words: [String]) throws(CommandFailure) -> KioskRequest {
    switch words.count {
    case 2: return .testCommand(topic: words[0], .action(words[1]))
    case 3: return .testCommand(topic: words[0], .output(words[1], operation: words[2]))
    default: throw .usage("expected an action, or an output and its operation")
    }
  }
}
