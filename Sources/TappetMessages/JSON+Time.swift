// Times in JSON: RFC 3339 in UTC, everywhere.

import TappetJSON
import TappetPlatform

extension JSON {
  /// A wall-clock time, or null when it cannot be written.
  package static func time(unixSeconds: Int64) -> JSON {
    let (milliseconds, overflow) = unixSeconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .null : time(unixMilliseconds: milliseconds)
  }

  /// The same in milliseconds.
  package static func time(unixMilliseconds: Int64) -> JSON {
    .optional(WallTime.utc(unixMilliseconds: unixMilliseconds))
  }
}
