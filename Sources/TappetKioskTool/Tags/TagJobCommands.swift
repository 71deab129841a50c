// tappet tag write, erase, lock and format: a job for the next tag.

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
      operands: [Operand("ACTION", .action)],
      options: [
        CommandOption("label", "LABEL", "for people, in 'tappet secret list'"),
        CommandOption("person", "NAME", .person, "the person whose tag it becomes"),
        CommandOption("box", "BOX", "the box of the inventory that it stands for"),
        CommandOption("item", "ITEM", "the item").orElse, CommandOption("spot", "SPOT", "the spot").orElse,
        CommandOption("room", "ROOM", "the room").orElse, CommandOption("building", "BUILDING", "the building").orElse,
        CommandOption("with-code", "write the box's code as a text, too, for readers of others"),
        CommandOption("with-key", "the phone app's older format, which contains the key (NTAG215 or larger)"),
        CommandOption("protect", "set a password, so that only this kiosk can rewrite the tag"), .json, .timeout(60),
      ],
      details: """
        Makes a new secret, waits for a tag, writes the signed URL of ACTION to it, reads it back, and only
        then saves the secret. If the URL does not fit, both sizes are printed
        and nothing is written. A tag that is taken away halfway has no secret and does not work; hold it to
        the reader again and it is completed. While a kiosk runs, the kiosk does it, with the light
        'writing'; the tag does not count as a tap meanwhile. The secret that the tag held before is removed,
        unless it was imported or shared.

        --person: 'tappet person suspend' then refuses it together with that person's other tags.
        --box and the like: a tap of the tag then shows this thing, if ACTION has 'mode: inventory'.
        --with-key: a phone can import the secret from the tag, and anyone who reads the tag can copy it.
        --protect: for NTAG21x and Ultralight EV1. A tag without passwords is written and works all the
        same; the exit status is then 1, because anyone can rewrite it.
        Exit status: 0 the tag works and its secret is saved; 1 this tag cannot do it; 4 the reader or the
        disk failed.
        """,
      usageError: { arguments in
        if InventoryKind.allCases.count(where: { arguments.has($0.name) }) > 1 {
          return "specify only one of --box, --item, --spot, --room and --building"
        }
        return arguments.has("with-code") && !arguments.has("box") ? "--with-code needs --box" : nil
      },
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let name = arguments.operands[0]
        guard configuration.actions.contains(where: { $0.name == name }) else {
          throw .refused(TagJobRefusal.noSuchAction(name, known: configuration.actions.map { $0.name }).sentence)
        }
        var request = TagJobRequest(.write)
        request.action = name
        request.label = arguments.value("label")
        request.person = arguments.value("person")
        request.carriesKey = arguments.has("with-key")
        request.protects = arguments.has("protect")
        if request.carriesKey {
          Output.printError("This tag will contain its key: anyone who reads it can copy it. Keep it away from others.")
        }
        let labelled = try LabelledThing.named(by: arguments, configuration)
        if let labelled {
          try labelled.require(name, configuration)
          if request.label == nil { request.label = labelled.entry.name.cut(toSize: Limits.secretLabelSizeMax) }
          if arguments.has("with-code") { request.text = labelled.entry.code }
        }
        let uid = try run(request, arguments, configuration)
        if let labelled, let uid { try labelled.assign(uid) }
      })
  }

  static var tagErase: Command {
    Command(
      words: "tag erase", section: .tags, summary: "empty a tag", options: [.json, .timeout(60)],
      details: """
        Empties the next tag, overwrites what was on it, and removes a password of this kiosk. Its secret
        stays; 'tappet secret remove' removes it.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try run(TagJobRequest(.erase), arguments, configuration)
      })
  }

  static var tagLock: Command {
    Command(
      words: "tag lock", section: .tags, summary: "make a tag unwritable for good",
      options: [.yes, .json, .timeout(60)],
      details: """
        Sets the lock bits of the next tag (Type 4: ends write access), so that it can never be
        written again. This cannot be undone, so it asks first. A tag that is taken away in between works, and can
        be locked to the end later.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try Prompt.require(
          "lock", "Locking cannot be undone: the tag can never be written again.", arguments)
        try run(TagJobRequest(.lock), arguments, configuration)
      })
  }

  static var tagFormat: Command {
    Command(
      words: "tag format", section: .tags, summary: "give a tag a capability container for good",
      options: [.yes, .json, .timeout(60)],
      details: """
        Gives the next tag a capability container, if it has none, and an empty message: NTAG21x, NTAG203,
        Ultralight and Ultralight EV1. The container cannot be removed again, so it asks first.
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
