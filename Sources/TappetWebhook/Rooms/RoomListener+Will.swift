// The listener's requests about the kiosk's last will.

import TappetCore
import TappetRooms

extension RoomListener {
  func callForWill(at now: Instant) {
    guard polling.hasBegun else { return }
    if let call = will?.nextCall(at: now), let outcome = begin(RoomListener.willing, call) { willed(outcome) }
  }

  func willed(_ outcome: HTTPOutcome) {
    will?.handle(outcome, at: now)
    tellOfWill()
  }

  func endWill() {
    will?.end(at: now)
    tellOfWill()
  }

  private func tellOfWill() { for state in will?.takeMessages() ?? [] { send(.will(state)) } }

  /// Cancels the last will before the process exits, if the parent has ordered it: without the order, the parent died.
  func cancelWill() {
    let end = now + Limits.roomWillEndMax
    while will?.isCancelling == true, now < end {
      callForWill(at: now)
      _ = client.wait(for: -1, limit: .milliseconds(100))
      client.work { id, outcome in if id == RoomListener.willing { will?.handle(outcome, at: now) } }
    }
  }
}
