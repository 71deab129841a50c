// Times in JSON, which are always in RFC 3339 format in UTC.

import TappetJSON
import TappetPlatform

extension JSON {
  /// Returns a wall-clock time, or null if it cannot be represented.
  package static func time(unixSeconds: Int64) -> JSON {
    let (milliseconds, overflow) = unixSeconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .null : time(unixMilliseconds: milliseconds)
  }

  /// Returns a wall-clock time that is specified in milliseconds.
  package static func time(unixMilliseconds: Int64) -> JSON {
    .optional(WallTime.utc(unixMilliseconds: unixMilliseconds))
  }
}
