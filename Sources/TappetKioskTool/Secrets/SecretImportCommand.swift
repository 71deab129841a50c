// tappet secret import: imports share codes from standard input or a file, one per line, one from a USB scanner, or
// from a tag that contains its key. Keys are never passed on the command line, which every user of the machine can
// read.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages

extension Command {
  static var secretImport: Command {
    Command(
      words: "secret import", section: .secrets, summary: "import a share code, and accept its tags",
      options: [
        CommandOption("file", "FILE", .file, "file containing one share code per line"),
        CommandOption("tag", "read a tag in the older format, which contains its key").orElse, .timeout(30),
        CommandOption("action", "NAME", .action, "accept only secrets of this action"), .label,
      ],
      details: """
        Reads a share URL (smpshare://secret?…) from each line of standard input, and accepts its tags from now
        on. On a terminal, it reads one line without echo, typed or from a USB scanner. A secret is refused if
        its action is not configured, if it already exists, or if the action already has the maximum number of
        secrets; the other secrets are imported.
        """,
      example: "zbarimg -q --raw photo.jpg | tappet secret import --label 'Front door'",
      usageError: {
        if $0.value("file")?.begins(with: "smpshare:") == true { return CommandFailure.shareURLTyped.sentence }
        return $0.has("file") && $0.has("tag") ? "--file and --tag cannot be combined" : nil
      },
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let label = try checkedLabel(arguments.value("label"))
        let urls = try shareURLs(arguments, configuration)
        if urls.count > 1, label != nil {
          throw .usage("--label applies to one share code, but there are \(urls.count); each code has its own label")
        }
        try importAll(urls, action: arguments.value("action"), label: label, SecretClient(configuration))
      })
  }

  /// Imports each code separately: a refused code, such as a duplicate, does not affect the others.
  private static func importAll(
    _ urls: [SecretBytes], action: String?, label: String?, _ client: SecretClient
  ) throws(CommandFailure) {
    var failures = 0
    for (index, url) in urls.enumerated() {
      do throws(CommandFailure) {
        let answer = try client.ask(.addSecret(shareURL: url, action: action, label: label)).json
        Output.print("\(answer["id"]?.text ?? "")  \(answer["action"]?.text ?? "")")
      } catch {
        if urls.count == 1 { throw error }
        Output.printError("tappet: share code \(index + 1): \(error.sentence ?? "")")
        failures += 1
      }
    }
    if failures > 0 { throw .refused("\(failures) of \(urls.count) share codes were not imported") }
  }

  private static func shareURLs(
    _ arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) -> [SecretBytes] {
    guard arguments.has("tag") else {
      return try Prompt.lines(
        from: arguments.value("file"), question: "Share code", what: "share code", trim: ShareURL.trimmed)
    }
    if isatty(2) == 1 { Output.printError("Hold the tag to the reader…") }
    let reader = try ReaderClient.open(configuration, limit: arguments.seconds("timeout") ?? Limits.tagReadTime)
    try reader.startTags(onlyNext: true)
    switch try reader.nextTag() {
    case .read(let reading): return [try shareURL(of: reading)]
    case .faulted(_, let model, let fault): throw .refused("\(model.name): \(fault.sentence)")
    case nil: throw .refused("cancelled")
    }
  }

  /// Returns the share code from a tag in the older format.
  private static func shareURL(of reading: TagReading) throws(CommandFailure) -> SecretBytes {
    let url: TagURL
    do throws(TagReadingError) { url = try reading.tagURL() } catch { throw .refused(error.sentence) }
    var uri = (try? reading.uri()) ?? []
    defer { LibCrypto.wipe(&uri) }
    guard url.carriesKey else {
      throw .refused(
        "the tag does not contain its key (only tags in the older format do); share the secret from the phone or "
          + "kiosk that wrote the tag"
      )
    }
    guard let key = TagURL.carriedKey(in: uri) else {
      throw .refused("the key on the tag is not 64 hexadecimal digits long")
    }
    let claimed = TagSecret(id: "", action: "", index: url.index, key: key, createdUnixSeconds: 0, label: nil)
    guard url.verify(with: [claimed]) != nil else {
      throw .refused("the tag's signature does not match the key on it: the tag is damaged or was altered")
    }
    var text = ShareURL(index: url.index, key: key, label: nil).text()
    return SecretBytes(taking: &text)
  }
}
