// The effect of each step on the parts.

import TappetCore

extension World {
  func take(_ step: Step) {
    let number = step.number
    switch step.kind {
    case .readerStarts: readerStarts()
    case .readerEnds: readerEnds(number)
    case .readerLost: readerGivesUp()
    case .hangs: isHanging = reader == .ready
    case .readerMalformed: if reader == .ready { tell(.readerMalformed(.truncated(offset: 0))) }
    case .heartbeat: if reader == .ready, !isHanging { tell(.reader(.heartbeat)) }
    case .tap: tap(number, isTorn: false)
    case .torn: tap(number, isTorn: true)
    case .hammer: hammer(number)
    case .again: readAgain()
    case .leave: leave()
    case .stale: if reader != .ready { tell(.reader(.tagRead(card(number).reading))) }
    case .tagJob: tagJobChanges(abs(number))
    case .tagWritten: tagJobAnswers(abs(number))
    case .press: press(number)
    case .edge: edge(number)
    case .line: line(number)
    case .asked: asked(number)
    case .output: output(number)
    case .door: door(number)
    case .command: command(number)
    case .linkUp, .linkFails, .linkLost, .closed: linkChanges(step)
    case .acknowledge, .refuse, .unfillable: answer(step)
    case .acknowledgeTogether: acknowledgeTogether(2 + abs(number))
    case .repeated:
      guard case .up = link, !answered.isEmpty else { return }
      tell(.link(.acknowledged(answered[number % answered.count])))
    case .webhookStarts: webhookStarts()
    case .webhookEnds: webhookEnds(abs(number))
    case .webhookAnswers: webhookAnswers(abs(number))
    case .inventoryStarts: inventoryStarts()
    case .inventoryEnds: inventoryEnds(abs(number))
    case .inventoryAnswers: inventoryAnswers(abs(number))
    case .inventoryChanges: inventoryChanges(abs(number))
    case .scan: scan(abs(number))
    case .pieces: scanPieces(abs(number))
    case .job: job(abs(number))
    case .roomsStart: roomsStart()
    case .roomsEnd: roomsEnd(abs(number))
    case .roomSays: roomSays(abs(number))
    case .siteSays: siteSays(abs(number))
    case .siteAnswers: siteAnswers(abs(number))
    case .roomReacts: roomReacts(abs(number))
    case .roomInvites: roomInvites(abs(number))
    case .roomUnread: roomUnread(abs(number))
    case .picky: poison.pickiness = abs(number) % 3
    case .homeAssistant: assistantChanges(isOnline: number != 0)
    case .commit: disk.commit(max(0, number) + 1)
    case .tell: tellAnswers(max(0, number) + 1)
    case .drop: drop(number)
    case .replace:
      disk.replace()
      tickets.isLost = true
      room.acted = []
    case .disk: disk.fault = [nil, .full, .readOnly, .ioError, .busy][abs(number) % 5]
    case .pass: pass(milliseconds: max(0, number), beats: true)
    case .minutes: pass(milliseconds: min(max(0, number), 10_000) * 60_000, beats: false)
    case .early: fireEarly()
    case .synchronized: clockChecked(number != 0)
    case .step:
      now.unixMilliseconds += Int64(number) * 1000
      if number < 0 { commands.clockEra += 1 }
      tell(.clockChecked(isSynchronized: isSynchronized))
    case .epoch:
      now.unixMilliseconds = 60_000
      commands.clockEra += 1
      tell(.clockChecked(isSynchronized: isSynchronized))
    case .reload: reload(number)
    case .secrets: giveTickets(number)
    case .learned: learn(number)
    case .certificates:
      book.certificateDays = number
      tell(.certificates(daysLeft: number))
    case .stop:
      isStopping = true
      tell(.stopRequested)
    case .crash: startAgain(diskFinishes: number == 1)
    case .power: startAgain(diskFinishes: number & 1 == 1, reboots: true, clockIsLost: number & 2 == 2)
    }
    // At an orderly end the store's thread serves all its requests first.
    if isFinished { startAgain(diskFinishes: true) }
  }

