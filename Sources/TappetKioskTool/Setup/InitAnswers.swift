// tappet init --answers, and cert enrol: options read from a file, for boards with similar setups. Both commands can
// share one file.

import TappetCommandLine
import TappetConfig
import TappetMessages

enum InitAnswers {
  /// Returns the options, extended with those in the answers file; options on the command line take precedence.
  static func added(to arguments: Arguments) throws(CommandFailure) -> Arguments {
    guard let path = arguments.value("answers") else { return arguments }
    return try arguments.with(try given(in: path, for: .setUp, facts: BoardFacts()), for: .setUp)
  }

  /// Returns the options of `command` that a file specifies, with this board's facts inserted.
  static func given(
    in path: String, for command: Command, facts: BoardFacts
  ) throws(CommandFailure) -> [(name: String, value: String?)] {
    let others = [Command.setUp, .certEnrol].flatMap { questions(of: $0) }.map { $0.option }
    let read = SetupAnswers.load(path, questions(of: command), others: others)
    guard read.problems.isEmpty else {
      for problem in read.problems { Output.printError(problem.sentence) }
      throw .reported(.configuration)
    }
    var facts = facts
    if let boards = read.boards { try facts.addRow(of: boards) }
    var given: [(name: String, value: String?)] = []
    for answer in read.answers {
      let makesPlaceholder: Bool
      do throws(UnknownBoardFact) {
        given.append((answer.option, try facts.filled(answer.value)))
        makesPlaceholder = try facts.makesPlaceholder(in: answer.value ?? "")
      } catch { throw .refused("\(path):\(answer.line): \(facts.reason(error))") }
      if makesPlaceholder, ["topic", "message"].contains(answer.option) {
        throw .refused(
          "\(path):\(answer.line): a fact about this board contains a '%' that would create a placeholder in the "
            + "\(answer.option); only the file itself can contain '%T', '%I' and '%{uid}'")
      }
    }
    return given
  }

  /// Returns the options that the file may specify: all except those about the file itself, the output, and
  /// overwriting.
  private static func questions(of command: Command) -> [SetupQuestion] {
    command.options.filter { !["answers", "force", "json"].contains($0.name) }.map { option in
      guard option.value != nil else { return SetupQuestion(option.name, .flag) }
      return switch option.kind {
      case .file, .folder: SetupQuestion(option.name, .path)
      default: SetupQuestion(option.name, option.name == "parameter" ? .texts : .text)
      }
    }
  }
}
