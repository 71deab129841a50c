// Converts the core's reports to the numbers and names of `tappet_kiosk_event`.

import CTappet
import TappetCore
import TappetKiosk
import TappetMessages

/// A report in the form of `tappet_kiosk_event`.
struct KioskFacts {
  var type: tappet_kiosk_event_type
  var trigger: Trigger?
  var action: String?
  var topic: String?
  var id: EntryID?
  var uid: TagUID?
  var after: Duration?
  var output: String?
  var isOn = false
  /// Name of the input.
  var input: String?
  /// The owner of the tag.
  var owner: TagOwner?
  /// Name of the originator.
  var by: String?
  /// Machine-readable code of the reason.
  var code: String?
  /// The inventory entry of the tag.
  var thing: InventoryID?

  private init(type: tappet_kiosk_event_type, _ entry: OutboxEntry? = nil) {
    self.type = type
    trigger = entry?.trigger
    action = entry?.action
    topic = entry.flatMap { $0.destination == .broker ? $0.topic : nil }
    id = entry?.id
    owner = entry?.owner
  }

  private init(type: tappet_kiosk_event_type, command topic: String, _ target: CommandTarget? = nil) {
    self.type = type
    trigger = .command
    self.topic = topic
    action = target?.action
    output = target?.output
  }

  private init(type: tappet_kiosk_event_type, output: String?, _ cause: OutputCause?, isOn: Bool = false) {
    self.type = type
    self.output = output
    self.isOn = isOn
    switch cause {
    case .action(let name, let by):
      action = name
      trigger = by.trigger
    case .request(.command(let topic, _, _)), .request(.user(_, let topic, _)):
      self.topic = topic
      trigger = .command
    case .request, nil: break
    }
  }

  /// Converts a report, with the names of `outputs` where it is about one; `nil` for a report that only the log has.
  init?(_ report: Report, outputs: @autoclosure () -> [OutputState]) {
    switch report {
    case .tap(let report): self.init(report)
    case .entry(let report): self.init(report)
    case .reader(.ready): self.init(type: TAPPET_KIOSK_EVENT_READER_READY)
    case .reader(.lost): self.init(type: TAPPET_KIOSK_EVENT_READER_LOST)
    case .link(let report): self.init(report)
    case .store(.trouble): self.init(type: TAPPET_KIOSK_EVENT_DISK_TROUBLE)
    case .store(.recovered): self.init(type: TAPPET_KIOSK_EVENT_DISK_GOOD)
    case .clock(.good): self.init(type: TAPPET_KIOSK_EVENT_CLOCK_GOOD)
    case .clock(.unknown): self.init(type: TAPPET_KIOSK_EVENT_CLOCK_UNKNOWN)
    case .clock(.certificateExpiring): self.init(type: TAPPET_KIOSK_EVENT_CERTIFICATE_EXPIRING)
    case .clock(.certificatesGood): self.init(type: TAPPET_KIOSK_EVENT_CERTIFICATES_GOOD)
    case .panel(let report): self.init(report)
    case .output(let report): self.init(report, outputs: outputs())
    case .input(let report): self.init(report)
    case .command(let report): self.init(report)
    case .inventory(let touch):
      self.init(type: TAPPET_KIOSK_EVENT_INVENTORY)
      trigger = .tag
      action = touch.action
      uid = touch.uid
      thing = touch.thing?.id
    case .job(let report):
      self.init(type: TAPPET_KIOSK_EVENT_INVENTORY)
      trigger = report.trigger
      action = report.action
      uid = report.uid
    case .outboxRestored: self.init(type: TAPPET_KIOSK_EVENT_OUTBOX_RESTORED)
    case .stopping: self.init(type: TAPPET_KIOSK_EVENT_STOPPING)
    case .webhook, .helper, .room, .site, .scanner: return nil
    }
    by = report.by
  }

  private init(_ report: TapReport) {
    switch report {
    case .refused(let by, let uid, let refusal, let owner):
      self.init(type: TAPPET_KIOSK_EVENT_REFUSED)
      trigger = by.trigger
      self.uid = uid
      action = refusal.action
      self.owner = owner
      code = refusal.code
    case .ignored(let uid, let action, let reason, let owner):
      self.init(type: TAPPET_KIOSK_EVENT_IGNORED)
      trigger = .tag
      self.uid = uid
      self.action = action
      self.owner = owner
      code = reason.code
    case .refusedMore: self.init(type: TAPPET_KIOSK_EVENT_REFUSED_MORE)
    case .performed(let action, let by, let uid, let owner):
      self.init(type: TAPPET_KIOSK_EVENT_PERFORMED)
      self.action = action
      trigger = by.trigger
      self.uid = uid
      self.owner = owner
    case .confirming(let action, let trigger, _, _):
      self.init(type: TAPPET_KIOSK_EVENT_CONFIRMING)
      self.action = action
      self.trigger = trigger
    case .confirmationEnded(let action, _):
      self.init(type: TAPPET_KIOSK_EVENT_CONFIRMATION_ENDED)
      self.action = action
    }
  }

