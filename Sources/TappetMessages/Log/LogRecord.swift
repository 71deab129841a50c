// The core's reports as log records: what happened, where, and what to do next.

import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform
import TappetSQLite
import TappetStore
import TappetTLS

/// The urgency of a log record, by syslog's numbers.
package enum Priority: UInt8, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7

  /// Its name in a log without numbers.
  package var name: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .notice: "notice"
    case .info: "info"
    case .debug: "debug"
    }
  }
}

/// One fact of a log record.
package typealias Field = (key: String, value: String)

/// A line of the log.
package struct LogRecord: Sendable {
  /// The record's urgency.
  package var priority: Priority
  /// The event's name, for `--json` and filters.
  package var name: String
  /// One sentence for a person.
  package var sentence: String
  /// The facts, `event` first.
  package var fields: [Field]

  package init(_ priority: Priority, _ name: String, _ sentence: String, _ fields: [Field] = []) {
    self.priority = priority
    self.name = name
    self.sentence = sentence
    self.fields = [("event", name)] + fields
  }

  /// The record of a damaged database and its recovery.
  @export(interface)
  package init(_ recovery: StoreRecovery) {
    var sentence: String
    if let path = recovery.setAside {
      sentence =
        "the database was damaged: it was kept as " + path + " and a new one started; "
        + "the entries in it will not be sent; "
    } else {
      sentence = "the database had lost the last changes of the secrets; "
    }
    if recovery.restoredCount == nil {
      sentence += "there was no copy of the secrets: import them again"
    } else {
      let count = recovery.secretCount
      sentence += String(count) + (count == 1 ? " secret was" : " secrets were") + " restored from the copy"
    }
    self.init(.error, "database-damaged", sentence + ". Look for errors of the disk in the kernel's log")
  }

  /// The record of a failure to update the copy of the secrets.
  package init(replicaError: DatabaseError) {
    self.init(
      .warning, "copy-trouble", "the copy of the secrets is not up to date: " + replicaError.sentence)
  }

  /// The record of a helper that asked at the control socket.
  package init(refused peer: LocalPeer) {
    self.init(
      .error, "helper-refused",
      "\(peer.program), the kiosk's own process, asked at the control socket, and was killed: what it read may have "
        + "taken it over. Update the system's libraries, and tell Tappet's authors",
      [("program", peer.program), ("process", String(peer.process))])
  }

  /// The record of `report`, with the names of this configuration.
  @export(interface)
  package init(_ report: Report, _ configuration: KioskConfiguration) {
    switch report {
    case .readerReady(let device):
      self.init(.notice, "reader-ready", KioskStatus.Reader.ready.sentence(configuration), [("device", device)])
    case .readerLost(let loss):
      self.init(.error, "reader-lost", loss.sentence(device: configuration.readerDevice), [("code", loss.code)])
    case .refused(let trigger, let uid, let refusal, _):
      self.init(
        .warning, trigger.word + "-refused", refusal.sentence(trigger),
        [("code", refusal.code)] + (refusal.action.map { [("action", $0)] } ?? [])
          + (uid.map { [("uid", Hex.encode($0.bytes))] } ?? []))
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
    case .accepted(let entry, let uid):
      self.init(
        .info, entry.trigger.word + "-accepted", "accepted: \(entry.action)",
        entry.fields + (uid.map { [("uid", Hex.encode($0.bytes))] } ?? []))
    case .performed(let action, let trigger, let uid, _):
      self.init(
        .info, trigger.word + "-performed", "done: " + action,
        [("action", action)] + (uid.map { [("uid", Hex.encode($0.bytes))] } ?? []))
    case .outputSwitched(let index, let isOn, let reason):
      self.init(configuration.outputName(index), isOn: isOn, reason)
    case .outputWaits(let index, let wait, let cause):
      self.init(configuration.outputName(index), waits: wait, cause)
    case .commandAccepted(let topic, let wish, let user): self.init(accepted: wish, topic: topic, by: user)
    case .commandRefused(let topic, let wish, let refusal, let user):
      self.init(refused: wish, topic: topic, refusal, by: user)
    case .commandsRefusedMore(let count): self.init(moreCommandsRefused: count)
    case .commandsSubscribed(let topic, let isGranted): self.init(subscribedTo: topic, isGranted: isGranted)
    case .outputRefused(let order, let cause, let refusal): self.init(order, cause, refusal)
    case .queued(let entry, let reason):
      self.init(.notice, "queued", "\(entry.action) waits: \(reason.sentence)", [("code", reason.code)] + entry.fields)
    case .deliveredMore(let count):
      self.init(
        .info, "delivered-more", "delivered \(count) more of the entries that waited", [("count", String(count))])
    case .deliveredOfMany(let entry): self.init(.info, "delivered", "delivered: \(entry.action)", entry.fields)
    case .delivered(let entry, let after):
      let time: [Field] = after.map { [("after_ms", String($0.wholeMilliseconds))] } ?? []
      self.init(.info, "delivered", "delivered: \(entry.action)", entry.fields + time)
    case .deliveredUnheard(let entry, let after):
      let time: [Field] = after.map { [("after_ms", String($0.wholeMilliseconds))] } ?? []
      self.init(
        .notice, "delivered", "delivered: \(entry.action), but nobody subscribes to its topic",
        entry.fields + time + [("subscribers", "none")])
    case .expired(let entry):
      self.init(
        .warning, "expired", "\(entry.action) expired before the \(entry.receiver) took it; it will not be sent",
        entry.fields)
    case .droppedMore(let count):
      self.init(
        .notice, "dropped-more", "\(count) entries were removed from the outbox; they will not be sent",
        [("count", String(count))])
    case .dropped(let entry), .droppedOfMany(let entry):
      self.init(
        .notice, "dropped", "\(entry.action) was removed from the outbox; it will not be sent", entry.fields)
    case .undeliverable(let entry, let code):
      self.init(.error, "undeliverable", entry.undeliverableSentence(code), entry.fields)
    case .setAside(let entry, let index):
      self.init(
        .warning, "set-aside", entry.setAsideSentence(configuration.endpointName(index)),
        [("code", "closed-at-message")] + entry.fields + [("bytes", String(entry.message.size))])
    case .webhookWaits(let action, let fault, let pause): self.init(action, waits: pause, fault, configuration)
    case .webhookBack(let action):
      self.init(.notice, "webhook-good", configuration.webhookName(action) + " works again", [("action", action)])
    case .webhookGivenUp(let entry, let reason): self.init(entry, reason, configuration)
    case .webhooksLost(let loss): self.init(.error, "webhooks-lost", loss.sentence(), [("code", loss.code)])
    case .webhooksBack: self.init(.notice, "webhooks-good", "tappet-webhook works again")
    case .inventory(let report): self.init(report)
    case .inventoryLost(let loss):
      self.init(.error, "inventory-lost", loss.sentence("tappet-inventory"), [("code", loss.inventoryCode)])
    case .inventoryBack: self.init(.notice, "inventory-good", "tappet-inventory works again")
    case .scanner(let code): self.init(scannerErrno: code)
    case .roomAccess(let room, let access): self.init(access, room)
    case .roomsFailing(let fault): self.init(roomsFail: fault, configuration)
    case .roomsListening: self.init(.notice, "rooms-listening", "the homeserver answers again: commands are heard")
    case .roomsLost(let loss):
      self.init(.error, "rooms-lost", loss.sentence(configuration.roomsProgram), [("code", loss.roomsCode)])
    case .roomsBack: self.init(.notice, "rooms-good", "the process that listens in rooms works again")
    case .linkUp(let index, let usesFallback):
      let condition = KioskStatus.Link.connected(endpoint: index, usesFallback: usesFallback)
      self.init(.notice, "broker-connected", condition.sentence(configuration))
    case .linkFellBack(let index, let failure, let duration):
      let days = duration.wholeMilliseconds / (24 * 3600 * 1000)
      self.init(
        .warning, "broker-fallback", failure.fallbackSentence(configuration.endpointName(index), days: days),
        [("code", failure.code)])
    case .linkWithoutRetained(let index):
      self.init(
        .warning, "broker-without-retained",
        configuration.endpointName(index) + " keeps no retained messages: the kiosk's status, and whatever else is to "
          + "be retained, reaches only those who have subscribed by then")
    case .linkFailed(let index, let failure, let delay):
      self.init(
        .warning, "broker-unreachable", KioskStatus.Link.failed(endpoint: index, failure).sentence(configuration),
        [("code", failure.code), ("retry_in_ms", String(delay.wholeMilliseconds))])
    case .linkLost(let index, let failure, let delay):
      self.init(
        .warning, "broker-lost", KioskStatus.Link.failed(endpoint: index, failure).sentence(configuration),
        [("code", failure.code), ("retry_in_ms", String(delay.wholeMilliseconds))])
    case .linkStorm(let losses, let rest):
      self.init(.error, "broker-storm", KioskStatus.Link.resting(losses: losses, rest: rest).sentence(configuration))
    case .linkClosed:
      self.init(.info, "broker-disconnected", KioskStatus.Link.closed.sentence(configuration))
    case .clockGood:
      self.init(
        .notice, "clock-good",
        "the clock is synchronised: messages with a timestamp are sent, and commands judged, again")
    case .clockUnknown:
      self.init(
        .warning, "clock-unknown",
        "the clock is not synchronised: messages with a timestamp, and entries from before the last start of the "
          + "machine, wait for it, and commands with a time are refused; start a time service, or set 'clock: trust'")
    case .certificateExpiring(let days):
      self.init(.warning, "certificate-expiring", LogRecord.certificateSentence(days), [("days_left", String(days))])
    case .certificatesGood:
      self.init(.notice, "certificates-good", "the certificates have more than 14 days left again")
    case .storeTrouble(let fault):
      self.init(.error, "disk-trouble", fault.sentence(folder: configuration.stateFolder), [("code", fault.code)])
    case .storeRecovered:
      self.init(.notice, "disk-good", "the disk accepts entries again")
    case .outboxRestored(let count):
      self.init(
        .notice, "outbox-restored",
        "\(count) accepted \(count == 1 ? "entry is" : "entries are") waiting from the "
          + "last run")
    case .stopping(let count):
      self.init(.notice, "stopping", "stopping", count > 0 ? [("unacknowledged", String(count))] : [])
    case .panelLost(let part, let fault):
      self.init(.error, "panel-lost", fault.sentence(part, configuration), [("code", fault.code)])
    case .panelRecovered(let part):
      self.init(.notice, "panel-good", part.name(configuration) + " can be used again")
    case .buttonStuck(let index):
      self.init(.warning, "button-stuck", KioskStatus.PanelProblem.stuck(button: index).sentence(configuration))
    case .buttonChattering(let index):
      self.init(
        .warning, "button-chattering", KioskStatus.PanelProblem.chattering(button: index).sentence(configuration))
    case .buttonRecovered(let index):
      self.init(.notice, "button-good", PanelPart.input(index).name(configuration) + " can be used again")
    case .panelLocked:
      self.init(.info, "locked", "the buttons are locked")
    case .panelUnlocked(let trigger):
      self.init(.info, "unlocked", trigger == .tag ? "a tag unlocked the buttons" : "the code unlocked the buttons")
    case .codeRefused(let wait):
      let seconds = wait.wholeMilliseconds / 1000
      self.init(
        .warning, "code-refused",
        seconds > 0 ? "wrong code; try again in " + String(seconds) + " s" : "wrong code")
    case .siteApplied(let record): self.init(applied: record)
    case .siteRefused(let refusal): self.init(refusedBundle: refusal)
    case .siteDenied: self.init(siteDenied: configuration.site?.topic ?? "")
    case .confirming(let action, _, let within, let room?):
      self.init(
        .info, "confirming",
        "asked in " + room + " whether to do " + action + "; answer within "
          + String(within.wholeMilliseconds / 1000) + " s",
        [("action", action), ("room", room)])
    case .confirming(let action, let trigger, let within, nil):
      let seconds = String(within.wholeMilliseconds / 1000)
      self.init(
        .info, "confirming",
        trigger == .tag
          ? "leave the tag for " + seconds + " s to confirm " + action + "; take it away or press a button to cancel"
          : "press again within " + seconds + " s to confirm " + action + "; another button cancels",
        [("action", action)])
    case .confirmationEnded(let action, let end):
      self.init(
        .info, "not-confirmed", action + " was not confirmed: " + end.sentence,
        [("code", end.code), ("action", action)] + (end.user.map { [("user", $0)] } ?? []))
    }
  }

  private static func certificateSentence(_ days: Int) -> String {
    let when =
      days < 0
      ? "ended " + CertificateDetails.ago(daysLeft: Int64(days))
      : "ends in " + String(days) + (days == 1 ? " day" : " days")
    return "a certificate " + when + "; run 'tappet check' to see which, and replace its file"
  }

  /// The record for `watch` and `--json`.
  package var json: JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "event", value: .string(name)), JSON.Member(name: "text", value: .string(sentence)),
    ]
    for field in fields where field.key != "event" {
      members.append(JSON.Member(name: field.key, value: .string(field.value)))
    }
    return .object(members)
  }
}

