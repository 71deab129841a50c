// tappet backup and restore: all sealed data in one file, encrypted with a passphrase.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

extension CommandOption {
  static let passphraseFile = CommandOption(
    "passphrase-file", "FILE", .file, "file whose first line is the passphrase (mode 0600)")
}

extension Command {
  static var backup: Command {
    Command(
      words: "backup", section: .setup,
      summary: "back up secrets, people and configuration, with a passphrase",
      operands: [Operand("FILE", .file)], options: [.passphraseFile],
      details: """
        Writes all secrets, the stored timestamp key and tag passwords, kiosk.yaml and the certificates and keys
        specified in it to a new FILE, sealed under a passphrase (scrypt, AES-256-GCM). Not included, and listed
        if present: the inventory, the keys of encrypted rooms, the tap log and the outbox.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try Backup.write(to: arguments.operands[0], configuration, arguments)
      })
  }

  static var restore: Command {
    Command(
      words: "restore", section: .setup, summary: "restore a backup on this board",
      operands: [Operand("FILE", .file)],
      options: [
        .passphraseFile, CommandOption("secrets-only", "leave kiosk.yaml and the files specified in it unchanged"),
        .yes,
      ],
      details: """
        Restores kiosk.yaml and the certificates and keys specified in it, and replaces everything that is
        sealed on this board with the contents of a backup, after confirmation. Either everything is restored or
        nothing. The kiosk must not be running. A lost tappet.key is created again. kiosk.yaml is written to the
        path of --config; files that it refers to with a relative path are written next to it. Each file outside
        that folder must be confirmed separately; with --yes, such a file is written only if the existing
        kiosk.yaml also refers to it.
        """,
      body: .plain { (arguments) throws(CommandFailure) in
        try Restore.run(arguments.operands[0], arguments)
      })
  }
}

/// Creates and reads backup files.
enum Backup {
  static func write(to path: String, _ configuration: KioskConfiguration, _ arguments: Arguments) throws(CommandFailure)
  {
    let passphrase = try newPassphrase(arguments)
    let made = try make(passphrase, configuration, from: KioskAccess.path(arguments))
    for file in made.absentFiles { Output.printError("\(file) does not exist, and is not included in the backup.") }
    try PrivateFile.create(path, made.file)
    Output.printError("\(path): \(made.summary). The backup cannot be opened without the passphrase.")
    if !made.missing.isEmpty { Output.printError("Not in it: \(made.missing.joined(separator: ", ")).") }
  }

  /// A new backup.
  struct Made {
    /// The sealed file.
    var file: [UInt8]
    /// Sentence for people about its contents.
    var summary: String
    /// Other things in the state folder, and files that do not exist.
    var missing: [String]
    var absentFiles: [String]
  }

  /// Makes a backup of the configuration at `path` and all that belongs to it.
  static func make(
    _ passphrase: SecretBytes, _ configuration: KioskConfiguration, from path: String
  ) throws(CommandFailure) -> Made {
    if let fault = passphrase.backupPassphraseFault { throw .refused(fault) }
    var content = try collect(SecretClient(configuration))
    let (files, absent) = try BackupFiles.collect(path)
    content.files = files
    var plain = content.encoded()
    defer { LibCrypto.wipe(&plain) }
    guard plain.count + 1024 <= Limits.backupSizeMax else {
      throw .failed("the contents are too large for one backup (\(plain.count) bytes)")
    }
    do throws(BackupError) {
      let file = try passphrase.withBytes { (words) throws(BackupError) in
        try BackupFile.seal(plain, passphrase: Array(words))
      }
      return Made(
        file: file, summary: content.summary, missing: missingParts(configuration), absentFiles: absent)
    } catch { throw .failed(error.sentence(path)) }
  }

  /// Returns what the state folder contains in addition.
  private static func missingParts(_ configuration: KioskConfiguration) -> [String] {
    let folder = configuration.stateFolder + "/"
    let hasInventory = access(folder + Inventory.fileName, F_OK) == 0
    let hasRoomKeys = access(folder + MatrixStore.fileName, F_OK) == 0
    return [
      hasInventory ? "the inventory (use 'tappet inventory export')" : nil,
      hasRoomKeys ? "the keys of encrypted rooms (another board logs in as a new device)" : nil,
      configuration.web != nil ? "the paired browsers (use 'tappet web pair')" : nil,
      configuration.historyAge != nil ? "the tap log (use 'tappet history --csv')" : nil,
      "pending messages (use 'tappet outbox export')",
    ].compactMap { $0 }
  }

  private static func collect(_ secrets: SecretClient) throws(CommandFailure) -> BackupContent {
    let (known, unreadable) = try secrets.list()
    guard unreadable.isEmpty else {
      throw .refused(
        "\(unreadable.count) of the secrets cannot be decrypted, and would be missing from the backup; "
          + "use 'tappet secret list' to find these secrets, and remove them first")
    }
    var content = BackupContent(madeUnixSeconds: SystemClock().now().unixSeconds, secrets: [], values: [])
    var people: [String: Person] = [:]
    for facts in try secrets.listPeople() {
      guard let person = Person(facts) else { throw .malformedAnswer }
      people[person.name] = person
      content.values.append(person.sealedValue)
    }
    for facts in known {
      let id = facts["id"]?.text ?? ""
      let answer = try secrets.ask(.shareSecret(id: id, isForBackup: true))
      guard let secretPayload = answer.secretPayload,
        let share = try? secretPayload.withBytes({ (text) throws(ShareURLError) in try ShareURL.parse(at: text) })
      else { throw .malformedAnswer }
      content.secrets.append(
        TagSecret(
          id: id, action: facts["action"]?.text ?? "", index: share.index, key: share.key,
          createdUnixSeconds: facts["created"]?.wholeNumber ?? 0, label: share.label,
          uid: facts["uid"]?.text.flatMap { Hex.decode($0) }.flatMap { TagUID($0) }))
      if let person = facts["person"]?.text.flatMap({ people[$0] }) {
        content.values.append(person.sealedOwnership(ofSecret: id))
      }
    }
    for facts in try secrets.listLearnedTags() {
      guard let tag = LearnedTag(facts) else { throw .malformedAnswer }
      content.values.append(tag.sealedValue)
    }
    for element in try secrets.ask(.listValues).json["names"]?.elements ?? [] {
      guard let name = element.text else { continue }
      let answer = try secrets.ask(.revealValue(name))
      guard let value = answer.secretPayload else { continue }
      content.values.append((name, value))
    }
    return content
  }

  static func open(_ path: String, _ arguments: Arguments) throws(CommandFailure) -> BackupContent {
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

  /// Prompts for a new passphrase, twice on a terminal.
  private static func newPassphrase(_ arguments: Arguments) throws(CommandFailure) -> SecretBytes {
    let first = try passphrase(arguments)
    guard !arguments.has("passphrase-file"), Prompt.isPossible else { return first }
    let second = Prompt(holding: HeldSignals.typed).secret("Repeat the passphrase")
    guard let second, second.isEqual(to: first) else { throw .refused("the two passphrases do not match") }
    return first
  }
}

extension BackupContent {
  var summary: String {
    let key = values.contains { $0.name == SecretStore.timestampKeyName } ? ", the timestamp key" : ""
    let login = values.contains { $0.name == SecretStore.brokerPasswordName } ? ", the broker's password" : ""
    let others = values.count { !Store.isListed($0.name) }
    let passwords = others - (key.isEmpty ? 0 : 1) - (login.isEmpty ? 0 : 1)
    let people = values.count { Store.isPerson($0.name) }
    let learned = values.count { Store.isLearnedTag($0.name) }
    return plural(secrets.count, "secret")
      + (people > 0 ? ", \(plural(people, "person", "people"))" : "")
      + (learned > 0 ? ", \(plural(learned, "learned tag"))" : "") + "\(key)\(login)"
      + (passwords > 0 ? ", \(plural(passwords, "tag password"))" : "")
      + (files.count > 1 ? ", kiosk.yaml and \(files.count - 1) of its files" : files.isEmpty ? "" : ", kiosk.yaml")
  }
}

extension Person {
  /// Parses a person in the response to `person-list`.
  fileprivate convenience init?(_ facts: JSON) {
    guard let id = facts["id"]?.text, let name = facts["name"]?.text, let created = facts["created"]?.wholeNumber else {
      return nil
    }
    var limits = PersonLimits(facts: facts)
    // A backup contains the remaining uses of a ticket, under a new ticket id; the past uses stay on this kiosk.
    if var left = limits, let uses = left.uses {
      guard let ticket = try? TagSecret.newID() else { return nil }
      left.uses = max(0, uses - left.used)
      left.ticket = ticket
      limits = left
    }
    self.init(
      id: id, name: name, isSuspended: facts["suspended"] == .bool(true), createdUnixSeconds: created,
      limits: limits, isOfSite: facts["site"] == .bool(true))
  }
}

extension LearnedTag {
  /// Parses a tag in the response to `tag-learned`.
  fileprivate init?(_ facts: JSON) {
    guard let id = facts["id"]?.text, let mark = ExternalTag.Identifier(facts), let action = facts["action"]?.text,
      let learned = facts["learned"]?.wholeNumber
    else { return nil }
    self.init(
      id: id, tag: ExternalTag(mark: mark, action: action, label: facts["label"]?.text), learnedUnixSeconds: learned)
  }
}

extension BackupError {
  fileprivate func sentence(_ path: String) -> String {
    switch self {
    case .notABackup: "\(path) is not a backup that this version of Tappet supports"
    case .notAuthentic: "the passphrase is wrong, or \(path) is damaged"
    case .crypto: "the passphrase could not be used; the system is out of memory, or its random number generator failed"
    }
  }
}
