// tappet action rename: what hangs on an action's name follows it.

import TappetConfig
import TappetCore
import TappetKiosk

extension Command {
  static var actionRename: Command {
    Command(
      words: "action rename", section: .secrets, summary: "give an action's secrets to its new name",
      operands: [Operand("OLD"), Operand("NEW", .action)],
      details: """
        Gives the secrets and the waiting entries of the action OLD to the action NEW, so that its tags go
        on working. Rename the action in kiosk.yaml too, and reload.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let (old, new) = (arguments.operands[0], arguments.operands[1])
        let members = JSON.Member.text("action", old) + JSON.Member.text("name", new)
        let answer = try SecretClient(configuration).ask("action-rename", members).json
        let count = answer["secrets"]?.wholeNumber ?? 0
        let what = count == 1 ? "1 secret of \(old) now belongs" : "\(count) secrets of \(old) now belong"
        Output.printError(what + " to \(new).")
        if answer["configured"] != .bool(true) {
          Output.printError(
            "'\(new)' is not configured there yet: its tags are refused until kiosk.yaml has it and is reloaded.")
        }
      })
  }
}
