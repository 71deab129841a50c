// Which command, and what it ends with. Data goes to stdout, everything else to stderr.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

/// What the process ends with; documented in tappet(1).
enum ExitStatus: Int32 {
  case success = 0
  /// What was asked for was refused, or something is wrong with what was checked.
  case refused = 1
  /// The command line makes no sense.
  case usage = 2
  /// The configuration has mistakes.
  case configuration = 3
  /// A device, a file or another process failed.
  case failure = 4
}

/// The commands that are typed now and then; `run` and `status` are Front's.
enum Tool {
  static func run(_ words: [String]) -> ExitStatus {
    guard let first = words.first else {
      Output.complain(Help.overview)
      return .usage
    }
    let rest = Array(words.dropFirst())
    switch first {
    case "--help", "-h", "help":
      return help(rest)
    case "run", "status": return help([first])
    case "check": return CheckCommand.run(rest)
    case "init": return InitCommand.run(rest)
    case "import-settings": return ImportSettingsCommand.run(rest)
    case "cert":
      return subcommand(
        of: first, rest,
        [
          "check": CertCheckCommand.run, "import": CertImportCommand.run, "export": CertExportCommand.run,
          "request": CertRequestCommand.run,
        ])
    case "tag":
      return subcommand(
        of: first, rest,
        [
          "read": TagReadCommand.run, "watch": TagWatchCommand.run, "write": TagWriteCommand.run,
          "erase": TagEraseCommand.run, "lock": TagLockCommand.run, "format": TagFormatCommand.run,
        ])
    case "secret":
      return subcommand(
        of: first, rest,
        [
          "list": SecretCommand.list, "new": SecretCommand.new, "share": SecretShareCommand.run,
          "import": SecretImportCommand.run, "rename": SecretCommand.rename, "remove": SecretCommand.remove,
          "rekey": SecretCommand.rekey,
        ])
    case "outbox":
      return subcommand(
        of: first, rest,
        ["list": OutboxCommand.list, "drop": OutboxCommand.drop, "export": OutboxCommand.export])
    case "audit": return AuditCommand.run(rest)
    case "backup": return BackupCommand.backUp(rest)
    case "restore": return BackupCommand.restore(rest)
    case "token":
      return subcommand(
        of: first, rest, ["seal": TokenCommand.seal, "open": TokenCommand.open, "key": TokenCommand.keep])
    default:
      return unknown(first)
    }
  }

  private static func help(_ words: [String]) -> ExitStatus {
    guard let command = words.first else {
      Output.print(Help.overview)
      return .success
    }
    guard let text = Help.text(for: words.prefix(2).joined(separator: " ")) ?? Help.text(for: command) else {
      return unknown(command)
    }
    Output.print(text)
    return .success
  }

  private static let names = [
    "--help", "--version", "audit", "backup", "cert", "check", "import-settings", "init", "outbox", "restore", "run",
    "secret", "status", "tag", "token",
  ]

  private static func unknown(_ word: String) -> ExitStatus {
    let suggestion = Spelling.suggestion(Spelling.nearest(to: word, among: names))
    Output.complain("tappet: there is no command '\(word)'\(suggestion); 'tappet --help' lists them")
    return .usage
  }

  private static func subcommand(
    of command: String, _ words: [String], _ table: KeyValuePairs<String, ([String]) -> ExitStatus>
  ) -> ExitStatus {
    let known = table.map { "'tappet \(command) \($0.key)'" }.joined(separator: ", ")
    guard let word = words.first else {
      Output.complain("tappet \(command): say what to do: \(known)")
      return .usage
    }
    if word == "--help" || word == "-h" { return help([command]) }
    for entry in table where entry.key == word { return entry.value(Array(words.dropFirst())) }
    let suggestion = Spelling.suggestion(Spelling.nearest(to: word, among: table.map { $0.key }))
    Output.complain("tappet \(command): there is no '\(word)'\(suggestion); there are \(known)")
    return .usage
  }
}

/// Text to the two streams.
enum Output {
  /// A line of data.
  static func print(_ text: String) { write(text + "\n") }

  /// Data as it is; at once, so that a live view does not lag.
  static func write(_ text: String) { put(Array(text.utf8), tp_stdout()) }

  /// Data that is no text of ours.
  static func write(bytes: [UInt8]) { put(bytes, tp_stdout()) }

  /// A question, on the line of its answer.
  static func prompt(_ text: String) { put(Array(text.utf8), tp_stderr()) }

  /// A JSON value on a line, or on several when a person reads it.
  static func print(_ json: JSON) {
    put(json.encoded(pretty: isatty(1) == 1) + [UInt8(ascii: "\n")], tp_stdout())
  }

  /// A line for the person that the next one takes the place of.
  static func complainInPlace(_ text: String) { put(Array(("\r" + text + "\u{1B}[K").utf8), tp_stderr()) }

  /// A line for the person.
  static func complain(_ text: String) { put(Array((text + "\n").utf8), tp_stderr()) }

  /// What to end with: data that a full disk did not take is no success.
  ///
  /// Who closes a pipe early has read enough.
  static func judged(_ status: ExitStatus) -> ExitStatus {
    let code = tp_output_error()
    guard status == .success, code != 0, code != EPIPE else { return status }
    complain("tappet: the output could not be written: \(SystemError(call: "write", code: code).text)")
    return .failure
  }

  private static func put(_ bytes: [UInt8], _ stream: UnsafeMutablePointer<FILE>?) {
    bytes.withUnsafeBytes { tp_put(stream, $0.baseAddress, $0.count) }
  }
}
