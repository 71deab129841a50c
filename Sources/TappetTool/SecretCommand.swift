// tappet secret: which tags may act. Keys come in by standard input, a file, a picture or a tag, never by the command line,
// which every user of the machine can read.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum SecretCommand {
  static let label = CommandOption(name: "label", takesValue: true)

  // MARK: list

  static func list(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "secret list", options: [.config, .json]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return perform("secret list") { () throws(SecretRefusal) in
        try list(SecretDoor(configuration: configuration), asJSON: arguments.has("json"))
      }
    }
  }

  private static func list(_ door: SecretDoor, asJSON: Bool) throws(SecretRefusal) {
    let (secrets, unreadable) = try all(door)
    for secret in unreadable {
      Output.complain(
        "Secret \(secret["id"]?.text ?? "") of \(secret["action"]?.text ?? "") was sealed under another key, or is damaged; remove it and import it anew."
      )
    }
    if asJSON { return Output.print(.array(secrets)) }
    if secrets.isEmpty {
      Output.complain("There is no secret; 'tappet secret new' makes one, 'tappet secret import' takes one over.")
    }
    for secret in secrets {
      let used = secret["times_used"]?.wholeNumber ?? 0
      var uses = "never used"
      if let last = secret["last_used"]?.wholeNumber, used > 0 {
        uses = "used \(used) \(used == 1 ? "time" : "times"), last \(TimeText.local(last))"
      }
      Output.print(
        "\(secret["id"]?.text ?? "")  \(secret["action"]?.text ?? "")  idx=\(secret["index"]?.wholeNumber ?? 0)  created \(TimeText.local(secret["created"]?.wholeNumber ?? 0))  \(uses)  \(secret["label"]?.text ?? "")"
      )
    }
  }

  /// All secrets, by their facts; those that cannot be opened, apart.
  static func all(_ door: SecretDoor) throws(SecretRefusal) -> (secrets: [JSON], unreadable: [JSON]) {
    var secrets: [JSON] = []
    var from: Int64 = 0
    while true {
      let page = try door.ask("secret-list", [JSON.Member(name: "from", value: .number(from))]).json
      secrets += page["secrets"]?.elements ?? []
      guard let next = page["next"]?.wholeNumber, next > from else {
        return (secrets, page["unreadable"]?.elements ?? [])
      }
      from = next
    }
  }

  // MARK: new, rename, remove, rekey

  static func new(_ words: [String]) -> ExitStatus {
    change(words, "secret new", "secret-new", operands: ["action"], optional: label) { answer in
      Output.print("\(answer["id"]?.text ?? "")  \(answer["action"]?.text ?? "")")
    }
  }

  static func rename(_ words: [String]) -> ExitStatus {
    change(words, "secret rename", "secret-rename", operands: ["id", "label"], optional: nil) { _ in }
  }

  static func remove(_ words: [String]) -> ExitStatus {
    change(words, "secret remove", "secret-remove", operands: ["id"], optional: nil) { _ in }
  }

  static func rekey(_ words: [String]) -> ExitStatus {
    change(words, "secret rekey", "secret-rekey", operands: [], optional: nil) { answer in
      Output.complain("Sealed under a new key: \(answer["sealed"]?.wholeNumber ?? 0) values.")
    }
  }

  /// A command whose words are the facts of its request.
  private static func change(
    _ words: [String], _ command: String, _ request: String, operands names: [String], optional: CommandOption?,
    _ show: (JSON) -> Void
  ) -> ExitStatus {
    switch Arguments.parse(
      words, command: command, options: [.config] + (optional.map { [$0] } ?? []), operandsMax: names.count)
    {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard arguments.operands.count == names.count else {
        Output.complain(
          "tappet \(command): say its \(names.joined(separator: " and its ")); 'tappet \(command) --help' tells more")
        return .usage
      }
      var members = JSON.Member.text("label", arguments.value("label"))
      for (name, value) in zip(names, arguments.operands) { members += JSON.Member.text(name, value) }
      if let refusal = unfit(label: members.last(where: { $0.name == "label" })?.value.text) {
        return complain(command, refusal)
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return perform(command) { () throws(SecretRefusal) in
        show(try SecretDoor(configuration: configuration).ask(request, members).json)
      }
    }
  }

  // MARK: What all have in common

  /// Before it is sent anywhere: a request has room for no more.
  static func unfit(label: String?) -> SecretRefusal? {
    let size = label?.utf8.count ?? 0
    guard size > Limits.secretLabelSizeMax else { return nil }
    let error = SecretError.labelTooLong(size: size, max: Limits.secretLabelSizeMax)
    return SecretRefusal(sentence: error.sentence, status: .refused)
  }

  static func perform(_ command: String, _ body: () throws(SecretRefusal) -> Void) -> ExitStatus {
    do throws(SecretRefusal) {
      try body()
      return .success
    } catch { return complain(command, error) }
  }

  static func complain(_ command: String, _ refusal: SecretRefusal) -> ExitStatus {
    Output.complain("tappet \(command): \(refusal.sentence)")
    return refusal.status
  }
}