extension KioskConfiguration {
  /// The priority's name for people.
  func endpointName(_ index: Int) -> String {
    guard broker.endpoints.indices.contains(index) else { return "the broker" }
    return broker.endpoints[index].text
  }
}

extension BrokerEndpoint {
  /// The endpoint as in the configuration: `mqtts://host:port`.
  package var text: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return (usesTLS ? "mqtts://" : "mqtt://") + name + ":\(port)"
  }
}

extension OutboxEntry {
  var fields: [Field] {
    [("action", action), ("id", id.hex)] + [destination == .broker ? ("topic", topic) : ("destination", "webhook")]
  }

  fileprivate var receiver: String { destination == .broker ? "broker" : "webhook's server" }

  fileprivate func setAsideSentence(_ broker: String) -> String {
    "\(broker) closes the connection at each message of \(message.size) bytes to \(topic.quoted), so \(action) waits "
      + "behind all others, and is tried again until it expires: change the topic or the broker's access list, or run "
      + "'tappet outbox drop \(id.hex)'"
  }

  fileprivate func undeliverableSentence(_ code: Int32?) -> String {
    guard let code else {
      return
        "\(action) cannot be sent: its %T cannot be filled; is 'timestamp_key' still configured, is the clock right?"
    }
    return "the broker refused \(action) for good: \(LinkFailure.publishRefusal(code))"
  }
}

