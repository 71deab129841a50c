// tappet restore: restores a backed-up kiosk on this board, completely or not at all.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

enum Restore {
  static func run(_ backup: String, _ arguments: Arguments) throws(CommandFailure) {
    let asks = try Prompt.isNeeded(for: "this replaces the secrets", arguments)
    var content = try Backup.open(backup, arguments)
    if arguments.has("secrets-only") { content.files = [] }
    try BackupFiles.check(content.files)
    let path = KioskAccess.path(arguments)
    let configuration = try configuration(of: content, path, arguments)
    let former = former(path)
    for used in [configuration] + (former.map { [$0] } ?? []) {
      guard try RunningKiosk.find(used) == nil else {
        throw .refused(
          "a kiosk is running with this configuration; stop it first (as a service: 'systemctl stop tappet')")
      }
    }
    let state = State(configuration, former, besides: path)
    try confirm(backup, content, state, path, asks: asks)
    // Until here, nothing was created.
    if !content.files.isEmpty { try makeFolder(of: path) }
    let store: SecretStore
    do throws(SecretStoreError) { store = try SecretStore.openForRestore(folder: state.folder) } catch {
      throw .failed(error.sentence)
    }
    let lock: KioskLock?
    do throws(DatabaseError) { lock = try KioskLock.acquire(folder: state.folder) } catch {
      throw .failed(error.sentence)
    }
    guard let lock else { throw .refused("nothing was replaced: a kiosk is using \(state.folder); stop it first") }
    defer { withExtendedLifetime(lock) {} }
    let files = try BackupFiles.stage(content.files, path)
    // The files first: unlike the database, they can be put back.
    do throws(AtomicFilesError) { try files.place() } catch { throw error.failure }
    do throws(SecretStoreError) { try store.restore(content.secrets, content.values, by: .current()) } catch {
      files.discard()
      throw .failed(
        (state.isPresent ? "nothing was changed: " : "nothing was replaced, and \(state.folder) is new: ")
          + error.sentence)
    }
    files.settle()
    Output.printError("Restored: \(content.summary).")
    for secret in content.secrets where !configuration.actions.contains(where: { $0.name == secret.action }) {
      Output.printError("The action '\(secret.action)' of the secret \(secret.id) is not in the configuration.")
    }
  }

  /// The state folder that the restore fills.
  private struct State {
    let folder: String
    /// Whether the folder contains a kiosk's database.
    let isPresent: Bool
    /// Whether that database belongs to a different kiosk, as far as this board shows.
    let isOther: Bool

    /// Finds out without creating anything; `former` is the existing configuration at `path`.
    init(_ configuration: KioskConfiguration, _ former: KioskConfiguration?, besides path: String) {
      folder = configuration.stateFolder
      isPresent = SecretStore.isPresent(in: folder)
      func resolved(_ folder: String) -> String { resolvedPath(folder) ?? folder }
      let own = resolved(former?.stateFolder ?? KioskConfiguration.bare().stateFolder)
      isOther =
        isPresent && resolved(folder) != own
        && !resolved(folder).begins(with: resolved(AtomicFiles.folder(of: path)) + "/")
    }
  }

  /// Returns the existing configuration at `path`, which the restore replaces; `nil` if there is no valid one.
  private static func former(_ path: String) -> KioskConfiguration? {
    guard case .loaded(let configuration) = ConfigurationParser.load(path: path, files: .ignored) else { return nil }
    return configuration
  }

  /// Creates the folder of a file if it does not exist, as on a new board.
  private static func makeFolder(of path: String) throws(CommandFailure) {
    let folder = AtomicFiles.folder(of: path)
    do throws(SystemError) { try checked("mkdir") { mkdir(folder, 0o755) } } catch {
      if error.code != EEXIST {
        throw .failed(
          "\(folder) cannot be created: " + error.adviceText(or: "specify a different file with --config"))
      }
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
    _ backup: String, _ content: BackupContent, _ state: State, _ path: String, asks: Bool
  ) throws(CommandFailure) {
    let present: Int
    do throws(SecretStoreError) { present = try SecretStore.sealedCount(in: state.folder) } catch {
      throw .failed("nothing was changed: " + error.sentence)
    }
    Output.printError(
      "\(backup): \(content.summary), created \(TimeText.local(content.madeUnixSeconds)). "
        + "The backup replaces the values that are sealed on this board (\(present)).")
    for target in BackupFiles.targets(content.files, path) { Output.printError("\(target) will be written.") }
    if !state.isPresent { Output.printError("\(state.folder) will be created.") }
    guard asks else {
      if state.isOther {
        throw .refused(
          "nothing was changed: the backup's kiosk.yaml specifies the state folder \(state.folder.quoted), which "
            + "contains another kiosk's secrets and outbox; run without --yes to confirm")
      }
      return try requireKnown(content, path)
    }
    let prompt = Prompt()
    let other = state.isOther ? ["Replace the secrets of another kiosk, in \(state.folder.quoted)?"] : []
    let questions = ["Replace it?"] + other + BackupFiles.outside(content.files, path).map { "Write \($0.quoted)?" }
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
