// The parts of the kiosk that report a state. Everything that shows or publishes their states goes through all of them.

/// A part that works or fails regardless of the others; the raw value is its name in JSON.
package enum KioskPart: String, CaseIterable, Sendable {
  case reader
  case broker
  case disk
  case panel
  case webhooks
  case rooms
  case inventory
  case site
  case page

  /// Whether every kiosk reports the part, even if none is configured.
  package var isStandard: Bool {
    switch self {
    case .reader, .broker, .disk, .panel: true
    case .webhooks, .rooms, .inventory, .site, .page: false
    }
  }
}
