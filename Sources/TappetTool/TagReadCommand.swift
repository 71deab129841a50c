// tappet tag read: what the tag is, what is on it, and whether it would work here.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum TagReadCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [.config, .json, .timeout]
    switch Arguments.parse(words, command: "tag read", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let limit = arguments.tagTimeout(command: "tag read", defaultSeconds: 30) else { return .usage }
      if isatty(2) == 1 { Output.complain("Hold a tag to the reader…") }
      switch TagSightings.open(configuration, onlyNext: true, limit: limit) {
      case .failure(let end): return complain(end)
      case .success(let sightings):
        do throws(SightingsEnd) {
          guard let sighting = try sightings.next() else { return .refused }
          return show(sighting, configuration, asJSON: arguments.has("json"), command: "tag read")
        } catch { return complain(error) }
      }
    }
  }

  private static func complain(_ end: SightingsEnd) -> ExitStatus {
    Output.complain("tappet tag read: \(end.sentence)")
    return end.isRefusal ? .refused : .failure
  }

  /// What it is, what is on it, and whether it would work here.
  static func show(
    _ sighting: TagSighting, _ configuration: Configuration, asJSON: Bool, command: String
  ) -> ExitStatus {
    switch sighting {
    case .read(let reading): return show(reading, configuration, asJSON: asJSON)
    case .faulted(let uid, let model, let fault):
      if asJSON {
        Output.print(
          .object([
            "uid": .string(Hex.encode(uid.bytes)), "model": .string(model.name), "accepted": .bool(false),
            "verdict": .string(fault.sentence),
          ]))
      } else {
        Output.complain("tappet \(command): \(model.name): \(fault.sentence)")
      }
      return .refused
    }
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
