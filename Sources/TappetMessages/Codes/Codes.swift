// Machine-readable codes that accompany the human-readable sentences in the log (`code=`) and in --json. They are
// stable: a code never changes its meaning, but codes may be added. docs/json.schema.json lists the codes, and a test
// compares that list with this file.

import TappetCore

extension TapRefusal {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .unreadable(let fault): fault.code
      case .content(let error): error.code
      case .malformedURL: "url-malformed"
      case .noSuchAction: "action-unknown"
      case .noTagConfigured: "action-without-secrets"
      case .invalidSignature: "signature-invalid"
      case .brokerAway: "broker-away"
      case .webhookAway: "webhook-away"
      case .strayIndex: "stray-index"
      case .copiedURL: "url-copied"
      case .personSuspended: "person-suspended"
      case .wrongTime(_, let fault), .limitedPerson(_, _, let fault): fault.code
      case .unmet: "requirement-unmet"
      case .usedUp: "used-up"
      case .nobodyToAsk: "nobody-to-ask"
      case .commandOfLimitedPerson: "person-limited"
      case .outboxFull: "outbox-full"
      case .notInInventory(_, let fault, _): fault.code
      case .notStored: "not-stored"
      case .panelLocked: "panel-locked"
      case .needsProof: "proof-missing"
      case .tooLate: "too-late"
      case .tooMany: "too-many"
      }
    }
  }
}

extension TimeFault {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .outsideHours: "outside-hours"
      case .holiday: "holiday"
      case .notYet: "not-yet-valid"
      case .noLonger: "no-longer-valid"
      case .clockUnknown: "clock-unknown"
      case .zoneUnknown: "time-zone-missing"
      }
    }
  }
}

extension OutputRefusal {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .unknown: "output-unknown"
      case .unavailable: "output-unavailable"
      case .closing: "kiosk-stopping"
      case .tooLate: "too-late"
      case .unmet: "requirement-unmet"
      }
    }
  }
}

extension CommandRefusal {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .retained: "command-retained"
      case .tooLarge: "command-too-large"
      case .malformed: "command-malformed"
      case .notAllowed: "command-not-allowed"
      case .stranger: "sender-unknown"
      case .unproved: "proof-missing"
      case .badToken: "token-invalid"
      case .badSignature: "signature-invalid"
      case .clockUnknown: "clock-unknown"
      case .late: "command-late"
      case .early: "command-early"
      case .justStarted: "kiosk-just-started"
      case .repeated: "command-repeated"
      case .overtaken: "command-overtaken"
      case .memoryFull: "commands-full"
      case .tooMany: "too-many"
      case .locked: "panel-locked"
      case .action(let refusal): refusal.code
      case .output(let refusal): refusal.code
      case .undeliverable: "undeliverable"
      }
    }
  }
}

extension CommandReply.Result {
  /// Machine-readable reason code; `nil` if the command was not refused.
  package var code: String? {
    switch self {
    case .accepted, .done, .interrupted: nil
    case .refused(let refusal): refusal.code
    case .expired: "expired"
    }
  }
}

extension TagFault {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .pulledAway: "tag-pulled-away"
      case .unsupportedModel: "tag-model-unsupported"
      case .refusedToAnswer: "tag-refused"
      case .malformedAnswer: "tag-malformed"
      case .tooLarge: "tag-message-too-large"
      case .noApplication: "tag-without-application"
      case .readProtected, .passwordProtected: "tag-protected"
      case .malformedContainer: "tag-damaged"
      }
    }
  }
}

extension TagContentError {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .unsupportedModel: "tag-model-unsupported"
      case .empty, .noMessage: "tag-empty"
      case .incomplete: "tag-pulled-away"
      case .memory(.noCapabilityContainer): "tag-unformatted"
      case .memory(.readProtected): "tag-protected"
      case .memory: "tag-damaged"
      case .message: "tag-damaged"
      case .noURI: "tag-without-link"
      case .tooLong: "tag-message-too-large"
      case .strayByte: "url-malformed"
      }
    }
  }
}

