// What the parts of the random world do: each answers what it was asked, sooner or later, well or badly.

import Testing

@testable import TappetCore

extension KioskWorld {
  /// Something happens.
  mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<22: answerStore()
    case 22..<42: readerActs()
    case 42..<64: linkActs()
    case 64..<86: pass(milliseconds: Int64(1) << Int64.random(in: 0...16, using: &random))
    case 86..<89: press(chance(90) ? 0 : 1)
    case 89..<91: fireEarly()
    case 91..<93: diskIsGood = chance(70)
    case 93..<95: clockChanges()
    case 95..<96: tell(.secretsLoaded(Self.secrets))
    case 96..<98: if chance(30) { startAgain(afterReboot: chance(40)) }
    default: if chance(20) { tell(.stopRequested) }
    }
    if isFinished { startAgain(afterReboot: chance(40)) }
  }

  private mutating func press(_ button: Int) {
    tell(.panel(.key(button: button, isDown: true, at: now.instant)))
    tell(.panel(.key(button: button, isDown: false, at: now.instant)))
  }

  private mutating func clockChanges() {
    if chance(50) { now.unixMilliseconds += Int64.random(in: -100_000...100_000, using: &random) }
    if chance(50) { clockIsSynchronised.toggle() }
    tell(.clockChecked(isSynchronised: clockIsSynchronised))
  }

  // MARK: The reader

  mutating func readerActs() {
    switch reader {
    case .none: break
    case .starting:
      if chance(70) {
        reader = .ready(tag: nil)
        tell(.reader(.ready(device: "chip")))
      } else {
        reader = .none
        tell(chance(50) ? .readerNotStarted(code: 2) : .readerEnded(.exited(1)))
      }
    case .ending:
      reader = .none
      tell(.readerEnded(.signaled(9)))
    case .ready(nil): idleReaderActs()
    case .ready(let uid?): tagActs(uid)
    }
  }

  private mutating func idleReaderActs() {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: tell(.reader(.lost(.ioError, code: -1)))
    case 1:
      reader = .none
      tell(.readerEnded(.signaled(6)))
    case 2: tell(.readerMalformed(.empty))
    case 3..<6: tell(.reader(.heartbeat))
    default:
      let reading =
        chance(80) ? Self.goodTags.randomElement(using: &random) : Self.badTags.randomElement(using: &random)
      guard let reading else { return }
      reader = .ready(tag: reading.uid)
      tell(.reader(.tagArrived(reading.uid)))
      guard case .ready = reader else { return }
      if chance(90) {
        tell(.reader(.tagRead(reading)))
      } else {
        tell(.reader(.tagFaulted(reading.uid, reading.model, .pulledAway)))
      }
    }
  }

  private mutating func tagActs(_ uid: TagUID) {
    if chance(10) {
      reader = .none
      return tell(.readerEnded(.exited(3)))
    }
    reader = .ready(tag: nil)
    tell(.reader(.tagLeft(uid)))
  }

  // MARK: The link

  mutating func linkActs() {
    switch link {
    case .none:
      // An answer of the past, or to nobody's question.
      if chance(10) { tell(.link(.acknowledged(EntryID(high: 1, low: 1)))) }
    case .connecting:
      if chance(75) {
        link = .up
        tell(.link(.connected(sessionPresent: false)))
      } else {
        link = .none
        tell(.link(.failed(.connectionRefused)))
      }
    case .disconnecting:
      connectionEnds()
      tell(.link(.disconnected))
    case .up:
      if chance(4) {
        connectionEnds()
        return tell(.link(.lost(.closedByBroker)))
      }
      guard let index = unacknowledged.indices.randomElement(using: &random) else { return }
      let id = unacknowledged.remove(at: index)
      settled.insert(id)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: tell(.link(.publishRefused(id, code: 135)))
      case 1: tell(.fillFailed(id))
      default: tell(.link(.acknowledged(id)))
      }
    }
  }

  private mutating func connectionEnds() {
    link = .none
    unacknowledged.removeAll()
    publishedOnConnection.removeAll()
  }

  // MARK: The disk

  mutating func answerStore() {
    guard !questions.isEmpty else { return }
    switch questions.removeFirst() {
    case .append(var entry):
      guard diskIsGood else { return tell(.store(.storeFailed(entry.id, .full))) }
      entry.sequence = nextSequence
      nextSequence += 1
      database.append(entry)
      tell(.store(.stored(entry.id, sequence: entry.sequence)))
    case .remove(let id):
      guard diskIsGood else {
        questions.append(.remove(id))
        return tell(.store(.removeFailed(.ioError)))
      }
      database.removeAll { $0.id == id }
      tell(.store(.removed([id])))
    case .fetch(let after, let limit, let clockIsGood):
      guard diskIsGood else { return tell(.store(.fetchFailed(.ioError))) }
      let found = database.filter { $0.sequence > after && $0.isSendable(clockIsGood: clockIsGood) }
      tell(.store(.fetched(found.prefix(limit).map { $0.fetched }, reachedEnd: found.count <= limit)))
    case .expire(let clockIsGood, let spared):
      guard diskIsGood else { return tell(.store(.expireFailed(.ioError))) }
      expire(clockIsGood: clockIsGood, sparing: spared)
    case .check: tell(.store(diskIsGood ? .checked : .checkFailed(.full)))
    }
  }

  private mutating func expire(clockIsGood: Bool, sparing spared: [EntryID]) {
    let over = database.filter { entry in
      if spared.contains(entry.id) { return false }
      if case .atUnixMilliseconds = entry.expiry, !clockIsGood { return false }
      return entry.expiry.isOver(at: now)
    }
    let ids = Set(over.map { $0.id })
    database.removeAll { ids.contains($0.id) }
    settled.formUnion(ids)
    tell(.store(.expired(over.map { $0.fetched }, earliest: earliestExpiry(sparing: spared))))
  }

  /// The first by whichever clock comes first.
  private func earliestExpiry(sparing spared: [EntryID]) -> Expiry? {
    func remaining(_ expiry: Expiry) -> Int64 {
      switch expiry {
      case .at(let instant): (instant - now.instant).wholeMilliseconds
      case .atUnixMilliseconds(let time): clockIsSynchronised ? time - now.unixMilliseconds : .max
      }
    }
    return database.filter { !spared.contains($0.id) }.map { $0.expiry }.min { remaining($0) < remaining($1) }
  }

  // MARK: The end and the beginning

  /// The process is gone, with or without a word; what was asked of the disk was done or was not.
  mutating func startAgain(afterReboot: Bool) {
    for question in questions where diskIsGood && (isFinished || chance(50)) {
      switch question {
      case .append(var entry):
        entry.sequence = nextSequence
        nextSequence += 1
        database.append(entry)
      case .remove(let id): database.removeAll { $0.id == id }
      case .fetch, .expire, .check: break
      }
    }
    (questions, reader, link, isFinished) = ([], .none, .none, false)
    unacknowledged.removeAll()
    publishedOnConnection.removeAll()
    // What the last life knew of an entry's end and could not write down is unknown to this one: at least once.
    settled.removeAll()
    if afterReboot {
      database = database.map { $0.fromEarlierBoot(at: now) }
      now = Moment(instant: Instant(nanoseconds: 5_000_000_000), unixMilliseconds: now.unixMilliseconds + 20_000)
      clockIsSynchronised = chance(50)
    }
    kiosk = Self.newKiosk(seed: random.next(), at: now)
    tell(
      .started(
        OutboxSummary(
          count: database.count, size: database.reduce(0) { $0 + $1.message.size },
          earliestExpiry: earliestExpiry(sparing: []))))
    tell(.clockChecked(isSynchronised: clockIsSynchronised))
    tell(.secretsLoaded(Self.secrets))
  }

  /// From now on everything goes well; after a while nothing waits any more.
  mutating func heal() {
    diskIsGood = true
    clockIsSynchronised = true
    if isFinished { startAgain(afterReboot: false) }
    tell(.clockChecked(isSynchronised: true))
    for _ in 0..<4_000 where complaints.isEmpty {
      if isFinished { startAgain(afterReboot: false) }
      while !questions.isEmpty { answerStore() }
      switch link {
      case .none: break
      case .connecting:
        link = .up
        tell(.link(.connected(sessionPresent: false)))
      case .disconnecting: linkActs()
      case .up:
        for id in unacknowledged {
          unacknowledged.removeFirst()
          settled.insert(id)
          tell(.link(.acknowledged(id)))
        }
      }
      switch reader {
      case .none: break
      case .starting:
        reader = .ready(tag: nil)
        tell(.reader(.ready(device: "chip")))
      case .ending: readerActs()
      case .ready: tell(.reader(.heartbeat))
      }
      pass(milliseconds: 500)
      if isAtRest { return }
    }
    complain(
      "after everything went well for half an hour \(database.count) entries still wait, light \(kiosk.baseLight)")
  }

  private var isAtRest: Bool {
    guard case .ready = reader, link == .up, questions.isEmpty else { return false }
    return database.isEmpty && kiosk.outboxCount == 0 && kiosk.baseLight == .ready
  }
}

extension OutboxEntry {
  /// As the store gives it back.
  fileprivate var fetched: OutboxEntry {
    var entry = self
    entry.acceptedAt = nil
    return entry
  }

  /// As the store gives it back after the machine started anew.
  fileprivate func fromEarlierBoot(at now: Moment) -> OutboxEntry {
    var entry = fetched
    if case .at(let instant) = expiry {
      entry.expiry = .atUnixMilliseconds(now.unixMilliseconds + (instant - now.instant).wholeMilliseconds)
    }
    return entry
  }
}
