// A command as it arrived: what it asks for, and what it shows as proof. Nothing in it is trusted yet.

/// The wish of a command.
package enum CommandTarget: Hashable, Sendable {
  /// To run the action of this name.
  case action(String)
  /// To drive an output.
  case output(OutputOrder)
  /// The firmware's command 4: to open, to stop after 10 s and to close after 60 s.
  case timedOpening
  /// The firmware's command 5: to report.
  case report
  /// To say how the kiosk is; in rooms alone.
  case status
  /// To publish how its parts are.
  case check
  /// To list the last rows of the log of taps; in rooms alone.
  case history
  /// To suspend the person of this name, or to accept their tags again; in rooms alone.
  case person(String, isSuspended: Bool)

  /// The lines of the signed form that say what is asked for (docs/formats.md, "Commands").
  var signedLines: String {
    switch self {
    case .action(let name): "action\n" + name
    case .output(let order): "output\n" + order.output + "\n" + order.request.word
    case .check: "run\ncheck"
    // Nobody signs these.
    case .timedOpening, .report, .status, .history, .person: ""
    }
  }

  /// The thing that it is about: of two commands about the same, the older must not come last.
  var subject: String {
    switch self {
    case .action(let name): "action " + name
    case .output(let order): "output " + order.output
    case .timedOpening, .report, .status, .check, .history, .person: text
    }
  }

  /// The wish in the log: `garage`, `gate pulse`.
  package var text: String {
    switch self {
    case .action(let name): name
    case .output(let order): order.output + " " + order.request.word
    case .timedOpening: "open, stop, close"
    case .report: "report"
    case .status: "status"
    case .check: "check"
    case .history: "history"
    case .person(let name, let isSuspended): (isSuspended ? "suspend " : "resume ") + name
    }
  }
}

/// The members of one command.
package struct CommandRequest: Hashable, Sendable {
  /// The form of what is asked for.
  package enum Form: Hashable, Sendable {
    case target(CommandTarget)
    /// One word, whose meaning depends on the topic: `on` where there is one output.
    case word(String)
    /// A number of the ESP32 firmware's.
    case number(Int64)
    /// An action URL (docs/formats.md, "Tag URL"), which names its action.
    case url([UInt8])
  }

  package var form: Form
  /// The sender's name for it, which returns in the replies.
  package var id: String?
  /// When it was sent, in seconds since 1970.
  package var unixSeconds: Int64?
  package var token: String?
  package var nonce: String?
  /// HMAC-SHA256 in hexadecimal digits.
  package var hmac: String?

  /// A request without proof.
  package init(_ form: Form, id: String? = nil, unixSeconds: Int64? = nil) {
    self.form = form
    self.id = id
    self.unixSeconds = unixSeconds
  }

  /// The bytes that an HMAC signs (docs/formats.md, "Commands"); `nil` if a part of them is missing.
  package func signedBytes(topic: String) -> [UInt8]? {
    guard case .target(let target) = form, let unixSeconds, let nonce else { return nil }
    let lines = ["tappet-command-1", topic, String(unixSeconds), nonce, id ?? "", target.signedLines]
    return Array(lines.joined(separator: "\n").utf8)
  }
}

/// Where MQTT 5 asks for the reply.
package struct CommandResponse: Hashable, Sendable {
  /// The response topic; `nil` means that none was given.
  package var topic: String?
  /// Returned as it is.
  package var correlation: [UInt8]

  /// The properties of a PUBLISH.
  package init(topic: String?, correlation: [UInt8]) {
    self.topic = topic
    self.correlation = correlation
  }
}

/// A message on a topic with commands.
package struct CommandArrival: Sendable {
  /// The content of the payload.
  package enum Content: Hashable, Sendable {
    /// Not looked at: the message was retained, or too large.
    case unread
    case malformed
    /// A report of the ESP32 firmware's or our own, or a kiosk's reply: nobody's command.
    case report
    case request(CommandRequest)
  }

  package var topic: String
  package var isRetained: Bool
  /// Bytes of its payload.
  package var size: Int
  package var content: Content
  package var response: CommandResponse?
  /// The sender, if it comes from a room.
  package var sender: RoomSender?
  /// Whether it comes from the control socket, for a test: its reply goes there.
  package var isTest = false

  /// A message with this content.
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

/// Why a command does not act, in the order of the checks.
package enum CommandRefusal: Error, Hashable, Sendable {
  /// The broker keeps it and sends it at each connect.
  case retained
  case tooLarge(size: Int)
  /// Not a command in JSON or in one word.
  case malformed
  /// The topic's configuration does not allow it, or it is not there.
  case notAllowed
  /// Its sender may not command this kiosk.
  case stranger
  /// The token, the time or the signature is missing.
  case unproved
  /// Not a token under the topic's key.
  case badToken
  /// Nobody with the key signed it.
  case badSignature
  /// Nothing can be judged until the clock is right.
  case clockUnknown
  /// It was sent this number of seconds too early.
  case late(seconds: Int64)
  /// By its own time, it is from the future.
  case early(seconds: Int64)
  /// It may have acted before this kiosk was started.
  case justStarted
  case repeated
  /// A newer one for the same output or action came before it.
  case overtaken
  /// Too many are remembered; none more is accepted until the first are over.
  case memoryFull
  case tooMany(wait: Duration)
  case locked
  /// The action cannot run now.
  case action(TapRefusal)
  /// The output cannot be driven now.
  case output(OutputRefusal)
  /// The broker refused the action's message for good.
  case undeliverable
}

/// The end of a command, for its sender.
package struct CommandReply: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    /// It will be done; what that takes has begun.
    case accepted
    case done
    case refused(CommandRefusal)
    /// Accepted before, but the message never reached the broker.
    case expired
  }

  /// Where a reply goes.
  package enum Destination: Hashable, Sendable {
    /// No sender gets it, only a program around the kiosk.
    case nobody
    case topic(String)
    /// The client of the control socket that tested the command.
    case test
    /// The sender of this event in a room.
    case room(event: String)
  }

  /// Where to send a reply, and how its sender knows it.
  package struct Address: Hashable, Sendable {
    /// The topic of the command itself.
    package var command: String
    package var destination: Destination
    package var correlation: [UInt8] = []
    package var id: String?
    /// The command's nonce, which returns with what it asked to publish; empty without one.
    package var nonce = ""
    /// The command's wish; `nil` when that could not be read.
    package var target: CommandTarget?
  }

  package var address: Address
  package var result: Result

  package init(address: Address, result: Result) {
    self.address = address
    self.result = result
  }
}
