// The configured inputs of a panel whose level is a state (a door's contact), and the requests to exit.

/// The thing behind an input, as people and Home Assistant call it.
package enum InputKind: Int, CaseIterable, Hashable, Sendable {
  case door
  case window
  case garageDoor
  /// Anything else that is open or closed.
  case opening
  /// A button or handle on the inside, which opens the door.
  case exit

  /// The keyword in the configuration; for all but `exit`, also Home Assistant's device class.
  package var word: String {
    @export(interface) get {
      switch self {
      case .door: "door"
      case .window: "window"
      case .garageDoor: "garage_door"
      case .opening: "opening"
      case .exit: "exit"
      }
    }
  }
}

/// One input of the panel.
package struct InputPlan: Hashable, Sendable {
  /// Unique name, used for display, in topics and on the virtual panel.
  package var name: String
  package var kind: InputKind = .door
  /// Name of the output that opens it; `nil` if no output does.
  package var output: String?
  /// Time for which a level must be steady before it counts.
  package var debounce: Duration = Limits.inputDebounceDefault
  /// How long it may stay open; `nil` means for any time.
  package var heldOpen: Duration?
  /// Whether the output's pulse ends when the door has opened.
  package var relocks = false
  /// Name of the action that a forced opening triggers.
  package var onForced: String?
  /// Name of the action that is triggered when it was open for too long.
  package var onHeldOpen: String?

  @export(interface)
  package init(name: String) { self.name = name }

  /// Whether its level is a state; an exit has only presses.
  package var isContact: Bool { kind != .exit }
}

/// The state of an input; at an exit, open means pressed.
package enum InputLevel: Hashable, Sendable {
  /// The line is not available.
  case unknown
  case closed
  case open

  /// The name in messages and in JSON.
  package var name: String {
    @export(interface) get {
      switch self {
      case .unknown: "unknown"
      case .closed: "closed"
      case .open: "open"
      }
    }
  }
}

/// The reason why an input has its state.
package enum InputCause: Hashable, Sendable {
  /// The line was lost, or is not open yet.
  case lost
  /// The line had this level when it was opened; when the level changed is not known.
  case found
  /// The door was opened after an opening by its output, or after a request to exit.
  case permitted
  /// The door was opened without either.
  case forced
  /// The level changed, and no output belongs to the input; or it was closed.
  case changed

  /// The name in messages and in JSON.
  package var name: String {
    @export(interface) get {
      switch self {
      case .lost: "lost"
      case .found: "found"
      case .permitted: "permitted"
      case .forced: "forced"
      case .changed: "changed"
      }
    }
  }
}

/// The state of one input, with its cause.
package struct InputState: Hashable, Sendable {
  package var level: InputLevel = .unknown
  package var cause: InputCause = .lost
  /// The time from which the state is known; `nil` if the input was never available.
  package var since: Instant?
  /// Whether it has been open for longer than it may.
  package var isHeldOpen = false

  /// Whether it is open, and was opened by force.
  package var isForced: Bool { level == .open && cause == .forced }
}

/// A report about one input.
package struct InputReport: Sendable {
  package enum Change: Hashable, Sendable {
    case opened(InputCause)
    /// The input was closed; `after` is how long it was open, if that is known.
    case closed(InputCause, after: Duration?, wasHeldOpen: Bool)
    /// Open for longer than it may be, and still open.
    case heldOpen(for: Duration)
    /// Its output was active, and nobody has opened it.
    case notEntered

    var alarm: InputAlarm? {
      switch self {
      case .opened(.forced): .forced
      case .heldOpen: .heldOpen
      case .opened, .closed, .notEntered: nil
      }
    }
  }

  /// The name of the input, which the tap log contains.
  package var name: String
  package var change: Change
}

/// An event of an input that Home Assistant may react to.
package enum InputAlarm: Hashable, Sendable, CaseIterable {
  case forced
  case heldOpen

  /// The name of the event in messages.
  package var name: String {
    @export(interface) get {
      switch self {
      case .forced: "forced"
      case .heldOpen: "held_open"
      }
    }
  }
}
