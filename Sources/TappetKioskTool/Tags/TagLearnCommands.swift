// tappet tag learn, learned and forget: external tags, which Tappet did not write, and their records in the store.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetKiosk
import TappetMessages

extension Command {
  static var tagLearn: Command {
    Command(
      words: "tag learn", section: .tags, summary: "let the next external tag trigger an action",
      operands: [Operand("ACTION", .action, .optional)],
      options: [
        CommandOption("label", "LABEL", "display name, also inserted for %{tag} in messages")
      ] + LabelledThing.options + [
        CommandOption("content", "match the tag by its text or URI instead of its UID"), .json, .timeout(30),
      ],
      details: """
        Waits for an external tag, such as a card or a label, and lets it trigger the action from now on. UIDs,
        texts and URIs can be copied, so an action that drives an output or unlocks the buttons is refused. A
        tag that was already learned gets the new action and label. While a kiosk is running, the tap counts
        like any other tap.
        --box and similar: the tag represents this entry of the inventory, by its UID. ACTION must have 'mode:
        inventory'; without ACTION, the first such action is used.
        """,
      usageError: { arguments in
        let isOfThing = InventoryKind.allCases.contains { arguments.has($0.name) }
        if isOfThing, arguments.has("content") { return "a tag represents an entry by its UID; omit --content" }
        return LabelledThing.usageError(arguments)
      },
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let labelled = try LabelledThing.named(by: arguments, configuration)
        let name = try labelled?.action(arguments.operands.first, configuration) ?? arguments.operands[0]
        if let refusal = configuration.refusalToLearn(for: name) { throw .refused(refusal) }
        let mark = try nextMark(arguments, configuration)
        // Before the tag is learned, so that a tag of the action always represents something.
        if let labelled, case .uid(let uid) = mark {
          if let refusal = configuration.refusalToLearn(mark, for: name) { throw .refused(refusal) }
          try labelled.assign(uid, "read", by: arguments.who)
        }
        let answer = try SecretClient(configuration).ask(
          .learnTag(mark, action: name, label: arguments.value("label") ?? labelled?.label)
        ).json
        if let report = arguments.report { return report.set(answer.timed([("learned", "learned_at")]).withoutID) }
        let former = answer["former_action"]?.text.map { ", formerly \($0)" } ?? ""
        let thing = labelled.map { ", and represents the \($0.entry.kind.name) \($0.entry.name)" } ?? ""
        Output.printError("Learned: \(mark.words) triggers \(name)\(former)\(thing).")
        Output.printError("UIDs, texts and URIs can be copied, so they cannot drive outputs.")
      })
  }

  static var tagLearned: Command {
    Command(
      words: "tag learned", section: .tags, summary: "list the learned tags", options: [.json],
      details: """
        Lists the tags from 'tappet tag learn': the UID, text or URI, action and label of each, and when it was
        learned. Tags in 'tags' of kiosk.yaml are not included.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let tags = try SecretClient(configuration).listLearnedTags()
        if let report = arguments.report {
          return report.set(
            .object(["tags": .array(tags.map { $0.timed([("learned", "learned_at")]).withoutID })]))
        }
        if tags.isEmpty { Output.printError("No learned tags; use 'tappet tag learn ACTION' to add one.") }
        for tag in tags {
          guard let mark = ExternalTag.Identifier(tag) else { continue }
          Output.print(
            "\(mark.words)  \(tag["action"]?.text ?? "")  learned "
              + TimeText.local(tag["learned"]?.wholeNumber ?? 0) + (tag["label"]?.text.map { "  " + $0 } ?? ""))
        }
      })
  }

  static var tagForget: Command {
    Command(
      words: "tag forget", section: .tags, summary: "forget a learned tag",
      operands: [Operand("TAG", .learnedTag)], options: [.json],
      details: """
        Forgets a learned tag, specified by its UID, or by its exact text or URI.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try SecretClient(configuration).ask(.forgetTag(arguments.operands[0])).json
        if let report = arguments.report { return report.set(answer.timed([("learned", "learned_at")]).withoutID) }
        Output.printError("Forgotten: the tag no longer triggers \(answer["action"]?.text ?? "").")
      })
  }

  /// Waits for the next tag at the reader and returns its identifier.
  private static func nextMark(
    _ arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) -> ExternalTag.Identifier {
    if isatty(2) == 1 { Output.printError("Hold a tag to the reader…") }
    let reader = try ReaderClient.open(configuration, limit: arguments.seconds("timeout") ?? Limits.tagReadTime)
    try reader.startTags(onlyNext: true)
    guard let tag = try reader.nextTag() else { throw .reported(.refused, FailureCode.cancelled) }
    switch tag {
    case .faulted(_, _, .pulledAway): throw .refused(TagFault.pulledAway.sentence, TagFault.pulledAway.code)
    case .faulted(let uid, _, let fault):
      if arguments.has("content") { throw .refused(fault.sentence, fault.code) }
      return .uid(uid)
    case .read(let reading):
      guard arguments.has("content") else { return .uid(reading.uid) }
      if let text = reading.firstText { return .text(text) }
      let uri = try? reading.uri()
      if let text = uri.flatMap({ String(validating: $0, as: UTF8.self) }) { return .uri(text) }
      if uri != nil { throw .refused("the tag's URI is not UTF-8; omit --content to learn its UID") }
      throw .refused("the tag contains neither text nor a URI; omit --content to learn its UID")
    }
  }
}

extension SecretClient {
  /// Returns the details of all learned tags.
  package func listLearnedTags() throws(CommandFailure) -> [JSON] {
    try askAll("tags") { .listLearnedTags(from: $0) }.elements
  }
}

extension ExternalTag.Identifier {
  /// Parses the identifier in a response about a learned tag.
  @export(interface)
  package init?(_ facts: JSON) {
    for kind in ["uid", "text", "uri"] {
      guard let content = facts[kind]?.text else { continue }
      self.init(kind: kind, content: content)
      return
    }
    return nil
  }
}

extension JSON {
  /// A copy of the object without the id, which only backups need.
  fileprivate var withoutID: JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != "id" })
  }
}
