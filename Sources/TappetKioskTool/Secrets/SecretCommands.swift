// tappet secret list, new, rename, remove and rekey, and tappet audit: the secrets of the tags that this kiosk accepts,
// and the log of changes to the secrets.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetStore

extension CommandOption {
  static let label = CommandOption("label", "LABEL", "display name, shown by 'tappet secret list'")
}

extension Operand {
  static let secretID = Operand("ID", .secretID)
}

extension Command {
  static var secretList: Command {
    Command(
      words: "secret list", section: .secrets, summary: "list the secrets, without their keys", options: [.json],
      details: """
        Lists id, action, index, fingerprint, creation time, number of uses, last use, label and person of each
        secret, but never the key. The fingerprint is the same on every kiosk that has the secret, and can be
        used as the id. A date before 2020 is shown as unknown, because the clock was not set.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let (secrets, unreadable) = try SecretClient(configuration).list()
        for secret in unreadable {
          Output.printError(
            "Secret \(secret["id"]?.text ?? "") of \(secret["action"]?.text ?? "") was sealed under another key, or is "
              + "damaged; remove it and import it again.")
        }
        if let report = arguments.report {
          let list = secrets.map { $0.timed([("created", "created_at"), ("last_used", "last_used_at")]) }
          return report.set(.object(["secrets": .array(list), "unreadable": .array(unreadable)]))
        }
        if secrets.isEmpty {
          Output.printError(
            "No secrets; use 'tappet secret new' to create a secret, or 'tappet secret import' to import one.")
        }
        for secret in secrets { Output.print(line(secret)) }
      })
  }

  private static func line(_ secret: JSON) -> String {
    let used = secret["times_used"]?.wholeNumber ?? 0
    var uses = "never used"
    if let last = secret["last_used"]?.wholeNumber, used > 0 {
      uses = "used \(plural(used, "time")), last \(TimeText.local(last))"
    }
    let created = TimeText.local(secret["created"]?.wholeNumber ?? 0)
    return "\(secret["id"]?.text ?? "")  \(secret["action"]?.text ?? "")  idx=\(secret["index"]?.wholeNumber ?? 0)"
      + "  fingerprint \(secret["fingerprint"]?.text ?? "")"
      + "  created \(created)  \(uses)  \(secret["label"]?.text ?? "")"
      + (secret["person"]?.text.map { "  \($0)'s" } ?? "")
  }

  static var secretNew: Command {
    Command(
      words: "secret new", section: .secrets, summary: "create a secret without a tag",
      operands: [Operand("ACTION", .action)], options: [.label],
      details: """
        Creates a secret without a tag; use 'tappet secret share' to share it with a phone or another kiosk.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let label = try checkedLabel(arguments.value("label"))
        let request = SecretRequest.makeSecret(action: arguments.operands[0], label: label)
        let answer = try SecretClient(configuration).ask(request).json
        Output.print("\(answer["id"]?.text ?? "")  \(answer["action"]?.text ?? "")")
      })
  }

  static var secretRename: Command {
    Command(
      words: "secret rename", section: .secrets, summary: "change the label of a secret",
      operands: [.secretID, Operand("LABEL")],
      details: """
        Changes the label of a secret; specify '' to remove the label.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let label = try checkedLabel(arguments.operands[1])
        _ = try SecretClient(configuration).ask(.renameSecret(id: arguments.operands[0], label: label))
      })
  }

  static var secretRekey: Command {
    Command(
      words: "secret rekey", section: .secrets, summary: "seal everything under a new key",
      details: """
        Seals everything in the state folder under a new key and replaces tappet.key. Where the service manager
        provides the key, provide the new key as tappet.key and the old key as tappet.key.old, and restart the
        kiosk.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try SecretClient(configuration).ask(.rekey).json
        Output.printError("Values sealed under the new key: \(answer["sealed"]?.wholeNumber ?? 0).")
      })
  }

  static var audit: Command {
    Command(
      words: "audit", section: .secrets, summary: "list who changed secrets or people, or saw a key",
      options: [CommandOption("verify", "check that no entry was changed, removed or inserted"), .json],
      details: """
        Lists who created, imported, shared, renamed or removed a secret, changed a person or pushed people, and
        when: the last thousand entries. With --verify, reports whether the entries are unmodified instead; if
        they are not, the exit status is 1.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        if arguments.has("verify") { return try verifyAudit(arguments, configuration) }
        let (entries, _) = try SecretClient(configuration).askAll(
          "entries", next: { $0["entries"]?.elements?.last?["number"]?.wholeNumber }, page: { .listAudit(after: $0) })
        if let report = arguments.report {
          return report.set(
            .object([
              "entries": .array(entries.map { $0.timed([("time", "time")]) }), "whole": .null, "broken_number": .null,
            ]))
        }
        for entry in entries {
          let program = "\(entry["program"]?.text ?? "")[\(entry["process"]?.wholeNumber ?? 0)]"
          Output.print(
            "\(TimeText.local(entry["time"]?.wholeNumber ?? 0))  user \(entry["user"]?.wholeNumber ?? 0)  \(program)"
              + "  \(entry["operation"]?.text ?? "")  \(entry["subject"]?.text ?? "")"
              + (entry["detail"]?.text.map { "  (\($0))" } ?? ""))
        }
      })
  }

  private static func verifyAudit(
    _ arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) {
    let state = try SecretClient(configuration).ask(.verifyAudit).json
    let (count, broken) = (state["count"]?.wholeNumber, state["broken"]?.wholeNumber)
    arguments.report?.set(
      .object([
        "entries": .null, "whole": .bool(broken == nil), "broken_number": broken.map { .number($0) } ?? .null,
      ]))
    if let broken {
      Output.printError(AuditState.broken(at: broken).sentence)
      throw .reported(.refused)
    }
    guard let count else { throw .malformedAnswer }
    if arguments.report == nil { Output.print(AuditState.whole(count: Int(clamping: count)).sentence) }
  }

  /// Returns the label if it is valid; checked before sending, because a longer label may not fit into a request.
  static func checkedLabel(_ label: String?) throws(CommandFailure) -> String? {
    let label = label.map { $0.trimmedLabel ?? "" }
    if let fault = label?.nameFault() { throw .refused(fault.sentence(of: "label")) }
    return label
  }
}

extension JSON {
  /// Returns a copy with time members converted to text; the programs exchange times as seconds since 1970.
  func timed(_ names: [(String, String)]) -> JSON {
    guard case .object(var members) = self else { return self }
    for (name, other) in names {
      guard let place = members.firstIndex(where: { $0.name == name }) else { continue }
      let seconds = members[place].value.wholeNumber
      members[place] = Member(name: other, value: seconds.map { .time(unixSeconds: $0) } ?? .null)
    }
    return .object(members)
  }
}
