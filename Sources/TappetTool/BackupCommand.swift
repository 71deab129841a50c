// tappet backup and restore: everything that is sealed, in one file under a passphrase.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum BackupCommand {
  private static let passphraseSizeMin = 8

  // MARK: backup

  static func backUp(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "backup", options: [.config, .passphraseFile], operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let path = arguments.operands.first else {
        Output.complain("tappet backup: say into which FILE")
        return .usage
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return SecretCommand.perform("backup") { () throws(SecretRefusal) in
        try backUp(to: path, SecretDoor(configuration: configuration), arguments)
      }
    }
  }

  private static func backUp(to path: String, _ door: SecretDoor, _ arguments: Arguments) throws(SecretRefusal) {
    var words = try passphrase(arguments, isNew: true)
    defer { LibCrypto.wipe(&words) }
    let content = try collect(door)
    var plain = content.encoded()
    defer { LibCrypto.wipe(&plain) }
    guard plain.count + 1024 <= Limits.backupSizeMax else {
      throw SecretRefusal(sentence: "there is too much for one backup (\(plain.count) bytes)", status: .failure)
    }
    let file: [UInt8]
    do throws(BackupError) { file = try BackupFile.seal(plain, passphrase: words) } catch {
      throw SecretRefusal(sentence: error.sentence(path), status: .failure)
    }
    do throws(SystemError) { try PrivateFile.make(path, file) } catch {
      throw SecretRefusal(sentence: error.cannotMake(path), status: .failure)
    }
    Output.complain("\(path): \(content.summary). Without the passphrase nobody can open it, you neither.")
  }

  private static func collect(_ door: SecretDoor) throws(SecretRefusal) -> BackupContent {
    let (known, unreadable) = try SecretCommand.all(door)
    guard unreadable.isEmpty else {
      throw SecretRefusal(
        sentence:
          "\(unreadable.count) of the secrets cannot be opened, and the backup would lack them; 'tappet secret list' names them, remove them first",
        status: .refused)
    }
    var content = BackupContent(madeUnixSeconds: SystemClock().now().unixSeconds, secrets: [], values: [])
    for facts in known {
      let id = facts["id"]?.text ?? ""
      let answer = try door.ask("secret-share", JSON.Member.text("id", id) + JSON.Member.text("for", "backup"))
      guard let enclosure = answer.enclosure,
        let share = try? enclosure.withBytes({ (text) throws(ShareURLError) in try ShareURL.parse(at: text) })
      else { throw SecretRefusal(sentence: "the kiosk's answer makes no sense", status: .failure) }
      content.secrets.append(
        TagSecret(
          id: id, action: facts["action"]?.text ?? "", index: share.index, key: share.key,
          createdUnixSeconds: facts["created"]?.wholeNumber ?? 0, label: share.label))
    }
    for element in try door.ask("value-reveal").json["names"]?.elements ?? [] {
      guard let name = element.text else { continue }
      let answer = try door.ask("value-reveal", JSON.Member.text("name", name))
      content.values.append((name, answer.enclosure?.withBytes { Array($0) } ?? []))
    }
    return content
  }

  // MARK: restore

  static func restore(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [.config, .passphraseFile, CommandOption(name: "yes")]
    switch Arguments.parse(words, command: "restore", options: options, operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let path = arguments.operands.first else {
        Output.complain("tappet restore: say from which FILE")
        return .usage
      }
      guard arguments.has("yes") || isatty(0) == 1 else {
        Output.complain("tappet restore: it asks before it replaces the secrets, and there is no terminal; give --yes")
        return .usage
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return SecretCommand.perform("restore") { () throws(SecretRefusal) in
        try restore(path, configuration, arguments)
      }
    }
  }

  private static func restore(
    _ path: String, _ configuration: Configuration, _ arguments: Arguments
  ) throws(SecretRefusal) {
    guard RunningKiosk(configuration) == nil else {
      throw SecretRefusal(
        sentence: "a kiosk runs with this configuration; stop it first ('systemctl stop tappet' where it is a service)",
        status: .refused)
    }
    let content = try open(path, arguments)
    let vault: Vault
    let present: Int
    do throws(VaultError) {
      vault = try Vault.openForRestore(configuration)
      present = try vault.sealedCount()
    } catch { throw SecretRefusal(sentence: error.sentence, status: .failure) }
    Output.complain(
      "\(path): \(content.summary), made \(TimeText.local(content.madeUnixSeconds)). What is sealed here now (\(present)) is replaced."
    )
    if !arguments.has("yes"), !Question.isAnsweredYes("Replace it?") {
      throw SecretRefusal(sentence: "nothing was changed", status: .refused)
    }
    do throws(VaultError) { try vault.restore(content, by: .current()) } catch {
      throw SecretRefusal(sentence: "nothing was changed: \(error.sentence)", status: .failure)
    }
    for secret in content.secrets where !configuration.actions.contains(where: { $0.name == secret.action }) {
      Output.complain("The action '\(secret.action)' of the secret \(secret.id) is not in the configuration.")
    }
  }

  private static func open(_ path: String, _ arguments: Arguments) throws(SecretRefusal) -> BackupContent {
    let file: [UInt8]
    switch PrivateFile.read(path, sizeMax: Limits.backupSizeMax) {
    case .failure(let error):
      throw SecretRefusal(sentence: "\(path) cannot be read: \(error.text)", status: .failure)
    case .success(let bytes): file = bytes
    }
    var words = try passphrase(arguments, isNew: false)
    defer { LibCrypto.wipe(&words) }
    do throws(BackupError) {
      var plain = try BackupFile.open(file, passphrase: words)
      defer { LibCrypto.wipe(&plain) }
      guard let content = BackupContent(decoding: plain) else {
        throw .notABackup
      }
      return content
    } catch {
      throw SecretRefusal(sentence: error.sentence(path), status: .refused)
    }
  }

  // MARK: The passphrase

  private static func passphrase(_ arguments: Arguments, isNew: Bool) throws(SecretRefusal) -> [UInt8] {
    let path = arguments.value("passphrase-file")
    let words = try QuietInput.privateLine(
      path: path, prompt: "Passphrase: ", what: "passphrase", sizeMax: Limits.passphraseSizeMax)
    guard isNew else { return words }
    guard words.count >= passphraseSizeMin else {
      throw SecretRefusal(
        sentence: "the passphrase has \(words.count) bytes; give at least \(passphraseSizeMin), better several words",
        status: .refused)
    }
    guard path == nil, isatty(0) == 1 else { return words }
    var again = QuietInput.line(path: nil, prompt: "The same again: ", sizeMax: Limits.passphraseSizeMax) ?? []
    defer { LibCrypto.wipe(&again) }
    guard LibCrypto.areEqual(words, again) else {
      throw SecretRefusal(sentence: "the two passphrases are not the same", status: .refused)
    }
    return words
  }
}

extension BackupContent {
  fileprivate var summary: String {
    let key = values.contains { $0.name == Vault.timestampKeyName } ? ", the timestamp key" : ""
    let passwords = values.count - (key.isEmpty ? 0 : 1)
    return "\(secrets.count) \(secrets.count == 1 ? "secret" : "secrets")\(key)"
      + (passwords > 0 ? ", \(passwords) tag \(passwords == 1 ? "password" : "passwords")" : "")
  }
}

extension BackupError {
  fileprivate func sentence(_ path: String) -> String {
    switch self {
    case .notABackup: "\(path) is no backup of this version of Tappet"
    case .notAuthentic: "the passphrase is wrong, or \(path) is damaged"
    case .crypto: "the passphrase could not be used; the system is out of memory or of random numbers"
    }
  }
}
