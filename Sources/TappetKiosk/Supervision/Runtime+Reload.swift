// Reload on SIGHUP: everything is loaded again, and either all or none of it takes effect. Accepted entries stay
// accepted. Files are read here; the secrets are loaded on the store thread, while the kiosk keeps running.

import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore
import TappetTLS

/// A valid configuration that is about to take effect.
struct Reload: Sendable {
  /// The part of the configuration that is stored in the database.
  struct Secrets: Sendable {
    var secrets: [TagSecret]
    var learnedTags: [ExternalTag]
    /// The stored timestamp key; `nil` unless the configuration specifies that the key is stored.
    var timestampKey: TimestampKey?
    /// The stored broker password; `nil` unless the configuration specifies that the password is stored.
    var brokerPassword: BrokerPassword?
  }

  var configuration: KioskConfiguration
  var profile: BoardProfile?
  /// The configuration file as it was loaded.
  var file: FileStamp?
}

extension Runtime {
  /// Reloads configuration, certificates, profile and secrets; on any error, the kiosk is left unchanged.
  func reload() {
    supervisor.reloading()
    // Read first: a change during the reload counts as one after it.
    let file = observers.configurationPath.flatMap { FileStamp($0) }
    switch observers.onReload?() {
    case nil: refuse(["this kiosk was not started from a file: there is nothing to reload"])
    case .refused(let problems):
      var sentences: [String] = []
      for problem in problems { sentences.append(problem.sentence) }
      refuse(sentences)
    case .loaded(let new): reload(new, from: file)
    }
  }

  private func reload(_ new: KioskConfiguration, from file: FileStamp?) {
    var mistakes: [String] = []
    if new.stateFolder != configuration.stateFolder || new.controlSocket != configuration.controlSocket {
      mistakes.append("'state' and 'control' cannot change while the kiosk runs; restart it")
    }
    if new.calendar.timeZone != configuration.calendar.timeZone {
      mistakes.append("'time_zone' cannot change while the kiosk runs; restart it")
    }
    mistakes += new.broker.map { Certificates.mistakes($0).map { $0.sentence } } ?? []
    var profile: BoardProfile?
    if let name = new.panel.profile, new.panel.simulator == nil {
      do throws(BoardProfileError) { profile = try BoardProfile.load(name: name) } catch { mistakes += error.sentences }
    }
    guard mistakes.isEmpty else { return refuse(mistakes) }
    let reload = Reload(configuration: new, profile: profile, file: file)
    askStore(isRequired: true) { secrets in .reloaded(reload, reload.load(from: secrets)) }
  }

  /// Completes the reload with the loaded secrets, or rejects it.
  func finish(_ reload: Reload, _ secrets: Result<Reload.Secrets, SecretStoreError>) {
    switch secrets {
    case .failure(let error): refuse([error.sentence])
    case .success(let loaded):
      var new = reload.configuration
      if new.storesPassword { new.broker?.password = loaded.brokerPassword }
      if new.storesTimestampKey { new.timestampKey = loaded.timestampKey }
      do throws(SystemError) {
        // The first broker needs a thread, which stays idle if the broker is removed.
        if broker == nil, let settings = new.broker { broker = try BrokerLink(settings, inbox.mailbox) }
      } catch { return refuse([RuntimeError.system(error).sentence]) }
      adopt(new, reload.profile, loaded)
      observers.configurationFile = reload.file
      conclude([])
    }
  }

  private func refuse(_ mistakes: [String]) {
    for mistake in mistakes { log(LogRecord(.error, "reload-refused", mistake)) }
    log(LogRecord(.warning, "reload-refused", "reload rejected; the previous configuration stays active"))
    conclude(mistakes)
  }

  private func conclude(_ mistakes: [String]) {
    let outcome = ReloadOutcome(unixMilliseconds: now().unixMilliseconds, mistakes: mistakes)
    observers.lastReload = outcome
    supervisor.reloaded(outcome, kiosk.status, configuration)
    showView()
  }

  private func adopt(_ new: KioskConfiguration, _ newProfile: BoardProfile?, _ loaded: Reload.Secrets) {
    let old = configuration
    let certificatesDiffer = certificates.replace(by: new.broker)
    // The broker resends the site's bundle on each connect.
    let reconnects = new.broker != old.broker || certificatesDiffer || new.site != old.site
    let changesPanel = new.panel != old.panel || newProfile != panel.profile
    // The outputs are switched off and logged under their previous names.
    if changesPanel { feed(.panel(.closed)) }
    configuration = new
    // The next connection uses the new settings.
    if let settings = new.broker { broker?.update(settings: settings) }
    if new.historyAge != old.historyAge { store.thread.submit(.keepHistory(new.historyAge)) }
    log(LogRecord(.notice, "reloaded", "the configuration was reloaded"))
    let changesReader = new.reader?.device != old.reader?.device
    var settings = KioskSettings(new)
    settings.hasAnnounced = !announced.isEmpty
    inbox.append(.reconfigured(settings, reconnect: reconnects, newReader: changesReader))
    inbox.append(.webhooksReplaced)
    let (scanner, formerScanner) = (new.inventory?.scanner, old.inventory?.scanner)
    if scanner != formerScanner || new.inventory?.scannerLayout != old.inventory?.scannerLayout {
      inbox.append(.inventoryReplaced)
    }
    if new.inventory == nil || new.web == nil { helpers.stock.stop() }
    load(loaded.secrets)
    feed(.tagsLearned(loaded.learnedTags))
    checkClock()
    checkCertificates()
    feed(.timerFired)
    if changesPanel { replacePanel(newProfile) }
    openPage()
    // Browsers connect again, with what the new configuration allows them.
    if new.web != old.web { page.server?.drop { _ in true } }
  }
}

extension Reload {
  /// Loads the part of the configuration that is stored in the database.
  fileprivate func load(from secrets: StoreThread.Secrets) -> Result<Secrets, SecretStoreError> {
    do throws(SecretStoreError) {
      let secretStore = try secrets.get()
      let usable = try secretStore.usableSecrets()
      let key = configuration.storesTimestampKey ? try secretStore.timestampKey() : nil
      let password = configuration.storesPassword ? try secretStore.brokerPassword() : nil
      return .success(
        Secrets(
          secrets: usable, learnedTags: try secretStore.learnedTags().map { $0.tag }, timestampKey: key,
          brokerPassword: password))
    } catch { return .failure(error) }
  }
}
