// Short texts for the page. They contain no names, UIDs, hosts or paths, because the page may be open to everybody; the
// log has the details.

import TappetCore

/// A short text and how it is meant.
package struct PageText: Hashable, Sendable {
  /// The colour and the picture that accompany the text.
  package enum Tone: String, Sendable { case good, warn, bad, plain }

  package var tone: Tone
  package var text: String

  package init(_ tone: Tone, _ text: String) {
    self.tone = tone
    self.text = text
  }
}

extension Light {
  /// The state of the kiosk; `nil` for a momentary light.
  package var pageText: PageText? {
    @export(interface) get {
      switch self {
      case .starting: PageText(.plain, "Starting")
      case .ready, .unread: PageText(.good, "Ready")
      case .offline: PageText(.warn, "Broker unavailable")
      case .readerLost: PageText(.bad, "Reader missing")
      case .clockUnknown: PageText(.warn, "Clock not set")
      case .fault: PageText(.bad, "Needs attention")
      case .locked: PageText(.plain, "Locked")
      case .confirming: PageText(.warn, "Confirmation needed")
      case .certificateExpiring: PageText(.warn, "Certificate expires soon")
      case .writing: PageText(.warn, "Writing a tag")
      case .holding: PageText(.warn, "Waiting for the second tap")
      case .doorOpen: PageText(.warn, "A door is open")
      case .forced: PageText(.bad, "A door was forced")
      case .reading, .accepted, .deliveredByTag, .deliveredByButton, .queued, .refused, .expired: nil
      }
    }
  }
}

extension InputState {
  /// The level of a contact.
  package var pageText: PageText {
    @export(interface) get {
      switch level {
      case .unknown: PageText(.warn, "Unknown")
      case .closed: PageText(.good, "Closed")
      case .open: isForced ? PageText(.bad, "Forced open") : PageText(.warn, isHeldOpen ? "Held open" : "Stands open")
      }
    }
  }
}

extension TapRefusal {
  /// The reason without any names.
  package var pageText: String {
    @export(interface) get {
      switch self {
      case .unreadable: "The tag could not be read"
      case .content, .malformedURL, .noSuchAction: "This tag is not for this kiosk"
      case .noTagConfigured: "The kiosk does not know any tags for this yet"
      case .invalidSignature, .strayIndex, .copiedURL: "This tag is not valid"
      case .personSuspended: "This person is suspended"
      case .wrongTime, .limitedPerson: "Not allowed at this time"
      case .unmet(_, let unmet): unmet.level == .open ? "A door is open" : "Not allowed at this time"
      case .usedUp: "No uses left"
      case .commandOfLimitedPerson, .needsProof: "Only with a signed tag at the reader"
      case .brokerAway: "The broker is unavailable"
      case .webhookAway: "The server is unavailable"
      case .nobodyToAsk: "No one can confirm this now"
      case .outboxFull: "Too many messages are pending"
      case .notStored: "The kiosk cannot write to its disk"
      case .panelLocked: "The buttons are locked"
      case .notInInventory: "Not in the inventory"
      case .tooLate: "Too late; nothing was switched"
      case .tooMany: "Too many attempts; wait a moment"
      }
    }
  }
}