  private func card(_ number: Int) -> Cast.Card { Cast.cards[abs(number) % Cast.cards.count] }

  private func clockChecked(_ isGood: Bool) {
    guard isGood != isSynchronized else { return }
    isSynchronized = isGood
    // A time service sets the clock first.
    if isGood { now.unixMilliseconds = max(now.unixMilliseconds, 1_790_000_000_000) }
    tell(.clockChecked(isSynchronized: isGood))
  }

  private func reload(_ number: Int) {
    let old = settings
    settingsNumber = abs(number) % Cast.settings.count
    let new = Cast.settings[settingsNumber]
    let differs = new.endpointCount != old.endpointCount
    if !isStopping {
      if new.rooms.unread != settings.rooms.unread { room.unread = nil }
      settings = new
      reloadBook(from: old)
      reloadAssistant(from: old)
      if new.site != old.site { site.pending = [] }
      if new.rooms.inviters != old.rooms.inviters { invitations.restart() }
      presence.reload { isConfigured($0) }
      if new.panel != old.panel {
        contacts = [Bool](repeating: false, count: contacts.count)
        closeOutputs()
        doors.close()
      }
    }
    tell(.reconfigured(isStopping ? new : settings, reconnect: differs || number % 2 == 1))
    if number % 3 == 0, !isFinished, !isStopping {
      hookReloaded = true
      hook.restsUntil = [:]
      tell(.webhooksReplaced)
    }
  }

  // MARK: The reader

  private func readerStarts() {
    guard reader == .starting else { return }
    reader = .ready
    readyAt = now.instant
    isHanging = false
    lying?.isSeen = false
    lying?.wasPresent = true
    tell(.reader(.ready(device: "chip")))
  }

  /// The reader reports its loss, and ends.
  private func readerGivesUp() {
    guard reader == .ready || reader == .starting else { return }
    reader = .ending
    lying?.isSeen = false
    tell(.reader(.lost(.ioError, code: -1)))
  }

  private func readerEnds(_ number: Int) {
    let before = reader
    guard before != .none else { return }
    reader = .none
    lying?.isSeen = false
    switch (before, number % 3) {
    case (.starting, 0): tell(.readerNotStarted(code: 2))
    case (_, 1): tell(.readerEnded(.exited(1)))
    case _: tell(.readerEnded(.signaled(9)))
    }
  }

  private func tap(_ number: Int, isTorn: Bool) {
    leave()
    guard reader == .ready, !isHanging else { return }
    lying = Lying(card: abs(number) % Cast.cards.count)
    arrive(isTorn: isTorn)
  }

  private func hammer(_ number: Int) {
    for _ in 0..<12 where failure == nil && !isFinished {
      tap(number, isTorn: false)
      pass(milliseconds: 200, beats: true)
      leave()
    }
  }

  private func arrive(isTorn: Bool) {
    guard let placed = lying else { return }
    let reading = card(placed.card).reading
    lying?.isSeen = true
    if isTicket { tickets.tapCount += 1 }
    // A card that shows up later than that was away, although nobody saw it leave.
    let isLate = now.instant - readyAt > Limits.heldTagReturnMax
    if isLate {
      lying?.isSpent = false
      lying?.wasLeft = false
      lying?.wasPresent = false
      lying?.readAt = nil
      lying?.holding = nil
    }
    if reader == .ready { recordTapped(reading.uid) }
    tell(.reader(.tagArrived(reading.uid, wasPresent: placed.wasPresent && !isLate)))
    guard reader == .ready else { return }
    if isTorn { return tell(.reader(.tagFaulted(reading.uid, reading.model, .pulledAway))) }
    read()
  }

