// tappet backup and restore: everything that is sealed, in one file under a passphrase.

import CPlatform
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

extension CommandOption {
  static let passphraseFile = CommandOption(
    "passphrase-file", "FILE", .file, "the passphrase is its first line; only its owner may read it")
}

extension Command {
  static var backup: Command {
    Command(
      words: "backup", section: .backup, summary: "write all secrets to a file, under a passphrase",
      operands: [Operand("FILE", .file)], options: [.passphraseFile],
      details: """
        Writes all secrets, the stored timestamp key and tag passwords to a new FILE, sealed under a
        passphrase. It contains neither the outbox nor kiosk.yaml and the files that kiosk.yaml names.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try Backup.write(to: arguments.operands[0], configuration, arguments)
      })
  }

  static var restore: Command {
    Command(
      words: "restore", section: .backup, summary: "replace all secrets with those of a backup",
      operands: [Operand("FILE", .file)],
      options: [.passphraseFile, .yes],
      details: """
        Replaces everything that is sealed here with the contents of a backup, all of it or nothing; asks
        first. The kiosk must not be running. A lost tappet.key is created again.
        """,
      misuse: {
        $0.has("yes") || Prompt.isPossible
          ? nil : "this replaces the secrets, and there is no terminal to ask on; add --yes to confirm"
      },
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try Backup.restore(arguments.operands[0], configuration, arguments)
      })
  }
}

private enum Backup {
  private static let passphraseSizeMin = 8

  static func write(to path: String, _ configuration: KioskConfiguration, _ arguments: Arguments) throws(CommandFailure)
  {
    let passphrase = try newPassphrase(arguments)
    let content = try collect(SecretClient(configuration))
    var plain = content.encoded()
    defer { LibCrypto.wipe(&plain) }
    guard plain.count + 1024 <= Limits.backupSizeMax else {
      throw .failed("there is too much for one backup (\(plain.count) bytes)")
    }
    let file: [UInt8]
    do throws(BackupError) {
      file = try passphrase.withBytes { (words) throws(BackupError) in
        try BackupFile.seal(plain, passphrase: Array(words))
      }
    } catch { throw .failed(error.sentence(path)) }
    try PrivateFile.create(path, file)
    Output.printError("\(path): \(content.summary). Nobody can open it without the passphrase, not even you.")
  }

  private static func collect(_ secrets: SecretClient) throws(CommandFailure) -> BackupContent {
    let (known, unreadable) = try secrets.list()
    guard unreadable.isEmpty else {
      throw .refused(
        "\(unreadable.count) of the secrets cannot be opened, and would be missing from the backup; "
          + "'tappet secret list' names them, remove them first")
    }
    var content = BackupContent(madeUnixSeconds: SystemClock().now().unixSeconds, secrets: [], values: [])
    for facts in known {
      let id = facts["id"]?.text ?? ""
      let answer = try secrets.ask("secret-share", JSON.Member.text("id", id) + JSON.Member.text("for", "backup"))
      guard let secretPayload = answer.secretPayload,
        let share = try? secretPayload.withBytes({ (text) throws(ShareURLError) in try ShareURL.parse(at: text) })
      else { throw .malformedAnswer }
      content.secrets.append(
        TagSecret(
          id: id, action: facts["action"]?.text ?? "", index: share.index, key: share.key,
          createdUnixSeconds: facts["created"]?.wholeNumber ?? 0, label: share.label))
    }
    for element in try secrets.ask("value-reveal").json["names"]?.elements ?? [] {
      guard let name = element.text else { continue }
      let answer = try secrets.ask("value-reveal", JSON.Member.text("name", name))
      guard let value = answer.secretPayload else { continue }
      content.values.append((name, value))
    }
    return content
  }

  static func restore(
    _ path: String, _ configuration: KioskConfiguration, _ arguments: Arguments
  ) throws(CommandFailure) {
    guard RunningKiosk(configuration) == nil else {
      throw .refused(
        "a kiosk runs with this configuration; stop it first ('systemctl stop tappet' where it is a service)")
    }
    let content = try open(path, arguments)
    let store: SecretStore
    let present: Int
    do throws(SecretStoreError) {
      store = try SecretStore.openForRestore(folder: configuration.stateFolder)
      present = try store.sealedCount()
    } catch { throw .failed(error.sentence) }
    Output.printError(
      "\(path): \(content.summary), made \(TimeText.local(content.madeUnixSeconds)). "
        + "It replaces what is sealed here now (\(present)).")
    if !arguments.has("yes"), Prompt().confirm("Replace it?", default: false) != true {
      throw .refused("nothing was changed")
    }
    do throws(SecretStoreError) { try store.restore(content.secrets, content.values, by: .current()) } catch {
      throw .failed("nothing was changed: \(error.sentence)")
    }
    for secret in content.secrets where !configuration.actions.contains(where: { $0.name == secret.action }) {
      Output.printError("The action '\(secret.action)' of the secret \(secret.id) is not in the configuration.")
    }
  }

  private static func open(_ path: String, _ arguments: Arguments) throws(CommandFailure) -> BackupContent {
    let file: [UInt8]
    switch PrivateFile.read(path, sizeMax: Limits.backupSizeMax) {
    case .failure(let error): throw .failed("\(path) cannot be read: \(error.text)")
    case .success(let bytes): file = bytes
    }
    let passphrase = try passphrase(arguments)
    do throws(BackupError) {
      var plain = try passphrase.withBytes { (words) throws(BackupError) in
        try BackupFile.open(file, passphrase: Array(words))
      }
      defer { LibCrypto.wipe(&plain) }
      guard let content = BackupContent(decoding: plain) else { throw .notABackup }
      return content
    } catch { throw .refused(error.sentence(path)) }
  }

  // MARK: The passphrase

  private static func passphrase(_ arguments: Arguments) throws(CommandFailure) -> SecretBytes {
    try Prompt.privateLine(
      from: arguments.value("passphrase-file"), question: "Passphrase", what: "passphrase",
      sizeMax: Limits.passphraseSizeMax)
  }

  /// Typed twice on a terminal.
  private static func newPassphrase(_ arguments: Arguments) throws(CommandFailure) -> SecretBytes {
    let first = try passphrase(arguments)
    guard first.count >= passphraseSizeMin else {
      throw .refused(
        "the passphrase has \(first.count) bytes; give at least \(passphraseSizeMin), better several words")
    }
    guard !arguments.has("passphrase-file"), Prompt.isPossible else { return first }
    let second = Prompt(holding: HeldSignals.typed).secret("The same again")
    guard let second, second.isEqual(to: first) else { throw .refused("the two passphrases are not the same") }
    return first
  }
}

extension BackupContent {
  fileprivate var summary: String {
    let key = values.contains { $0.name == SecretStore.timestampKeyName } ? ", the timestamp key" : ""
    let login = values.contains { $0.name == SecretStore.brokerPasswordName } ? ", the broker's password" : ""
    let passwords = values.count - (key.isEmpty ? 0 : 1) - (login.isEmpty ? 0 : 1)
    return "\(secrets.count) \(secrets.count == 1 ? "secret" : "secrets")\(key)\(login)"
      + (passwords > 0 ? ", \(passwords) tag \(passwords == 1 ? "password" : "passwords")" : "")
  }
}

extension BackupError {
  fileprivate func sentence(_ path: String) -> String {
    switch self {
    case .notABackup: "\(path) is not a backup of this version of Tappet"
    case .notAuthentic: "the passphrase is wrong, or \(path) is damaged"
    case .crypto: "the passphrase could not be used; the system is out of memory or of random numbers"
    }
  }
}
