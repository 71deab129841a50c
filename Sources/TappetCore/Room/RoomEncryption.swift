// How the kiosk takes part in encrypted rooms, as configured.

/// The encryption of rooms.
package struct RoomEncryption: Hashable, Sendable {
  /// Which devices read what the kiosk says, and may command it.
  package enum Devices: UInt8, Sendable, CaseIterable {
    /// All devices of the people in the room.
    case all = 0
    /// The devices that their owner has verified, by a signature of the owner's.
    case signed = 1

    /// The word in the configuration.
    package var word: String { self == .all ? "all" : "signed" }
  }

  package var devices: Devices
  /// Whether rooms without encryption are still of use.
  package var allowsPlain: Bool

  package init(devices: Devices = .all, allowsPlain: Bool = true) {
    self.devices = devices
    self.allowsPlain = allowsPlain
  }
}
