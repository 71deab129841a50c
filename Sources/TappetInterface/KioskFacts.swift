// The core's reports, as the numbers and names of `tappet_kiosk_event`.

import CTappet
import TappetCore

/// A report as `tappet_kiosk_event` has it.
struct KioskFacts {
  var type: Int32
  var trigger: Trigger?
  var action: String?
  var topic: String?
  var id: EntryID?
  var uid: TagUID?
  var after: Duration?

  private init(type: Int32, _ entry: OutboxEntry? = nil) {
    self.type = type
    trigger = entry?.trigger
    action = entry?.action
    topic = entry?.topic
    id = entry?.id
  }

  init(_ report: Report) {
    switch report {
    case .refused(let trigger, let uid, let refusal):
      self.init(type: 2)
      self.trigger = trigger
      self.uid = uid
      action = refusal.action
    case .ignored(let uid, let action, _):
      self.init(type: 3)
      trigger = .tag
      self.uid = uid
      self.action = action
    case .accepted(let entry, let uid):
      self.init(type: 4, entry)
      self.uid = uid
    case .queued(let entry, _): self.init(type: 5, entry)
    case .delivered(let entry, let after):
      self.init(type: 6, entry)
      self.after = after
    // It makes no difference to a program: the message will not be sent.
    case .expired(let entry), .dropped(let entry): self.init(type: 7, entry)
    case .undeliverable(let entry, _): self.init(type: 8, entry)
    case .readerReady: self.init(type: 9)
    case .readerLost: self.init(type: 10)
    case .linkUp: self.init(type: 11)
    case .linkFailed: self.init(type: 12)
    case .linkLost: self.init(type: 13)
    case .linkStorm: self.init(type: 14)
    case .linkClosed: self.init(type: 15)
    case .clockGood: self.init(type: 16)
    case .clockUnknown: self.init(type: 17)
    case .storeTrouble: self.init(type: 18)
    case .storeRecovered: self.init(type: 19)
    case .outboxRestored: self.init(type: 20)
    case .stopping: self.init(type: 21)
    case .panelLost: self.init(type: 22)
    case .panelRecovered: self.init(type: 23)
    case .buttonStuck: self.init(type: 24)
    case .buttonChattering: self.init(type: 25)
    case .buttonRecovered: self.init(type: 26)
    case .panelLocked: self.init(type: 27)
    case .panelUnlocked(let trigger):
      self.init(type: 28)
      self.trigger = trigger
    case .codeRefused:
      self.init(type: 29)
      trigger = .button
    case .confirming(let action, let trigger, _):
      self.init(type: 30)
      self.action = action
      self.trigger = trigger
    case .confirmationEnded(let action, _):
      self.init(type: 31)
      self.action = action
    case .certificateExpiring: self.init(type: 32)
    case .certificatesGood: self.init(type: 33)
    case .refusedMore: self.init(type: 34)
    }
  }
}

extension TapRefusal {
  /// The name of the action concerned.
  fileprivate var action: String? {
    switch self {
    case .unreadable, .content, .malformedURL, .noSuchAction, .panelLocked, .tooMany: nil
    case .noTagConfigured(let action), .invalidSignature(let action), .brokerAway(let action),
      .outboxFull(let action, _, _), .notStored(let action, _):
      action
    }
  }
}
