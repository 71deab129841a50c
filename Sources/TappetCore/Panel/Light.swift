// The states that the panel's lights show to people in front of the panel.

/// A named state of the panel.
///
/// Each state has its own pattern; `Kiosk` decides which state to show.
package enum Light: UInt8, CaseIterable, Hashable, Sendable {
  // Lasting lights: states of the kiosk.
  case starting = 1
  case ready = 2
  case offline = 3
  case readerLost = 4
  case clockUnknown = 5
  case fault = 6
  case locked = 7
  case confirming = 8
  case certificateExpiring = 9
  case writing = 10
  // Momentary lights: stages of one tap or press.
  case reading = 20
  case accepted = 21
  case deliveredByTag = 22
  case deliveredByButton = 23
  case queued = 24
  case refused = 25
  case expired = 26

  /// The light's name in traces, on the virtual panel and in `--json`.
  package var name: String {
    @export(interface) get {
      switch self {
      case .starting: "starting"
      case .ready: "ready"
      case .offline: "offline"
      case .readerLost: "reader-lost"
      case .clockUnknown: "clock-unknown"
      case .fault: "fault"
      case .locked: "locked"
      case .confirming: "confirming"
      case .certificateExpiring: "certificate-expiring"
      case .writing: "writing"
      case .reading: "reading"
      case .accepted: "accepted"
      case .deliveredByTag: "delivered-by-tag"
      case .deliveredByButton: "delivered-by-button"
      case .queued: "queued"
      case .refused: "refused"
      case .expired: "expired"
      }
    }
  }

  /// Returns the light with the given name; `nil` if there is none.
  package init?(name: String) {
    guard let light = Light.allCases.first(where: { $0.name == name }) else { return nil }
    self = light
  }

  /// Whether the light is shown until a different lasting light replaces it; it returns after each momentary light.
  package var isLasting: Bool { rawValue < Light.reading.rawValue }

  /// The priority among lasting or momentary lights.
  ///
  /// The lasting light of the highest rank is shown, and a momentary light replaces one of the same or a lower rank.
  /// Faults have a high rank because people have to see them; only a pending confirmation has a higher one.
  package var rank: UInt8 {
    @export(interface) get {
      switch self {
      case .ready, .reading: 0
      case .locked, .accepted: 1
      case .certificateExpiring, .queued, .deliveredByTag, .deliveredByButton: 2
      case .starting, .expired: 3
      case .clockUnknown, .refused: 4
      case .offline: 5
      case .writing: 6
      case .readerLost: 7
      case .fault: 8
      case .confirming: 9
      }
    }
  }

  /// The default pattern, in the configuration's format.
  ///
  /// On a single LED, lasting faults differ in the number of flashes, and momentary lights in their short and long
  /// flashes. A momentary light starts and ends dark, so that it is visible over a steady light.
  package var defaultPattern: String {
    @export(interface) get {
      switch self {
      case .starting: "blue 1000, off 1000"
      case .ready: "green"
      case .offline: "yellow 200, off 200, yellow 200, off 1400"
      case .readerLost: "red 200, off 200, red 200, off 200, red 200, off 1000"
      case .clockUnknown: "magenta 200, off 200, magenta 200, off 200, magenta 200, off 200, magenta 200, off 600"
      case .fault: "red 100, off 100"
      case .locked: "white 100, off 2900"
      case .confirming: "yellow! 300, off 300"
      case .certificateExpiring: "green 1400, off 200, yellow 200, off 200"
      case .writing: "blue 100, off 100, blue 600, off 200"
      case .reading: "blue 50, off 50, x20"
      case .accepted: "off 200, green 400, off 200"
      case .deliveredByTag: "off 200, green! 100, off 200, green! 100, off 200"
      case .deliveredByButton: "off 200, green! 100, off 200"
      case .queued: "off 200, yellow! 600, off 200, yellow 100, off 200"
      case .refused: "off 200, red! 300, off 200, red! 300, off 200, red! 300, off 200"
      case .expired: "off 200, red! 1500, off 200"
      }
    }
  }
}
