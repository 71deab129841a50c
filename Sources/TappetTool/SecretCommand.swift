// tappet secret: which tags may act. Keys come in by standard input or a file, never by the command line, which every
// user of the machine can read.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum SecretCommand {
  // MARK: import

  static func importSecret(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, CommandOption(name: "file", takesValue: true), CommandOption(name: "action", takesValue: true),
      CommandOption(name: "label", takesValue: true),
    ]
    if words.contains(where: { $0.utf8.starts(with: "smpshare:".utf8) }) {
      Output.complain(
        "tappet secret import: a share URL holds a key, and a command line can be read by others; give it on standard input or by --file"
      )
      return .usage
    }
    switch Arguments.parse(words, command: "secret import", options: options) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let text = ShortText.read(path: arguments.value("file"), prompt: "Share URL: ") else {
        Output.complain(
          "tappet secret import: the share URL cannot be read from \(arguments.value("file") ?? "standard input")")
        return .failure
      }
      return importSecret(text, configuration, arguments)
    }
  }

  private static func importSecret(
    _ text: [UInt8], _ configuration: Configuration, _ arguments: Arguments
  ) -> ExitStatus {
    let share: ShareURL
    do throws(ShareURLError) { share = try ShareURL.parse(text) } catch {
      Output.complain("tappet secret import: \(error.sentence)")
      return .refused
    }
    guard let action = configuration.actions.first(where: { $0.index == share.index }) else {
      Output.complain("tappet secret import: the share URL is for action \(share.index), which is not configured")
      return .refused
    }
    if let wanted = arguments.value("action"), wanted != action.name {
      Output.complain("tappet secret import: the share URL is for \(action.name), not for \(wanted)")
      return .refused
    }
    guard let id = UUIDText.random() else {
      Output.complain("tappet secret import: the system has no random numbers")
      return .failure
    }
    let secret = TagSecret(
      id: id, action: action.name, index: share.index, key: share.key,
      createdUnixSeconds: SystemClock().now().unixSeconds, label: arguments.value("label") ?? share.label)
    guard let vault = Settings.openVault(configuration) else { return .failure }
    do throws(VaultError) { try vault.add(secret) } catch {
      Output.complain("tappet secret import: \(error.sentence)")
      return .refused
    }
    Output.print("\(id)  \(action.name)")
    return tellKiosk(configuration)
  }

  // MARK: list

  static func list(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "secret list", options: [.config, .json]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let vault = Settings.openVault(configuration) else { return .failure }
      do throws(VaultError) {
        show(try vault.secrets(), asJSON: arguments.has("json"))
        return .success
      } catch {
        Output.complain("tappet secret list: \(error.sentence)")
        return .failure
      }
    }
  }

  private static func show(_ stored: StoredSecrets, asJSON: Bool) {
    for secret in stored.unreadable {
      Output.complain(
        "Secret \(secret.id) of \(secret.action) was sealed under another key, or is damaged; remove it and import it anew."
      )
    }
    if asJSON { return Output.print(.array(stored.readable.map { json($0) })) }
    if stored.readable.isEmpty { Output.complain("There is no secret; 'tappet secret import' adds one.") }
    for entry in stored.readable {
      let secret = entry.secret
      let uses = "used \(entry.timesUsed) \(entry.timesUsed == 1 ? "time" : "times")"
      Output.print("\(secret.id)  \(secret.action)  idx=\(secret.index)  \(uses)  \(secret.label ?? "")")
    }
  }

  private static func json(_ entry: StoredSecret) -> JSON {
    .object([
      "id": .string(entry.secret.id), "action": .string(entry.secret.action), "index": .number(entry.secret.index),
      "label": .optional(entry.secret.label), "created": .number(entry.secret.createdUnixSeconds),
      "last_used": entry.lastUsedUnixSeconds.map { .number($0) } ?? .null, "times_used": .number(entry.timesUsed),
    ])
  }

  // MARK: remove

  static func remove(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "secret remove", options: [.config], operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let id = arguments.operands.first else {
        Output.complain("tappet secret remove: say which; 'tappet secret list' shows the ids")
        return .usage
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let vault = Settings.openVault(configuration) else { return .failure }
      do throws(VaultError) {
        guard try vault.remove(id: id) else {
          Output.complain("tappet secret remove: there is no secret '\(id)'; 'tappet secret list' shows the ids")
          return .refused
        }
      } catch {
        Output.complain("tappet secret remove: \(error.sentence)")
        return .failure
      }
      return tellKiosk(configuration)
    }
  }

  /// A kiosk that runs takes the change over at once.
  private static func tellKiosk(_ configuration: Configuration) -> ExitStatus {
    guard let kiosk = RunningKiosk(configuration) else { return .success }
    guard let answer = kiosk.ask("reload-secrets"), answer["error"] == nil else {
      Output.complain("The change is stored, but the running kiosk did not take it over; restart it.")
      return .failure
    }
    return .success
  }
}

/// A line that may hold a key: read whole, bounded, without leaving it in a stream's buffer.
enum ShortText {
  /// The file's, or standard input's, first line; nil when it cannot be read or is too long.
  static func read(path: String?, prompt: String) -> [UInt8]? {
    var fd: Int32 = 0
    if let path {
      fd = tp_open(path, O_RDONLY | O_CLOEXEC, 0)
      guard fd >= 0 else { return nil }
    } else if isatty(0) == 1 {
      Output.complain(prompt)
    }
    defer { if path != nil { close(fd) } }
    var text: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while text.count <= Limits.tagURLSizeMax {
      let count = block.withUnsafeMutableBytes { CPlatform.read(fd, $0.baseAddress, $0.count) }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      text += block.prefix(count)
      if text.contains(UInt8(ascii: "\n")) { break }
    }
    guard text.count <= Limits.tagURLSizeMax else { return nil }
    let line = text.prefix { $0 != UInt8(ascii: "\n") }
    return line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : Array(line)
  }
}

/// A random UUID (RFC 9562 §5.4), lower-case.
enum UUIDText {
  static func random() -> String? {
    guard var bytes = try? LibCrypto.random(count: 16) else { return nil }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = Hex.encode(bytes)
    let digits = Array(hex.utf8)
    let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
  }
}
