// tappet tag read and watch: the type and contents of a tag, and whether this kiosk would accept it.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetStore

extension Command {
  static var tagRead: Command {
    Command(
      words: "tag read", section: .tags, summary: "show a tag's type and contents, and whether it would work here",
      options: [.json, .timeout(30)],
      details: """
        Waits for a tag and shows its type, its contents, and whether it would work here or why not. If a kiosk
        is running, the kiosk reads the tag, since only one process can use the reader; the tap then counts like
        any other tap. Keys and signatures are not printed. Exit status: 0 the tag would work; 1 the tag would
        not work, or no tag was presented.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        if isatty(2) == 1 { Output.printError("Hold a tag to the reader…") }
        let reader = try ReaderClient.open(configuration, limit: arguments.seconds("timeout") ?? Limits.tagReadTime)
        try reader.startTags(onlyNext: true)
        guard let tag = try reader.nextTag() else { throw .reported(.refused, FailureCode.cancelled) }
        try TagReport(tag, configuration).print(arguments.report.map { report in { report.set($0) } })
      })
  }

  static var tagWatch: Command {
    Command(
      words: "tag watch", section: .tags, summary: "show type and contents of each tag, until Ctrl-C", options: [.json],
      details: """
        Shows the output of 'tappet tag read' for each tag, until Ctrl-C; with --json, one line for each. While
        a kiosk is running, the taps count like any other taps.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        if isatty(2) == 1 { Output.printError("Hold tags to the reader, one after another; press Ctrl-C to stop.") }
        let reader = try ReaderClient.open(configuration, limit: nil)
        try reader.startTags(onlyNext: false)
        arguments.report?.beginList()
        while let tag = try reader.nextTag() {
          do throws(CommandFailure) {
            try TagReport(tag, configuration).print(arguments.report.map { report in { report.print($0) } })
          } catch {
            if let sentence = error.sentence { Output.printError("tappet tag watch: " + sentence) }
          }
          if arguments.report == nil { Output.print("") }
        }
      })
  }
}

/// The details of a tag, for printing.
private struct TagReport {
  private let tag: ReaderClient.Tag
  private var isGood = false
  private var verdict = ""
  /// Machine-readable reason why the tag would not be accepted.
  private var code: String?

  init(_ tag: ReaderClient.Tag, _ configuration: KioskConfiguration) {
    self.tag = tag
    let store = try? SecretStore.open(folder: configuration.stateFolder)
    let learned = ForeignTags((try? store?.learnedTags().map { $0.tag }) ?? [])
    let (secrets, fault) = Self.secrets(configuration)
    let settings = KioskSettings(configuration)
    let outcome =
      switch tag {
      case .read(let reading): settings.judge(reading, secrets: secrets, learned: learned)
      case .faulted(let uid, _, let fault): settings.judge(uid, fault, learned: learned)
      }
    switch outcome {
    case .success(let (action, isProved)):
      isGood = true
      verdict = isProved ? "works here: \(action.name) (\(action.title))" : foreignVerdict(action, settings, learned)
    case .failure(let refusal):
      (verdict, code) = (refusal.sentence(.tag), refusal.code)
      if case .read = tag, let fault { (verdict, code) = (fault.sentence, FailureCode.failed) }
    }
  }

  private static func secrets(_ configuration: KioskConfiguration) -> ([TagSecret], SecretStoreError?) {
    do throws(SecretStoreError) {
      return (try SecretStore.open(folder: configuration.stateFolder).usableSecrets(), nil)
    } catch { return ([], error) }
  }

  private func foreignVerdict(_ action: Action, _ settings: KioskSettings, _ learned: ForeignTags) -> String {
    switch (action.name, action.mode) {
    case (KioskSettings.scannedTagsName, _): return "not configured here; Home Assistant's tag scanner receives its id"
    case (KioskSettings.unknownTagsName, .inventory): return "not configured here; looked up in the inventory"
    case (KioskSettings.unknownTagsName, _): return "not configured here; published according to 'unknown_tags'"
    default: break
    }
    let foreign =
      switch tag {
      case .read(let reading): settings.foreignTags.find(reading) ?? learned.find(reading)
      case .faulted(let uid, _, _): settings.foreignTags.find(uid) ?? learned.find(uid)
      }
    let name = foreign.map { $0.label.map { "as '\($0)'" } ?? "by its \($0.mark.kind)" } ?? ""
    return "matched \(name): \(action.name); the tag can be copied, so it cannot drive outputs"
  }

  /// Prints the report; fails for a tag that would not be accepted.
  func print(_ report: ((JSON) -> Void)?) throws(CommandFailure) {
    switch tag {
    case .faulted(let uid, let model, _):
      if let report { report(json(uid, model, nil)) } else { print(uid, model, nil) }
    case .read(let reading):
      let contents = TagContents(reading)
      if let report {
        report(json(reading.uid, reading.model, contents))
      } else {
        print(reading.uid, reading.model, contents)
      }
    }
    if !isGood { throw .found }
  }

  private func json(_ uid: TagUID, _ model: TagModel, _ contents: TagContents?) -> JSON {
    .object([
      "uid": .string(Hex.encode(uid.bytes)), "model": .string(model.name),
      "message_bytes": contents?.messageSize.map { .number(Int64($0)) } ?? .null,
      "records": .array((contents?.records ?? []).map { .string($0) }), "url": .optional(contents?.shownURL),
      "content_text": .optional(contents?.text), "carries_key": .bool(contents?.carriesKey ?? false),
      "accepted": .bool(isGood), "code": .optional(code), "text": .string(verdict),
    ])
  }

  private func print(_ uid: TagUID, _ model: TagModel, _ contents: TagContents?) {
    Output.print("uid       \(Hex.encode(uid.bytes))")
    Output.print("model     \(model.name)")
    if let size = contents?.messageSize { Output.print("message   \(size) bytes of NDEF") }
    for record in contents?.records ?? [] { Output.print("record    \(record)") }
    if let url = contents?.shownURL { Output.print("url       \(url)") }
    if let text = contents?.text { Output.print("text      \(text)") }
    Output.print("here      \(verdict)")
    if contents?.carriesKey == true {
      Output.printError("The tag contains its key: anyone who reads it can copy it. Rewrite the tag without the key.")
    }
  }
}