  private init?(_ report: EntryReport) {
    switch report {
    case .accepted(let entry, let uid):
      self.init(type: TAPPET_KIOSK_EVENT_ACCEPTED, entry)
      self.uid = uid
    case .queued(let entry, let reason):
      self.init(type: TAPPET_KIOSK_EVENT_QUEUED, entry)
      code = reason.code
    case .delivered(let entry, let after, _):
      self.init(type: TAPPET_KIOSK_EVENT_DELIVERED, entry)
      self.after = after
    case .deliveredOfMany(let entry, _): self.init(type: TAPPET_KIOSK_EVENT_DELIVERED, entry)
    // For a program, these reports mean the same: the message will not be sent.
    case .expired(let entry), .dropped(let entry), .droppedOfMany(let entry):
      self.init(type: TAPPET_KIOSK_EVENT_EXPIRED, entry)
    case .undeliverable(let entry, _), .givenUp(let entry, _):
      self.init(type: TAPPET_KIOSK_EVENT_UNDELIVERABLE, entry)
    // Each of these entries has already been reported as an event.
    case .deliveredMore, .droppedMore: return nil
    // The entry is still pending.
    case .setAside: return nil
    }
  }

  private init?(_ report: LinkReport) {
    switch report {
    case .connected: self.init(type: TAPPET_KIOSK_EVENT_BROKER_CONNECTED)
    case .didFallBack: self.init(type: TAPPET_KIOSK_EVENT_BROKER_FALLBACK)
    case .failed: self.init(type: TAPPET_KIOSK_EVENT_BROKER_UNREACHABLE)
    case .lost: self.init(type: TAPPET_KIOSK_EVENT_BROKER_LOST)
    case .storm: self.init(type: TAPPET_KIOSK_EVENT_BROKER_STORM)
    case .closed: self.init(type: TAPPET_KIOSK_EVENT_BROKER_DISCONNECTED)
    // The event for the connection follows.
    case .withoutRetained: return nil
    }
  }

  private init(_ report: PanelReport) {
    switch report {
    case .lost: self.init(type: TAPPET_KIOSK_EVENT_PANEL_LOST)
    case .recovered: self.init(type: TAPPET_KIOSK_EVENT_PANEL_GOOD)
    case .buttonStuck: self.init(type: TAPPET_KIOSK_EVENT_BUTTON_STUCK)
    case .buttonChattering: self.init(type: TAPPET_KIOSK_EVENT_BUTTON_CHATTERING)
    case .buttonRecovered: self.init(type: TAPPET_KIOSK_EVENT_BUTTON_GOOD)
    case .locked: self.init(type: TAPPET_KIOSK_EVENT_PANEL_LOCKED)
    case .unlocked(let trigger):
      self.init(type: TAPPET_KIOSK_EVENT_PANEL_UNLOCKED)
      self.trigger = trigger
    case .codeRefused:
      self.init(type: TAPPET_KIOSK_EVENT_CODE_REFUSED)
      trigger = .button
    }
  }

  private init(_ report: OutputReport, outputs: [OutputState]) {
    func name(_ index: Int) -> String? { outputs.indices.contains(index) ? outputs[index].name : nil }
    switch report {
    case .switched(let index, let isOn, _):
      self.init(type: TAPPET_KIOSK_EVENT_OUTPUT_CHANGED, output: name(index), report.cause, isOn: isOn)
    case .waits(let index, _, _):
      self.init(type: TAPPET_KIOSK_EVENT_OUTPUT_WAITING, output: name(index), report.cause)
    case .refused(let order, _, let refusal):
      self.init(type: TAPPET_KIOSK_EVENT_OUTPUT_REFUSED, output: order.output, report.cause)
      code = refusal.code
    }
  }

  private init(_ report: InputReport) {
    let type: tappet_kiosk_event_type =
      switch report.change {
      case .opened(.forced): TAPPET_KIOSK_EVENT_INPUT_FORCED
      case .opened: TAPPET_KIOSK_EVENT_INPUT_OPENED
      case .closed: TAPPET_KIOSK_EVENT_INPUT_CLOSED
      case .heldOpen: TAPPET_KIOSK_EVENT_INPUT_HELD_OPEN
      case .notEntered: TAPPET_KIOSK_EVENT_INPUT_NOT_ENTERED
      }
    self.init(type: type)
    input = report.name
  }

  private init(_ report: CommandReport) {
    switch report {
    case .accepted(let topic, let target, _):
      self.init(type: TAPPET_KIOSK_EVENT_COMMAND_ACCEPTED, command: topic, target)
    case .refused(let topic, let target, _, _):
      self.init(type: TAPPET_KIOSK_EVENT_COMMAND_REFUSED, command: topic, target)
    case .refusedMore:
      self.init(type: TAPPET_KIOSK_EVENT_COMMANDS_REFUSED_MORE)
      trigger = .command
    case .subscribed(let topic, let isGranted):
      self.init(type: isGranted ? TAPPET_KIOSK_EVENT_COMMANDS_READY : TAPPET_KIOSK_EVENT_COMMANDS_DENIED)
      self.topic = topic
    }
  }
}

extension CommandTarget {
  /// The name of the action, if the target is an action.
  var action: String? {
    if case .action(let name) = self { return name }
    return nil
  }

  /// The name of the output, if the target is an output.
  var output: String? {
    if case .output(let order) = self { return order.output }
    return nil
  }
}
