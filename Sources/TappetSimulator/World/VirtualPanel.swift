/// The lights that the kiosk has shown on the virtual panel and the levels of its outputs, in order.

import TappetTag

/// A bounded history of lights and output levels.
struct VirtualPanel {
  /// One light, or the level of one output.
  struct Entry {
    /// The name of the light or output.
    var name: String
    /// Whether the output is on; always true for lights.
    var isOn: Bool
    /// Arrival time of the datagram.
    var arrived: Instant
    /// Time of sending as reported by the kiosk, in nanoseconds of CLOCK_BOOTTIME.
    var sent: Int64
  }

  /// Lights since the last `clear`, oldest first; the oldest are dropped when the history is full.
  private(set) var entries: [Entry] = []
  /// Output levels since the last `clearLevels`.
  private(set) var levels: [Entry] = []
  /// Current level of each output, in the order in which the outputs first appeared.
  private(set) var outputs: [Entry] = []
  /// The buttons that the kiosk has announced.
  private(set) var buttons: [String] = []

  /// The inputs that are open; they stay open while no kiosk is connected.
  private(set) var openInputs: Set<String> = []
  /// The inputs that the kiosk has announced.
  private(set) var inputs: [String] = []

  /// Opens or closes an input.
  mutating func setInput(_ name: String, isOpen: Bool) {
    if isOpen { openInputs.insert(name) } else { openInputs.remove(name) }
  }

  /// Handles the datagram `input INPUT`; returns the input's name.
  mutating func announcedInput(_ datagram: [UInt8]) -> String? {
    let text = String(decoding: datagram, as: UTF8.self)
    guard text.begins(with: "input "), inputs.count < Limits.simulatorOutputsMax else { return nil }
    let name = String(text.dropFirst("input ".count))
    inputs.append(name)
    return name
  }

  /// Handles the datagrams `button BUTTON`, `light NAME BOOTTIME_NS` and `level OUTPUT 0|1 BOOTTIME_NS` from the kiosk;
  /// ignores others.
  mutating func receive(_ datagram: [UInt8], at now: Instant) {
    let text = String(decoding: datagram, as: UTF8.self)
    if text.begins(with: "button "), buttons.count < Limits.buttonsMax {
      return buttons.append(String(text.dropFirst("button ".count)))
    }
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\n" })
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

  /// Clears the history of lights.
  mutating func clear() { entries = [] }

  /// Clears the history of output levels, but not the current levels.
  mutating func clearLevels() { levels = [] }

  /// Clears the current output levels, the buttons and the inputs' names after the kiosk has disconnected.
  mutating func disconnect() { (outputs, buttons, inputs) = ([], [], []) }

  /// Returns the first light with this name since the last `clear`.
  func first(named name: String) -> Entry? { entries.first { $0.name == name } }
}
