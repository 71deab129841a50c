// Devices that may use the page, such as a tablet next to the door.

/// Extent of what a device may do on the page; each level includes the levels before it.
package enum PageLevel: UInt8, CaseIterable, Comparable, Sendable {
  /// Sees the panel and the outcomes, but no names.
  case look = 1
  /// Also presses the buttons.
  case press = 2
  /// Also sees the log of taps with names, and manages people.
  case manage = 3

  /// The level's name in commands and on the page.
  package var name: String {
    switch self {
    case .look: "look"
    case .press: "press"
    case .manage: "manage"
    }
  }

  /// Returns the level with the given name; `nil` if there is none.
  package init?(name: String) {
    guard let level = PageLevel.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  package static func < (left: PageLevel, right: PageLevel) -> Bool { left.rawValue < right.rawValue }
}

/// A paired device; only the hash of its token is kept.
package struct PageDevice: Hashable, Sendable {
  /// Id of the device: a UUID of 36 characters, in lower case.
  package var id: String
  /// Unique name, as given at the kiosk.
  package var name: String
  package var level: PageLevel
  /// SHA-256 of the token in the browser's cookie.
  package var tokenHash: [UInt8]
  package var pairedUnixSeconds: Int64

  package init(id: String, name: String, level: PageLevel, tokenHash: [UInt8], pairedUnixSeconds: Int64) {
    self.id = id
    self.name = name
    self.level = level
    self.tokenHash = tokenHash
    self.pairedUnixSeconds = pairedUnixSeconds
  }

  /// The device as the author of presses; never the embedding program.
  package var caller: PressCaller {
    PressCaller(number: tokenHash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } | 1, device: name)
  }
}
