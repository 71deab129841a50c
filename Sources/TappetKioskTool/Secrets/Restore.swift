// tappet restore: restores a backed-up kiosk on this board, completely or not at all.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

enum Restore {
  static func run(_ backup: String, _ arguments: Arguments) throws(CommandFailure) {
    let asks = try Prompt.isNeeded(for: "this replaces the secrets", arguments)
    var content = try Backup.open(backup, arguments)
    if arguments.has("secrets-only") { content.files = [] }
    try BackupFiles.check(content.files)
    let path = KioskAccess.path(arguments)
    let configuration = try configuration(of: content, path, arguments)
    guard try RunningKiosk.find(configuration) == nil else {
      throw .refused(
        "a kiosk is running with this configuration; stop it first (as a service: 'systemctl stop tappet')")
    }
    if !content.files.isEmpty { try makeFolder(of: path) }
    let store: SecretStore
    let present: Int
    do throws(SecretStoreError) {
      store = try SecretStore.openForRestore(folder: configuration.stateFolder)
      present = try store.sealedCount()
    } catch { throw .failed(error.sentence) }
    try confirm(backup, content, present: present, path, asks: asks)
    let files = try BackupFiles.stage(content.files, path)
    // The files first: unlike the database, they can be put back.
    do throws(AtomicFilesError) { try files.place() } catch { throw error.failure }
    do throws(SecretStoreError) { try store.restore(content.secrets, content.values, by: .current()) } catch {
      files.discard()
      throw .failed("nothing was changed: \(error.sentence)")
    }
    files.settle()
    for secret in content.secrets where !configuration.actions.contains(where: { $0.name == secret.action }) {
      Output.printError("The action '\(secret.action)' of the secret \(secret.id) is not in the configuration.")
    }
  }

  /// Creates the folder of a file if it does not exist, as on a new board.
  private static func makeFolder(of path: String) throws(CommandFailure) {
    let folder = AtomicFiles.folder(of: path)
    do throws(SystemError) { try checked("mkdir") { mkdir(folder, 0o755) } } catch {
      if error.code != EEXIST { throw .failed("\(folder) cannot be created: \(error.text)") }
    }
  }

  /// Returns the configuration that takes effect after the restore.
  private static func configuration(
    of content: BackupContent, _ path: String, _ arguments: Arguments
  ) throws(CommandFailure) -> KioskConfiguration {
    guard let file = content.files.first(where: { $0.path.isEmpty }) else { return try KioskAccess.load(arguments) }
    let folder = AtomicFiles.folder(of: path)
    switch ConfigurationParser.parse(file.content, name: path, folder: folder, files: .ignored) {
    case .loaded(let configuration): return configuration
    case .refused(let problems):
      for problem in problems { Output.printError(problem.sentence) }
      throw .refused("the backup's kiosk.yaml has errors; use --secrets-only to restore everything else")
    }
  }

  private static func confirm(
    _ backup: String, _ content: BackupContent, present: Int, _ path: String, asks: Bool
  ) throws(CommandFailure) {
    Output.printError(
      "\(backup): \(content.summary), created \(TimeText.local(content.madeUnixSeconds)). "
        + "The backup replaces the values that are sealed on this board (\(present)).")
    for target in BackupFiles.targets(content.files, path) { Output.printError("\(target) will be written.") }
    guard asks else { return try requireKnown(content, path) }
    let prompt = Prompt()
    let questions = ["Replace it?"] + BackupFiles.outside(content.files, path).map { "Write \($0.quoted)?" }
    for question in questions where prompt.confirm(question, default: false) != true {
      throw .refused("nothing was changed")
    }
  }

  /// Refuses unconfirmed files outside the configuration's folder unless the existing kiosk.yaml refers to them.
  private static func requireKnown(_ content: BackupContent, _ path: String) throws(CommandFailure) {
    var known: [String] = []
    if case .success(let file) = TextFile.read(path, sizeMax: Limits.configurationSizeMax) {
      known = ConfigurationParser.namedFiles(in: file.bytes)
    }
    for target in BackupFiles.outside(content.files, path) where !known.contains(target) {
      throw .refused(
        "nothing was changed: the backup would write \(target.quoted), which is outside "
          + "\(AtomicFiles.folder(of: path)) and not in the existing kiosk.yaml; run without --yes to confirm")
    }
  }
}
