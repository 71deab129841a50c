// Files with answers to the questions of `tappet init` and `tappet cert enrol`, shared by many boards:
//
//   preset: mosquitto
//   url: broker.example
//   ca: ca.pem                              a path is relative to the file
//   client-id: "door-%{board.serial}"       a fact about the board
//   boards: boards.csv                      more facts, from the row of this board
//   clock-trust: true                       an option without a value

import TappetCore
import TappetPlatform

/// A question that an answers file may answer.
package struct SetupQuestion {
  /// Format of the answer.
  package enum Kind {
    case text
    case path
    /// An option without a value.
    case flag
    /// A text or a list of texts, for an option that may be repeated.
    case texts
  }

  /// Name of the equivalent command line option.
  package var option: String
  package var kind: Kind

  package init(_ option: String, _ kind: Kind) {
    self.option = option
    self.kind = kind
  }
}

/// One answer from an answers file.
package struct SetupAnswer: Hashable, Sendable {
  /// Name of the equivalent command line option.
  package var option: String
  /// The value of the answer; `nil` for an option without a value.
  package var value: String?
  /// Line number of the answer.
  package var line: Int
}

/// The contents of an answers file, and the errors in the file.
package struct SetupAnswers {
  /// The key for the path of the table of boards.
  package static let boardsKey = "boards"

  package private(set) var answers: [SetupAnswer] = []
  /// The path of the table of boards, if the file specifies one.
  package private(set) var boards: String?
  package private(set) var problems: [ConfigurationProblem] = []

  /// Keywords accepted instead of a path.
  private static let words = ["system", "none", "request", "new"]

  /// Parses a file with answers to `questions`; ignores the keys in `others`, which belong to a different command.
  @export(interface)
  package static func load(_ path: String, _ questions: [SetupQuestion], others: [String] = []) -> SetupAnswers {
    var reader = YAMLReader(file: path, folder: AtomicFiles.folder(of: path))
    var read = SetupAnswers()
    switch TextFile.read(path, sizeMax: Limits.profileSizeMax) {
    case .failure(let error): reader.note(.cannotRead(error), at: TextPosition(line: 1, column: 1), "")
    case .success(let file):
      do throws(YAMLFailure) {
        let root = try YAMLDocument.parse(file.bytes)
        let known = questions.map { $0.option }
        if let top = reader.mapping(root, keys: known + others.filter { !known.contains($0) } + [boardsKey]) {
          read.boards = reader.path(top[boardsKey])
          for question in questions { read.take(question, top[question.option], &reader) }
        }
      } catch { reader.note(.yaml(error.error), at: error.position, "") }
    }
    read.problems = reader.problems
    return read
  }

  private mutating func take(_ question: SetupQuestion, _ node: YAMLNode?, _ reader: inout YAMLReader) {
    guard let node else { return }
    if case .texts = question.kind, case .sequence = node.content {
      for element in reader.list(node) ?? [] { take(SetupQuestion(question.option, .text), element, &reader) }
      return
    }
    var answer = SetupAnswer(option: question.option, value: nil, line: node.position.line)
    switch question.kind {
    case .flag: if reader.flag(node) != true { return }
    case .text, .texts: answer.value = reader.text(node)
    case .path:
      answer.value = reader.text(node)
      if let word = answer.value, !Self.words.contains(word) { answer.value = reader.path(node) }
    }
    answers.append(answer)
  }
}