extension QueueReason {
  var sentence: String {
    switch self {
    case .linkDown: "the broker is away; it is sent when the link is back, unless it expires before"
    case .clockUnknown: "the clock is not synchronised; it is sent when it is, unless it expires before"
    case .webhookFails: "its webhook's server failed last time; it is sent when that is back, unless it expires before"
    case .homeAssistantAway: "Home Assistant is away; it is sent when that is back, unless it expires before"
    case .behindOthers(let count): "\(count) others are before it"
    }
  }
}

extension TapIgnored {
  var sentence: String {
    switch self {
    case .held: "the tag lies on the reader since its last tap or the kiosk's start; take it away and tap again"
    case .cooldown(let remaining):
      "tapped again too soon; the action's cooldown lasts \(remaining.wholeMilliseconds) ms more"
    }
  }
}

extension StoreFault {
  @export(interface)
  package func sentence(folder: String) -> String {
    switch self {
    case .full: "no space is left in \(folder): taps are refused until there is; delete something"
    case .readOnly: "\(folder) is read-only: taps are refused; remount it, or look for disk errors in the kernel's log"
    case .ioError: "the disk under \(folder) reports an error: taps are refused; the card may be failing"
    case .corrupt:
      "the database in \(folder) is damaged: taps are refused until a new one has been tried, which takes seconds"
    case .busy: "another program holds the database in \(folder): taps are refused until it closes"
    case .other(let code): "the database in \(folder) cannot be written (SQLite code \(code)): taps are refused"
    }
  }
}
