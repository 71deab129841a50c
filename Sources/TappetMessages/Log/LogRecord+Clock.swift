// A clock that was set back, in words.

import TappetCore

extension LogRecord {
  /// The record of a clock that was set back.
  package init(clockBehind seconds: Int64) {
    self.init(
      .warning, "clock-behind",
      LogRecord.clockBehind(seconds) + ", so it counts as not set: check the time service; if the clock is right, set "
        + "'clock: trust' and reload, once",
      [("seconds", String(seconds))])
  }

  /// How far the clock is behind, for people.
  package static func clockBehind(_ seconds: Int64) -> String {
    "the clock is " + String(seconds / 3600) + " h behind the latest time that this kiosk knew"
  }
}
