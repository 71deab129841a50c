// The published state of the kiosk. Its members have the same names as in `tappet status --json`.

import TappetCore
import TappetJSON
import TappetMessages
import TappetTLS

extension KioskView {
  /// The current state as it is published; docs/json.schema.json lists the member names.
  package var stateMessage: JSON {
    @export(interface) get {
      let head: JSON = .object([
        "version": .string(Version.text), "time": .time(unixMilliseconds: unixMilliseconds),
        "uptime_seconds": .number(uptime.wholeMilliseconds / 1000), "light": .string(baseLight.name),
      ])
      let tail: JSON = .object([
        "locked": isLocked.map { .bool($0) } ?? .null, "clock": clockJSON, "outbox": .number(Int64(outboxCount)),
        "webhooks_waiting": .number(Int64(webhookCount)), "counters": countersJSON,
        "certificate_ends_at": certificateEnd.map { .time(unixSeconds: $0) } ?? .null,
      ])
      let parts = partMembers { part, state in .object(state.json.members + publishedFacts(about: part)) }
      return .object(head.members + parts + tail.members)
    }
  }

  /// Earliest expiry of the certificates in use, in seconds since 1970.
  private var certificateEnd: Int64? {
    certificates.compactMap { fact -> Int64? in
      if case .certificate(let details) = fact { details.notAfterUnixSeconds } else { nil }
    }.min()
  }
}
