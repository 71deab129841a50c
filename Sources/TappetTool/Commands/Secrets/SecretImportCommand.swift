// tappet secret import: a share code from standard input, a file or a USB scanner, or a tag that contains its key. A
// key never comes from the command line, which every user of the machine can read.

import CPlatform
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages

extension Command {
  static var secretImport: Command {
    Command(
      words: "secret import", section: .secrets, summary: "import a share code, and accept its tags",
      options: [
        CommandOption("file", "FILE", .file, "read the first line of a file"),
        CommandOption("tag", "read a tag of the older format, which contains its key").orElse, .timeout(30),
        CommandOption("action", "NAME", .action, "refuse a secret of any other action"), .label,
      ],
      details: """
        Takes a share URL (smpshare://secret?…) from standard input and accepts its tags from now on. On a
        terminal, input is not shown, whether typed or from a USB scanner. The secret is refused if its
        action is not configured, if it exists already, or if the action has as many secrets as it may have.
        """,
      example: "zbarimg -q --raw photo.jpg | tappet secret import --label 'Front door'",
      misuse: {
        if $0.value("file")?.begins(with: "smpshare:") == true { return CommandFailure.shareURLTyped.sentence }
        return $0.has("file") && $0.has("tag") ? "give one of --file and --tag" : nil
      },
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let label = try checkedLabel(arguments.value("label"))
        let members = JSON.Member.text("action", arguments.value("action")) + JSON.Member.text("label", label)
        let url = try shareURL(arguments, configuration)
        let answer = try SecretClient(configuration).ask("secret-add", members, enclosing: url).json
        Output.print("\(answer["id"]?.text ?? "")  \(answer["action"]?.text ?? "")")
      })
  }

  private static func shareURL(
    _ arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) -> SecretBytes {
    guard arguments.has("tag") else {
      return try Prompt.line(from: arguments.value("file"), question: "Share code", what: "share code")
    }
    if isatty(2) == 1 { Output.printError("Hold the tag to the reader…") }
    let reader = try ReaderClient.open(configuration, limit: arguments.seconds("timeout") ?? Limits.tagReadTime)
    try reader.startTags(onlyNext: true)
    switch try reader.nextTag() {
    case .read(let reading): return try shareURL(of: reading)
    case .faulted(_, let model, let fault): throw .refused("\(model.name): \(fault.sentence)")
    case nil: throw .refused("cancelled")
    }
  }

  /// The share code of a tag of the older format.
  private static func shareURL(of reading: TagReading) throws(CommandFailure) -> SecretBytes {
    var uri: [UInt8]
    do throws(TagContentError) { uri = try reading.uri() } catch { throw .refused(error.sentence) }
    defer { LibCrypto.wipe(&uri) }
    let url: TagURL
    do throws(TagURLError) { url = try TagURL.parse(uri) } catch { throw .refused(error.sentence) }
    guard url.carriesKey else {
      throw .refused(
        "the tag does not contain its key, as few tags do; share the secret from the phone or kiosk that wrote it")
    }
    guard let key = TagURL.carriedKey(in: uri) else {
      throw .refused("the key on the tag does not have 64 hexadecimal digits")
    }
    let claimed = TagSecret(id: "", action: "", index: url.index, key: key, createdUnixSeconds: 0, label: nil)
    guard url.verify(with: [claimed]) != nil else {
      throw .refused("the tag was not signed with the key on it: it is damaged, or somebody changed it")
    }
    var text = ShareURL(index: url.index, key: key, label: nil).text()
    return SecretBytes(taking: &text)
  }
}
