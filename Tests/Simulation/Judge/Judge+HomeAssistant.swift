// The rules of Home Assistant, checked against what the broker and Home Assistant would have got:
//   - The discovery is sent after each connect, after a birth and after a change, soon, for no other reason, and never
//     twice within 2 s. When it is configured away, the broker keeps nothing.
//   - An output's level there is the line's.
//   - Only an accepted tag is scanned, and no unknown one.
//   - While Home Assistant is away, what is for it stays in the outbox, and nothing else does.

import TappetCore

/// The messages that Home Assistant has had, and those that it must have soon.
struct AssistantBook {
  /// The broker keeps messages about the kiosk.
  var isKept = false
  /// The levels that the broker keeps, by the output's index.
  var levels: [Int: Bool] = [:]
  /// Time of the last discovery of this process.
  var discoveredAt: Instant?
  /// When a discovery must have been sent at the latest; `nil` means that there is no reason for one.
  var owedUntil: Instant?
  /// Whether it has said on this connection that it ends, and the kiosk could hear it.
  var isAway = false

  mutating func connectionEnds() {
    isAway = false
    owedUntil = nil
  }

  /// Another process knows what the broker keeps, and no time of a discovery.
  mutating func restart() {
    connectionEnds()
    discoveredAt = nil
  }
}

extension World {
  // MARK: Steps

  /// Home Assistant starts (1) or ends (0), and says so.
  func assistantChanges(isOnline: Bool) {
    guard isUp, settings.homeAssistant != nil else { return }
    assistant.isAway = !isOnline
    if isOnline { oweDiscovery(within: Limits.birthDelayMax) }
    tell(.homeAssistant(isOnline: isOnline))
  }

  /// A new connection begins with everything.
  func assistantConnects() {
    assistant.levels = [:]
    shelf.stock.connectionEnds()
    oweDiscovery(within: .zero)
  }

  /// Adapts the book to `settings`, which have just replaced `old`.
  func reloadAssistant(from old: KioskSettings) {
    settings.hasAnnounced = assistant.isKept
    if settings.homeAssistant?.prefix != old.homeAssistant?.prefix { assistant.isAway = false }
    if settings.panel != old.panel { assistant.levels = [:] }
    let isSame =
      settings.homeAssistant == old.homeAssistant && settings.publishesState == old.publishesState
      && settings.actions == old.actions && settings.panel == old.panel && settings.inventory == old.inventory
    if !isSame { oweDiscovery(within: .zero) }
    // Nothing is configured, and the broker keeps nothing.
    if !isAnnouncing { assistant.owedUntil = nil }
  }

  private func oweDiscovery(within delay: Duration) {
    guard isUp, isAnnouncing else { return }
    let soonest = assistant.discoveredAt.map { max(now.instant, $0 + Limits.discoveryIntervalMin) } ?? now.instant
    let end = max(now.instant + delay, soonest)
    assistant.owedUntil = assistant.owedUntil.map { min($0, end) } ?? end
  }

  private var isConfigured: Bool { settings.homeAssistant != nil || settings.publishesState || announcesInventory }

  private var isAnnouncing: Bool { isConfigured || settings.hasAnnounced }

  /// Whether the broker still has what is configured away.
  var keepsTooMuch: Bool { assistant.isKept && !isConfigured }

  /// Whether entries of this action wait for Home Assistant.
  func isHeld(_ action: String) -> Bool {
    assistant.isAway && settings.actions.contains { $0.name == action && $0.awaitsHomeAssistant }
  }

  // MARK: Rules

  func judgeAnnouncement(_ announcement: Announcement) {
    if !isUp { fail("an announcement without a link") }
    switch announcement {
    case .discovery: judgeDiscovery()
    case .output(let index, let isOn):
      guard settings.homeAssistant != nil else { return fail("a level was published, and nobody is to know it") }
      assistant.levels[index] = isOn
    case .input(let index, let state, let since): judgePublished(state, since: since, of: index)
    case .alarm(let name, let alarm): judgeAlarm(alarm, of: name)
    case .tap(let news):
      guard case .accepted(let uid?) = news.kind else { return }
      let isAccepted = seen.acceptedReports + seen.performed > 0
      let isKnown = Cast.isGenuine(uid) || [Cast.jukebox.name, Cast.toggle.name].contains(news.action)
      if !isAccepted || !isKnown { fail("a tag was scanned that was not accepted") }
    case .gesture, .chord:
      if settings.homeAssistant == nil { fail("a gesture was published, and nobody is to know it") }
    case .check(let nonce): judgeCheck(nonce)
    case .inventoryList(let list): judgeList(list)
    case .touch(let touch):
      if !announcesInventory { fail("a touch was published, and nobody is to know it") }
      if case .done(let result) = touch.kind, !shelf.answered.contains(result) {
        fail("a touch was published, and not answered")
      }
    case .state, .firmwareReport: break
    }
  }

  private func judgeDiscovery() {
    if assistant.owedUntil == nil { fail("a discovery without a reason") }
    if let before = assistant.discoveredAt, now.instant - before < Limits.discoveryIntervalMin {
      fail("two discoveries within 2 s")
    }
    assistant.discoveredAt = now.instant
    assistant.owedUntil = nil
    assistant.isKept = isConfigured
    // The runtime clears what is kept and not configured any more.
    if settings.homeAssistant == nil { assistant.levels = [:] }
  }

  /// After each event: Home Assistant has what it must have by now.
  func judgeAssistant() {
    guard isUp, isBegun, !isStopping, !isFinished else { return }
    if let end = assistant.owedUntil, end < now.instant { return fail("a discovery is missing") }
    guard settings.homeAssistant != nil else { return }
    for (index, plan) in settings.panel.outputs.enumerated() {
      let isOn = plan.isSafeOn != (outputs.lines[index].since != nil)
      if assistant.levels[index] != isOn { return fail("\(plan.name) has another level than was published") }
    }
  }
}

extension Cast {
  /// Whether a genuine card has this UID.
  static func isGenuine(_ uid: TagUID) -> Bool { cards[..<genuineCount].contains { $0.reading.uid == uid } }
}
