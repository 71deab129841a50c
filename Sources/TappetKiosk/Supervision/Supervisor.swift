// The service manager's view of a running kiosk, above all of its progress: signs of progress feed the watchdog, never
// a bare timer.

import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// The service manager's view of the kiosk; does nothing when none started this process.
///
/// One thread.
final class Supervisor {
  private var manager: ServiceManager?
  private var told: KioskStatus?
  /// Why the last reload was rejected, as long as its configuration is not in force.
  private var rejection: String?
  /// When the watchdog is due to be fed.
  private(set) var deadline: Instant?

  /// The loop begins: the service is ready, and the watchdog is fed from now on.
  func begin(at now: Instant) {
    manager = ServiceManager.ofEnvironment()
    manager?.ready()
    if manager?.watchdogInterval != nil { manager?.live() }
    schedule(at: now)
  }

  /// Feeds the watchdog if everything has made progress since it was fed last.
  func feed(isAlive: Bool, at now: Instant) {
    if isAlive { manager?.live() }
    schedule(at: now)
  }

  /// Whether a watchdog waits for signs.
  var wantsHeartbeats: Bool { manager?.watchdogInterval != nil }

  func reloading() { manager?.reloading(at: SystemClock().monotonicNanoseconds) }

  /// The reload is over; there is no message for one that failed, so the line that goes with it says so.
  func reloaded(_ outcome: ReloadOutcome, _ status: @autoclosure () -> KioskStatus, _ configuration: KioskConfiguration)
  {
    rejection = outcome.isGood ? nil : outcome.sentence.escaped
    guard let manager else { return }
    let status = status()
    told = status
    manager.ready(reporting: line(status, configuration))
  }

  func stopping() { manager?.stopping() }

  /// Reports the kiosk's condition in one line, when it has changed.
  func report(_ status: @autoclosure () -> KioskStatus, _ configuration: KioskConfiguration) {
    guard let manager else { return }
    let status = status()
    guard status != told else { return }
    told = status
    manager.report(line(status, configuration))
  }

  private func line(_ status: KioskStatus, _ configuration: KioskConfiguration) -> String {
    (rejection.map { $0 + "; " } ?? "") + status.line(configuration)
  }

  private func schedule(at now: Instant) { deadline = manager?.watchdogInterval.map { now + $0 / 2 } }
}
