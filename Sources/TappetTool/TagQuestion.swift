// Before what can never be undone on a tag.

import CPlatform

extension Question {
  /// Whether the person means it; where nobody can be asked, `--yes` is wanted.
  static func isMeant(_ question: String, command: String) -> Bool {
    guard isatty(0) == 1 else {
      Output.complain("tappet \(command): this cannot be undone, and nobody can be asked; add --yes if you mean it")
      return false
    }
    if isAnsweredYes(question) { return true }
    Output.complain("tappet \(command): not done")
    return false
  }
}
