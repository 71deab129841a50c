// What the service manager is told of a running kiosk, and above all whether it goes on: the watchdog is fed by signs of progress,
// never by a bare timer.

import CPlatform
import TappetCore
import TappetDevices

extension Runtime {
  /// Called in `run`, when the loop begins.
  func beginSupervision() {
    guard let manager = ServiceManager.ofEnvironment() else { return }
    serviceManager = manager
    readerSignAt = now().instant
    manager.ready()
    tellStatus()
    guard manager.watchdogInterval != nil else { return }
    manager.live()
    askForSigns()
  }

  /// Feeds the watchdog if everything has made progress since it was fed last, and asks for the next signs.
  ///
  /// The reactor shows itself by calling this. A broker that is away is no reason to be killed; a thread that hangs is.
  func feedWatchdog() {
    let moment = now()
    let now = moment.instant
    let isReaderSupervised = now - readerSignAt < Limits.readerSignMax
    // The core knows of answers that have not come although they never fail to.
    let isAlive = broker.signs.isAlive(at: now) && storeThread.signs.isAlive(at: now) && !kiosk.isStuck(at: moment)
    if isAlive, isReaderSupervised {
      serviceManager?.live()
    }
    askForSigns()
  }

  private func askForSigns() {
    guard let interval = serviceManager?.watchdogInterval else { return }
    broker.askForSign()
    storeThread.askForSign()
    watchdogDue = now().instant + interval / 2
  }

  /// In a line what `tappet status` says in several.
  func tellStatus() {
    guard let serviceManager else { return }
    var line = view.baseLight.name + "; reader: " + view.reader.text + "; broker: " + view.broker.text
    if !view.disk.isGood { line += "; disk: " + view.disk.text }
    if !view.panel.isGood { line += "; panel: " + view.panel.text }
    serviceManager.say(line)
  }
}