  private func read() {
    guard let placed = lying else { return }
    let known = card(placed.card)
    // A second reading belongs to the same tap.
    if placed.readAt == nil {
      lying?.readAt = now.instant
      lying?.action = known.secret.flatMap { number in
        guard Cast.secretVersions[secretsNumber].contains(number) else { return nil }
        let secret = Cast.secrets[number]
        return settings.actions.first {
          $0.name == secret.action && ($0.index == secret.index || !$0.isIndexGiven)
            && !($0.bindsUID && secret.uid.map { $0 != known.reading.uid } == true)
        }
      }
      if known.secret == nil { lying?.action = foreignAction(of: known) }
    }
    tell(.reader(.tagRead(known.reading)))
    // The kiosk may have given the reader up over it.
    let description = TagDescription(uid: known.reading.uid, model: known.reading.model)
    if reader == .ready { tell(.reader(.tagDescribed(description))) }
  }

  private func readAgain() {
    guard reader == .ready, !isHanging, let lying else { return }
    if lying.isSeen { read() } else { arrive(isTorn: false) }
  }

  private func leave() {
    // Nobody can know what a hanging reader does not see, until it is found to hang.
    if reader == .ready, isHanging { return }
    guard let left = lying else { return }
    lying = nil
    if reader == .ready, left.isSeen {
      presence.left(card(left.card).reading.uid)
      tell(.reader(.tagLeft(card(left.card).reading.uid)))
    }
  }

  // MARK: The panel

  private func press(_ number: Int) {
    let button = abs(number) % contacts.count
    touched(button)
    tell(.panel(.key(button: button, isDown: true, at: now.instant)))
    touched(button)
    tell(.panel(.key(button: button, isDown: false, at: now.instant)))
  }

  private func edge(_ number: Int) {
    let button = abs(number) % contacts.count
    contacts[button].toggle()
    touched(button)
    tell(.panel(.edge(input: button, isActive: contacts[button], at: now.instant)))
  }

  private func line(_ number: Int) {
    let button = abs(number) % contacts.count
    if number >= 100, number < 200 {
      contacts[button] = false
      return tell(.panel(.failed(.input(button), .line(.noSuchLine))))
    }
    contacts[button] = number >= 200
    tell(.panel(.opened(.input(button), isActive: contacts[button], debouncesItself: number % 3 == 0)))
  }

  private func asked(_ number: Int) {
    let action = Cast.actions[abs(number) % Cast.actions.count]
    if abs(number) / Cast.actions.count == 3 {
      // The program was held up since.
      book.isLate = true
      tell(.panel(.asked(action: action.name, at: now.instant + .seconds(-5))))
      return book.isLate = false
    }
    book.touchedAt[abs(number) % Cast.actions.count] = now.instant
    tell(.panel(.asked(action: action.name, at: now.instant)))
  }

  // MARK: The link

  private func linkChanges(_ step: Step) {
    switch (step.kind, link) {
    // A broker that restarts is away for a while.
    case (.linkUp, .connecting) where poison.restartingEndpoint == poison.endpoint:
      link = .none
      poison.isAway()
      tell(.link(.failed(.connectionRefused)))
    case (.linkUp, .connecting):
      link = .up
      poison.connected(at: now.instant)
      assistantConnects()
      tell(.link(.connected(sessionPresent: false)))
    case (.linkFails, .connecting):
      link = .none
      poison.isAway()
      tell(.link(.failed(step.number == 0 ? .connectionRefused : .handshakeTimedOut)))
    case (.linkLost, .up):
      if step.number == 0 { brokerRestarts() }
      connectionEnds()
      tell(.link(.lost(step.number == 0 ? .closedByBroker : .keepaliveExpired)))
    case (.closed, .closing(let wasUp)):
      if step.number == 2, !wasUp { tell(.link(.connected(sessionPresent: false))) }
      connectionEnds()
      switch (step.number, wasUp) {
      case (1, true): tell(.link(.lost(.closedByBroker)))
      case (1, false): tell(.link(.failed(.connectionRefused)))
      case _: tell(.link(.disconnected))
      }
    case _: break
    }
  }

