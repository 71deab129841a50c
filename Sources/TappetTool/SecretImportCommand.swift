// tappet secret import: a share code from standard input, a file, a picture or a USB scanner, or a tag that carries its key.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum SecretImportCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, CommandOption(name: "file", takesValue: true), CommandOption(name: "image", takesValue: true),
      CommandOption(name: "tag"), CommandOption(name: "timeout", takesValue: true),
      CommandOption(name: "action", takesValue: true), SecretCommand.label,
    ]
    if words.contains(where: { $0.begins(with: "smpshare:") }) {
      Output.complain(
        "tappet secret import: a share URL holds a key, and a command line can be read by others; give it on standard input or by --file"
      )
      return .usage
    }
    switch Arguments.parse(words, command: "secret import", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      let sources = ["file", "image", "tag"].filter { arguments.has($0) }
      guard sources.count <= 1 else {
        Output.complain("tappet secret import: give one of --file, --image and --tag")
        return .usage
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return SecretCommand.perform("secret import") { () throws(SecretRefusal) in
        try add(try shareURL(arguments, configuration), configuration, arguments)
      }
    }
  }

  private static func add(
    _ url: SecretBytes, _ configuration: Configuration, _ arguments: Arguments
  ) throws(SecretRefusal) {
    if let refusal = SecretCommand.unfit(label: arguments.value("label")) { throw refusal }
    let members =
      JSON.Member.text("action", arguments.value("action")) + JSON.Member.text("label", arguments.value("label"))
    let answer = try SecretDoor(configuration: configuration).ask("secret-add", members, enclosing: url).json
    Output.print("\(answer["id"]?.text ?? "")  \(answer["action"]?.text ?? "")")
  }

  private static func shareURL(
    _ arguments: Arguments, _ configuration: Configuration
  ) throws(SecretRefusal) -> SecretBytes {
    if arguments.has("tag") { return try TagImport.shareURL(arguments, configuration) }
    if let path = arguments.value("image") { return try PictureImport.shareURL(in: path) }
    guard var text = QuietInput.line(path: arguments.value("file"), prompt: "Share code (it is not shown): ") else {
      throw SecretRefusal(
        sentence:
          "no share code of at most \(Limits.tagURLSizeMax) bytes can be read from \(arguments.value("file") ?? "standard input")",
        status: .failure)
    }
    return SecretBytes(taking: &text)
  }
}

/// The older form of tag, which carries its key.
enum TagImport {
  static func shareURL(_ arguments: Arguments, _ configuration: Configuration) throws(SecretRefusal) -> SecretBytes {
    guard let seconds = Int64(arguments.value("timeout") ?? "30"), (1...3600).contains(seconds) else {
      throw SecretRefusal(sentence: "--timeout takes whole seconds from 1 to 3600", status: .usage)
    }
    if isatty(2) == 1 { Output.complain("Hold the tag to the reader…") }
    let reading = try nextTag(configuration, limit: .seconds(seconds))
    var uri: [UInt8]
    do throws(TagContentError) { uri = try reading.uri() } catch {
      throw SecretRefusal(sentence: error.sentence, status: .refused)
    }
    defer { LibCrypto.wipe(&uri) }
    let url: TagURL
    do throws(TagURLError) { url = try TagURL.parse(uri) } catch {
      throw SecretRefusal(sentence: error.sentence, status: .refused)
    }
    guard url.carriesKey else {
      throw SecretRefusal(
        sentence:
          "the tag does not carry its key, as few tags do; share the secret from the phone or kiosk that wrote it",
        status: .refused)
    }
    guard let key = TagURL.carriedKey(in: uri) else {
      throw SecretRefusal(sentence: "what the tag carries as its key has not 64 hex digits", status: .refused)
    }
    let claimed = TagSecret(id: "", action: "", index: url.index, key: key, createdUnixSeconds: 0, label: nil)
    guard url.verify(with: [claimed]) != nil else {
      throw SecretRefusal(
        sentence: "the tag was not signed with the key that it carries: it is damaged, or somebody changed it",
        status: .refused)
    }
    var text = ShareURL(index: url.index, key: key, label: nil).text()
    return SecretBytes(taking: &text)
  }

  private static func nextTag(
    _ configuration: Configuration, limit: Duration
  ) throws(SecretRefusal) -> TagReading {
    do throws(SightingsEnd) {
      switch try TagSightings.open(configuration, onlyNext: true, limit: limit).get().next() {
      case .read(let reading): return reading
      case .faulted(_, let model, let fault):
        throw SightingsEnd(sentence: "\(model.name): \(fault.sentence)", isRefusal: true)
      case nil: throw SightingsEnd(sentence: "broken off", isRefusal: true)
      }
    } catch { throw SecretRefusal(sentence: error.sentence, status: error.isRefusal ? .refused : .failure) }
  }
}
