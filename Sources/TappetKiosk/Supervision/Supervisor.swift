// Reports the state of a running kiosk to the service manager, especially its progress: the watchdog is fed only after
// signs of progress, never by a timer alone.

import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// The kiosk's reports to the service manager; does nothing if no service manager started this process.
///
/// Confined to one thread.
final class Supervisor {
  private var manager: ServiceManager?
  private var told: KioskStatus?
  /// The reason why the last reload was rejected; `nil` if the last reload succeeded.
  private var rejection: String?
  /// Time at which the watchdog must be fed.
  private(set) var deadline: Instant?

  /// Reports that the service is ready, and starts feeding the watchdog; called when the loop starts.
  func begin(at now: Instant) {
    manager = ServiceManager.ofEnvironment()
    manager?.ready()
    feed(isAlive: true, at: now)
  }

  /// Feeds the watchdog if everything has made progress since the watchdog was last fed; otherwise checks again soon,
  /// so that a thread that a slow disk stops has the whole interval, and not half of it.
  func feed(isAlive: Bool, at now: Instant) {
    if isAlive { manager?.live() }
    deadline = manager?.watchdogInterval.map { now + $0 / (isAlive ? 2 : 32) }
  }

  /// Whether a watchdog expects signs of progress.
  var wantsHeartbeats: Bool { manager?.watchdogInterval != nil }

  func reloading() { manager?.reloading(at: SystemClock().monotonicNanoseconds) }

  /// Reports the end of a reload; a failed reload has no message type, so the status line reports the failure.
  func reloaded(_ outcome: ReloadOutcome, _ status: @autoclosure () -> KioskStatus, _ configuration: KioskConfiguration)
  {
    rejection = outcome.isGood ? nil : outcome.sentence.escaped
    guard let manager else { return }
    let status = status()
    told = status
    manager.ready(reporting: line(status, configuration))
  }

  func stopping() { manager?.stopping() }

  /// Reports the kiosk's state in one line, if it has changed.
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
}
