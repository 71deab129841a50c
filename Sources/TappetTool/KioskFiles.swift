// A configuration and the files beside it, tried in a folder of its own before they take their places, all or none. What was made
// on the way there, a new database too, goes again unless they did.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

/// What is going to be written.
final class KioskFiles {
  var draft = KioskDraft()
  var identity: ClientIdentity?
  var authorityPEM: [UInt8]?
  var timestampKey: SecretText?
  /// kiosk.yaml's path.
  let path: String
  /// Where it is, and the files beside it.
  let folder: String
  /// While there are files, a signal does not end the program: what was begun is brought to its end, or taken back.
  let interview = Interview()
  /// What a trial that comes to nothing ends with.
  private(set) var trialStatus = ExitStatus.configuration
  private let command: String
  private let stage: String
  private let hasMadeFolder: Bool
  /// The files of the database that were not there before.
  private var stateFiles: [String] = []
  /// Its folder, if it was not there before.
  private var stateFolder: String?

  /// Makes the folder of `path`, where it is missing, and a hidden one in it; nil after a complaint.
  init?(path: String, command: String) {
    self.path = path
    self.command = command
    folder = FileSet.folder(of: path)
    hasMadeFolder = mkdir(folder, 0o755) == 0
    if !hasMadeFolder, case let code = tp_errno(), code != EEXIST {
      Output.complain("tappet \(command): \(folder) cannot be made: \(SystemError(call: "mkdir", code: code).text)")
      stage = ""
      return nil
    }
    var template = (folder + "/.tappet-XXXXXX").utf8CString.map { $0 }
    guard mkdtemp(&template) != nil else {
      let error = SystemError(call: "mkdtemp", code: tp_errno())
      Output.complain(
        "tappet \(command): \(folder) cannot be written: \(error.text); run it as root, or name another file by --config"
      )
      stage = ""
      return nil
    }
    stage = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard !stage.isEmpty else { return }
    for name in [KioskDraft.ca, KioskDraft.certificate, KioskDraft.key, KioskDraft.timestampKey] {
      unlink(stage + "/" + name)
    }
    rmdir(stage)
    for file in stateFiles { unlink(file) }
    if let stateFolder { rmdir(stateFolder) }
    // It stays where something is in it.
    if hasMadeFolder { rmdir(folder) }
  }

  /// Where the files will be; those that the configuration needs.
  var targets: [String] {
    var names: [String] = []
    if authorityPEM != nil { names.append(KioskDraft.ca) }
    if identity != nil { names += [KioskDraft.certificate, KioskDraft.key] }
    if timestampKey != nil { names.append(KioskDraft.timestampKey) }
    return names.map { folder + "/" + $0 } + [path]
  }

  /// The configuration as it will be, with its files in the hidden folder; nil after a complaint.
  func trial() -> Configuration? {
    trialStatus = .configuration
    do throws(FileSetError) {
      let files = FileSet()
      try add(to: files, folder: stage)
      try files.commit()
    } catch {
      let target = folder + error.path.dropFirst(stage.utf8.count)
      Output.complain("tappet \(command): \(target) cannot be written: \(error.error.text); nothing was changed")
      trialStatus = .failure
      return nil
    }
    updateDraft()
    switch ConfigFile.parse(Array(draft.text.utf8), name: path, folder: stage) {
    case .refused(let problems):
      for problem in problems { Output.complain("  " + problem.sentence) }
      return nil
    case .loaded(var configuration):
      // What is relative is meant from where the file will be.
      if let state = draft.state, !state.begins(with: "/") {
        configuration.stateFolder = folder + "/" + state
        configuration.controlSocket = configuration.stateFolder + "/control"
      }
      return configuration
    }
  }

  /// The database as it will be; made where it is missing.
  func openVault(_ configuration: Configuration) throws(VaultError) -> Vault {
    let state = configuration.stateFolder
    let database = state + "/" + Store.fileName
    if access(state, F_OK) != 0 { stateFolder = state }
    if access(database, F_OK) != 0 {
      let names = [database, database + "-wal", database + "-shm"]
      let others = [Store.backupName, SealingKey.fileName].map { state + "/" + $0 }
      stateFiles = names + others.filter { access($0, F_OK) != 0 }
    }
    return try Vault.open(configuration)
  }

  /// Writes all of them beside their places, kiosk.yaml last: it never names what is not there.
  func prepare() throws(FileSetError) -> FileSet {
    updateDraft()
    let files = FileSet(isForService: true)
    try add(to: files, folder: folder)
    try files.add(path, Array(draft.text.utf8), mode: 0o640)
    return files
  }

  /// Puts what is prepared in place; from now on the database stays too.
  func commit(_ prepared: FileSet) throws(FileSetError) {
    try prepared.commit()
    stateFiles = []
    stateFolder = nil
  }

  private func updateDraft() {
    draft.hasCA = authorityPEM != nil
    draft.hasCertificate = identity != nil
    draft.hasTimestampKey = timestampKey != nil
  }

  private func add(to files: FileSet, folder: String) throws(FileSetError) {
    if let authorityPEM { try files.add(folder + "/" + KioskDraft.ca, authorityPEM, mode: 0o644) }
    if let identity {
      try files.add(folder + "/" + KioskDraft.certificate, identity.certificatePEM(), mode: 0o644)
      let path = folder + "/" + KioskDraft.key
      guard let key = try? identity.keyPEM() else {
        throw FileSetError(path: path, error: SystemError(call: "write", code: ENOMEM))
      }
      try files.add(path, key)
    }
    if let timestampKey { try files.add(folder + "/" + KioskDraft.timestampKey, timestampKey) }
  }
}
