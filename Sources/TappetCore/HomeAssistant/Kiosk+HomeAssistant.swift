// Messages to Home Assistant after an event. They are derived from the event's effects: no decision about a tap or an
// output depends on the messages. Pure decision logic.

extension Kiosk {
  /// Announces due messages, and the results of the given effects, to Home Assistant.
  mutating func homeAssistantDue(after effects: [Effect], at now: Moment) -> [Effect] {
    let isUp = settings.announces && delivery.link.isUp
    selfReport.homeAssistant.recordLink(isUp: isUp, at: now.instant)
    guard isUp else { return [] }
    var announcements: [Announcement] = selfReport.homeAssistant.takeDiscovery(at: now.instant) ? [.discovery] : []
    if settings.homeAssistant != nil {
      let levels = panel.outputs.indices.map { panel.outputs.status(of: $0).isOn }
      announcements += selfReport.homeAssistant.takeLevels(levels).map { .output($0, isOn: levels[$0]) }
      announcements += inputNews(at: now) + alarms(in: effects, at: now.instant)
      announcements += news(in: effects, at: now.instant)
    }
    if settings.announcesInventory { announcements += touches(in: effects, at: now.instant) }
    return announcements.map { .announce($0) }
  }

  /// Handles Home Assistant's birth message, with a random delay so that not all kiosks respond at the same time.
  mutating func homeAssistantChanged(isOnline: Bool, at now: Moment) -> [Effect] {
    guard settings.homeAssistant != nil, delivery.link.isUp else { return [] }
    selfReport.homeAssistant.isAway = !isOnline
    guard isOnline else { return [] }
    let delay = Int64(bitPattern: random.next() % UInt64(Limits.birthDelayMax.wholeMilliseconds + 1))
    selfReport.homeAssistant.discover(at: now.instant + .milliseconds(delay))
    return []
  }

  /// Schedules the discovery after a change to the settings that the discovery describes.
  mutating func rediscover(after old: KioskSettings, at now: Moment) {
    if settings.panel != old.panel { selfReport.homeAssistant.outputsReplaced() }
    if settings.homeAssistant?.prefix != old.homeAssistant?.prefix { selfReport.homeAssistant.replaced() }
    let isSame =
      settings.homeAssistant == old.homeAssistant && settings.publishesState == old.publishesState
      && settings.actions == old.actions && settings.panel == old.panel && settings.inventory == old.inventory
    if !isSame { selfReport.homeAssistant.discover(at: now.instant) }
  }

  /// Reports a gesture to Home Assistant, regardless of its action.
  mutating func gestureSeen(_ gesture: Gesture, on button: Int, at now: Moment) -> [Effect] {
    guard settings.homeAssistant != nil, selfReport.homeAssistant.admit(at: now.instant) else { return [] }
    return [.announce(.gesture(button: button, gesture))]
  }

  /// Reports a chord to Home Assistant, regardless of its action.
  mutating func chordSeen(_ index: Int, at now: Moment) -> [Effect] {
    guard settings.homeAssistant != nil, selfReport.homeAssistant.admit(at: now.instant) else { return [] }
    return [.announce(.chord(index))]
  }

  /// The states of contacts that Home Assistant does not know yet.
  private mutating func inputNews(at now: Moment) -> [Announcement] {
    let states = inputStates
    return selfReport.homeAssistant.takeInputs(states, hasTime: clockIsGood).compactMap { index in
      guard settings.panel.inputs[index].isContact else { return nil }
      let age = states[index].since.map { now.instant - $0 }
      let seconds = clockIsGood ? age.map { (now.unixMilliseconds - $0.wholeMilliseconds) / 1000 } : nil
      return .input(index, states[index], sinceUnixSeconds: seconds)
    }
  }

  private mutating func alarms(in effects: [Effect], at now: Instant) -> [Announcement] {
    var announcements: [Announcement] = []
    for effect in effects {
      guard case .report(.input(let report)) = effect, let alarm = report.change.alarm,
        selfReport.homeAssistant.admit(at: now)
      else { continue }
      announcements.append(.alarm(report.name, alarm))
    }
    return announcements
  }

  private mutating func touches(in effects: [Effect], at now: Instant) -> [Announcement] {
    var announcements: [Announcement] = []
    for effect in effects {
      guard case .report(let report) = effect, let touch = TouchTransition(report),
        selfReport.homeAssistant.admit(at: now)
      else { continue }
      announcements.append(.touch(touch))
    }
    return announcements
  }

  private mutating func news(in effects: [Effect], at now: Instant) -> [Announcement] {
    var announcements: [Announcement] = []
    for effect in effects {
      guard case .report(let report) = effect, let news = TapTransition(report), selfReport.homeAssistant.admit(at: now)
      else {
        continue
      }
      announcements.append(.tap(news))
    }
    return announcements
  }
}
