// Passes commands from the broker to the core, and the core's replies to the broker.

import TappetBroker
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

extension Runtime {
  /// Handles messages and subscription replies for the command topics.
  func receive(_ reception: LinkReception, at time: Instant) {
    switch reception {
    case .message(let message):
      if heardHomeAssistant(message) || heardSite(message) { return }
      let isFirmware = configuration.commands.contains { $0.topic == message.topic && $0.firmware != nil }
      var arrival = CommandArrival(message, isFirmware: isFirmware)
      arrival.receivedAt = time
      inbox.append(.commandArrived(arrival))
    case .subscribed(let request, let qos, _):
      let (index, isGranted) = (Int(truncatingIfNeeded: request), qos != nil)
      if answeredSite(index, isGranted: isGranted) || answeredHomeAssistant(index, isGranted: isGranted) { return }
      inbox.append(.commandsSubscribed(index, isGranted: isGranted))
    case .discarded: inbox.append(.commandsDiscarded)
    case .unsubscribed: break
    }
  }

  /// Validates tokens with the current key for `%T` from now on.
  func replaceCommandKeys() {
    guard !configuration.commands.isEmpty else { return }
    var settings = kiosk.settings
    settings.commands = configuration.commandPlans
    feed(.reconfigured(settings, reconnect: false))
  }

  /// Publishes a reply; if there is no connection, the reply is lost, and the sender's timeout applies.
  func send(_ reply: CommandReply, at now: Moment) {
    observers.onReply?(reply)
    switch reply.address.destination {
    case .nobody: break
    case .test: control.commandReply = control.commandReply ?? reply
    case .room(let event): answer(reply, event: event)
    case .topic(let topic):
      broker?.publish(
        id: nil, topic: topic, payload: reply.json(unixSeconds: now.unixSeconds).encoded(), isRetained: false,
        correlation: reply.address.correlation)
    }
  }
}

extension CommandArrival {
  /// Creates the command from a message; the content of a retained or oversized message is not read.
  init(_ message: LinkMessage, isFirmware: Bool) {
    let isRead = !message.isRetained && message.size <= Limits.commandSizeMax
    self.init(
      topic: message.topic, isRetained: message.isRetained, size: message.size,
      content: isRead ? Content(message.payload, isFirmware: isFirmware) : .unread, response: message.response)
  }
}

extension CommandReply.Result {
  /// Name of the result in a reply.
  var word: String {
    switch self {
    case .accepted: "accepted"
    case .done: "done"
    case .refused, .expired: "refused"
    case .interrupted: "interrupted"
    }
  }
}

extension CommandReply {
  /// Returns the reply in its published form (docs/formats.md, "Commands").
  func json(unixSeconds: Int64) -> JSON {
    var members = [JSON.Member(name: "id", value: .optional(address.id))]
    func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name: name, value: value)) }
    add("result", .string(result.word))
    if let code = result.code { add("code", .string(code)) }
    // A refusal does not repeat the request, because other senders could mistake it for a reply to theirs.
    switch result.word == "refused" ? nil : address.target {
    case .action(let name): add("action", .string(name))
    case .output(let order):
      add("output", .string(order.output))
      add("do", .string(order.request.rawValue))
    case .timedOpening: add("command", .number(4))
    case .report: add("command", .number(5))
    case .check: add("run", .string("check"))
    case .status, .history, .person, nil: break
    }
    add("t", .number(unixSeconds))
    return .object(members)
  }
}
