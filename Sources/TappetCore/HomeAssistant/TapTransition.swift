// News of a tap or a press for Home Assistant.

/// One step on the way of a tap, a press or a command.
package struct TapTransition: Sendable {
  package enum Kind: Sendable {
    /// The disk has it, or it drove its outputs; with the tag, if there was one.
    case accepted(TagUID?)
    case queued(QueueReason)
    case delivered
    case refused(TapRefusal)
    case expired
    /// The broker will never take it.
    case undeliverable
  }

  package var kind: Kind
  /// The action's name; `nil` when it is not known.
  package var action: String?
  /// The origin of it; `nil` when it is not known.
  package var trigger: Trigger?
  /// Home Assistant's id on the tag, if it was one of its tags.
  package var homeAssistantID: String?

  /// The step that the report is about; `nil` when it is about anything else.
  init?(_ report: Report) {
    if report.isOfInventoryNews { return nil }
    switch report {
    case .entry(.accepted(let entry, let uid)):
      // Its scanner is for tags that somebody has chosen: here, or with its app.
      let id = entry.notes.homeAssistantID
      let isChosen = id != nil || entry.action != KioskSettings.unknownTagsName
      self.init(.accepted(isChosen ? uid : nil), of: entry)
      homeAssistantID = id
    case .entry(.queued(let entry, let reason)): self.init(.queued(reason), of: entry)
    case .entry(.delivered(let entry, _, _)): self.init(.delivered, of: entry)
    case .entry(.expired(let entry)): self.init(.expired, of: entry)
    case .entry(.undeliverable(let entry, _)): self.init(.undeliverable, of: entry)
    case .tap(.performed(let action, let trigger, let uid, let owner)):
      self.init(.accepted(uid), action, trigger)
      homeAssistantID = owner?.homeAssistantID
    case .tap(.refused(let trigger, _, let refusal, _)): self.init(.refused(refusal), nil, trigger)
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
