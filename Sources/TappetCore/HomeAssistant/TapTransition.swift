// State changes of a tap, a press or a command, for Home Assistant.

/// One state change of a tap, a press or a command.
package struct TapTransition: Sendable {
  package enum Kind: Sendable {
    /// The tap is on the disk or has driven its outputs; contains the tag's UID if a tag was tapped.
    case accepted(TagUID?)
    case queued(QueueReason)
    case delivered
    case refused(TapRefusal)
    case expired
    /// The broker has permanently refused the message.
    case undeliverable
  }

  package var kind: Kind
  /// The action's name; `nil` if it is not known.
  package var action: String?
  /// The trigger of the action; `nil` if it is not known.
  package var trigger: Trigger?
  /// The Home Assistant id on the tag, if it is a Home Assistant tag.
  package var homeAssistantID: String?

  /// Creates the state change that a report describes; `nil` if the report does not describe a state change.
  init?(_ report: Report) {
    if report.isOfInventoryNews { return nil }
    switch report {
    case .entry(.accepted(let entry, let uid)):
      // Only tags that were set up on this kiosk or with Home Assistant's app are reported to its tag scanner.
      let id = entry.notes.homeAssistantID
      let isChosen = id != nil || entry.action != KioskSettings.unknownTagsName
      self.init(.accepted(isChosen ? uid : nil), of: entry)
      homeAssistantID = id
    case .entry(.queued(let entry, let reason)): self.init(.queued(reason), of: entry)
    case .entry(.delivered(let entry, _, _)): self.init(.delivered, of: entry)
    case .entry(.expired(let entry)): self.init(.expired, of: entry)
    case .entry(.undeliverable(let entry, _)): self.init(.undeliverable, of: entry)
    case .tap(.performed(let action, let by, let uid, let owner)):
      self.init(.accepted(uid), action, by.trigger)
      homeAssistantID = owner?.homeAssistantID
    case .tap(.refused(let by, _, let refusal, _)): self.init(.refused(refusal), nil, by.trigger)
    default: return nil
    }
  }

  private init(_ kind: Kind, _ action: String?, _ trigger: Trigger) {
    self.kind = kind
    self.action = action
    self.trigger = trigger
  }

  private init(_ kind: Kind, of entry: OutboxEntry) { self.init(kind, entry.action, entry.trigger) }
}
