// Before what cannot be undone.

import CPlatform
import TappetCore

enum Question {
  /// Whether the person typed yes.
  static func isAnsweredYes(_ question: String) -> Bool {
    let answer = typed(question + " [y/N] ")
    return answer == "y" || answer == "Y" || answer == "yes"
  }

  /// Whether the person typed `answer`; where nobody can be asked, `--yes` is.
  static func isAnswered(_ answer: String, _ question: String, command: String) -> Bool {
    guard isatty(0) == 1 else {
      Output.complain("tappet \(command): this cannot be undone, and nobody can be asked; add --yes if you mean it")
      return false
    }
    if typed(question) == answer { return true }
    Output.complain("tappet \(command): not done")
    return false
  }

  private static func typed(_ question: String) -> String {
    Output.prompt(question)
    var answer = [UInt8](repeating: 0, count: 16)
    let count = read(0, &answer, answer.count)
    return String(decoding: answer.prefix(max(0, count)).filter { $0 > 0x20 }, as: UTF8.self)
  }
}
