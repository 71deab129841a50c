// Log records for taps, presses and entries.

import TappetConfig
import TappetCore

extension LogRecord {
  init(_ report: TapReport) {
    switch report {
    case .refused(let by, let uid, let refusal, _):
      let tag: [Field] =
        (uid.map { [("uid", Hex.encode($0.bytes))] } ?? []) + (refusal.unknownCode.map { [("scanned", $0)] } ?? [])
      self.init(
        .warning, by.trigger.word + "-refused", refusal.sentence(by.trigger),
        [("code", refusal.code)] + (refusal.action.map { [("action", $0)] } ?? []) + tag + by.fields)
    case .ignored(let uid, let action, let reason, _):
      self.init(
        .info, "tap-ignored", reason.sentence,
        [("code", reason.code), ("uid", Hex.encode(uid.bytes))] + (action.map { [("action", $0)] } ?? [])
      )
    case .refusedMore(let count):
      self.init(
        .warning, "refused-more",
        String(count) + " more taps refused or ignored in the last minute",
        [("count", String(count))])
    case .performed(let action, let by, let uid, _):
      self.init(
        .info, by.trigger.word + "-performed", "done: " + action,
        [("action", action)] + (uid.map { [("uid", Hex.encode($0.bytes))] } ?? []) + by.fields)
    case .confirming(let action, _, let within, let room?):
      self.init(
        .info, "confirming",
        "confirmation of " + action + " was requested in " + room + "; respond within "
          + String(within.wholeMilliseconds / 1000) + " s",
        [("action", action), ("room", room)])
    case .confirming(let action, let trigger, let within, nil):
      let seconds = String(within.wholeMilliseconds / 1000)
      self.init(
        .info, "confirming",
        trigger == .tag
          ? "leave the tag for " + seconds + " s to confirm " + action + "; take it away or press a button to cancel"
          : "press again within " + seconds + " s to confirm " + action + "; press another button to cancel",
        [("action", action)])
    case .confirmationEnded(let action, let end):
      self.init(
        .info, "not-confirmed", action + " was not confirmed: " + end.sentence,
        [("code", end.code), ("action", action)] + (end.user.map { [("by", $0)] } ?? []))
    }
  }

  init(_ report: EntryReport, _ configuration: KioskConfiguration) {
    switch report {
    case .accepted(let entry, let uid):
      self.init(
        .info, entry.trigger.word + "-accepted", "accepted: \(entry.action)",
        entry.fields(configuration) + (uid.map { [("uid", Hex.encode($0.bytes))] } ?? [])
          + (entry.by?.fields ?? []))
    case .queued(let entry, let reason):
      self.init(
        .notice, "queued", "\(entry.action) is pending: \(reason.sentence)",
        [("code", reason.code)] + entry.fields(configuration))
    case .delivered(let entry, let after, let isHeard):
      let time: [Field] = after.map { [("after_ms", String($0.wholeMilliseconds))] } ?? []
      self.init(
        isHeard ? .info : .notice, "delivered",
        entry.deliveredSentence(configuration) + (isHeard ? "" : ", but its topic has no subscriber"),
        entry.fields(configuration) + time + (isHeard ? [] : [("subscribers", "none")]))
    case .deliveredOfMany(let entry, _):
      self.init(.info, "delivered", entry.deliveredSentence(configuration), entry.fields(configuration))
    case .deliveredMore(let count):
      self.init(
        .info, "delivered-more", "delivered \(count) more pending entries", [("count", String(count))])
    case .expired(let entry):
      self.init(
        .warning, "expired",
        "\(entry.action) expired before the \(entry.receiver) accepted it; it will not be sent"
          + (entry.refusal.map { ": " + LinkFailure.publishRefusal($0) } ?? ""),
        entry.fields(configuration) + (entry.refusal == nil ? [] : [("code", "broker-refuses")]))
    case .droppedMore(let count):
      self.init(
        .notice, "dropped-more", "\(count) entries were removed from the outbox; they will not be sent",
        [("count", String(count))])
    case .dropped(let entry), .droppedOfMany(let entry):
      self.init(
        .notice, "dropped", "\(entry.action) was removed from the outbox; it will not be sent",
        entry.fields(configuration))
    case .undeliverable(let entry, let code):
      self.init(
        .error, "undeliverable", LinkFailure.undeliverable(entry.action, code: code), entry.fields(configuration))
    case .setAside(let entry, let index):
      self.init(
        .warning, "set-aside", entry.setAsideSentence(configuration.endpointName(index)),
        [("code", "closed-at-message")] + entry.fields(configuration) + [("bytes", String(entry.message.size))])
    case .givenUp(let entry, let reason): self.init(entry, reason, configuration)
    }
  }
}

extension OutboxEntry {
  func fields(_ configuration: KioskConfiguration) -> [Field] {
    let place: Field =
      destination == .broker ? ("topic", topic) : ("destination", configuration.kind(of: destination, for: action))
    return [("action", action), ("id", id.hex), place]
  }

  fileprivate func deliveredSentence(_ configuration: KioskConfiguration) -> String {
    guard configuration.hasBothDestinations(action) else { return "delivered: " + action }
    return "delivered to the " + configuration.kind(of: destination, for: action) + ": " + action
  }

  fileprivate var receiver: String { destination == .broker ? "broker" : "server" }

  fileprivate func setAsideSentence(_ broker: String) -> String {
    "\(broker) closes the connection on each message of \(message.size) bytes to \(topic.quoted), so \(action) is "
      + "moved behind all other entries and retried until it expires: change the topic or the broker's access list, "
      + "or run 'tappet outbox drop \(id.hex)'"
  }
}

extension QueueReason {
  var sentence: String {
    switch self {
    case .linkDown: "the broker is unavailable; it is sent when the link is restored, unless it expires first"
    case .clockUnknown: "the clock is not synchronized; it is sent once the clock is, unless it expires first"
    case .webhookFails:
      "its server failed last time; it is sent when the server recovers, unless it expires first"
    case .homeAssistantAway:
      "Home Assistant is unavailable; it is sent when Home Assistant is back, unless it expires first"
    case .behindOthers(let count): plural(count, "other entry is", "other entries are") + " ahead of it"
    case .brokerRefuses(let code):
      "the broker refuses it for now (\(LinkFailure.publishRefusal(code))); it is sent again, unless it expires first"
    case .retried: "it was given up, and is sent again at a user's request, unless it expires first"
    }
  }
}

extension TapIgnored {
  var sentence: String {
    switch self {
    case .held: "the tag has been on the reader since its last tap or the kiosk's start; remove it and tap again"
    case .cooldown(let remaining):
      "tapped again too soon; the action's cooldown ends in \(remaining.wholeMilliseconds) ms"
    }
  }
}
