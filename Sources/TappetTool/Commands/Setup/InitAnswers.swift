// tappet init --answers: the options that a file gives, for boards that are set up alike.

import TappetConfig
import TappetMessages

enum InitAnswers {
  /// The options with those of the file that they name; a typed one replaces the file's.
  static func added(to arguments: Arguments) throws(CommandFailure) -> Arguments {
    guard let path = arguments.value("answers") else { return arguments }
    let read = SetupAnswers.load(path, questions)
    guard read.problems.isEmpty else {
      for problem in read.problems { Output.printError(problem.sentence) }
      throw .reported(.configuration)
    }
    var facts = BoardFacts()
    if let boards = read.boards { try facts.addRow(of: boards) }
    var given: [(name: String, value: String?)] = []
    for answer in read.answers {
      do throws(UnknownBoardFact) { given.append((answer.option, try facts.filled(answer.value))) } catch {
        throw .refused(
          "\(path):\(answer.line): there is no '%{board.\(error.name)}'; this board has "
            + facts.names.joined(separator: ", "))
      }
    }
    return try arguments.with(given, for: .setUp)
  }

  /// The questions that it may answer: every option but those about the file itself and about what is lost.
  private static var questions: [SetupQuestion] {
    Command.setUp.options.filter { $0.name != "answers" && $0.name != "force" }.map { option in
      guard option.value != nil else { return SetupQuestion(option.name, .flag) }
      return switch option.kind {
      case .file, .folder: SetupQuestion(option.name, .path)
      default: SetupQuestion(option.name, .text)
      }
    }
  }
}
