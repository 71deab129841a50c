// A configuration and its files, tried in a folder of its own before they take their places, all or none. Files that
// were created on the way, a new database too, are removed again unless they did.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore
import TappetTLS

/// The files that will be written.
final class KioskFiles {
  var draft = ConfigTemplate()
  var identity: ClientIdentity?
  var authorityPEM: [UInt8]?
  var timestampKey: SecretBytes?
  /// The broker's password, a line.
  var password: SecretBytes?
  /// The content of the kiosk.yaml that will be replaced, which is kept beside it.
  var previous: [UInt8]?
  /// The path of kiosk.yaml.
  let path: String
  /// The folder of kiosk.yaml and of the other files.
  let folder: String
  /// While this exists, a signal does not end the program: what was begun is completed, or undone.
  let prompt = Prompt()
  private let stage: String
  private let hasMadeFolder: Bool
  /// The files of the database that did not exist before.
  private var stateFiles: [String] = []
  /// Its folder, if it did not exist before.
  private var stateFolder: String?

  /// The state folder for a kiosk that names none: the system's for the system's own, else one beside kiosk.yaml, since
  /// another kiosk may use the system's.
  var usualState: String {
    let isOfSystem = ((resolvedPath(folder) ?? folder) + "/").begins(with: "/etc/")
    return isOfSystem && access("/var/lib", W_OK) == 0 ? "/var/lib/tappet" : "state"
  }

  /// Makes the folder of `path`, if it is missing, and a hidden one in it.
  static func prepare(_ path: String) throws(CommandFailure) -> KioskFiles {
    let folder = AtomicFiles.folder(of: path)
    var hasMadeFolder = true
    do throws(SystemError) { try checked("mkdir") { mkdir(folder, 0o755) } } catch {
      guard error.code == EEXIST else { throw .failed("\(folder) cannot be created: \(error.text)") }
      hasMadeFolder = false
    }
    var template = (folder + "/.tappet-XXXXXX").utf8CString.map { $0 }
    do throws(SystemError) { try checked("mkdtemp") { mkdtemp(&template) == nil ? -1 : 0 } } catch {
      throw .failed(
        "\(folder) cannot be written: \(error.text); run this as root, or name another file with --config")
    }
    let stage = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return KioskFiles(path, folder, stage: stage, hasMadeFolder: hasMadeFolder)
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
    // It stays if something is in it.
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

  /// The configuration as it will be, with its files in the hidden folder; `nil` after its mistakes have been printed.
  func trial() throws(CommandFailure) -> KioskConfiguration? {
    do throws(AtomicFilesError) {
      let files = AtomicFiles()
      try add(to: files, folder: stage)
      try files.commit()
    } catch {
      // The hidden folder means nothing to a person.
      throw AtomicFilesError(path: folder + error.path.dropFirst(stage.utf8.count), error: error.error).failure
    }
    updateDraft()
    switch ConfigurationParser.parse(Array(draft.text.utf8), name: path, folder: stage) {
    case .refused(let problems):
      // The file does not exist yet: its lines mean nothing to a person.
      for problem in problems { Output.printError("  " + problem.reason) }
      return nil
    case .loaded(var configuration):
      // A relative folder is relative to the file's final place.
      if let state = draft.state, !state.begins(with: "/") {
        configuration.stateFolder = folder + "/" + state
        configuration.controlSocket = configuration.stateFolder + "/control"
      }
      return configuration
    }
  }

  /// The database as it will be, created if it is missing.
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

  /// Writes all of them next to their places, kiosk.yaml last: it never names a missing file.
  func stageAll() throws(CommandFailure) -> AtomicFiles {
    updateDraft()
    do throws(AtomicFilesError) {
      let files = AtomicFiles(isForService: true)
      try add(to: files, folder: folder)
      if let previous { try files.add(path + ".old", previous, mode: 0o640) }
      try files.add(path, Array(draft.text.utf8), mode: 0o640)
      return files
    } catch { throw error.failure }
  }

  /// Puts them in place; from now on the database stays, too.
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
