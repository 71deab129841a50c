// tappet tag write, erase, lock and format: run a job on the next tag.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetKiosk

extension Command {
  static var tagWrite: Command {
    Command(
      words: "tag write", section: .tags, summary: "write a tag for an action, with a new secret",
      operands: [Operand("ACTION", .action, .optional)],
      options: writeOptions,
      details: """
        Creates a secret, waits for a tag, writes the signed URL of ACTION to it, reads it back, and only then
        saves the secret. If the URL does not fit, both sizes are printed and nothing is written. A tag that is
        removed too early has no secret and does not work; hold it to the reader again to complete it. If a
        kiosk is running, the kiosk writes the tag and shows the light 'writing', and the tag does not count as
        a tap. The tag's previous secret is removed, unless it was imported or shared.

        --person: 'tappet person suspend' then refuses this tag together with that person's other tags.
        --box and similar: a tap of the tag then shows this entry. ACTION must have 'mode: inventory'; without
        ACTION, the first such action is used.
        --plain: the kiosk recognizes this tag, like a tag of others, only with 'unknown_tags: {mode: inventory}'.
        Anyone can copy it. A secret that was on the tag before is kept.
        --number: such a tag, tapped before or after an item during a job, states how many pieces are moved.
        --with-key: a phone can import the secret from the tag, and anyone who reads the tag can copy it.
        --protect: for NTAG21x and Ultralight EV1. A tag that does not support passwords is written and works
        anyway; the exit status is then 1, because anyone can rewrite it.
        Exit status: 0 the tag works and its secret is saved; 1 this tag is not suitable; 4 the reader or the
        disk failed.
        """,
      usageError: { arguments in
        if let error = LabelledThing.usageError(arguments) { return error }
        if arguments.has("plain") || arguments.has("number") { return usageErrorOfPlain(arguments) }
        return arguments.has("with-code") && !arguments.has("box") ? "--with-code needs --box" : nil
      },
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        if let name = arguments.operands.first, !configuration.actions.contains(where: { $0.name == name }) {
          throw .refused(TagJobRefusal.noSuchAction(name, known: configuration.actions.map { $0.name }).sentence)
        }
        var request = TagJobRequest(.write)
        request.action = arguments.operands.first
        request.label = arguments.value("label")
        request.person = arguments.value("person")
        request.carriesKey = arguments.has("with-key")
        request.protects = arguments.has("protect")
        if request.carriesKey {
          Output.printError(
            "This tag will contain its key: anyone who reads it can copy it. Keep the tag away from other people.")
        }
        let labelled = try LabelledThing.named(by: arguments, configuration)
        if let number = arguments.number("number") {
          request.text = LabelCode.number(number)
        } else if let labelled, arguments.has("plain") {
          request.text = labelled.entry.labelText
        } else if let labelled {
          request.action = try labelled.action(request.action, configuration)
          if request.label == nil { request.label = labelled.label }
          if arguments.has("with-code") { request.text = labelled.entry.code }
        }
        let uid = try run(request, arguments, configuration)
        if let labelled, let uid { try labelled.assign(uid, "written", by: arguments.who) }
      })
  }

  /// Returns a usage error if --plain is combined with what needs a secret or a URL.
  private static func usageErrorOfPlain(_ arguments: Arguments) -> String? {
    let plain = arguments.has("number") ? "number" : "plain"
    let others = ["label", "person", "with-code", "with-key", "protect"]
    if let other = others.first(where: { arguments.has($0) }) { return "--\(plain) and --\(other) cannot be combined" }
    return arguments.operands.isEmpty ? nil : "--\(plain) writes no action; omit ACTION"
  }

  private static var writeOptions: [CommandOption] {
    [
      CommandOption("label", "LABEL", "display name, shown by 'tappet secret list'"),
      CommandOption("person", "NAME", .person, "person to whom the tag is assigned"),
    ] + LabelledThing.options + [
      CommandOption(
        "number", "N", .number(0...Limits.inventoryPiecesMax), "number of pieces that the tag represents"),
      CommandOption("with-code", "also write the box's code as a text record, for other readers"),
      CommandOption("plain", "write only a text record with the entry's code or id, without a secret"),
      CommandOption("with-key", "use the phone app's older format, which contains the key (NTAG215 or larger)"),
      CommandOption("protect", "set a password, so that only this kiosk can rewrite the tag"), .json, .timeout(60),
    ]
  }

  static var tagErase: Command {
    Command(
      words: "tag erase", section: .tags, summary: "empty a tag", options: [.json, .timeout(60)],
      details: """
        Empties the next tag, overwrites its contents, and removes a password that this kiosk set. Its secret is
        kept; use 'tappet secret remove' to remove the secret.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try run(TagJobRequest(.erase), arguments, configuration)
      })
  }

  static var tagLock: Command {
    Command(
      words: "tag lock", section: .tags, summary: "make a tag permanently read-only",
      options: [.yes, .json, .timeout(60)],
      details: """
        Sets the lock bits of the next tag (Type 4: removes write access), so that it can never be
        written again. This cannot be undone, so the command asks for confirmation. A tag that is removed too
        early works, and locking can be completed later.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try Prompt.require(
          "lock", "Locking cannot be undone: the tag can never be written again.", arguments)
        try run(TagJobRequest(.lock), arguments, configuration)
      })
  }

  static var tagFormat: Command {
    Command(
      words: "tag format", section: .tags, summary: "write a permanent capability container to a tag",
      options: [.yes, .json, .timeout(60)],
      details: """
        Writes a capability container to the next tag, if it has none, and an empty message: NTAG21x, NTAG203,
        Ultralight and Ultralight EV1. The container cannot be removed again, so the command asks for
        confirmation.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try Prompt.require(
          "format", "The capability container cannot be removed from the tag again.", arguments)
        try run(TagJobRequest(.format), arguments, configuration)
      })
  }

  @discardableResult
  private static func run(
    _ request: TagJobRequest, _ arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) -> TagUID? {
    let limit = arguments.seconds("timeout") ?? Limits.tagJobTime
    return try TagJobClient.run(request, configuration, limit: limit, arguments.report)
  }
}
