// Doors whose level lasts, whatever the kiosk does, and requests to exit. The rules are checked against the contacts:
//   - A level counts when it was steady; what is reported follows from it, in order, once, and at its time.
//   - A door is forced if nothing opened it, and only then. One that is found open is not.
//   - A door held open is reported at its time, again after ten minutes and not before, and when it closes.
//   - A request to exit opens its door, whatever is locked; and nothing else opens one as a request to exit.
//   - A pulse ends when its door has opened, and not before its minimum.
//   - An opening that nobody used is reported when it may no longer be used, if the door was surely closed.
//   - Nothing is stored or switched while an input that it requires has another level, none, or one that is changing;
//     nothing else is refused for that, and no request to exit.
//   - Home Assistant has the level, or that it is not known.

import TappetCore

extension Cast {
  static let doors: [InputPlan] = {
    var front = InputPlan(name: "front")
    (front.output, front.heldOpen, front.relocks, front.onForced) = ("latch", .seconds(30), true, "brief")
    var exit = InputPlan(name: "exit")
    (exit.kind, exit.output) = (.exit, "latch")
    var gate = InputPlan(name: "gate")
    (gate.kind, gate.output, gate.heldOpen, gate.debounce) = (.garageDoor, "down", .seconds(5), .milliseconds(5))
    var window = InputPlan(name: "window")
    window.kind = .window
    return [front, exit, gate, window]
  }()

  /// The doors that an output opens.
  static func doors(of output: String) -> [Int] {
    doors.indices.filter { doors[$0].output == output && doors[$0].kind != .exit }
  }
}

/// The contacts, and what the kiosk must know of them.
struct DoorBook {
  /// A contact with a line that is open.
  struct Contact {
    /// The level that was steady last.
    var isOpen: Bool
    /// Since when it has that level.
    var since: Instant
    var period: Duration
    /// The edges that are not steady yet: the first, and the last.
    var run: (first: Instant, last: Instant)?
    var heldAt: Instant?
    var isHeld = false
    var isForced = false
  }

  /// A change that is to be reported, and when the door opened.
  struct Expected {
    var index: Int
    var change: Kind
    var at: Instant

    enum Kind { case opened, closed, held, exit, found, notEntered }
  }

  /// Whether each contact is open: it outlives the kiosk.
  var levels = [Bool](repeating: false, count: Cast.doors.count)
  var contacts = [Contact?](repeating: nil, count: Cast.doors.count)
  /// Changes that are to be reported in the current event.
  var expected: [Expected] = []
  /// The last request at each exit.
  var exits: [Int: Instant] = [:]
  /// The last opening by each output that has ended, and until when it may be used.
  var openings: [String: (since: Instant, due: Instant)] = [:]
  /// The state of each contact as the broker keeps it.
  var published: [Int: InputState] = [:]

  /// All lines are given back, and what was known is forgotten.
  mutating func close() {
    contacts = [Contact?](repeating: nil, count: contacts.count)
    (expected, exits, openings, published) = ([], [:], [:], [:])
  }

  /// Whether the kiosk must show that a door is open.
  var isAlarming: Bool { contacts.contains { $0.map { $0.isForced || $0.isHeld } ?? false } }

  /// Lets the levels become steady that are so now.
  mutating func settle(at now: Instant) {
    for index in contacts.indices {
      guard var contact = contacts[index] else { continue }
      let plan = Cast.doors[index]
      if let run = contact.run, run.last + contact.period <= now {
        contact.run = nil
        if levels[index] != contact.isOpen {
          contact.isOpen.toggle()
          contact.since = run.last
          if plan.kind == .exit {
            if contact.isOpen {
              exits[index] = run.first
              expected.append(Expected(index: index, change: .exit, at: run.first))
            }
          } else {
            expected.append(Expected(index: index, change: contact.isOpen ? .opened : .closed, at: run.first))
          }
          contact.heldAt = contact.isOpen ? plan.heldOpen.map { run.last + $0 } : nil
        }
      }
      if let due = contact.heldAt, due <= now {
        expected.append(Expected(index: index, change: .held, at: due))
        contact.heldAt = now + .seconds(600)
      }
      contacts[index] = contact
    }
    for (output, opening) in openings where opening.due <= now {
      openings[output] = nil
      let doors = Cast.doors(of: output)
      let areClosed = doors.allSatisfy { door in
        contacts[door].map { !$0.isOpen && $0.run == nil && $0.since <= opening.since } ?? false
      }
      if areClosed { expected.append(Expected(index: doors[0], change: .notEntered, at: opening.due)) }
    }
  }

  /// Whether an input has a level; `nil` if it has just become steady, so that it may be judged as before.
  func satisfies(_ requirement: InputRequirement, at now: Instant) -> Bool? {
    guard let index = Cast.doors.firstIndex(where: { $0.name == requirement.input }), let contact = contacts[index]
    else { return false }
    if contact.run != nil, levels[index] != contact.isOpen { return false }
    guard contact.isOpen == (requirement.level == .open) else { return false }
    return now <= contact.since + contact.period ? nil : true
  }
}

