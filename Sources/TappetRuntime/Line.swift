// Reports as lines for people: what happened, where, what to do next. The one place that turns the core's facts into words.

import TappetCore
import TappetDevices

/// A report in words.
public struct Line: Sendable {
  /// How urgent.
  public var priority: Priority
  /// The event's name, for `--json` and filters.
  public var name: String
  /// One sentence for a person.
  public var sentence: String
  /// The facts.
  public var fields: [Field]

  init(_ priority: Priority, _ name: String, _ sentence: String, _ fields: [Field] = []) {
    self.priority = priority
    self.name = name
    self.sentence = sentence
    self.fields = [("event", name)] + fields
  }

  /// Says what was done about a damaged database.
  init(_ recovery: StoreRecovery) {
    var sentence: String
    if let path = recovery.setAside {
      sentence =
        "the database was damaged: it is kept as " + path + ", a new one is begun, and what waited in it is not sent; "
    } else {
      sentence = "the database had lost the last changes of the secrets; "
    }
    if recovery.restoredCount == nil {
      sentence += "there was no copy of the secrets: import them anew"
    } else {
      let count = recovery.secretCount
      sentence += String(count) + (count == 1 ? " secret was" : " secrets were") + " restored from the copy"
    }
    self.init(.error, "database-damaged", sentence + ". Look for errors of the disk in the kernel's log")
  }

  /// Says why the secrets have no copy.
  public init(copyTrouble: StoreError) {
    self.init(
      .warning, "copy-trouble", "the copy of the secrets is not up to date: " + copyTrouble.sentence)
  }

  /// Says `report` in the words of this configuration.
  public init(_ report: Report, _ configuration: Configuration) {
    switch report {
    case .readerReady(let device):
      self.init(.notice, "reader-ready", "the reader is ready", [("device", device)])
    case .readerLost(let loss):
      self.init(.error, "reader-lost", loss.sentence(device: configuration.readerDevice))
    case .refused(let trigger, let uid, let refusal):
      self.init(
        .warning, trigger == .tag ? "tap-refused" : "press-refused", refusal.sentence(trigger),
        uid.map { [("uid", Hex.encode($0.bytes))] } ?? [])
    case .ignored(let uid, let action, let reason):
      self.init(
        .info, "tap-ignored", reason.sentence,
        [("uid", Hex.encode(uid.bytes))] + (action.map { [("action", $0)] } ?? []))
    case .refusedMore(let count):
      self.init(
        .warning, "refused-more",
        "… and " + String(count) + " more that were refused or ignored within a minute, not told one by one",
        [("count", String(count))])
    case .accepted(let entry, let uid):
      self.init(
        .info, entry.trigger == .tag ? "tap-accepted" : "press-accepted", "accepted: \(entry.action)",
        entry.fields + (uid.map { [("uid", Hex.encode($0.bytes))] } ?? []))
    case .queued(let entry, let reason):
      self.init(.notice, "queued", "\(entry.action) waits: \(reason.sentence)", entry.fields)
    case .delivered(let entry, let after):
      let time: [Field] = after.map { [("after_ms", String($0.wholeMilliseconds))] } ?? []
      self.init(.info, "delivered", "delivered: \(entry.action)", entry.fields + time)
    case .expired(let entry):
      self.init(
        .warning, "expired", "\(entry.action) expired before the broker took it; it will not be sent", entry.fields)
    case .dropped(let entry):
      self.init(
        .notice, "dropped", "\(entry.action) was taken out of the outbox; it will not be sent", entry.fields)
    case .undeliverable(let entry, let code):
      self.init(.error, "undeliverable", entry.undeliverableSentence(code), entry.fields)
    case .linkUp(let index):
      self.init(.notice, "broker-connected", "connected to \(configuration.endpointName(index))")
    case .linkFailed(let index, let failure, let delay):
      self.init(
        .warning, "broker-unreachable", "\(configuration.endpointName(index)): \(failure.sentence)",
        [("retry_in_ms", String(delay.wholeMilliseconds))])
    case .linkLost(let index, let failure, let delay):
      self.init(
        .warning, "broker-lost", "\(configuration.endpointName(index)): \(failure.sentence)",
        [("retry_in_ms", String(delay.wholeMilliseconds))])
    case .linkStorm(let losses, let rest):
      self.init(
        .error, "broker-storm",
        "\(losses) connections were lost soon after they were made; resting for \(rest.wholeMilliseconds / 1000) s. Does another program use the client id '\(configuration.broker.clientID)'?"
      )
    case .linkClosed:
      self.init(.info, "broker-disconnected", "disconnected from the broker")
    case .clockGood:
      self.init(.notice, "clock-good", "the clock is synchronised: messages with a timestamp are sent again")
    case .clockUnknown:
      self.init(
        .warning, "clock-unknown",
        "the clock is not synchronised: messages with a timestamp wait for it; start a time service, or set 'clock: trust'"
      )
    case .certificateExpiring(let days):
      self.init(.warning, "certificate-expiring", Line.certificateSentence(days), [("days_left", String(days))])
    case .certificatesGood:
      self.init(.notice, "certificates-good", "the certificates have more than 14 days left again")
    case .storeTrouble(let fault):
      self.init(.error, "disk-trouble", fault.sentence(folder: configuration.stateFolder))
    case .storeRecovered:
      self.init(.notice, "disk-good", "the disk takes entries again")
    case .outboxRestored(let count):
      self.init(
        .notice, "outbox-restored", "\(count) accepted \(count == 1 ? "entry waits" : "entries wait") from before")
    case .stopping(let count):
      self.init(.notice, "stopping", "stopping", count > 0 ? [("unacknowledged", String(count))] : [])
    case .panelLost(let part, let fault):
      self.init(.error, "panel-lost", fault.sentence(part, configuration))
    case .panelRecovered(let part):
      self.init(.notice, "panel-good", part.name(configuration) + " can be used again")
    case .buttonStuck(let index):
      self.init(
        .warning, "button-stuck",
        PanelPart.input(index).name(configuration)
          + " was pressed before anybody could have pressed it; it is ignored until it is released. Is 'active_low' right, is it wired to the right line?"
      )
    case .buttonChattering(let index):
      self.init(
        .warning, "button-chattering",
        PanelPart.input(index).name(configuration)
          + " does not come to rest; it is not listened to for half a minute. Check its wire and its 'bias'")
    case .buttonRecovered(let index):
      self.init(.notice, "button-good", PanelPart.input(index).name(configuration) + " can be used again")
    case .panelLocked:
      self.init(.info, "locked", "the buttons are locked: nobody used them for a while")
    case .panelUnlocked(let trigger):
      self.init(.info, "unlocked", trigger == .tag ? "a tag unlocked the buttons" : "the code unlocked the buttons")
    case .codeRefused(let wait):
      let seconds = wait.wholeMilliseconds / 1000
      self.init(
        .warning, "code-refused",
        seconds > 0 ? "wrong code; no code is taken for " + String(seconds) + " s" : "wrong code")
    case .confirming(let action, let trigger, let within):
      let seconds = String(within.wholeMilliseconds / 1000)
      self.init(
        .info, "confirming",
        trigger == .tag
          ? action + " is done when the tag stays for " + seconds + " s; take it away, or press a button, to cancel"
          : action + " is done when it is pressed again within " + seconds + " s; another button cancels",
        [("action", action)])
    case .confirmationEnded(let action, let end):
      self.init(.info, "not-confirmed", action + " was not confirmed: " + end.sentence, [("action", action)])
    }
  }

