// tappet tag learn, learned and forget: tags that were not written by Tappet, kept in the store.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages

extension Command {
  static var tagLearn: Command {
    Command(
      words: "tag learn", section: .tags, summary: "let the next tag, which others wrote, set off an action",
      operands: [Operand("ACTION", .action)],
      options: [
        CommandOption("label", "LABEL", "its name for people, %{tag} in a message"),
        CommandOption("content", "know it by its text or URI, and not by its UID"), .json, .timeout(30),
      ],
      details: """
        Waits for a tag that others wrote, such as a card or a label, and lets it set off the action from now
        on. UIDs can be copied, so they open no doors, and so can text and URI: an action that drives
        an output or unlocks the buttons is refused. A tag that is known already gets the new action and label.
        While a kiosk runs, the tap counts as any other.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let name = arguments.operands[0]
        if let refusal = configuration.refusalToLearn(for: name) { throw .refused(refusal) }
        let mark = try nextMark(arguments, configuration)
        let answer = try SecretClient(configuration).ask(
          .learnTag(mark, action: name, label: arguments.value("label"))
        ).json
        if let report = arguments.report { return report.set(answer.timed([("learned", "learned_at")]).withoutID) }
        let former = answer["former_action"]?.text.map { ", formerly \($0)" } ?? ""
        Output.printError("Learned: \(mark.words) sets off \(name)\(former).")
        Output.printError("UIDs can be copied, so they open no doors; the same goes for text and URI.")
      })
  }

  static var tagLearned: Command {
    Command(
      words: "tag learned", section: .tags, summary: "list the tags that were learned", options: [.json],
      details: """
        Lists the tags that 'tappet tag learn' keeps: by what each is known, its action, label, and when it was
        learned. Those in 'tags' of kiosk.yaml are not among them.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let tags = try SecretClient(configuration).listLearnedTags()
        if let report = arguments.report {
          return report.set(
            .object(["tags": .array(tags.map { $0.timed([("learned", "learned_at")]).withoutID })]))
        }
        if tags.isEmpty { Output.printError("No tag was learned; 'tappet tag learn ACTION' learns one.") }
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
      words: "tag forget", section: .tags, summary: "forget a tag that was learned",
      operands: [Operand("TAG", .learnedTag)], options: [.json],
      details: """
        Forgets a tag that 'tappet tag learn' keeps: its UID, or its text or URI to the letter.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let answer = try SecretClient(configuration).ask(.forgetTag(arguments.operands[0])).json
        if let report = arguments.report { return report.set(answer.timed([("learned", "learned_at")]).withoutID) }
        Output.printError("Forgotten: it sets off \(answer["action"]?.text ?? "") no more.")
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
      if let uri = try? reading.uri() { return .uri(String(decoding: uri, as: UTF8.self)) }
      throw .refused("there is no text and no URI on the tag; its UID can be learned")
    }
  }
}

extension SecretClient {
  /// Returns the facts about all learned tags.
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
  /// The same object without the id, which only backups need.
  fileprivate var withoutID: JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != "id" })
  }
}