extension World {
  // MARK: Steps

  func door(_ number: Int) {
    let index = abs(number) % Cast.doors.count
    doors.settle(at: now.instant)
    switch number {
    case 200...: openLine(of: index, debounces: number % 3 == 0)
    case 100...:
      doors.contacts[index] = nil
      tell(.panel(.failed(.contact(index), .line(.chipGone))))
    default:
      doors.levels[index].toggle()
      if doors.contacts[index] != nil {
        let first = doors.contacts[index]?.run?.first ?? now.instant
        doors.contacts[index]?.run = (first, now.instant)
        doors.settle(at: now.instant)
      }
      tell(.panel(.contact(index, isOpen: doors.levels[index], at: now.instant)))
    }
  }

  private func openLine(of index: Int, debounces: Bool) {
    let isOpen = doors.levels[index]
    if settings.panel.inputs.indices.contains(index) {
      let plan = Cast.doors[index]
      let heldAt = isOpen ? plan.heldOpen.map { now.instant + $0 } : nil
      doors.contacts[index] = DoorBook.Contact(
        isOpen: isOpen, since: now.instant, period: debounces ? .zero : plan.debounce, heldAt: heldAt)
      if plan.kind != .exit { doors.expected.append(.init(index: index, change: .found, at: now.instant)) }
    }
    tell(.panel(.opened(.contact(index), isActive: isOpen, debouncesItself: debounces)))
  }

  /// Everybody closes the doors, and all lines are there.
  func closeDoors() {
    for index in doors.levels.indices {
      doors.settle(at: now.instant)
      doors.levels[index] = false
      doors.contacts[index] = nil
      openLine(of: index, debounces: true)
    }
  }

  // MARK: Rules

  /// Judges a report, which must be the next that is expected of its input.
  func judgeInput(_ report: InputReport) {
    doors.settle(at: now.instant)
    guard let index = Cast.doors.firstIndex(where: { $0.name == report.name }) else { return fail("no such door") }
    defer { recordInput(report.change, of: index) }
    if isStopping { return }
    guard let place = doors.expected.firstIndex(where: { $0.index == index && $0.change != .exit }) else {
      return fail("\(report.name) was reported, and nothing has changed")
    }
    let expected = doors.expected.remove(at: place)
    switch (report.change, expected.change) {
    case (.opened(.found), .found): if !doors.levels[index] { fail("\(report.name) was found open, and is closed") }
    case (.closed(.found, nil, false), .found):
      if doors.levels[index] { fail("\(report.name) was found closed, and is open") }
    case (.opened(let cause), .opened): judgeOpening(index, cause, at: expected.at)
    case (.closed(.changed, _, let wasHeld), .closed):
      if wasHeld != doors.contacts[index]?.isHeld { fail("\(report.name) was closed, and not after what it was") }
    case (.heldOpen, .held), (.notEntered, .notEntered): break
    case _: fail("\(report.name) was reported as \(report.change), and it is \(expected.change)")
    }
  }

  private func recordInput(_ change: InputReport.Change, of index: Int) {
    switch change {
    case .opened(let cause): doors.contacts[index]?.isForced = cause == .forced
    case .closed:
      doors.contacts[index]?.isHeld = false
      doors.contacts[index]?.isForced = false
    case .heldOpen: doors.contacts[index]?.isHeld = true
    case .notEntered: break
    }
  }

  private func judgeOpening(_ index: Int, _ cause: InputCause, at instant: Instant) {
    let plan = Cast.doors[index]
    guard let name = plan.output, let output = settings.panel.outputs.firstIndex(where: { $0.name == name }) else {
      if cause != .changed { fail("\(plan.name) belongs to no output, and was opened as \(cause)") }
      return
    }
    let line = outputs.lines[output]
    let latest = instant + plan.debounce
    let wasActive = line.rose.map { $0 <= latest } ?? false
    let isRecent = line.since != nil || line.fell.map { instant <= $0 + .seconds(10) } ?? false
    let window = settings.panel.outputs[output].pulse + .seconds(10)
    let isLeaving = doors.exits.contains { exit, at in
      Cast.doors[exit].output == name && at <= latest && instant <= at + window
    }
    // An earlier opening may count, too, and only the last is in the book.
    if cause == .permitted, line.rose == nil, !isLeaving { fail("\(plan.name) was opened by nobody") }
    let isPermitted = wasActive && isRecent || isLeaving
    // An output that is switched in the same event may come after it.
    if cause == .forced, isPermitted, line.rose != now.instant { fail("\(plan.name) was opened, and not forced") }
    if cause == .permitted, !isPermitted, wasActive { fail("\(plan.name) was forced, and nobody knows") }
    if cause == .permitted, plan.relocks, line.isPulse, let since = line.since,
      now.instant - since >= Limits.pulseMin
    {
      fail("\(plan.name) was opened, and its pulse has not ended")
    }
  }

