// tappet tag read: what the tag is, what is on it, and whether it would work here.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum TagReadCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [.config, .json, CommandOption(name: "timeout", takesValue: true)]
    switch Arguments.parse(words, command: "tag read", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let seconds = Int64(arguments.value("timeout") ?? "30"), (1...3600).contains(seconds) else {
        Output.complain("tappet tag read: --timeout takes whole seconds from 1 to 3600")
        return .usage
      }
      if isatty(2) == 1 { Output.complain("Hold a tag to the reader…") }
      switch read(configuration, limit: .seconds(seconds)) {
      case .failure(let failure):
        Output.complain("tappet tag read: \(failure.sentence)")
        return failure.isRefusal ? .refused : .failure
      case .success(let reading): return show(reading, configuration, asJSON: arguments.has("json"))
      }
    }
  }

  struct Failure: Error {
    var sentence: String
    var isRefusal = false
  }

  /// Through the running kiosk where there is one: only one process may have the reader.
  static func read(_ configuration: Configuration, limit: Duration) -> Result<TagReading, Failure> {
    guard let kiosk = RunningKiosk(configuration) else { return readDirectly(configuration, limit: limit) }
    guard let answer = kiosk.ask("next-tag", waiting: limit) else { return .failure(noTag(limit)) }
    guard
      let uid = answer["uid"]?.text.flatMap({ Hex.decode($0) }).flatMap({ TagUID($0) }),
      let model = answer["model"]?.wholeNumber.flatMap({ UInt8(exactly: $0) }).flatMap({ TagModel(rawValue: $0) }),
      let memory = answer["memory"]?.text.flatMap({ Hex.decode($0) })
    else { return .failure(Failure(sentence: answer["error"]?.text ?? "the kiosk's answer makes no sense")) }
    return .success(TagReading(uid: uid, model: model, bytes: memory))
  }

  private static func readDirectly(_ configuration: Configuration, limit: Duration) -> Result<TagReading, Failure> {
    let reader: ReaderProcess
    do throws(SystemError) {
      reader = try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: configuration.readerDevice)
    } catch {
      return .failure(
        Failure(sentence: ReaderLoss.notStarted(code: error.code).sentence(device: configuration.readerDevice)))
    }
    let end = SystemClock().now().instant + limit
    while true {
      switch reader.receive() {
      case .message(.tagRead(let reading)): return .success(reading)
      case .message(.tagFaulted(_, let model, let fault)):
        return .failure(Failure(sentence: "\(model.name): \(fault.sentence)", isRefusal: true))
      case .message(.lost(let fault, let code)):
        return .failure(
          Failure(sentence: ReaderLoss.fault(fault, code: code).sentence(device: configuration.readerDevice)))
      case .message(.ready), .message(.heartbeat), .message(.tagArrived), .message(.tagLeft): break
      case .malformed(let error):
        return .failure(Failure(sentence: ReaderLoss.malformed(error).sentence(device: configuration.readerDevice)))
      case .closed:
        return .failure(
          Failure(sentence: ReaderLoss.ended(reader.finish()).sentence(device: configuration.readerDevice)))
      case .nothing:
        let remaining = end - SystemClock().now().instant
        var entry = pollfd(fd: reader.fileDescriptor, events: Int16(POLLIN), revents: 0)
        if remaining <= .zero || poll(&entry, 1, Int32(clamping: remaining.wholeMilliseconds)) == 0 {
          return .failure(noTag(limit))
        }
      }
    }
  }

  private static func noTag(_ limit: Duration) -> Failure {
    Failure(sentence: "no tag was shown within \(limit.wholeMilliseconds / 1000) s", isRefusal: true)
  }

  private static func show(_ reading: TagReading, _ configuration: Configuration, asJSON: Bool) -> ExitStatus {
    let verdict = Self.verdict(reading, configuration)
    let contents = TagContents(reading)
    if asJSON {
      Output.print(
        .object([
          "uid": .string(Hex.encode(reading.uid.bytes)), "model": .string(reading.model.name),
          "message_bytes": contents.messageSize.map { .number(Int64($0)) } ?? .null,
          "url": .optional(contents.shownURL),
          "carries_key": .bool(contents.carriesKey), "accepted": .bool(verdict.isGood),
          "verdict": .string(verdict.text),
        ]))
    } else {
      Output.print("uid       \(Hex.encode(reading.uid.bytes))")
      Output.print("model     \(reading.model.name)")
      if let size = contents.messageSize { Output.print("message   \(size) bytes of NDEF") }
      if let url = contents.shownURL { Output.print("url       \(url)") }
      Output.print("here      \(verdict.text)")
      if contents.carriesKey {
        Output.complain("The tag carries its key: whoever reads it can copy it. Write it anew without the key.")
      }
    }
    return verdict.isGood ? .success : .refused
  }

  private static func verdict(_ reading: TagReading, _ configuration: Configuration) -> (isGood: Bool, text: String) {
    guard let vault = Settings.openVault(configuration) else { return (false, "the secrets cannot be read") }
    do throws(VaultError) {
      switch KioskSettings(configuration).judge(reading, secrets: try vault.usableSecrets()) {
      case .success(let action): return (true, "works here: \(action.name) (\(action.title))")
      case .failure(let refusal): return (false, refusal.sentence(.tag))
      }
    } catch { return (false, error.sentence) }
  }
}
