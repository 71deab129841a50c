// Log records for the core's reports: event, place and remedy.

import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform
import TappetSQLite
import TappetStore
import TappetTLS

/// Priority of a log record, using syslog's numbers.
package enum Priority: UInt8, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7

  /// Name of the priority, for logs without numbers.
  package var name: String {
    @export(interface) get {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .notice: "notice"
      case .info: "info"
      case .debug: "debug"
      }
    }
  }
}

/// A field of a log record, with its key and value.
package typealias Field = (key: String, value: String)

extension Originator {
  /// The field `by`; none for a tag, because the log contains no names of people.
  package var fields: [Field] { text.map { [("by", $0)] } ?? [] }
}

/// A line of the log.
package struct LogRecord: Sendable {
  /// Priority of the record.
  package var priority: Priority
  /// The event's name, for `--json` and filters.
  package var name: String
  /// Human-readable text, one sentence.
  package var sentence: String
  /// The fields, starting with `event`.
  package var fields: [Field]

  package init(_ priority: Priority, _ name: String, _ sentence: String, _ fields: [Field] = []) {
    self.priority = priority
    self.name = name
    self.sentence = sentence
    self.fields = [("event", name)] + fields
  }

  /// Creates the record for a damaged database and its recovery.
  @export(interface)
  package init(_ recovery: StoreRecovery) {
    var sentence: String
    if let path = recovery.setAside {
      sentence =
        "the database was damaged: it was kept as " + path + ", and a new database was created; "
        + "the entries in the damaged one will not be sent; "
    } else {
      sentence = "the database had lost the latest changes to the secrets; "
    }
    if recovery.restoredCount == nil {
      sentence += "there was no copy of the secrets, so import them again"
    } else {
      let count = recovery.secretCount
      sentence += plural(count, "secret was", "secrets were") + " restored from the copy"
    }
    self.init(.error, "database-damaged", sentence + ". Check the kernel's log for disk errors")
  }

  /// Creates the record for a failure to update the copy of the secrets.
  package init(replicaError: DatabaseError) {
    self.init(
      .warning, "copy-trouble", "the copy of the secrets is not up to date: " + replicaError.sentence)
  }

  /// Creates the record for a helper process that connected to the control socket.
  package init(refused peer: LocalPeer) {
    self.init(
      .error, "helper-refused",
      "\(peer.program), the kiosk's own process, connected to the control socket, and was killed: input that it read "
        + "may have taken control of it. Update the system's libraries, and report this to Tappet's authors",
      [("program", peer.program), ("process", String(peer.process))])
  }

  /// Creates the record for `report`, with names from the configuration.
  @export(interface)
  package init(_ report: Report, _ configuration: KioskConfiguration) {
    switch report {
    case .tap(let report): self.init(report)
    case .entry(let report): self.init(report, configuration)
    case .reader(.ready(let device)):
      self.init(.notice, "reader-ready", KioskStatus.Reader.ready.sentence(configuration), [("device", device)])
    case .reader(.lost(let loss)):
      self.init(.error, "reader-lost", loss.sentence(device: configuration.reader?.device), [("code", loss.code)])
    case .link(let report): self.init(report, configuration)
    case .webhook(.waits(let action, let fault, let pause)): self.init(action, waits: pause, fault, configuration)
    case .webhook(.back(let action)):
      self.init(.notice, "webhook-good", configuration.webhookName(action) + " works again", [("action", action)])
    case .helper(let helper, .lost(let loss)):
      self.init(.error, helper.events.lost, loss.sentence(helper.program), [("code", loss.code(of: helper))])
    case .helper(let helper, .back): self.init(.notice, helper.events.back, helper.program + " works again")
    case .store(.trouble(let fault)):
      self.init(.error, "disk-trouble", fault.sentence(folder: configuration.stateFolder), [("code", fault.code)])
    case .store(.recovered): self.init(.notice, "disk-good", "the disk accepts entries again")
    case .clock(let report): self.init(report, configuration)
    case .panel(let report): self.init(report, configuration)
    case .output(let report): self.init(report, configuration)
    case .input(let report): self.init(report)
    case .command(let report): self.init(report)
    case .room(.access(let room, let access)): self.init(access, room)
    case .room(.unreadable(let line)): self.init(unreadable: line)
    case .room(.failing(let fault)): self.init(roomsFail: fault, configuration)
    case .room(.edited(let edit)): self.init(edited: edit)
    case .room(.editDropped(let edit, let loss)): self.init(notEdited: edit, loss, configuration)
    case .room(.joined(let invitation, let fault)): self.init(accepted: invitation, fault)
    case .room(.will(let state)): self.init(will: state, configuration)
    case .room(.unread(let unread)): self.init(unread: unread, configuration)
    case .room(.listening):
      self.init(.notice, "rooms-listening", "the homeserver responds again: the kiosk listens in rooms")
    case .site(.applied(let record)): self.init(applied: record)
    case .site(.refused(let refusal)): self.init(refusedBundle: refusal)
    case .site(.denied): self.init(siteDenied: configuration.site?.topic ?? "")
    case .inventory(let report): self.init(report)
    case .job(let report): self.init(report)
    case .scanner(let code): self.init(scannerErrno: code)
    case .outboxRestored(let count):
      self.init(
        .notice, "outbox-restored",
        plural(count, "accepted entry is", "accepted entries are") + " still pending from the previous run")
    case .stopping(let count):
      self.init(.notice, "stopping", "stopping", count > 0 ? [("unacknowledged", String(count))] : [])
    }
  }

  /// The record as JSON, for `watch` and `--json`.
  package var json: JSON { json(maySeeKeys: true) }

  /// Returns the record as JSON; only the last digits of a UID if the user may not see keys.
  @export(interface)
  package func json(maySeeKeys: Bool) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "event", value: .string(name)), JSON.Member(name: "text", value: .string(sentence)),
    ]
    for field in fields where field.key != "event" {
      let isHidden = field.key == "uid" && !maySeeKeys
      members.append(
        JSON.Member(name: field.key, value: .string(isHidden ? TagUID.masked(field.value) : field.value)))
    }
    return .object(members)
  }
}

extension Helper {
  /// Event names for the loss and recovery of the helper.
  fileprivate var events: (lost: String, back: String) {
    switch self {
    case .reader: ("reader-lost", "reader-ready")
    case .webhooks: ("webhooks-lost", "webhooks-good")
    case .inventory: ("inventory-lost", "inventory-good")
    case .rooms: ("rooms-lost", "rooms-good")
    }
  }
}

extension KioskConfiguration {
  /// Returns the display name of the broker endpoint with this index.
  func endpointName(_ index: Int) -> String {
    guard let broker, broker.endpoints.indices.contains(index) else { return "the broker" }
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

extension StoreFault {
  @export(interface)
  package func sentence(folder: String) -> String {
    switch self {
    case .full: "no space is left in \(folder): taps are refused until space is freed"
    case .readOnly: "\(folder) is read-only: taps are refused; remount it, or look for disk errors in the kernel's log"
    case .ioError: "the disk under \(folder) reports an error: taps are refused; the card may be failing"
    case .corrupt:
      "the database in \(folder) is damaged: taps are refused until a new database has been tried, which takes seconds"
    case .busy: "another program is using the database in \(folder): taps are refused until that program closes it"
    case .other(let code): "the database in \(folder) cannot be written (SQLite code \(code)): taps are refused"
    }
  }
}