extension TapIgnored {
  /// Machine-readable reason code.
  package var code: String {
    switch self {
    case .held: "tag-held"
    case .cooldown: "cooldown"
    }
  }
}

extension QueueReason {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .linkDown: "broker-away"
      case .webhookFails: "webhook-away"
      case .clockUnknown: "clock-unknown"
      case .homeAssistantAway: "home-assistant-away"
      case .behindOthers: "behind-others"
      case .brokerRefuses: "broker-refuses"
      case .retried: "retried"
      }
    }
  }
}

extension ConfirmationEnd {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .timeUp: "time-up"
      case .otherTouch: "other-touch"
      case .tagGone: "tag-gone"
      case .cancelled: "cancelled"
      case .closed: "panel-closed"
      case .refusedInRoom: "refused-in-room"
      }
    }
  }
}

extension TagWriteFault {
  /// Machine-readable reason code.
  package var reason: String {
    @export(interface) get {
      switch self {
      case .notThere: "tag-gone"
      case .notAlone: "tag-not-alone"
      case .pulledAway: "tag-pulled-away"
      case .unsupportedModel: "tag-model-unsupported"
      case .readOnly: "tag-read-only"
      case .locked: "tag-locked"
      case .passwordProtected: "tag-protected"
      case .tooSmall: "tag-too-small"
      case .unformatted: "tag-unformatted"
      case .foreignContainer: "tag-container-foreign"
      case .refused: "tag-refused"
      case .notAsWritten: "tag-not-as-written"
      case .malformedAnswer: "tag-malformed"
      }
    }
  }
}

extension TagJobFailure {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .tag(let fault): fault.reason
      case .unreadable(let fault): fault.code
      case .noTag: "no-tag"
      case .noRoom: "secrets-full"
      case .leftTorn: "tag-left-torn"
      case .cancelled: "cancelled"
      case .readerLost: "reader-lost"
      case .noRandomness: "no-randomness"
      }
    }
  }
}

extension ReaderLoss {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .fault(.notFound, _): "reader-not-found"
      case .fault(.silent, _): "reader-silent"
      case .fault(.ioError, _): "reader-unplugged"
      case .fault(.busy, _): "reader-busy"
      case .fault(.permissionDenied, _): "reader-forbidden"
      case .fault(.unusable, _): "reader-unusable"
      case .ended: "reader-ended"
      case .silent: "reader-hung"
      case .malformed: "reader-malformed"
      case .notStarted: "reader-not-started"
      }
    }
  }
}

extension StoreFault {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .full: "disk-full"
      case .readOnly: "disk-read-only"
      case .ioError: "disk-error"
      case .corrupt: "database-damaged"
      case .busy: "database-busy"
      case .other: "database-error"
      }
    }
  }
}

extension PanelFault {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .simulatorAway: "panel-away"
      case .ledUnusable: "led-unusable"
      case .unrecorded: "levels-unrecorded"
      case .line(let fault): fault.code
      }
    }
  }
}

extension GPIOFault {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .noChips, .noChip, .ambiguousChip, .chipNotNamed: "chip-unknown"
      case .noSuchLine, .noSuchOffset, .ambiguous, .wrongPin, .listedTwice: "line-unknown"
      case .busy: "line-busy"
      case .noPermission: "line-forbidden"
      case .noEdges, .notSupported: "line-unsuitable"
      case .chipGone: "chip-gone"
      case .system: "line-error"
      }
    }
  }
}

extension KioskStatus.Reader {
  /// Machine-readable status code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .absent: "none"
      case .starting: "starting"
      case .ready: "ready"
      case .lost(let loss): loss.code
      case .stopped: "stopped"
      }
    }
  }
}

extension KioskStatus.Link {
  /// Machine-readable status code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .absent: "none"
      case .connecting: "connecting"
      case .connected: "connected"
      case .failed(_, let failure): failure.code
      case .resting: "resting"
      case .closed: "closed"
      }
    }
  }
}

extension KioskStatus.PanelProblem {
  /// Machine-readable problem code.
  package var code: String {
    switch self {
    case .lost(_, let fault): fault.code
    case .stuck: "button-stuck"
    case .chattering: "button-chattering"
    }
  }
}
