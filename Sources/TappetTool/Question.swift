// Before what cannot be undone.

import CPlatform
import TappetCore

enum Question {
  /// Whether the person typed `answer`; where nobody can be asked, `--yes` is.
  static func isAnswered(_ answer: String, _ question: String, command: String) -> Bool {
    guard isatty(0) == 1 else {
      Output.complain("tappet \(command): this cannot be undone, and nobody can be asked; add --yes if you mean it")
      return false
    }
    let typed = ShortText.read(path: nil, prompt: question)
    if let typed, typed.elementsEqual(answer.utf8) { return true }
    Output.complain("tappet \(command): not done")
    return false
  }
}