  /// An output was switched: only while its requirements are met, and its doors may use the opening for a while.
  func judgeOpening(by index: Int, isOn: Bool, _ reason: OutputReason) {
    guard settings.panel.outputs.indices.contains(index) else { return }
    let plan = settings.panel.outputs[index]
    doors.openings[plan.name] = nil
    if isOn != plan.isSafeOn {
      if case .asked(.request(.input)) = reason { return }
      return judgeRequired(plan.requirements, for: plan.name)
    }
    let period = Cast.doors(of: plan.name).map { Cast.doors[$0].debounce }.max()
    guard reason != .closing, let period, let rose = outputs.lines[index].rose else { return }
    doors.openings[plan.name] = (rose, now.instant + .seconds(10) + period)
  }

  /// Something was stored or switched.
  func judgeRequired(_ requirements: [InputRequirement], for name: String) {
    doors.settle(at: now.instant)
    if requirements.contains(where: { doors.satisfies($0, at: now.instant) == false }) {
      fail("\(name) happened, and an input does not have the level that it requires")
    }
  }

  /// Something was refused because of an input.
  func judgeUnmet(_ unmet: UnmetRequirement, _ cause: OutputCause? = nil) {
    doors.settle(at: now.instant)
    if case .request(.input) = cause { fail("a request to exit was prevented") }
    if doors.satisfies(unmet.requirement, at: now.instant) == true {
      fail("something was refused, and \(unmet.requirement.input) has the level that it requires")
    }
  }

  /// A pulse may end because its door has opened.
  func judgeRelock(_ index: Int, _ reason: OutputReason) {
    let line = outputs.lines[index]
    switch reason {
    case .asked(.request(.input)): outputs.lines[index].isPulse = true
    case .asked: outputs.lines[index].isPulse = false
    case .relocked:
      let name = settings.panel.outputs[index].name
      if !Cast.doors.contains(where: { $0.relocks && $0.output == name }) { fail("\(name) has no door that relocks") }
      if let rose = line.rose, now.instant - rose < Limits.pulseMin {
        fail("a pulse was ended before its minimum")
      }
    case .pulseOver, .limit, .interlock, .linkLost, .closing: break
    }
  }

  /// An output was switched for a person inside.
  func judgeExit(_ input: String, through output: String) {
    doors.settle(at: now.instant)
    let isAsked = doors.expected.contains { Cast.doors[$0.index].name == input && $0.change == .exit }
    let isTheirs = Cast.doors.contains { $0.name == input && $0.output == output }
    if !isAsked || !isTheirs { fail("\(output) was switched for a person inside, and nobody asked") }
  }

  /// An action was triggered by an input.
  func judgeAlarm(_ action: String) {
    doors.settle(at: now.instant)
    let isDue = doors.expected.contains { Cast.doors[$0.index].onForced == action && $0.change == .opened }
    if !isDue { fail("\(action) was triggered by a door, and none has opened") }
  }

  func judgeAlarm(_ alarm: InputAlarm, of name: String) {
    if settings.homeAssistant == nil { fail("an alarm was published, and nobody is to know it") }
  }

  func judgePublished(_ state: InputState, since seconds: Int64?, of index: Int) {
    if settings.homeAssistant == nil { fail("a state was published, and nobody is to know it") }
    if clockIsGood != (seconds != nil), state.since != nil { fail("a state was published with a wrong time") }
    doors.published[index] = state
  }

  /// After each event: all that has happened was reported, and the levels are those of the contacts.
  func judgeDoors(after event: Event) {
    guard isBegun, !isStopping, !isFinished else { return doors.expected = [] }
    switch event {
    // Timers wait for further edges of the same time.
    case .panel(.edge): return
    // An output that pulses may be switched on for longer.
    case .commandArrived, .rooms: for index in outputs.lines.indices { outputs.lines[index].isPulse = false }
    case _: break
    }
    doors.settle(at: now.instant)
    for expected in doors.expected {
      let plan = Cast.doors[expected.index]
      guard expected.change == .exit else { return fail("\(plan.name) is not reported as \(expected.change)") }
      guard let output = settings.panel.outputs.firstIndex(where: { $0.name == plan.output }) else { continue }
      let line = outputs.lines[output]
      let isLate = now.instant - expected.at > Limits.touchAgeMax
      if line.isThere, line.since == nil, line.fell != now.instant, !isLate { fail("an exit has opened nothing") }
    }
    doors.expected = []
    for (index, state) in kiosk.inputStates.enumerated() {
      let contact = doors.contacts[index]
      let level: InputLevel = contact.map { $0.isOpen ? .open : .closed } ?? .unknown
      if state.level != level { return fail("\(Cast.doors[index].name) is \(level), and known as \(state.level)") }
      guard isUp, settings.homeAssistant != nil, Cast.doors[index].kind != .exit else { continue }
      if doors.published[index] != state { return fail("\(Cast.doors[index].name) is not published as it is") }
    }
  }
}