  private static func certificateSentence(_ days: Int) -> String {
    let when =
      days < 0
      ? "ended " + CertificateDetails.ago(daysLeft: Int64(days))
      : "ends in " + String(days) + (days == 1 ? " day" : " days")
    return "a certificate " + when + "; 'tappet check' says which: replace its file"
  }

  /// For `watch` and `--json`.
  public var json: JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "event", value: .string(name)), JSON.Member(name: "text", value: .string(sentence)),
    ]
    for field in fields where field.key != "event" {
      members.append(JSON.Member(name: field.key, value: .string(field.value)))
    }
    return .object(members)
  }
}

extension Configuration {
  /// As a person would write it.
  func endpointName(_ index: Int) -> String {
    guard broker.endpoints.indices.contains(index) else { return "the broker" }
    return broker.endpoints[index].text
  }
}

extension BrokerEndpoint {
  /// As in the configuration: `mqtts://host:port`.
  public var text: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return (usesTLS ? "mqtts://" : "mqtt://") + name + ":\(port)"
  }
}

extension OutboxEntry {
  fileprivate var fields: [Field] { [("action", action), ("id", id.hex), ("topic", topic)] }

  fileprivate func undeliverableSentence(_ code: Int32?) -> String {
    guard let code else {
      return
        "\(action) cannot be sent: its %T cannot be filled; is 'timestamp_key' still configured, is the clock right?"
    }
    return "the broker refused \(action) for good (reason code \(code)); may this client publish to its topic?"
  }
}

extension QueueReason {
  var sentence: String {
    switch self {
    case .linkDown: "the broker is away; it is sent when the link is back, unless it expires before"
    case .clockUnknown: "the clock is not synchronised; it is sent when it is, unless it expires before"
    case .behindOthers(let count): "\(count) others are before it"
    }
  }
}

extension TapIgnored {
  var sentence: String {
    switch self {
    case .held: "the tag lies on the reader since its last tap; take it away and tap again"
    case .cooldown(let remaining):
      "tapped again too soon; the action's cooldown lasts \(remaining.wholeMilliseconds) ms more"
    }
  }
}

extension StoreFault {
  func sentence(folder: String) -> String {
    switch self {
    case .full: "no space is left in \(folder): taps are refused until there is; delete something"
    case .readOnly: "\(folder) is read-only: taps are refused; remount it, or look for disk errors in the kernel's log"
    case .ioError: "the disk under \(folder) reports an error: taps are refused; the card may be failing"
    case .corrupt:
      "the database in \(folder) is damaged: taps are refused until a new one has been tried, which takes seconds"
    case .busy: "another program holds the database in \(folder): taps are refused until it lets go"
    case .other(let code): "the database in \(folder) cannot be written (SQLite code \(code)): taps are refused"
    }
  }
}
