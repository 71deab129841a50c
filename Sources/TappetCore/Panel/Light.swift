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
  case holding = 11
  case unread = 12
  case doorOpen = 13
  case forced = 14
  // Momentary lights: stages of one tap or press.
  case reading = 20
  case accepted = 21
  case deliveredByTag = 22
  case deliveredByButton = 23
  case queued = 24
  case refused = 25
  case expired = 26

  /// The light's name in traces, on the virtual panel and in `--json`.
  package var name: String { @export(interface) get { row.name } }

  /// Returns the light with the given name; `nil` if there is none.
  package init?(name: String) {
    guard let light = Light.allCases.first(where: { $0.name == name }) else { return nil }
    self = light
  }

  /// Whether the light is shown until a different lasting light replaces it; it returns after each momentary light.
  package var isLasting: Bool { rawValue < Light.reading.rawValue }

  /// The priority among momentary lights: a light replaces one of the same or a lower rank.
  ///
  /// `Kiosk.baseLight` alone orders the lasting lights.
  var rank: UInt8 { row.rank }

  /// The default pattern, in the configuration's format.
  ///
  /// On a single LED, lasting faults differ in the number of flashes, and momentary lights in their short and long
  /// flashes. A momentary light starts and ends dark, so that it is visible over a steady light.
  package var defaultPattern: String { @export(interface) get { row.pattern } }

  private var row: Row {
    switch self {
    case .starting: .lasting("starting", "blue 1000, off 1000")
    case .ready: .lasting("ready", "green")
    case .offline: .lasting("offline", "yellow 200, off 200, yellow 200, off 1400")
    case .readerLost: .lasting("reader-lost", "red 200, off 200, red 200, off 200, red 200, off 1000")
    case .clockUnknown:
      .lasting(
        "clock-unknown", "magenta 200, off 200, magenta 200, off 200, magenta 200, off 200, magenta 200, off 600")
    case .fault: .lasting("fault", "red 100, off 100")
    case .locked: .lasting("locked", "white 100, off 2900")
    case .confirming: .lasting("confirming", "yellow! 300, off 300")
    case .certificateExpiring: .lasting("certificate-expiring", "green 1400, off 200, yellow 200, off 200")
    case .writing: .lasting("writing", "blue 100, off 100, blue 600, off 200")
    case .holding: .lasting("holding", "yellow 500, off 100")
    case .unread: .lasting("unread", "green 1000, off 200, blue 200, off 200, blue 200, off 200")
    case .doorOpen: .lasting("door-open", "yellow 600, off 200, yellow 600, off 1000")
    case .forced: .lasting("forced", "red! 100, off 100, red 100, off 100, red 800, off 200")
    case .reading: .moment("reading", rank: 0, "blue 50, off 50, x20")
    case .accepted: .moment("accepted", rank: 1, "off 200, green 400, off 200")
    case .deliveredByTag:
      .moment("delivered-by-tag", rank: 2, "off 200, green! 100, off 200, green! 100, off 200")
    case .deliveredByButton: .moment("delivered-by-button", rank: 2, "off 200, green! 100, off 200")
    case .queued: .moment("queued", rank: 2, "off 200, yellow! 600, off 200, yellow 100, off 200")
    case .refused: .moment("refused", rank: 4, "off 200, red! 300, off 200, red! 300, off 200, red! 300, off 200")
    case .expired: .moment("expired", rank: 3, "off 200, red! 1500, off 200")
    }
  }

  /// All that defines a light.
  private struct Row {
    var name: String
    var rank: UInt8 = 0
    var pattern: String

    static func lasting(_ name: String, _ pattern: String) -> Row { Row(name: name, pattern: pattern) }

    static func moment(_ name: String, rank: UInt8, _ pattern: String) -> Row {
      Row(name: name, rank: rank, pattern: pattern)
    }
  }
}
