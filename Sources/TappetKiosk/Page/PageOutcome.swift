// The outcome of a tap or press as the page shows it. Below the level `manage` it contains no name and no UID.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

/// The outcome in a report.
struct PageOutcome {
  private var result: String
  private var text: PageText
  private var code: String?
  private var action: String?
  private var title: String?
  private var trigger: Trigger?
  private var entry: EntryID?
  private var uid: TagUID?
  private var person: String?
  private var unixMilliseconds: Int64
  /// The device whose press it was; `nil` for any other trigger.
  private(set) var author: PressCaller?

  /// Creates the outcome; `nil` if the report has none for people in front of the panel.
  init?(_ report: Report, _ configuration: KioskConfiguration, by author: PressCaller?, at now: Moment) {
    switch report {
    case .tap(.refused(_, let uid, let refusal, _)):
      (result, text, code) = ("refused", PageText(.bad, refusal.pageText), refusal.code)
      (action, self.uid) = (refusal.action, uid)
    case .tap(.performed(let action, _, let uid, _)):
      (result, text, self.action, self.uid) = ("done", PageText(.good, "Done"), action, uid)
    case .tap(.confirmationEnded(let action, let end)):
      let text = end == .timeUp ? "Not confirmed in time" : "Cancelled"
      (result, self.text, code, self.action) = ("cancelled", PageText(.bad, text), end.code, action)
    case .entry(let report):
      guard let known = PageOutcome.words(report), let entry = report.entry else { return nil }
      (result, text) = known
      (action, self.entry) = (entry.action, entry.id)
      if case .queued(_, let reason) = report { code = reason.code }
      if case .accepted(_, let uid) = report { self.uid = uid }
    case .tap, .reader, .link, .webhook, .helper, .store, .clock, .panel, .output, .input, .command, .room, .site,
      .inventory, .job, .scanner, .outboxRestored, .stopping:
      return nil
    }
    trigger = report.trigger
    person = report.person?.name
    unixMilliseconds = now.unixMilliseconds
    self.author = author
    title = configuration.actions.first { $0.name == action }?.title
  }

  private static func words(_ report: EntryReport) -> (String, PageText)? {
    switch report {
    case .accepted: ("accepted", PageText(.good, "Accepted"))
    case .queued: ("queued", PageText(.warn, "Waiting to be sent"))
    case .delivered, .deliveredOfMany: ("delivered", PageText(.good, "Delivered"))
    case .expired: ("expired", PageText(.bad, "Expired"))
    case .dropped, .droppedOfMany: ("dropped", PageText(.bad, "Removed; it will not be sent"))
    case .undeliverable, .givenUp: ("undeliverable", PageText(.bad, "Not accepted by its receiver"))
    case .setAside: ("queued", PageText(.warn, "Waiting to be sent"))
    case .deliveredMore, .droppedMore: nil
    }
  }

  /// The outcome for a browser of this level and device.
  func json(for session: PageSession) -> JSON {
    let isManager = session.level == .manage
    return .object([
      "result": .string(result), "tone": .string(text.tone.rawValue), "text": .string(text.text),
      "code": .optional(code), "action": .optional(action), "title": .optional(title),
      "trigger": .optional(trigger?.name), "id": .optional(isManager ? entry?.hex : nil),
      "time": .time(unixMilliseconds: unixMilliseconds),
      "mine": .bool(author != nil && author == session.device?.caller),
      "person": .optional(isManager ? person : nil),
      "uid": .optional(isManager ? uid.map { TagUID.masked(Hex.encode($0.bytes)) } : nil),
    ])
  }
}
