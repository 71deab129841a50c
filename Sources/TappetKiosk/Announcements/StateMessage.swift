// The published state of the kiosk. Its members have the same names as in `tappet status --json`.

import TappetCore
import TappetJSON
import TappetMessages
import TappetTLS

extension KioskView {
  /// The current state as it is published; docs/json.schema.json lists the member names.
  package var stateMessage: JSON {
    @export(interface) get {
      .object([
        "version": .string(Version.text), "time": .time(unixMilliseconds: unixMilliseconds),
        "uptime_seconds": .number(uptime.wholeMilliseconds / 1000), "light": .string(baseLight.name),
        "reader": reader.stateMessage, "broker": broker.stateMessage,
        "webhooks": webhooks.map { $0.stateMessage } ?? .null, "rooms": roomsState,
        "inventory": inventoryState, "site": site.map { $0.part.stateMessage } ?? .null, "disk": disk.stateMessage,
        "panel": panel.stateMessage,
        "locked": isLocked.map { .bool($0) } ?? .null, "clock": clockJSON, "outbox": .number(Int64(outboxCount)),
        "webhooks_waiting": .number(Int64(webhookCount)), "counters": countersJSON,
        "certificate_ends_at": certificateEnd.map { .time(unixSeconds: $0) } ?? .null,
      ])
    }
  }

  private var roomsState: JSON {
    guard let rooms, case .object(let members) = rooms.part.stateMessage else { return .null }
    return .object(members + unreadMembers)
  }

  private var inventoryState: JSON {
    guard let inventory else { return .null }
    return .object([
      "good": .bool(inventory.isGood), "code": .string(inventory.code), "low": lowCount.map { .number($0) } ?? .null,
    ])
  }

  /// Earliest expiry of the certificates in use, in seconds since 1970.
  private var certificateEnd: Int64? {
    certificates.compactMap { fact -> Int64? in
      if case .certificate(let details) = fact { details.notAfterUnixSeconds } else { nil }
    }.min()
  }
}

extension KioskView.Part {
  /// State without the sentence, which may contain host and file names.
  fileprivate var stateMessage: JSON { .object(["good": .bool(isGood), "code": .string(code)]) }
}
