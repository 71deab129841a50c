// tappet action rename: moves the secrets and learned tags of an action to its new name.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages

extension Command {
  static var actionRename: Command {
    Command(
      words: "action rename", section: .secrets, summary: "move an action's tags to its new name",
      operands: [Operand("OLD"), Operand("NEW", .action)],
      details: """
        Moves the secrets, learned tags, pending entries and pending removals of the action OLD to the
        action NEW, so that its tags keep working. Also rename the action in kiosk.yaml, and reload.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let (old, new) = (arguments.operands[0], arguments.operands[1])
        let answer = try SecretClient(configuration).ask(.renameAction(old, to: new)).json
        Output.printError(sentence(answer, old, new))
        if answer["configured"] != .bool(true) {
          Output.printError(
            "'\(new)' is not configured yet: its tags are refused until kiosk.yaml contains the action, "
              + "and is reloaded.")
        }
      })
  }

  /// Returns a sentence about the moved records, such as `1 secret of light now belongs to lamp`.
  private static func sentence(_ answer: JSON, _ old: String, _ new: String) -> String {
    let (secrets, tags) = (answer["secrets"]?.wholeNumber ?? 0, answer["learned_tags"]?.wholeNumber ?? 0)
    var words: [String] = []
    if secrets > 0 || tags == 0 { words.append(plural(secrets, "secret")) }
    if tags > 0 { words.append(plural(tags, "learned tag")) }
    let verb = secrets + tags == 1 ? "belongs" : "belong"
    return words.joined(separator: " and ") + " of \(old) now \(verb) to \(new)."
  }
}
