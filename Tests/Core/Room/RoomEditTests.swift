// The edits of messages in rooms, by a scripted clock.

import Testing

@testable import TappetCore

extension Action {
  fileprivate static let bell = Action(
    name: "bell", title: "Bell", index: 9, topic: "home/bell", message: PayloadTemplate("ring"), cooldown: .zero,
    webhookBody: PayloadTemplate(#"{"body":"ring"}"#))
  /// Goes to a room alone.
  fileprivate static let gate = Action(
    name: "gate", title: "Gate", index: 10, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    webhookBody: PayloadTemplate("{}"))
}

extension KioskScript {
  /// Started with rooms, the outboxes read; with rows of messages that may have to be edited.
  fileprivate static func inRooms(hasEdits: Bool = false, _ actions: [Action] = [.bell, .gate]) -> KioskScript {
    let story = KioskScript(actions)
    let names = Set(actions.map { $0.name })
    for name in names { story.kiosk.settings.rooms.actions[name] = "#door:h" }
    story.kiosk.settings.rooms.reporting = names.intersection(["bell"])
    story.kiosk.delivery.webhookProcess.roomActions = names
    var summary = OutboxSummary()
    summary.hasRoomEdits = hasEdits
    story.start(summary: summary)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(10, .brokerOutbox(.fetched([], reachedEnd: true)))
    // The first question was asked before the clock was known, so there is a second one.
    for _ in 0..<2 { story.at(10, .webhookOutbox(.fetched([], reachedEnd: true))) }
    return story
  }

  /// The action is asked for and committed for its destinations.
  fileprivate func enter(_ action: Action, sequence: Int64, at milliseconds: Int) -> EntryID {
    at(milliseconds, .panel(.asked(action: action.name)))
    let id = lastEffects.compactMap { $0.storedEntry }.last?.id ?? EntryID(high: 0, low: 0)
    at(milliseconds, .webhookOutbox(.stored(id, sequence: sequence)))
    if action.topic != nil { at(milliseconds, .brokerOutbox(.stored(id, sequence: sequence))) }
    return id
  }

  /// The store has this edit, or none.
  @discardableResult
  fileprivate func found(_ edit: RoomEdit?, at milliseconds: Int) -> [String] { at(milliseconds, .store(.edit(edit))) }

  fileprivate func answer(_ edit: RoomEdit, _ status: Int, after: Duration? = nil, at milliseconds: Int) -> [String] {
    let message: RoomMessage =
      status == 200
      ? .created(edit.transaction, event: "$edit")
      : .posted(edit.transaction, status: UInt16(status), retryAfter: after)
    return at(milliseconds, .rooms(.message(message)))
  }

  /// A kiosk that starts with an edit that is due, and its process is ready.
  fileprivate static func withDueEdit() -> KioskScript {
    let story = KioskScript.inRooms(hasEdits: true)
    story.found(.rung, at: 20)
    story.at(30, .rooms(.message(.ready)))
    return story
  }
}

extension RoomEdit {
  fileprivate static let rung = RoomEdit(
    entry: EntryID(high: 1, low: 2), action: "bell", message: PayloadTemplate(#"{"body":"ring"}"#), event: "$1",
    outcome: .delivered)
}

@Suite struct RoomEditTests {
  @Test func `a message is edited once, when its event and the tap's outcome are on disk`() {
    let story = KioskScript.inRooms()
    let id = story.enter(.bell, sequence: 1, at: 100)
    #expect(story.at(110, .rooms(.message(.ready))) == ["post bell"])
    #expect(
      story.at(120, .link(.acknowledged(id))) == [
        "light delivered-by-button", "record outcome delivered", "report delivered bell", "forget",
      ])
    #expect(story.at(130, .brokerOutbox(.removed([id]))) == ["fetch edit"])
    #expect(story.found(nil, at: 131) == [])
    #expect(
      story.at(140, .rooms(.message(.created(id, event: "$1")))) == [
        "light delivered-by-button", "report delivered bell", "forget webhook as $1",
      ])
    #expect(story.at(150, .webhookOutbox(.removed([id]))) == ["fetch edit"])
    let edit = RoomEdit(
      entry: id, action: "bell", message: PayloadTemplate("{}"), event: "$1", outcome: .delivered)
    #expect(story.found(edit, at: 160) == ["edit bell delivered"])
    #expect(edit.transaction != id)
    #expect(story.answer(edit, 200, at: 170) == ["fetch edit without its last", "report edited bell"])
    #expect(story.found(nil, at: 180) == [])
    #expect(story.answer(edit, 200, at: 190) == [])
    #expect(!story.sleep(until: 20_000).contains { $0.contains("edit") })
  }

  @Test func `each final state of a tap has an outcome, and a pending tap has none`() {
    let entry = OutboxEntry(
      id: EntryID(high: 1, low: 1), action: "bell", topic: "t", message: PayloadTemplate("m"), isRetained: false,
      trigger: .button, acceptedUnixMilliseconds: 0, expiry: .atUnixMilliseconds(1))
    let outcomes: [(EntryReport, RoomEditOutcome?)] = [
      (.delivered(entry, after: nil), .delivered), (.delivered(entry, after: nil, isHeard: false), .unheard),
      (.deliveredOfMany(entry), .delivered), (.deliveredOfMany(entry, isHeard: false), .unheard),
      (.expired(entry), .expired),
      (.undeliverable(entry, code: 135), .undeliverable),
      (.accepted(entry, uid: nil), nil), (.queued(entry, .linkDown), nil), (.setAside(entry, endpoint: 0), nil),
      (.dropped(entry), nil),
    ]
    for (report, outcome) in outcomes { #expect(RoomEditOutcome(report) == outcome) }
  }

  @Test func `without a reporting action, nothing is recorded or requested`() {
    let story = KioskScript.inRooms([.light, .gate])
    let id = story.enter(.light, sequence: 1, at: 100)
    #expect(story.at(120, .link(.acknowledged(id))).contains("forget"))
    #expect(!story.lastEffects.map(\.words).contains { $0.contains("outcome") })
    #expect(story.at(130, .brokerOutbox(.removed([id]))) == [])
    let other = story.enter(.gate, sequence: 2, at: 140)
    story.at(150, .rooms(.message(.ready)))
    #expect(story.at(160, .rooms(.message(.created(other, event: "$1")))).contains("forget webhook"))
  }

  @Test func `taps for rooms are sent before edits`() {
    let story = KioskScript.inRooms(hasEdits: true)
    #expect(story.found(.rung, at: 20) == ["start rooms"])
    let id = story.enter(.gate, sequence: 1, at: 25)
    #expect(story.at(30, .rooms(.message(.ready))) == ["post gate"])
    #expect(story.at(40, .timerFired) == [])
    #expect(story.at(50, .rooms(.message(.created(id, event: "$2")))).contains("edit bell delivered"))
  }

  @Test func `a rate-limited edit is sent again after the requested pause, and after any taps`() {
    let pauses: [(requested: Duration?, milliseconds: Int)] = [
      (nil, 10_000), (.milliseconds(500), 10_000), (.seconds(20), 20_000),
    ]
    for pause in pauses {
      let story = KioskScript.withDueEdit()
      #expect(story.answer(.rung, 429, after: pause.requested, at: 100) == [])
      let id = story.enter(.gate, sequence: 1, at: 200)
      // The pause is the edit's own: taps do not wait for it.
      #expect(story.lastEffects.map(\.words).contains("post gate"))
      #expect(story.at(300, .rooms(.message(.created(id, event: "$2")))).contains("report delivered gate"))
      story.sleep(until: 99 + pause.milliseconds)
      #expect(story.kiosk.delivery.edits.posted == nil)
      #expect(story.at(100 + pause.milliseconds, .timerFired).contains("edit bell delivered"))
    }
  }

  @Test func `an edit that is limited for over five minutes is dropped, and the next edit waits`() {
    let patient = KioskScript.withDueEdit()
    #expect(patient.answer(.rung, 429, after: .seconds(300), at: 100) == [])
    let story = KioskScript.withDueEdit()
    let words = story.answer(.rung, 429, after: .seconds(301), at: 100)
    #expect(words == ["fetch edit without its last", "report edit of bell dropped"])
    var next = RoomEdit.rung
    next.entry = EntryID(high: 3, low: 4)
    #expect(story.found(next, at: 110) == [])
    #expect(story.kiosk.delivery.edits.restsUntil == story.moment(301_100).instant)
  }

  @Test func `the light forgets the homeserver's failure if only an edit is pending`() throws {
    let story = KioskScript.inRooms(hasEdits: true)
    story.found(.rung, at: 20)
    story.at(25, .panel(.asked(action: "gate")))
    var entry = try #require(story.lastEffects.compactMap { $0.storedEntry }.last)
    entry.sequence = 1
    story.at(25, .webhookOutbox(.stored(entry.id, sequence: 1)))
    #expect(story.at(30, .rooms(.message(.ready))) == ["post gate"])
    story.at(40, .rooms(.message(.posted(entry.id, status: 503, retryAfter: nil))))
    #expect(story.kiosk.baseLight == .offline)
    story.at(45, .dropAsked(entry.id))
    #expect(story.at(50, .store(.dropped([entry]))).contains("light ready"))
    #expect(story.kiosk.delivery.edits.isPending)
  }

  @Test func `an edit that can never be sent is dropped`() {
    for status in [403, 404, 413] {
      let story = KioskScript.withDueEdit()
      #expect(story.answer(.rung, status, at: 100).contains("report edit of bell dropped"), "\(status)")
    }
    let story = KioskScript.withDueEdit()
    let words = story.at(100, .webhook(.notConfigured(RoomEdit.rung.transaction)))
    #expect(words.contains("report edit of bell dropped"))
  }

  @Test(arguments: [503, 429])
  func `a failed edit is sent again under its name, a limited number of times`(status: Int) {
    let story = KioskScript.withDueEdit()
    var (time, count) = (100, 1)
    while count < 50 {
      let words = story.answer(.rung, status, at: time)
      if words.contains("report edit of bell dropped") { break }
      #expect(!words.contains("edit bell delivered"))
      for _ in 0..<2000 {
        time = max(time + 1, story.wakesAt ?? time + 1)
        let effects = story.at(time, .timerFired)
        story.at(time, .reader(.heartbeat))
        if effects.contains("stop rooms") { story.at(time, .rooms(.ended(.exited(0)))) }
        if case .starting = story.kiosk.listening.process.state { story.at(time, .rooms(.message(.ready))) }
        if story.kiosk.delivery.edits.posted != nil { break }
      }
      #expect(story.kiosk.delivery.edits.posted == .rung)
      count += 1
    }
    #expect(count == Limits.roomEditTriesMax)
  }

  @Test func `an edit whose process dies is sent again by the next process`() {
    let story = KioskScript.withDueEdit()
    #expect(story.kiosk.delivery.edits.posted == .rung)
    story.at(100, .rooms(.ended(.signaled(9))))
    #expect(story.kiosk.delivery.edits.posted == nil)
    // An answer that comes too late is nobody's.
    #expect(story.answer(.rung, 200, at: 101) == [])
    #expect(story.sleep(until: 4_000).contains("start rooms"))
    #expect(story.at(4_000, .rooms(.message(.ready))).contains("edit bell delivered"))
  }

  @Test func `a program that cannot be started is retried only after a pause`() {
    let story = KioskScript.inRooms(hasEdits: true)
    #expect(story.found(.rung, at: 20) == ["start rooms"])
    #expect(!story.at(30, .rooms(.notStarted(code: 2))).contains("start rooms"))
    #expect(story.wakesAt.map { $0 > 30 } == true)
  }

  @Test func `a row is not requested again before the disk has removed it`() {
    let story = KioskScript.withDueEdit()
    #expect(story.answer(.rung, 200, at: 100).contains("fetch edit without its last"))
    #expect(!story.at(110, .store(.editFailed(.full))).contains { $0.contains("edit") })
    let words = story.at(20_000, .store(.checked))
    #expect(words.contains("fetch edit without its last"), "\(words)")
  }
}
