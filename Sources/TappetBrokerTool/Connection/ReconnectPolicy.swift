// When to connect again after a loss, as the phone's broker tool does: after 1, 2, 4 … 64 s, and after more than ten
// losses in a minute only when a minute has passed. Reads no clock.

import TappetCommandLine
import TappetCore

/// The pauses between attempts.
struct ReconnectPolicy {
  private var losses: [Instant] = []
  private var pause: Duration = .seconds(1)

  /// Handles a connection that was made.
  mutating func connected() { pause = .seconds(1) }

  /// Returns how long to wait after a connection was lost or an attempt has failed, and whether that is a storm's rest.
  mutating func lost(at now: Instant) -> (pause: Duration, isStorm: Bool) {
    losses.removeAll { now - $0 > Limits.lossStormWindow }
    losses.append(now)
    if losses.count > Limits.lossStormMax {
      losses = []
      return (Limits.lossStormRest, true)
    }
    defer { pause = min(pause * 2, Limits.brokerToolRetryMax) }
    return (pause, false)
  }
}
