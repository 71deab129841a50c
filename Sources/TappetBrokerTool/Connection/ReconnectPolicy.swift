// The delays before reconnecting, as in the phone's broker tool: 1, 2, 4 … 64 s, and after more than ten losses in a
// minute, a pause of one minute. Reads no clock.

import TappetCommandLine
import TappetCore

/// The delays between connection attempts.
struct ReconnectPolicy {
  private var losses: [Instant] = []
  private var pause: Duration = .seconds(1)

  /// Resets the delay after a successful connection.
  mutating func connected() { pause = .seconds(1) }

  /// Returns the delay after a lost connection or failed attempt, and whether it is the pause after too many losses.
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
