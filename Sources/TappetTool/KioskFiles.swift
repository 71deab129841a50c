// A configuration and the files beside it, tried in a folder of its own before they take their places, all or none.

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
  private let stage: String

  /// Makes the folder of `path`, where it is missing, and a hidden one in it; nil after a complaint.
  init?(path: String, command: String) {
    self.path = path
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    folder = slash.map { $0 == path.utf8.startIndex ? "/" : String(path[..<$0]) } ?? "."
    if mkdir(folder, 0o755) == -1, case let code = tp_errno(), code != EEXIST {
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
    do throws(FileSetError) {
      let files = FileSet()
      try add(to: files, folder: stage)
      try files.commit()
    } catch {
      Output.complain("  \(error.path) cannot be written: \(error.error.text)")
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

  /// All of them, kiosk.yaml last: it never names what is not there.
  func commit() throws(FileSetError) {
    updateDraft()
    let files = FileSet()
    try add(to: files, folder: folder)
    try files.add(path, Array(draft.text.utf8), mode: 0o640)
    try files.commit()
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
