// SIGHUP: everything is read anew, and either all of it counts from now on or none of it. What was accepted stays accepted.

import TappetCore
import TappetDevices

extension Runtime {
  /// Reads configuration, certificates, profile and secrets anew; with a mistake in any of them the kiosk goes on as it was.
  func reload() {
    serviceManager?.reloading(at: SystemClock().monotonicNanoseconds)
    defer { serviceManager?.ready() }
    guard let loadConfiguration else {
      return say(
        Line(.warning, "reload-refused", "this kiosk was not started from a file: there is nothing to read anew"))
    }
    switch loadConfiguration() {
    case .refused(let problems):
      var sentences: [String] = []
      for problem in problems { sentences.append(problem.sentence) }
      refuse(sentences)
    case .loaded(let new): reload(new)
    }
  }

  private func reload(_ new: Configuration) {
    var new = new
    var mistakes: [String] = []
    if new.stateFolder != configuration.stateFolder || new.controlSocket != configuration.controlSocket {
      mistakes.append("'state' and 'control' cannot change while the kiosk runs; restart it")
    }
    mistakes += Certificates.mistakes(new.broker)
    var profile: BoardProfile?
    if let name = new.panel.profile, new.panel.simulator == nil {
      do throws(BoardProfileError) { profile = try BoardProfile.load(name: name) } catch { mistakes += error.sentences }
    }
    var secrets: [TagSecret] = []
    if mistakes.isEmpty {
      do throws(VaultError) {
        let vault = try Vault.open(new)
        secrets = try vault.usableSecrets()
        if new.storesTimestampKey { new.timestampKey = try vault.timestampKey() }
      } catch { mistakes.append(error.sentence) }
    }
    guard mistakes.isEmpty else { return refuse(mistakes) }
    takeOver(new, profile, secrets)
  }

  private func refuse(_ mistakes: [String]) {
    for mistake in mistakes { say(Line(.error, "reload-refused", mistake)) }
    say(Line(.warning, "reload-refused", "the configuration was not taken over; the kiosk goes on as it was"))
  }

  private func takeOver(_ new: Configuration, _ newProfile: BoardProfile?, _ secrets: [TagSecret]) {
    let old = configuration
    let digest = Certificates.digest(new.broker)
    let reconnects = new.broker != old.broker || digest != certificateDigest
    let changesPanel = new.panel != old.panel || newProfile != profile
    configuration = new
    certificateDigest = digest
    profile = newProfile
    view.reconfigure(new)
    // Whoever connects next, connects with these.
    broker.update(settings: new.broker)
    say(Line(.notice, "reloaded", "the configuration was read anew"))
    if changesPanel { feed(.panel(.closed)) }
    let changesReader = new.readerDevice != old.readerDevice
    waiting.append(.reconfigured(KioskSettings(new), reconnect: reconnects, newReader: changesReader))
    load(secrets)
    checkClock()
    checkCertificates()
    feed(.timerFired)
    if changesPanel { replacePanel() }
  }
}