  func connectionEnds() {
    link = .none
    outstanding.removeAll(keepingCapacity: true)
    answered.removeAll(keepingCapacity: true)
    book.connectionEnds()
    assistant.connectionEnds()
  }

  /// Settles one of the entries in flight; also while the link is being closed.
  private func answer(_ step: Step) {
    guard !outstanding.isEmpty else { return }
    let asked = outstanding[abs(step.number) % outstanding.count]
    if step.kind != .unfillable, poison.refuses(asked), case .up = link { return closeAtMessage(asked) }
    let id = outstanding.remove(at: abs(step.number) % outstanding.count)
    if answered.count >= 8 { answered.removeFirst() }
    answered.append(id)
    book.answering = [id]
    switch step.kind {
    case .refuse: tell(.link(.publishRefused(id, code: 135)))
    case .unfillable: tell(.fillFailed(id, .broker))
    case _: tell(.link(.acknowledged(id)))
    }
    book.answering = []
  }

  /// Settles several of the entries in flight, and repeats an earlier answer.
  private func acknowledgeTogether(_ count: Int) {
    let ids = outstanding.filter { !poison.refuses($0) }.prefix(count)
    guard ids.count > 1 else { return }
    outstanding.removeAll { ids.contains($0) }
    let repeated = answered.last.map { [(id: $0, isHeard: true)] } ?? []
    answered = Array((answered + ids).suffix(8))
    book.answering = Array(ids)
    tell(.delivered(repeated + ids.map { ($0, $0.low % 2 == 0) }))
    book.answering = []
  }

  // MARK: The disk

  /// Drops the entry at this place, or now and then all, as a person may.
  private func drop(_ number: Int) {
    let place = abs(number)
    if place % 8 == 0 { return tell(.dropAsked(nil)) }
    guard !disk.rows.isEmpty else { return }
    tell(.dropAsked(disk.rows[place % disk.rows.count].id))
  }

  func tellAnswers(_ count: Int) {
    for _ in 0..<count {
      guard let answer = disk.takeAnswer() else { return }
      switch answer {
      case .outbox(let destination, .fetched), .outbox(let destination, .fetchFailed):
        disk.owedFetches.remove(destination)
      case .outbox(let destination, .expired(let entries, _)):
        disk.owedExpiries.remove(destination)
        book.answering = entries.map { $0.id }.filter { !book.settled.contains($0) }
      case .outbox(let destination, .fetchExpiredFailed): disk.owedExpiries.remove(destination)
      case .dropped(let entries):
        let underWay = outstanding + hook.outstanding.map { $0.id }
        if entries.contains(where: { underWay.contains($0.id) }) { fail("an entry in flight was dropped") }
      case .counted(let id): tickets.counted = tickets.counting.removeValue(forKey: id)
      case .storeFailed(let id, _):
        tickets.counted = tickets.counting.removeValue(forKey: id)
        tickets.entering[id] = nil
        tickets.hasFailed = true
        presence.notStored(id)
        if lying?.holding == id { lying?.holding = nil }
      case .outbox(.broker, .stored(let id, _)):
        tickets.entered = tickets.entering.removeValue(forKey: id)
        shelf.committed.insert(id)
        presence.stored(id) { isConfigured($0) }
      case .roomCommandsRecorded:
        send(.store(answer), allowing: room.recording.removeFirst())
        continue
      case .roomCommandsFailed: room.recording.removeFirst()
      case .outbox, .edit, .editFailed, .dropFailed, .retried, .retryFailed, .replaced, .checked, .checkFailed:
        break
      }
      tell(.store(answer))
      book.answering = []
      (tickets.counted, tickets.entered, tickets.hasFailed) = (nil, nil, false)
      if isFinished { return }
    }
  }
}
