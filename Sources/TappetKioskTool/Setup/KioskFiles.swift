// A configuration and its files, tested in a temporary folder before they are moved to their destinations, all or none.
// If they are not moved, all files created in the process are removed, including a new database.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore
import TappetTLS

/// The files to be written.
final class KioskFiles {
  var draft = ConfigTemplate()
  var identity: ClientIdentity?
  var authorityPEM: [UInt8]?
  var timestampKey: SecretBytes?
  /// The broker's password, without the trailing newline.
  var password: SecretBytes?
  /// The content of the existing kiosk.yaml, which is kept next to the new file.
  var previous: [UInt8]?
  /// The path of kiosk.yaml.
  let path: String
  /// The folder of kiosk.yaml and of the other files.
  let folder: String
  /// While the prompt exists, a signal does not terminate the program: a started operation is completed or undone.
  let prompt = Prompt()
  private let stage: String
  private let hasMadeFolder: Bool
  /// Database files that did not exist before.
  private var stateFiles: [String] = []
  /// The database's folder, if it did not exist before.
  private var stateFolder: String?

  /// The default state folder: the system's folder for a configuration in /etc, otherwise a folder next to kiosk.yaml,
  /// because another kiosk may use the system's folder.
  var usualState: String {
    let isOfSystem = ((resolvedPath(folder) ?? folder) + "/").begins(with: "/etc/")
    return isOfSystem && access("/var/lib", W_OK) == 0 ? "/var/lib/tappet" : "state"
  }

  /// Creates the folder of `path` if it does not exist, and a hidden folder inside it.
  static func prepare(_ path: String) throws(CommandFailure) -> KioskFiles {
    let folder = AtomicFiles.folder(of: path)
    var hasMadeFolder = true
    do throws(SystemError) { try checked("mkdir") { mkdir(folder, 0o755) } } catch {
      guard error.code == EEXIST else { throw .failed("\(folder) cannot be created: \(remedy(error))") }
      hasMadeFolder = false
    }
    let restored = AtomicFiles.recover(in: folder)
    if !restored.isEmpty {
      Output.printError(
        "An earlier setup was interrupted while it replaced files; these have their former content again: "
          + restored.joined(separator: ", "))
    }
    var template = (folder + "/" + AtomicFiles.stagePrefix + "XXXXXX").utf8CString.map { $0 }
    do throws(SystemError) { try checked("mkdtemp") { mkdtemp(&template) == nil ? -1 : 0 } } catch {
      throw .failed("\(folder) cannot be written: \(remedy(error))")
    }
    let stage = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return KioskFiles(path, folder, stage: stage, hasMadeFolder: hasMadeFolder)
  }

  private static func remedy(_ error: SystemError) -> String {
    error.adviceText(or: "specify a different file with --config")
  }

  private init(_ path: String, _ folder: String, stage: String, hasMadeFolder: Bool) {
    self.path = path
    self.folder = folder
    self.stage = stage
    self.hasMadeFolder = hasMadeFolder
  }

  deinit {
    for name in [
      ConfigTemplate.ca, ConfigTemplate.certificate, ConfigTemplate.key, ConfigTemplate.timestampKey,
      ConfigTemplate.password,
    ] { unlink(stage + "/" + name) }
    rmdir(stage)
    for file in stateFiles { unlink(file) }
    if let stateFolder { rmdir(stateFolder) }
    // `rmdir` keeps a folder that is not empty.
    if hasMadeFolder { rmdir(folder) }
  }

  /// The paths of the files that the configuration needs.
  var targets: [String] {
    var names: [String] = []
    if authorityPEM != nil { names.append(ConfigTemplate.ca) }
    if identity != nil { names += [ConfigTemplate.certificate, ConfigTemplate.key] }
    if timestampKey != nil { names.append(ConfigTemplate.timestampKey) }
    if password != nil { names.append(ConfigTemplate.password) }
    return names.map { folder + "/" + $0 } + [path]
  }

  /// The targets that would be replaced.
  var existingTargets: [String] { targets.filter { access($0, F_OK) == 0 } }

  /// Whether kiosk.yaml has other content than `previous`, which is kept.
  var isConfigurationNewer: Bool { existingConfiguration.map { $0 != previous } ?? false }

