/// The lights that the kiosk showed on the virtual panel, in order.

import TappetCore

/// A bounded history of lights.
struct VirtualPanel {
  /// One light.
  struct Entry {
    /// Its name.
    var name: String
    /// When its datagram arrived.
    var arrived: Instant
    /// When the kiosk says that it sent it.
    var sent: Int64
  }

  /// Since the last `clear`, oldest first; when it is full the oldest go.
  private(set) var entries: [Entry] = []

  /// A datagram from the kiosk: `light NAME BOOTTIME_NS`; anything else is passed over.
  mutating func receive(_ datagram: [UInt8], at now: Instant) {
    let words = String(decoding: datagram, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\n" })
    guard words.count == 3, words[0] == "light", let sent = Int64(words[2]) else { return }
    if entries.count >= Limits.simulatorLightsMax { entries.removeFirst(Limits.simulatorLightsMax / 10) }
    entries.append(Entry(name: String(words[1]), arrived: now, sent: sent))
  }

  /// Forgets what was shown.
  mutating func clear() { entries = [] }

  /// The first time it was shown since the last `clear`.
  func first(named name: String) -> Entry? { entries.first { $0.name == name } }
}
