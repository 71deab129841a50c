// Log records for reports about commands.

import TappetCore

extension LogRecord {
  init(_ report: CommandReport) {
    switch report {
    case .accepted(let topic, let target, let by):
      self.init(
        .info, "command-accepted", "command accepted: " + target.text,
        [("command", target.text), ("topic", topic)] + by.fields)
    case .refused(let topic, let target, let refusal, let by):
      self.init(
        .warning, "command-refused", "command refused: " + refusal.sentence(topic: topic),
        [("code", refusal.code)] + (target.map { [("command", $0.text)] } ?? []) + [("topic", topic)]
          + by.fields)
    case .refusedMore(let count):
      self.init(
        .warning, "commands-refused-more", String(count) + " more commands refused in the last minute",
        [("count", String(count))])
    case .subscribed(let topic, isGranted: true):
      self.init(.info, "commands-ready", "commands are accepted from " + topic, [("topic", topic)])
    case .subscribed(let topic, isGranted: false):
      self.init(
        .error, "commands-denied",
        "the broker does not allow this kiosk to read " + topic
          + ": no commands are received; allow the topic in the broker's access list",
        [("topic", topic)])
    }
  }
}

extension CommandRefusal {
  /// Returns a sentence with the refusal, its reason and the remedy; `topic` may be a room.
  @export(interface)
  package func sentence(topic: String) -> String {
    let isRoom = RoomAddress.isValid(topic)
    let place = isRoom ? "room" : "topic"
    return switch self {
    case .retained:
      "it is a retained message, which the broker resends on each connection; publish without the retain flag, and "
        + "clear it: mosquitto_pub -r -n -t " + topic
    case .tooLarge(let size): "it is " + String(size) + " bytes long; the maximum is 2,048"
    case .malformed:
      "it is not a command that this \(place) accepts; "
        + (isRoom ? "send !help to list the commands" : "see docs/commands.md for the formats")
    case .notAllowed: "not permitted here; see 'actions', 'outputs', 'people' and 'check' under 'commands'"
    case .stranger: "its sender is not listed in 'users' of this room, and does not have the required 'power_level'"
    case .unproved: "its proof is missing: the token, the time 't', or the signature"
    case .badToken: "its token was not created with this topic's key"
    case .badSignature: "its signature was not created with a key that this topic accepts"
    case .clockUnknown: "the clock is not synchronized, so its age is unknown"
    case .late(let seconds): "it is " + CommandRefusal.text(seconds) + " old"
    case .early(let seconds):
      "its time is " + CommandRefusal.text(seconds) + " ahead; one of the two clocks is wrong"
    case .justStarted:
      "it was sent before or shortly after this kiosk started, and may already have been executed; send it again"
    case .repeated: "it was already executed, or this kiosk created its token for someone else; send a new command"
    case .overtaken: "a newer command for the same output or action arrived first; send it again if it still applies"
    case .memoryFull: "too many commands arrived at the same time; send it again later"
    case .tooMany(let wait):
      "too many commands \(isRoom ? "in" : "on") this \(place); try again in "
        + String((wait.wholeMilliseconds + 999) / 1000) + " s"
    case .locked: "the buttons are locked, and this \(place) has 'locked: true'"
    case .action(let refusal): refusal.sentence(.command)
    case .output(let refusal): refusal.sentence
    case .undeliverable: "the broker permanently refused the action's message"
    }
  }

  private static func text(_ seconds: Int64) -> String {
    seconds > 1_000_000_000 ? "decades" : String(seconds) + " s"
  }
}

extension Trigger {
  /// Word for a request that this trigger makes.
  package var word: String {
    @export(interface) get {
      switch self {
      case .tag: "tap"
      case .button: "press"
      case .command: "command"
      case .inventory: "inventory"
      case .input: "input"
      }
    }
  }

  /// Machine-readable name of the trigger.
  package var name: String {
    @export(interface) get {
      switch self {
      case .tag: "tag"
      case .button: "button"
      case .command: "command"
      case .inventory: "inventory"
      case .input: "input"
      }
    }
  }
}
