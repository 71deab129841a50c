// tappet import-settings: what the phone app keeps becomes a kiosk: configuration, certificates, secrets. All of it, or nothing.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum ImportSettingsCommand {
  static func run(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [
      .config, .passphraseFile, .force, CommandOption(name: "client-id", takesValue: true),
      CommandOption(name: "state", takesValue: true), CommandOption(name: "reader", takesValue: true),
    ]
    switch Arguments.parse(words, command: "import-settings", options: options, operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let path = arguments.operands.first else {
        Output.complain("tappet import-settings: say which file the app wrote")
        return .usage
      }
      let passphrase = PassphraseSource(arguments)
      switch AppSettings.load(
        path: path, ask: { passphrase.ask("the private key in \(path) (\($0))") }, makeID: { try? TagSecret.newID() })
      {
      case .refused(let problems):
        for problem in problems { Output.complain(path + ": " + sentence(problem)) }
        Output.complain("Nothing was changed.")
        return .refused
      case .read(let settings): return take(settings, from: path, arguments)
      }
    }
  }

  private static func sentence(_ problem: AppSettingsProblem) -> String {
    guard case .certificate(let problem) = problem else { return problem.sentence }
    return PassphraseSource.sentence(for: problem)
  }

  private static func take(_ settings: AppSettings, from path: String, _ arguments: Arguments) -> ExitStatus {
    guard
      let files = KioskFiles(path: arguments.value("config") ?? Settings.defaultPath, command: "import-settings")
    else { return .failure }
    files.identity = settings.identity
    files.authorityPEM = settings.authorityPEM
    files.timestampKey = settings.timestampKey
    files.draft = draft(settings, arguments)
    guard let configuration = files.trial() else { return files.trialStatus }
    guard Replacing.isAllowed(files.targets, arguments, command: "import-settings") else { return .refused }
    do throws(FileSetError) {
      // What takes room comes first: when the secrets are in, nothing but names is missing.
      let prepared = try files.prepare()
      switch addSecrets(settings, configuration, files) {
      case .failure(let error):
        Output.complain("tappet import-settings: \(error.sentence); nothing was changed")
        return error.isRefusal ? .refused : .failure
      case .success(let added):
        do throws(FileSetError) { try files.commit(prepared) } catch {
          for id in added.ids { _ = try? added.vault.remove(id: id) }
          throw error
        }
        tell(settings, files, count: added.ids.count, from: path, arguments)
        if RunningKiosk(configuration) != nil {
          Output.complain(
            "A kiosk runs with what was there before: it takes the new configuration at a SIGHUP (systemctl reload tappet)."
          )
        }
        return .success
      }
    } catch {
      Output.complain(
        "tappet import-settings: \(error.path) cannot be written: \(error.error.text); nothing was changed")
      return .failure
    }
  }

  private static func draft(_ settings: AppSettings, _ arguments: Arguments) -> KioskDraft {
    var draft = KioskDraft()
    draft.heading = ["Made from the phone app's settings" + (settings.homeTitle.map { ": " + $0 } ?? "")]
    draft.url = settings.endpoint.text
    draft.clientID = arguments.value("client-id") ?? settings.clientID
    if arguments.value("client-id") == nil {
      draft.clientIDComment = "the phone's own: a broker throws one of the two out while both are connected"
    }
    draft.reader = arguments.value("reader")
    draft.state = arguments.value("state")
    var names: [String] = []
    for action in settings.actions {
      let fallback = "action-" + String(action.index)
      var name = KioskDraft.name(of: action.title, fallback: fallback)
      if names.contains(name) { name = fallback }
      names.append(name)
      draft.actions.append(
        KioskDraft.Action(
          name: name, title: action.title.isEmpty ? nil : action.title, index: action.index, topic: action.topic,
          message: action.message))
    }
    return draft
  }

  /// The ids of those that were new.
  private static func addSecrets(
    _ settings: AppSettings, _ configuration: Configuration, _ files: KioskFiles
  ) -> Result<(vault: Vault, ids: [String]), VaultError> {
    var secrets: [TagSecret] = []
    for (action, named) in zip(settings.actions, configuration.actions) {
      for secret in action.secrets {
        secrets.append(
          TagSecret(
            id: secret.id, action: named.name, index: action.index, key: secret.key,
            createdUnixSeconds: secret.createdUnixSeconds, label: secret.label))
      }
    }
    let deed = AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: .current(), deed: "settings-imported",
      subject: String(secrets.count))
    do throws(VaultError) {
      let vault = try files.openVault(configuration)
      return .success((vault, try vault.add(secrets, noting: deed)))
    } catch { return .failure(error) }
  }

  private static func tell(
    _ settings: AppSettings, _ files: KioskFiles, count: Int, from path: String, _ arguments: Arguments
  ) {
    for target in files.targets { Output.print("wrote " + target) }
    Output.print(
      "\(settings.actions.count) \(settings.actions.count == 1 ? "action" : "actions"), \(count) new \(count == 1 ? "secret" : "secrets"): the tags that the phone wrote work here too"
    )
    if arguments.value("client-id") == nil {
      Output.complain(
        "The client id is the phone's own: while both are connected the broker throws one of them out. Give the kiosk its own (broker.client_id, or --client-id), if the certificate's rights allow it."
      )
    }
    if settings.isLocked {
      Output.complain(
        "The app asks for a fingerprint; for buttons on a panel set 'lock_after: 60 s' with an 'unlock_code' (tags bypass it, as in the app)."
      )
    }
    if settings.isOpenToOthers {
      Output.complain("\(path) holds keys and can be read by others: delete it, or run: chmod 600 \(path)")
    }
  }
}
