// The configuration for Home Assistant, and the topics and names that the kiosk uses with it.

/// The kiosk's device in Home Assistant, and Home Assistant's permissions.
package struct HomeAssistantPlan: Hashable, Sendable {
  /// Prefix of Home Assistant's own topics.
  package var prefix: String
  /// The device's name in Home Assistant; `nil` means the client id.
  package var name: String?
  /// The names of the actions that Home Assistant may run.
  package var actions: [String]
  /// The names of the outputs that Home Assistant may drive.
  package var outputs: [String]
  /// Maximum difference between a command's time and the clock.
  package var window: Duration
  /// Whether its commands are refused while the buttons are locked.
  package var obeysLock: Bool
  /// Topic of Home Assistant's birth message and last will, which does not depend on `prefix`.
  package var statusTopic: String
  /// Payload of its last will, in any case.
  package var offlinePayload: String

  @export(interface)
  package init(
    prefix: String = "homeassistant", name: String? = nil, actions: [String] = [], outputs: [String] = [],
    window: Duration = Limits.commandWindow, obeysLock: Bool = false, statusTopic: String = "homeassistant/status",
    offlinePayload: String = "offline"
  ) {
    self.prefix = prefix
    self.name = name
    self.actions = actions
    self.outputs = outputs
    self.window = window
    self.obeysLock = obeysLock
    self.statusTopic = statusTopic
    self.offlinePayload = offlinePayload
  }

  /// Returns whether a message on `statusTopic` reports Home Assistant as available; `nil` if it reports nothing.
  ///
  /// The payload of the birth message can be configured in Home Assistant, so only that of the will counts as down.
  @export(interface)
  package func isOnline(_ payload: [UInt8]) -> Bool? {
    guard !payload.isEmpty else { return nil }
    return !payload.map { $0.asciiLowercased }.elementsEqual(offlinePayload.utf8.map { $0.asciiLowercased })
  }
}

/// The topics below a kiosk's base topic that Home Assistant reads and writes.
package struct HomeAssistantTopics: Hashable, Sendable {
  private let base: String

  /// Creates the topics of the kiosk with the given base topic.
  package init(base: String) { self.base = base }

  /// Topic of commands that contain a time.
  package var command: String { base + "/command" }
  /// Topic of cover commands, which contain no time because Home Assistant supports no template for them.
  package var coverCommand: String { base + "/cover" }
  package var tag: String { base + "/tag" }
  package var tap: String { base + "/tap" }
  package var lastTap: String { base + "/last" }
  /// Topic of the results of touches at the shelf.
  package var touch: String { base + "/inventory/tap" }
  package func inventoryList(_ kind: InventoryList.Kind) -> String { base + "/inventory/" + kind.name }
  package func output(_ name: String) -> String { base + "/output/" + DiscoveryName.mapped(name) }
  package func input(_ name: String) -> String { base + "/input/" + DiscoveryName.mapped(name) }
  package func alarm(_ name: String) -> String { input(name) + "/event" }
  package func button(_ name: String) -> String { base + "/button/" + DiscoveryName.mapped(name) }
  package func chord(_ first: String, _ second: String) -> String {
    base + "/chord/" + DiscoveryName.mapped(first, second)
  }
}

/// Maps names for use in topics and ids, in which only ASCII letters, digits, `_` and `-` are safe.
package enum DiscoveryName {
  /// Returns a safe name unchanged; otherwise replaces unsafe characters and appends a checksum to keep names distinct.
  @export(interface)
  package static func mapped(_ name: String) -> String {
    let safe = name.utf8.map { isSafe($0) ? $0 : UInt8(ascii: "_") }
    if safe.elementsEqual(name.utf8), !safe.isEmpty { return name }
    let sum = checksum(Array(name.utf8))
    let folded = UInt16(truncatingIfNeeded: sum >> 16 ^ sum)
    return String(decoding: safe, as: UTF8.self) + "-" + Hex.encode(folded.bigEndianBytes)
  }

  /// Returns one name for a pair of names.
  package static func mapped(_ first: String, _ second: String) -> String { mapped(first + "+" + second) }

  private static func isSafe(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == 0x5F || byte == 0x2D
  }

  /// Returns the 32-bit FNV-1a hash.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
