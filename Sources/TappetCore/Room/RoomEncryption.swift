// The configuration of encrypted rooms.

/// The encryption settings for rooms.
package struct RoomEncryption: Hashable, Sendable {
  /// The devices that can read the kiosk's messages, and that may send commands to the kiosk.
  package enum Devices: UInt8, Sendable, CaseIterable {
    /// All devices of the people in the room.
    case all = 0
    /// Only devices that are verified by their owner's signature.
    case signed = 1

    /// The keyword in the configuration.
    package var word: String { self == .all ? "all" : "signed" }
  }

  package var devices: Devices
  /// Whether rooms without encryption are also allowed.
  package var allowsPlain: Bool

  package init(devices: Devices = .all, allowsPlain: Bool = true) {
    self.devices = devices
    self.allowsPlain = allowsPlain
  }
}
