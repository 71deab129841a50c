// The outputs of a panel (relays, door openers, gate motors) as the configuration has them, and the requests to them.

/// The effect of a pulse while another one lasts; it never ends that one.
package enum PulseRepeat: Hashable, Sendable {
  case ignored
  /// Adds its time.
  case extends
  /// Its time begins again.
  case restarts
}

/// The meaning of an output to people, and so to Home Assistant; its level is decided without it.
package enum OutputKind: Int, CaseIterable, Hashable, Sendable {
  case `switch`
  /// A push button: it pulses.
  case button
  /// A pulse unlocks it.
  case lock
  /// One line that opens, stops and closes, by a pulse each.
  case cover
  /// The two lines of a drive, which have an interlock.
  case open
  case close

  /// The word for it in the configuration.
  package var word: String {
    switch self {
    case .switch: "switch"
    case .button: "button"
    case .lock: "lock"
    case .cover: "cover"
    case .open: "open"
    case .close: "close"
    }
  }

  /// Whether it is a cover, or one of its lines.
  package var isCover: Bool { self == .cover || self == .open || self == .close }
}

/// One output of the panel.
///
/// Its safe level is what its line has whenever nobody uses it: before the first request, after a pulse, at the end.
package struct OutputPlan: Hashable, Sendable {
  /// Name for people, for actions and on the virtual panel; unique.
  package var name: String
  /// Its meaning to people.
  package var kind: OutputKind = .switch
  /// The length of a pulse.
  package var pulse: Duration
  /// The longest time away from the safe level, whatever is requested; `nil` means without end.
  package var maxOn: Duration?
  /// Whether the safe level is on.
  package var isSafeOn: Bool
  /// Whether it is switched on as soon as its line is there.
  package var startsOn: Bool
  /// Outputs with the same group are never on together, nor within the dead time; `nil` means that it is independent.
  package var interlock: String?
  /// The time between two outputs of the group; the longest one of the group counts.
  package var deadTime: Duration
  /// While the broker is away, the longest time away from the safe level; `nil` means that the link does not matter.
  package var safeWithoutLink: Duration?
  /// The meaning of a pulse during a pulse.
  package var repeats: PulseRepeat

  /// An output with the defaults of the configuration.
  @export(interface)
  package init(
    name: String, pulse: Duration = Limits.pulseDefault, maxOn: Duration? = nil, isSafeOn: Bool = false,
    startsOn: Bool = false, interlock: String? = nil, deadTime: Duration = Limits.deadTimeDefault,
    safeWithoutLink: Duration? = nil, repeats: PulseRepeat = .ignored
  ) {
    self.name = name
    self.pulse = pulse
    self.maxOn = maxOn
    self.isSafeOn = isSafeOn
    self.startsOn = startsOn
    self.interlock = interlock
    self.deadTime = deadTime
    self.safeWithoutLink = safeWithoutLink
    self.repeats = repeats
  }
}

/// A request to one output.
package enum OutputRequest: Int, CaseIterable, Hashable, Sendable {
  case on
  case off
  /// Away from the safe level for the output's own time.
  case pulse
  /// The other level.
  case toggle

  /// The word for it in the configuration and on the command line.
  package var word: String {
    switch self {
    case .on: "on"
    case .off: "off"
    case .pulse: "pulse"
    case .toggle: "toggle"
    }
  }
}

/// An action's request to the output of this name.
package struct OutputOrder: Hashable, Sendable {
  /// The output's name.
  package var output: String
  /// The requested change.
  package var request: OutputRequest

  /// An order to `output`.
  package init(output: String, request: OutputRequest) {
    self.output = output
    self.request = request
  }
}

/// The origin of a request to an output.
package enum OutputCause: Hashable, Sendable {
  /// A tap, a press or a command that triggered this action.
  case action(String, Trigger)
  /// A person at the control socket.
  case person
  /// The program around the kiosk.
  case program
  /// A command for the output itself, on this topic.
  case command(topic: String)
  /// The configuration: `on_start`.
  case start
}

/// Why an output changed.
package enum OutputReason: Hashable, Sendable {
  case asked(OutputCause)
  /// The pulse is over.
  case pulseOver
  /// It has been on for as long as it may be.
  case limit
  /// Another output of its group was requested.
  case interlock
  /// The broker has been away for too long.
  case linkLost
  /// The kiosk ends, or the panel changes.
  case closing
}

/// Why a request to an output has no effect.
package enum OutputRefusal: Error, Hashable, Sendable {
  /// No output has this name.
  case unknown
  /// Its line is missing or lost.
  case unavailable
  /// The kiosk ends.
  case closing
}

/// A decision of the bank about one output.
package enum OutputChange: Hashable, Sendable {
  /// Its line has this level from now on.
  case level(Int, isOn: Bool, OutputReason)
  /// It waits until its group's dead time is over.
  case waits(Int, Duration, OutputCause)
}
