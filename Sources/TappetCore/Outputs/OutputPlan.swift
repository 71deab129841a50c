// The configured outputs of a panel (relays, door openers, gate motors), and the requests to them.

/// The effect of a new pulse on a pulse in progress, which is never shortened.
package enum PulseRepeat: Hashable, Sendable {
  case ignored
  /// Adds the new pulse's duration.
  case extends
  /// Restarts the pulse's duration.
  case restarts
}

/// The kind of device that an output represents to people and Home Assistant; does not affect the output's level.
package enum OutputKind: Int, CaseIterable, Hashable, Sendable {
  case `switch`
  /// A push button, which produces a pulse.
  case button
  /// A lock that a pulse unlocks.
  case lock
  /// One line that opens, stops and closes in turn, with one pulse each.
  case cover
  /// One of a drive's two interlocked lines; the other is `close`.
  case open
  case close

  /// The keyword in the configuration.
  package var word: String {
    @export(interface) get {
      switch self {
      case .switch: "switch"
      case .button: "button"
      case .lock: "lock"
      case .cover: "cover"
      case .open: "open"
      case .close: "close"
      }
    }
  }

  /// Whether the output is a cover or one of a cover's lines.
  package var isCover: Bool { self == .cover || self == .open || self == .close }
}

/// One output of the panel.
///
/// The safe level is the level of the line while the output is not in use: before the first request, after a pulse
/// and on exit.
package struct OutputPlan: Hashable, Sendable {
  /// Unique name, used for display, in actions and on the virtual panel.
  package var name: String
  /// The kind of device that the output represents.
  package var kind: OutputKind = .switch
  /// The duration of a pulse.
  package var pulse: Duration
  /// Maximum time away from the safe level, regardless of requests; `nil` means no limit.
  package var maxOn: Duration?
  /// Whether the safe level is on.
  package var isSafeOn: Bool
  /// Whether the output is switched on as soon as its line is available.
  package var startsOn: Bool
  /// The interlock group, whose outputs are never on at the same time or within the dead time; `nil` if there is none.
  package var interlock: String?
  /// The pause between two outputs of the group; the longest dead time in the group applies.
  package var deadTime: Duration
  /// Maximum time away from the safe level while the broker is unreachable; `nil` means no such limit.
  package var safeWithoutLink: Duration?
  /// The effect of a new pulse while a pulse is in progress.
  package var repeats: PulseRepeat
  /// The levels that inputs must have for the output to leave its safe level.
  package var requirements: [InputRequirement] = []

  /// Creates an output; omitted values have the configuration's defaults.
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

/// A request to one output; the raw value is its keyword in the configuration, in commands and on the command line.
package enum OutputRequest: String, CaseIterable, Hashable, Sendable {
  case on
  case off
  /// Leave the safe level for the duration of a pulse.
  case pulse
  /// Switch to the opposite level.
  case toggle
}

/// A request to the output with a given name.
package struct OutputOrder: Hashable, Sendable {
  /// The output's name.
  package var output: String
  /// The requested change.
  package var request: OutputRequest

  /// Creates an order for the output named `output`.
  package init(output: String, request: OutputRequest) {
    self.output = output
    self.request = request
  }
}

/// The origin of a request to an output.
package enum OutputCause: Hashable, Sendable {
  /// A tap, a press or a command that triggered this action.
  case action(String, by: Originator)
  /// A request for the output itself.
  case request(Originator)

  /// The originator of the request.
  package var by: Originator {
    switch self {
    case .action(_, let by), .request(let by): by
    }
  }

  /// Whether a person wants to get out, which nothing prevents.
  var isExit: Bool { if case .request(.input) = self { true } else { false } }
}

/// The reason why an output changed.
package enum OutputReason: Hashable, Sendable {
  case asked(OutputCause)
  /// The pulse is over.
  case pulseOver
  /// The door has opened (`relock`).
  case relocked
  /// The maximum on-time has been reached.
  case limit
  /// A different output of the group was requested.
  case interlock
  /// The broker has been unreachable for too long.
  case linkLost
  /// The kiosk exits, or the panel is replaced.
  case closing
}

/// The reason why a request to an output is refused.
package enum OutputRefusal: Error, Hashable, Sendable {
  /// No output has this name.
  case unknown
  /// The output's line is missing or lost.
  case unavailable
  /// The kiosk is shutting down.
  case closing
  /// The request was made too long ago, while the kiosk was held up.
  case tooLate
  /// An input does not have the level that the output requires.
  indirect case unmet(UnmetRequirement)
}

/// A decision of the bank about one output.
package enum OutputChange: Hashable, Sendable {
  /// The output's line has this level from now on.
  case level(Int, isOn: Bool, OutputReason)
  /// The output waits for the end of its group's dead time.
  case waits(Int, Duration, OutputCause)
  /// The waiting request is refused: the end of the dead time passed too long ago, or a requirement is no longer met.
  case missed(Int, OutputRequest, OutputCause, OutputRefusal)
}
