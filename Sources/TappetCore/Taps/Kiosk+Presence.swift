// Pending removals: implements an action's `on_remove`. Pure decision logic.

extension Kiosk {
  /// Tracks which tag is on the reader, even while a job waits for the next tag.
  mutating func recordPresence(_ message: ReaderMessage, wasUsable: Bool, at now: Instant) {
    switch message {
    case .ready: if !wasUsable, reader.isUsable { tapPolicy.presence.readerReady(at: now) }
    case .tagArrived(let uid, let wasPresent):
      if wasUsable { tapPolicy.presence.tagArrived(uid, wasPresent: wasPresent) }
    case .tagLeft(let uid): if wasUsable { tapPolicy.presence.tagLeft(uid) }
    case .tagRead, .tagFaulted, .tagDescribed, .heartbeat, .lost, .orderProgress, .orderDone: break
    }
  }

  /// Returns whether the tag has triggered the action and is still on the reader, or the commit of the action's last
  /// tap is pending.
  func isSetOff(_ action: Action, by uid: TagUID) -> Bool {
    switch action.mode {
    case .tap, .inventory: false
    case .hold: tapPolicy.presence.holds(uid, action.name)
    case .toggle: tapPolicy.presence.isSettling(action.name)
    }
  }

  /// Enqueues the removals that are due, if the disk accepts them.
  mutating func removalsDue(at now: Moment) -> [Effect] {
    tapPolicy.presence.timerFired(readerIsUsable: reader.isUsable, at: now.instant)
    var effects: [Effect] = []
    while isTaking, delivery.store.isGood, let arrival = tapPolicy.presence.due {
      guard let action = tapPolicy.indexes.action(named: arrival.action), let removal = action.removal else {
        tapPolicy.presence.forget(arrival.entry)
        continue
      }
      let entry = removalEntry(removal, of: action, arrival, by: .tag, ended: arrival.entry, at: now)
      tapPolicy.presence.willEnd(arrival.entry, by: entry.id)
      // Without a UID, because there was no tap.
      delivery.outbox.willStore(entry, nil)
      effects.append(.store(.append(entry)))
    }
    return effects
  }

  /// Returns the removal entry for a second tap; `nil` if the action is not switched on.
  mutating func switchedOff(
    _ action: Action, _ uid: TagUID?, _ tap: VerifiedTap?, _ count: Int64?, at now: Moment
  ) -> OutboxEntry? {
    guard action.mode == .toggle, let removal = action.removal, let on = tapPolicy.presence.switchedOn(action.name)
    else {
      return nil
    }
    let second = TagArrival(
      entry: on.entry, action: action.name, uid: uid, tap, count: count)
    let entry = removalEntry(
      removal, of: action, second, by: tap?.by ?? .tag, ended: on.entry, count: count, ticket: tap?.secret?.ticket,
      homeAssistantID: tap?.homeAssistantID, at: now)
    tapPolicy.presence.willEnd(on.entry, by: entry.id)
    return entry
  }

  private mutating func removalEntry(
    _ removal: ActionRemoval, of action: Action, _ arrival: TagArrival, by: Originator, ended: EntryID,
    count: Int64? = nil, ticket: String? = nil, homeAssistantID: String? = nil, at now: Moment
  ) -> OutboxEntry {
    let id = EntryID(high: random.next(), low: random.next())
    let person = arrival.person.flatMap { id in tapPolicy.secrets.first { $0.person?.id == id }?.person }
    var facts = facts(of: action, at: now)
    facts[.uid] = arrival.uid.map { Hex.encode($0.bytes) } ?? ""
    facts[.tag] = arrival.tag ?? ""
    facts[.person] = person?.name ?? ""
    facts[.by] = Originator.name(by.text, person: person?.name, tag: arrival.tag) ?? ""
    facts[.text] = arrival.text
    facts[.count] = arrival.count.map { String($0) } ?? ""
    return OutboxEntry(
      id: id, action: action.name, topic: removal.topic.topic(with: facts),
      message: removal.message.filled(with: facts, id: id), isRetained: action.isRetained, trigger: .tag,
      acceptedUnixMilliseconds: now.unixMilliseconds, acceptedAt: now.instant,
      expiry: .at(now.instant + action.expiresAfter), uid: arrival.uid, tag: arrival.tag, person: person,
      notes: EntryNotes(count: count, ended: ended, ticket: ticket, homeAssistantID: homeAssistantID, by: by))
  }

  // MARK: Counting

  /// Counts an accepted tap of the tag; `nil` if no message includes the count, or the tag cannot be counted.
  mutating func counted(_ uid: TagUID?) -> Int64? {
    guard settings.countsTaps, let uid, !uid.isRandom else { return nil }
    guard let count = tapPolicy.tagCounts[uid] ?? (tapPolicy.tagCounts.count < Limits.tagHintsMax ? 0 : nil) else {
      return nil
    }
    tapPolicy.tagCounts[uid] = count + 1
    return count + 1
  }

  /// Reverts the count of an entry that was not stored, unless a later tap has been counted since.
  mutating func notCounted(_ entry: OutboxEntry) {
    guard let uid = entry.uid, let count = entry.notes.count, tapPolicy.tagCounts[uid] == count else { return }
    tapPolicy.tagCounts[uid] = count - 1
  }
}

extension TagArrival {
  /// Creates an arrival caused by a tap.
  init(entry: EntryID, action: String, uid: TagUID?, _ tap: VerifiedTap?, count: Int64?) {
    self.init(
      entry: entry, action: action, uid: uid, tag: tap?.label, person: tap?.secret?.person?.id, text: tap?.text ?? "",
      count: count)
  }
}