  /// The content of the existing kiosk.yaml, if it can be read.
  var existingConfiguration: [UInt8]? {
    guard case .success(let file) = TextFile.read(path, sizeMax: Limits.configurationSizeMax) else { return nil }
    return file.bytes
  }

  /// The path of the copy of the existing kiosk.yaml: kiosk.yaml.old, kiosk.yaml.old.2 and so on, whichever is free.
  var copy: String {
    var (copy, number) = (path + ".old", 2)
    while access(copy, F_OK) == 0 { (copy, number) = (path + ".old.\(number)", number + 1) }
    return copy
  }

  /// Returns the future configuration; prints the errors if it is invalid.
  func configuration() throws(CommandFailure) -> KioskConfiguration {
    switch try trial() {
    case .loaded(let configuration): return configuration
    case .refused(let problems):
      // The file does not exist yet, so its line numbers would confuse the user.
      for problem in problems { Output.printError("  " + problem.reason) }
      throw .reported(.configuration)
    }
  }

  /// Parses the future configuration, with its files in the hidden folder.
  func trial() throws(CommandFailure) -> ConfigurationParser.Outcome {
    do throws(AtomicFilesError) {
      let files = AtomicFiles()
      try add(to: files, folder: stage)
      try files.commit()
    } catch {
      // The hidden folder's path would confuse the user.
      throw AtomicFilesError(path: folder + error.path.dropFirst(stage.utf8.count), error: error.error).failure
    }
    updateDraft()
    let result = ConfigurationParser.parse(Array(draft.text.utf8), name: path, folder: stage, isDraft: draft.isDraft)
    guard case .loaded(var configuration) = result, let state = draft.state, !state.begins(with: "/") else {
      return result
    }
    // A relative folder is relative to the final location of the file.
    configuration.stateFolder = folder + "/" + state
    configuration.controlSocket = configuration.stateFolder + "/control"
    return .loaded(configuration)
  }

  /// Opens the kiosk's database, creating it if it does not exist.
  func openStore(_ configuration: KioskConfiguration) throws(SecretStoreError) -> SecretStore {
    let state = configuration.stateFolder
    let database = state + "/" + Store.fileName
    if access(state, F_OK) != 0 { stateFolder = state }
    if access(database, F_OK) != 0 {
      let names = [database, database + "-wal", database + "-shm"]
      let others = [Store.replicaName, SealingKey.fileName].map { state + "/" + $0 }
      stateFiles = names + others.filter { access($0, F_OK) != 0 }
    }
    return try SecretStore.open(folder: configuration.stateFolder)
  }

  /// Writes all files next to their destinations, kiosk.yaml last, so that it never refers to a missing file.
  func stageAll() throws(CommandFailure) -> AtomicFiles {
    updateDraft()
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      try add(to: files, folder: folder)
      if let previous { try files.add(copy, previous, mode: 0o640) }
      try files.add(path, Array(draft.text.utf8), mode: 0o640)
      return files
    } catch { throw error.failure }
  }

  /// Moves the files to their destinations; a new database is no longer removed afterwards.
  func commit(_ staged: AtomicFiles) throws(CommandFailure) {
    do throws(AtomicFilesError) { try staged.commit() } catch { throw error.failure }
    stateFiles = []
    stateFolder = nil
  }

  private func updateDraft() {
    draft.hasCA = authorityPEM != nil
    draft.hasCertificate = identity != nil
    draft.hasTimestampKey = timestampKey != nil
    draft.hasPassword = password != nil
  }

  private func add(to files: AtomicFiles, folder: String) throws(AtomicFilesError) {
    if let authorityPEM { try files.add(folder + "/" + ConfigTemplate.ca, authorityPEM, mode: 0o644) }
    if let identity {
      try files.add(folder + "/" + ConfigTemplate.certificate, identity.certificatePEM(), mode: 0o644)
      let path = folder + "/" + ConfigTemplate.key
      guard let key = try? identity.keyPEM() else {
        throw AtomicFilesError(path: path, error: SystemError(call: "write", code: ENOMEM))
      }
      try files.add(path, key)
    }
    if let timestampKey { try files.add(folder + "/" + ConfigTemplate.timestampKey, timestampKey) }
    if let password { try files.add(folder + "/" + ConfigTemplate.password, password) }
  }
}
