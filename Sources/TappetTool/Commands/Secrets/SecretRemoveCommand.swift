// tappet secret remove: by id, by the fingerprint that is the same on every kiosk, by label, or all of an action.

import TappetConfig
import TappetCore
import TappetKiosk

extension Command {
  static var secretRemove: Command {
    Command(
      words: "secret remove", section: .secrets, summary: "refuse the tags of a secret from now on",
      operands: [Operand("ID", .secretID, .oneUnlessOption)],
      options: [
        .yes, CommandOption("action", "NAME", .action, "remove all secrets of an action, configured or not"),
        CommandOption("label", "LABEL", "remove the secrets with this label").orElse,
      ],
      details: """
        Removes secrets: exactly the tags that were written with them are refused from now on, by a running
        kiosk too. ID is a secret's id or fingerprint, or the beginning of one. With both, --action and
        --label choose the secrets that fit both. If they choose more than one, the command asks first.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let client = SecretClient(configuration)
        if let id = arguments.operands.first { return try remove(id, client) }
        let chosen = try choose(arguments, client)
        if chosen.count > 1, !arguments.has("yes") {
          for secret in chosen { Output.printError(describe(secret)) }
          guard Prompt.isPossible else {
            throw .refused(
              "this removes \(chosen.count) secrets, and there is no terminal to ask on; add --yes to confirm")
          }
          if Prompt().confirm("Remove these \(chosen.count) secrets?", default: false) != true {
            throw .refused("nothing was removed")
          }
        }
        for secret in chosen { try remove(secret["id"]?.text ?? "", client) }
      })
  }

  private static func choose(_ arguments: Arguments, _ client: SecretClient) throws(CommandFailure) -> [JSON] {
    let (secrets, unreadable) = try client.list()
    let chosen = (secrets + unreadable).filter { secret in
      for name in ["action", "label"] {
        if let wanted = arguments.value(name), secret[name]?.text != wanted { return false }
      }
      return true
    }
    guard !chosen.isEmpty else { throw .refused("no secret fits; 'tappet secret list' shows them") }
    return chosen
  }

  private static func remove(_ id: String, _ client: SecretClient) throws(CommandFailure) {
    let removed = try client.ask("secret-remove", JSON.Member.text("id", id)).json
    Output.printError("Removed: \(describe(removed)). Its tags are refused from now on.")
  }

  private static func describe(_ secret: JSON) -> String {
    "\(secret["id"]?.text ?? "") of \(secret["action"]?.text ?? "")" + (secret["label"]?.text.map { ", " + $0 } ?? "")
  }
}
