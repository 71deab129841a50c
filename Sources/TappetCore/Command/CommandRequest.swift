// A received command: its target and its proof. No part of the command is trusted yet.

/// The target of a command.
package enum CommandTarget: Hashable, Sendable {
  /// Run the action with this name.
  case action(String)
  /// Send this request to an output.
  case output(OutputOrder)
  /// The firmware's command 4: open, stop after 10 s, and close after 60 s.
  case timedOpening
  /// The firmware's command 5: publish a report.
  case report
  /// Report the kiosk's status; only in rooms.
  case status
  /// Publish the state of the kiosk's parts.
  case check
  /// List the latest rows of the tap log; only in rooms.
  case history
  /// Suspend the person with this name, or accept their tags again; only in rooms.
  case person(String, isSuspended: Bool)

  /// The lines of the signed form that specify the target (docs/formats.md, "Commands").
  var signedLines: String {
    switch self {
    case .action(let name): "action\n" + name
    case .output(let order): "output\n" + order.output + "\n" + order.request.rawValue
    case .check: "run\ncheck"
    // These commands are never signed.
    case .timedOpening, .report, .status, .history, .person: ""
    }
  }

  /// The target as shown in the log: `garage`, `gate pulse`.
  package var text: String {
    @export(interface) get {
      switch self {
      case .action(let name): name
      case .output(let order): order.output + " " + order.request.rawValue
      case .timedOpening: "open, stop, close"
      case .report: "report"
      case .status: "status"
      case .check: "check"
      case .history: "history"
      case .person(let name, let isSuspended): (isSuspended ? "suspend " : "resume ") + name
      }
    }
  }
}

/// The fields of a command.
package struct CommandRequest: Hashable, Sendable {
  /// The form in which the target is specified.
  package enum Form: Hashable, Sendable {
    case target(CommandTarget)
    /// A single word, whose meaning depends on the topic, such as `on` for a topic with one output.
    case word(String)
    /// A command number of the ESP32 firmware.
    case number(Int64)
    /// An action URL (docs/formats.md, "Tag URL"), which identifies the action.
    case url([UInt8])
  }

  package var form: Form
  /// The sender's id for the command, which is repeated in the replies.
  package var id: String?
  /// Time of sending, in seconds since 1970.
  package var unixSeconds: Int64?
  package var token: String?
  package var nonce: String?
  /// HMAC-SHA256 in hexadecimal digits.
  package var hmac: String?
  /// The sender's name in an ESP32 command, which nothing proves.
  package var statedSender: String?

  /// Creates a request without proof.
  package init(_ form: Form, id: String? = nil, unixSeconds: Int64? = nil) {
    self.form = form
    self.id = id
    self.unixSeconds = unixSeconds
  }

  /// Returns the bytes that an HMAC covers (docs/formats.md, "Commands"); `nil` if a required field is missing.
  package func signedBytes(topic: String) -> [UInt8]? {
    guard case .target(let target) = form, let unixSeconds, let nonce else { return nil }
    let lines = ["tappet-command-1", topic, String(unixSeconds), nonce, id ?? "", target.signedLines]
    return Array(lines.joined(separator: "\n").utf8)
  }
}

/// The response topic and correlation data of MQTT 5.
package struct CommandResponse: Hashable, Sendable {
  /// The response topic; `nil` means that none was specified.
  package var topic: String?
  /// Correlation data, which is returned unchanged.
  package var correlation: [UInt8]

  /// Creates a response from the properties of a PUBLISH packet.
  package init(topic: String?, correlation: [UInt8]) {
    self.topic = topic
    self.correlation = correlation
  }
}

/// A message on a command topic.
package struct CommandArrival: Sendable {
  /// The content of the payload.
  package enum Content: Hashable, Sendable {
    /// Not parsed, because the message was retained or too large.
    case unread
    case malformed
    /// A report from the ESP32 firmware or this kiosk, or a reply from a kiosk; not a command.
    case report
    case request(CommandRequest)
  }

  package var topic: String
  package var isRetained: Bool
  /// Size of the payload, in bytes.
  package var size: Int
  package var content: Content
  package var response: CommandResponse?
  /// The sender, if the message was sent in a room.
  package var sender: RoomSender?
  /// The time at which the broker delivered it, if it may have waited in this process since.
  package var receivedAt: Instant?
  /// Whether the message is a test from the control socket, to which the reply is sent.
  package var isTest = false
  /// The name that the sender states, which nothing proves.
  var statedSender: String? { if case .request(let request) = content { request.statedSender } else { nil } }

  package init(
    topic: String, isRetained: Bool = false, size: Int, content: Content, response: CommandResponse? = nil
  ) {
    self.topic = topic
    self.isRetained = isRetained
    self.size = size
    self.content = content
    self.response = response
  }
}

/// The reason why a command is refused, in the order of the checks.
package enum CommandRefusal: Error, Hashable, Sendable {
  /// The broker retains the message and sends it on every connect.
  case retained
  case tooLarge(size: Int)
  /// The payload is neither a JSON command nor a one-word command.
  case malformed
  /// The topic's configuration does not allow the target, or the target does not exist.
  case notAllowed
  /// The sender is not authorized to command this kiosk.
  case stranger
  /// The token, the time or the signature is missing.
  case unproved
  /// The token was not created with the topic's key.
  case badToken
  /// The signature was not created with the key.
  case badSignature
  /// The command cannot be validated until the clock is correct.
  case clockUnknown
  /// The command is too old: it was sent this number of seconds ago.
  case late(seconds: Int64)
  /// The command's time is this number of seconds in the future.
  case early(seconds: Int64)
  /// The command may already have been executed before this kiosk was started.
  case justStarted
  case repeated
  /// A newer command for the same output or action arrived earlier.
  case overtaken
  /// Too many commands are remembered; further commands are refused until the oldest ones have expired.
  case memoryFull
  case tooMany(wait: Duration)
  case locked
  /// The action cannot run now.
  case action(TapRefusal)
  /// The output cannot be driven now.
  case output(OutputRefusal)
  /// The broker permanently refused the action's message.
  case undeliverable
}

/// The result of a command, for its sender.
package struct CommandReply: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    /// The command is accepted, and its execution has started.
    case accepted
    case done
    case refused(CommandRefusal)
    /// The command was accepted, but its message never reached the broker.
    case expired
    /// The command was recorded, but a restart prevented the report of its outcome.
    case interrupted
  }

  /// The destination of a reply.
  package enum Destination: Hashable, Sendable {
    /// The reply is not sent; only an embedding program receives it.
    case nobody
    case topic(String)
    /// The client of the control socket that tested the command.
    case test
    /// The sender of this event in a room.
    case room(event: String)
  }

  /// The destination of a reply, and the data with which the sender identifies the command.
  package struct Address: Hashable, Sendable {
    /// The topic of the command itself.
    package var command: String
    package var destination: Destination
    package var correlation: [UInt8] = []
    package var id: String?
    /// The command's nonce, which is included in the requested data; empty if there is none.
    package var nonce = ""
    /// The command's target; `nil` if it could not be read.
    package var target: CommandTarget?
  }

  package var address: Address
  package var result: Result

  package init(address: Address, result: Result) {
    self.address = address
    self.result = result
  }
}
