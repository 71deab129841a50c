// tappet import-settings: creates a kiosk's configuration, certificates and secrets from the phone app's settings, all
// or none of them.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetStore

extension Command {
  static var importSettings: Command {
    Command(
      words: "import-settings", section: .setup, summary: "create a kiosk from the phone app's settings",
      operands: [Operand("FILE", .file)],
      options: [
        CommandOption(
          "client-id", "NAME", "client id to use instead of the phone's, which only one client can use at a time"),
        CommandOption("reader", "DEVICE", .word([]), "libnfc connection string of the reader"),
        CommandOption(
          "state", "FOLDER", .folder,
          "database folder, relative to kiosk.yaml's (default outside /etc: 'state')"),
        .passphraseFile, .force,
      ],
      details: """
        Creates a kiosk from the phone app's settings, of either generation: kiosk.yaml, with certificates and
        timestamp key next to it, and the secrets of its tags. The app cannot export its settings: they are an
        item of the phone's keychain, which only an encrypted backup of the phone contains. An action without a
        topic is left out, as is one with %T if there is no timestamp key. If there are errors, all of them are
        listed and nothing is changed.
        """,
      body: .plain { (arguments) throws(CommandFailure) in
        let path = arguments.operands[0]
        try Prompt.requirePassphraseFile(arguments)
        let outcome = AppExport.load(
          path: path, ask: { Prompt.passphrase(of: "the private key in \(path) (\($0))", arguments) },
          makeID: { try? TagSecret.newID() })
        switch outcome {
        case .read(let settings): try SettingsImport(settings, path, arguments).run()
        case .refused(let problems):
          for problem in problems { Output.printError(path + ": " + problem.promptSentence) }
          Output.printError("Nothing was changed.")
          throw .reported(.refused)
        }
      })
  }
}

extension AppExportProblem {
  fileprivate var promptSentence: String {
    guard case .certificate(let problem) = self else { return sentence }
    return problem.promptSentence
  }
}

/// An import of settings into a kiosk.
private struct SettingsImport {
  private let settings: AppExport
  private let source: String
  private let arguments: Arguments

  init(_ settings: AppExport, _ source: String, _ arguments: Arguments) {
    self.settings = settings
    self.source = source
    self.arguments = arguments
  }

  func run() throws(CommandFailure) {
    let files = try KioskFiles.prepare(KioskAccess.path(arguments))
    files.identity = settings.identity
    files.authorityPEM = settings.authorityPEM
    files.timestampKey = settings.timestampKey
    files.draft = draft
    if files.draft.state == nil, files.usualState != "/var/lib/tappet" { files.draft.state = files.usualState }
    let configuration = try files.configuration()
    try Prompt.requireReplacement(of: files.targets, arguments)
    // Everything that needs disk space is done first: once the secrets are saved, files are only renamed.
    let staged = try files.stageAll()
    let (store, ids) = try addSecrets(configuration, files)
    do throws(CommandFailure) { try files.commit(staged) } catch {
      for id in ids { _ = try? store.remove(id: id) }
      throw error
    }
    report(files, count: ids.count)
    if (try? RunningKiosk.find(configuration)) != nil {
      Output.printError(
        "A kiosk is running with the previous configuration; send SIGHUP (systemctl reload) to apply the new one."
      )
    }
  }

  private var draft: ConfigTemplate {
    var draft = ConfigTemplate()
    draft.heading = ["Created from the phone app's settings" + (settings.homeTitle.map { ": " + $0 } ?? "")]
    draft.url = settings.endpoint.text
    draft.clientID = arguments.value("client-id") ?? settings.clientID
    if arguments.value("client-id") == nil {
      draft.clientIDComment = "also used by the phone: when both connect, the broker disconnects one of them"
    }
    draft.reader = arguments.value("reader")
    draft.state = arguments.value("state")
    var names: [String] = []
    for action in settings.actions {
      let fallback = "action-" + String(action.index)
      var name = ConfigTemplate.name(of: action.title, fallback: fallback)
      if names.contains(name) { name = fallback }
      names.append(name)
      draft.actions.append(
        ConfigTemplate.Action(
          name: name, title: action.title.isEmpty ? nil : action.title, index: action.index,
          effect: .topic(action.topic), message: action.message,
          isLiteral: PayloadTemplate(configured: action.topic + action.message)?.namesFacts ?? true))
    }
    return draft
  }

  /// Saves the secrets; returns the ids of the new secrets.
  private func addSecrets(
    _ configuration: KioskConfiguration, _ files: KioskFiles
  ) throws(CommandFailure) -> (store: SecretStore, ids: [String]) {
    var secrets: [TagSecret] = []
    for (action, named) in zip(settings.actions, configuration.actions) {
      for secret in action.secrets {
        secrets.append(
          TagSecret(
            id: secret.id, action: named.name, index: action.index, key: secret.key,
            createdUnixSeconds: secret.createdUnixSeconds, label: secret.label))
      }
    }
    let auditEntry = AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: .current(), operation: "settings-imported",
      subject: String(secrets.count))
    do throws(SecretStoreError) {
      let store = try files.openStore(configuration)
      return (store, try store.add(secrets, limit: configuration.secretsPerActionMax, noting: auditEntry))
    } catch {
      let sentence = "\(error.sentence); nothing was changed"
      throw error.isRefusal ? .refused(sentence) : .failed(sentence)
    }
  }

  private func report(_ files: KioskFiles, count: Int) {
    for target in files.targets { Output.print("wrote " + target) }
    let actions = plural(settings.actions.count, "action")
    let secrets = plural(count, "new secret")
    Output.print("\(actions), \(secrets): tags that the phone wrote also work here")
    for reason in settings.leftOut { Output.printError("note: " + reason.sentence) }
    if !arguments.has("client-id") {
      Output.printError(
        "The phone uses the same client id: when both connect, the broker disconnects one of them. Set a different "
          + "client id for the kiosk (broker.client_id, or --client-id), if the certificate allows this.")
    }
    if settings.isLocked {
      Output.printError(
        "The app requires a fingerprint; for buttons on a panel, set 'lock_after: 60 s' with an 'unlock_code' (tags "
          + "bypass the lock, as in the app).")
    }
    if settings.isOpenToOthers {
      Output.printError("\(source) contains keys and can be read by others: delete it, or run: chmod 600 \(source)")
    }
  }
}
