// tappet secret remove: removes secrets by id, by fingerprint (the same on every kiosk), by label, or by action.

import TappetCommandLine
import TappetCore
import TappetJSON
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
        Removes secrets: the tags that were written with these secrets, and no others, are refused from now on,
        including on a running kiosk. ID is a secret's id or fingerprint, or the start of one. With both
        --action and --label, a secret must match both. On a terminal, the command shows the secrets and asks
        for confirmation; otherwise, it removes a single secret, and several only with --yes.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let client = SecretClient(configuration)
        if let id = arguments.operands.first {
          if Prompt.isPossible { try confirm(try find(id, client), arguments) }
          return try remove(id, client)
        }
        let chosen = try choose(arguments, client)
        if chosen.count > 1 || Prompt.isPossible { try confirm(chosen, arguments) }
        for secret in chosen { try remove(secret["id"]?.text ?? "", client) }
      })
  }

  /// Lists the secrets and prompts for confirmation; for an empty list, the kiosk's response reports the error.
  private static func confirm(_ chosen: [JSON], _ arguments: Arguments) throws(CommandFailure) {
    guard !chosen.isEmpty, try Prompt.isNeeded(for: "this removes \(chosen.count) secrets", arguments) else { return }
    for secret in chosen { Output.printError(describe(secret)) }
    let what = chosen.count == 1 ? "this secret" : "these \(chosen.count) secrets"
    if Prompt().confirm("Remove \(what)?", default: false) != true { throw .refused("nothing was removed") }
  }

  /// Finds the secrets whose id or fingerprint starts with `id`.
  private static func find(_ id: String, _ client: SecretClient) throws(CommandFailure) -> [JSON] {
    let (secrets, unreadable) = try client.list()
    return (secrets + unreadable).filter {
      $0["id"]?.text?.begins(with: id) == true || $0["fingerprint"]?.text?.begins(with: id) == true
    }
  }

  private static func choose(_ arguments: Arguments, _ client: SecretClient) throws(CommandFailure) -> [JSON] {
    let (secrets, unreadable) = try client.list()
    let chosen = (secrets + unreadable).filter { secret in
      for name in ["action", "label"] {
        if let wanted = arguments.value(name)?.trimmedLabel, secret[name]?.text != wanted { return false }
      }
      return true
    }
    guard !chosen.isEmpty else { throw .refused("no secret matches; use 'tappet secret list' to list the secrets") }
    return chosen
  }

  private static func remove(_ id: String, _ client: SecretClient) throws(CommandFailure) {
    let removed = try client.ask(.removeSecret(id: id)).json
    Output.printError("Removed: \(describe(removed)). Its tags are refused from now on.")
  }

  private static func describe(_ secret: JSON) -> String {
    "\(secret["id"]?.text ?? "") of \(secret["action"]?.text ?? "")" + (secret["label"]?.text.map { ", " + $0 } ?? "")
  }
}
