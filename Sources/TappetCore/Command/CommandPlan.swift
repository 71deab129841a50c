// The topics on which a kiosk takes commands, as the configuration has them.

/// How a command proves that it may act.
package enum CommandTrust: Sendable {
  /// The broker's access list decides who may publish.
  case trusted
  /// A timestamp token under this key; `nil` before it was read from the store: then all are refused.
  case token(TimestampKey?)
  /// Its sender in a room is one of these, as the homeserver has it.
  case room(RoomCommanders)
  /// An HMAC under this key, or an action URL under an action's secret; `nil` means action URLs only.
  case signed(SecretKey?)

  /// The word for it in the configuration.
  package var word: String {
    switch self {
    case .trusted: "trusted"
    case .token: "token"
    case .signed: "signed"
    case .room: "room"
    }
  }
}

/// The outputs of a topic that is served as the ESP32 firmware serves it (docs/formats.md, "ESP32 messages").
package struct FirmwareRole: Hashable, Sendable {
  /// The names of the outputs that open, stop and close.
  package var open: String
  package var stop: String
  package var close: String
  /// Whether tokens of the next day and repeated ones act, as they do there.
  package var isLax: Bool

  /// A role with these outputs.
  package init(open: String, stop: String, close: String, isLax: Bool = false) {
    self.open = open
    self.stop = stop
    self.close = close
    self.isLax = isLax
  }
}

/// One topic with commands, or one room.
package struct CommandPlan: Sendable {
  /// Without wildcards: a topic is one sender.
  ///
  /// Of a room, its address or its id.
  package var topic: String
  /// How its commands prove themselves.
  package var trust: CommandTrust
  /// Largest difference between a command's time and the clock; `nil` means that a command needs no time.
  package var window: Duration?
  /// The names of the actions that it may run.
  package var actions: [String]
  /// The names of the outputs that it may drive.
  package var outputs: [String]
  /// Whether it may ask how the kiosk's parts are.
  package var asksChecks: Bool
  /// Whether it may suspend people, and let them in again; for a room.
  package var managesPeople: Bool
  /// Number of commands at once, and per minute from then on.
  package var perMinute: Int
  /// Whether its commands are refused while the buttons are locked.
  package var obeysLock: Bool
  /// Topic of the replies; `nil` means none.
  package var replyTopic: String?
  /// `nil` means that it takes Tappet's own commands.
  package var firmware: FirmwareRole?

  /// A plan with the defaults of the configuration.
  @export(interface)
  package init(
    topic: String, trust: CommandTrust, window: Duration? = Limits.commandWindow, actions: [String] = [],
    outputs: [String] = [], managesPeople: Bool = false, perMinute: Int = Int(Limits.commandsPerMinute),
    obeysLock: Bool = false, replyTopic: String? = nil, firmware: FirmwareRole? = nil, asksChecks: Bool = false
  ) {
    self.topic = topic
    self.trust = trust
    self.window = window
    self.actions = actions
    self.outputs = outputs
    self.asksChecks = asksChecks
    self.managesPeople = managesPeople
    self.perMinute = perMinute
    self.obeysLock = obeysLock
    self.replyTopic = replyTopic
    self.firmware = firmware
  }

  /// Whether a proof for one of them might act on the other: tokens do not name their topic, and action URLs neither.
  func sharesProofs(with other: CommandPlan) -> Bool {
    switch (trust, other.trust) {
    case (.token(let key), .token(let otherKey)):
      guard let key, let otherKey else { return topic == other.topic }
      return key.isSame(as: otherKey)
    case (.signed, .signed): return true
    case _: return topic == other.topic
    }
  }

  /// Whether its commands cannot be judged without a good clock.
  package var needsClock: Bool { window != nil }

  /// The whole seconds of the window.
  var windowSeconds: Int64 { (window?.wholeMilliseconds ?? 0) / 1000 }
}
