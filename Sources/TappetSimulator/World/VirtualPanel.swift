/// The lights that the kiosk showed on the virtual panel and the levels of its outputs, in order.

import TappetCore

/// A bounded history of lights and levels.
struct VirtualPanel {
  /// One light, or one output's level.
  struct Entry {
    /// The light's or the output's name.
    var name: String
    /// An output is on; lights are always.
    var isOn: Bool
    /// When its datagram arrived.
    var arrived: Instant
    /// When the kiosk says that it sent it.
    var sent: Int64
  }

  /// Since the last `clear`, oldest first; when it is full the oldest are dropped.
  private(set) var entries: [Entry] = []
  /// The same of levels.
  private(set) var levels: [Entry] = []
  /// Each output as it is now, in the order in which they were heard of.
  private(set) var outputs: [Entry] = []

  /// A datagram from the kiosk: `light NAME BOOTTIME_NS` or `level OUTPUT 0|1 BOOTTIME_NS`; anything else is ignored.
  mutating func receive(_ datagram: [UInt8], at now: Instant) {
    let words = String(decoding: datagram, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\n" })
    guard words.count >= 3, let sent = Int64(words[words.count - 1]) else { return }
    let name = String(words[1])
    switch (words[0], words.count) {
    case ("light", 3):
      VirtualPanel.append(Entry(name: name, isOn: true, arrived: now, sent: sent), to: &entries)
    case ("level", 4) where words[2] == "0" || words[2] == "1":
      let entry = Entry(name: name, isOn: words[2] == "1", arrived: now, sent: sent)
      VirtualPanel.append(entry, to: &levels)
      if let index = outputs.firstIndex(where: { $0.name == name }) {
        outputs[index] = entry
      } else if outputs.count < Limits.simulatorOutputsMax {
        outputs.append(entry)
      }
    default: break
    }
  }

  private static func append(_ entry: Entry, to entries: inout [Entry]) {
    if entries.count >= Limits.simulatorLightsMax { entries.removeFirst(Limits.simulatorLightsMax / 10) }
    entries.append(entry)
  }

  /// Forgets what was shown.
  mutating func clear() { entries = [] }

  /// Forgets the levels' history, not their present state.
  mutating func clearLevels() { levels = [] }

  /// The kiosk has gone, and its lights with it.
  mutating func disconnect() { outputs = [] }

  /// The first time it was shown since the last `clear`.
  func first(named name: String) -> Entry? { entries.first { $0.name == name } }
}
