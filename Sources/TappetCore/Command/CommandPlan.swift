// The topics on which a kiosk accepts commands, as configured.

/// How a command proves its authorization.
package enum CommandTrust: Sendable {
  /// The broker's access list decides who may publish.
  case trusted
  /// A timestamp token created with this key; `nil` until the key is read from the store, and all commands are refused.
  case token(TimestampKey?)
  /// The sender in a room, as reported by the homeserver, is one of these commanders.
  case room(RoomCommanders)
  /// An HMAC with this key, or an action URL signed with an action's secret; `nil` means action URLs only.
  case signed(SecretKey?)

  /// The keyword in the configuration.
  package var word: String {
    @export(interface) get {
      switch self {
      case .trusted: "trusted"
      case .token: "token"
      case .signed: "signed"
      case .room: "room"
      }
    }
  }
}

/// The outputs of a topic that emulates the ESP32 firmware (docs/formats.md, "ESP32 messages").
package struct FirmwareRole: Hashable, Sendable {
  /// The names of the outputs that open, stop and close.
  package var open: String
  package var stop: String
  package var close: String
  /// Whether tokens from the next day and repeated tokens are accepted, as by the firmware.
  package var isLax: Bool

  package init(open: String, stop: String, close: String, isLax: Bool = false) {
    self.open = open
    self.stop = stop
    self.close = close
    self.isLax = isLax
  }
}

/// A topic or a room on which commands are accepted.
package struct CommandPlan: Sendable {
  /// The topic, without wildcards, because a topic represents one sender.
  ///
  /// For a room, the room's address or id.
  package var topic: String
  /// The proof that its commands require.
  package var trust: CommandTrust
  /// Maximum difference between a command's time and the clock; `nil` means that a command needs no time.
  package var window: Duration?
  /// The names of the actions that its commands may run.
  package var actions: [String]
  /// The names of the outputs that its commands may drive.
  package var outputs: [String]
  /// Whether its commands may request a check of the kiosk's parts.
  package var asksChecks: Bool
  /// Whether commands may suspend people and readmit them; only for a room.
  package var managesPeople: Bool
  /// Maximum number of commands in a burst, and per minute after the burst.
  package var perMinute: Int
  /// Whether its commands are refused while the buttons are locked.
  package var obeysLock: Bool
  /// Topic of the replies; `nil` means that no topic is configured.
  package var replyTopic: String?
  /// The outputs of the firmware's role; `nil` means that the topic accepts Tappet's own commands.
  package var firmware: FirmwareRole?

  /// Creates a plan; omitted values have the configuration's defaults.
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

  /// Whether a proof for one topic might be valid on the other; neither tokens nor action URLs contain a topic.
  func sharesProofs(with other: CommandPlan) -> Bool {
    switch (trust, other.trust) {
    case (.token(let key), .token(let otherKey)):
      guard let key, let otherKey else { return topic == other.topic }
      return key.isSame(as: otherKey)
    case (.signed, .signed): return true
    case _: return topic == other.topic
    }
  }

  /// Whether its commands cannot be validated without a correct clock.
  package var needsClock: Bool { window != nil }

  /// The window in whole seconds; 0 if there is none.
  var windowSeconds: Int64 { (window?.wholeMilliseconds ?? 0) / 1000 }
}
