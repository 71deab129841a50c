// tappet tag read and watch: what a tag is, what is on it, and whether it would work here.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetStore

extension Command {
  static var tagRead: Command {
    Command(
      words: "tag read", section: .tags, summary: "show what a tag is, what is on it, and whether it would work here",
      options: [.json, .timeout(30)],
      details: """
        Waits for a tag and shows what it is, what is on it, and whether it would work here and why not. A
        running kiosk is asked, since only one process can have the reader; the tap then counts as any
        other. Keys and signatures are not printed. Exit status: 0 it would work; 1 it would not, or no tag
        came.
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
      words: "tag watch", section: .tags, summary: "show the same for every tag", options: [.json],
      details: """
        Shows for each tag what 'tappet tag read' shows, until Ctrl-C; with --json one line each. While a
        kiosk runs, the taps count as any other.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        if isatty(2) == 1 { Output.printError("Hold tags to the reader, one after the other; Ctrl-C ends this.") }
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

/// The printed facts of a tag.
private struct TagReport {
  private let tag: ReaderClient.Tag
  private var isGood = false
  private var verdict = ""
  /// Why it would not work, for programs.
  private var code: String?

  init(_ tag: ReaderClient.Tag, _ configuration: KioskConfiguration) {
    self.tag = tag
    let store = try? SecretStore.open(folder: configuration.stateFolder)
    let learned = (try? store?.learnedTags().map { $0.tag }) ?? []
    let known = ForeignTags(learned + configuration.foreignTags)
    let foreign: ForeignTag?
    switch tag {
    case .faulted(let uid, _, let fault): (foreign, verdict, code) = (known.find(uid), fault.sentence, fault.code)
    case .read(let reading):
      foreign = known.find(reading)
      (isGood, verdict, code) = Self.judge(reading, configuration)
    }
    guard !isGood, let foreign,
      configuration.actions.contains(where: { $0.name == foreign.action && !$0.needsProof })
    else { return }
    let name = foreign.label.map { "as '\($0)'" } ?? "by its \(foreign.mark.kind)"
    (isGood, code) = (true, nil)
    verdict = "known \(name): \(foreign.action); anybody can copy what it is known by, so it opens no doors"
  }

  private static func judge(_ reading: TagReading, _ configuration: KioskConfiguration) -> (Bool, String, String?) {
    do throws(SecretStoreError) {
      let secrets = try SecretStore.open(folder: configuration.stateFolder).usableSecrets()
      switch KioskSettings(configuration).judge(reading, secrets: secrets) {
      case .success(let action): return (true, "works here: \(action.name) (\(action.title))", nil)
      case .failure(let refusal): return (false, refusal.sentence(.tag), refusal.code)
      }
    } catch { return (false, error.sentence, FailureCode.failed) }
  }

  /// Fails for a tag that would not work.
  func print(_ report: ((JSON) -> Void)?) throws(CommandFailure) {
    switch tag {
    case .faulted(let uid, let model, _):
      if let report {
        report(json(uid, model, nil))
      } else if isGood {
        print(uid, model)
      } else {
        throw .refused("\(model.name): \(verdict)")
      }
    case .read(let reading):
      let contents = TagContents(reading)
      if let report { report(json(reading.uid, reading.model, contents)) } else { print(reading, contents) }
    }
    if !isGood { throw .found }
  }

  private func json(_ uid: TagUID, _ model: TagModel, _ contents: TagContents?) -> JSON {
    .object([
      "uid": .string(Hex.encode(uid.bytes)), "model": .string(model.name),
      "message_bytes": contents?.messageSize.map { .number(Int64($0)) } ?? .null,
      "url": .optional(contents?.shownURL), "carries_key": .bool(contents?.carriesKey ?? false),
      "accepted": .bool(isGood), "code": .optional(code), "text": .string(verdict),
    ])
  }

  private func print(_ uid: TagUID, _ model: TagModel) {
    Output.print("uid       \(Hex.encode(uid.bytes))")
    Output.print("model     \(model.name)")
    Output.print("here      \(verdict)")
  }

  private func print(_ reading: TagReading, _ contents: TagContents) {
    Output.print("uid       \(Hex.encode(reading.uid.bytes))")
    Output.print("model     \(reading.model.name)")
    if let size = contents.messageSize { Output.print("message   \(size) bytes of NDEF") }
    if let url = contents.shownURL { Output.print("url       \(url)") }
    Output.print("here      \(verdict)")
    if contents.carriesKey {
      Output.printError("The tag contains its key: anyone who reads it can copy it. Rewrite it without the key.")
    }
  }
}
