// The level of a contact: when it counts, when it is known, and for how long it lasts.

import Testing

@testable import TappetCore

@Suite struct InputBankTests {
  private func time(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  private func bank(heldOpen: Duration? = nil) -> InputBank {
    var door = InputPlan(name: "front")
    door.heldOpen = heldOpen
    var exit = InputPlan(name: "exit")
    (exit.kind, exit.output) = (.exit, "latch")
    return InputBank([door, exit])
  }

  @Test func `an edge counts when its level is steady, and its time is that of the first contact`() {
    var bank = bank()
    bank.opened(0, isOpen: false, debouncesItself: false, at: time(0))
    #expect(bank.edge(0, isOpen: true, at: time(100)).isEmpty)
    #expect(bank.edge(0, isOpen: false, at: time(110)).isEmpty)
    #expect(bank.edge(0, isOpen: true, at: time(120)).isEmpty)
    #expect(bank.states[0].level == .closed && bank.deadline == time(170))
    #expect(bank.due(at: time(169)).isEmpty)
    #expect(bank.due(at: time(170)) == [.opened(0, at: time(100))])
    #expect(bank.states[0].level == .open && bank.states[0].since == time(120))
  }

  @Test func `a level that returns within the debounce time changes nothing`() {
    var bank = bank()
    bank.opened(0, isOpen: false, debouncesItself: false, at: time(0))
    #expect(bank.edge(0, isOpen: true, at: time(100)).isEmpty && bank.edge(0, isOpen: false, at: time(149)).isEmpty)
    #expect(bank.due(at: time(1_000)).isEmpty && bank.states[0].cause == .found)
  }

  @Test func `an edge that the kernel has debounced counts immediately`() {
    var bank = bank()
    bank.opened(0, isOpen: false, debouncesItself: true, at: time(0))
    #expect(bank.edge(0, isOpen: true, at: time(100)) == [.opened(0, at: time(100))])
    #expect(
      bank.edge(0, isOpen: false, at: time(2_100)) == [.closed(0, after: .seconds(2), wasHeldOpen: false)])
  }

  @Test func `an unread edge may still end the steady time`() {
    var bank = bank()
    bank.opened(0, isOpen: false, debouncesItself: false, at: time(0))
    _ = bank.edge(0, isOpen: true, at: time(100))
    bank.edgesRead(until: time(140))
    #expect(bank.due(at: time(200)).isEmpty)
    bank.edgesRead(until: time(200))
    #expect(bank.due(at: time(200)) == [.opened(0, at: time(100))])
  }

  @Test func `a contact that bounces endlessly has no level until its line is opened again`() {
    var bank = bank()
    bank.opened(0, isOpen: false, debouncesItself: false, at: time(0))
    let outcomes = (0..<600).flatMap { bank.edge(0, isOpen: $0 % 2 == 0, at: time($0)) }
    #expect(outcomes == [.chattering(0)] && bank.states[0].level == .unknown && bank.deadline == nil)
    bank.opened(0, isOpen: true, debouncesItself: false, at: time(30_000))
    #expect(bank.states[0].level == .open)
  }

  @Test func `a lost line has no level, and the level at its return is found`() {
    var bank = bank()
    #expect(bank.states[0] == InputState())
    bank.opened(0, isOpen: true, debouncesItself: true, at: time(0))
    bank.lost(0, at: time(100))
    #expect(bank.states[0].level == .unknown && bank.states[0].since == time(100))
    // An edge of a line that is not open means nothing.
    #expect(bank.edge(0, isOpen: false, at: time(150)).isEmpty)
    bank.opened(0, isOpen: true, debouncesItself: true, at: time(200))
    #expect(bank.states[0] == InputState(level: .open, cause: .found, since: time(200)))
    // How long it was open is not known.
    #expect(bank.edge(0, isOpen: false, at: time(300)) == [.closed(0, after: nil, wasHeldOpen: false)])
  }

  @Test func `a door held open is reported after its time, every ten minutes, and when it closes`() {
    var bank = bank(heldOpen: .seconds(30))
    bank.opened(0, isOpen: false, debouncesItself: true, at: time(0))
    _ = bank.edge(0, isOpen: true, at: time(1_000))
    #expect(bank.due(at: time(30_999)).isEmpty)
    #expect(bank.due(at: time(31_000)) == [.heldOpen(0, for: .seconds(30))])
    #expect(bank.due(at: time(630_999)).isEmpty && bank.states[0].isHeldOpen)
    #expect(bank.due(at: time(631_000)) == [.heldOpen(0, for: .seconds(630))])
    #expect(
      bank.edge(0, isOpen: false, at: time(700_000)) == [.closed(0, after: .seconds(699), wasHeldOpen: true)])
    #expect(bank.deadline == nil && !bank.states[0].isHeldOpen)
  }

  @Test func `a door found open is held open, too`() {
    var bank = bank(heldOpen: .seconds(30))
    bank.opened(0, isOpen: true, debouncesItself: true, at: time(0))
    #expect(bank.due(at: time(30_000)) == [.heldOpen(0, for: .seconds(30))])
  }

  @Test func `an exit has presses, and one pressed when its line is opened is not a request`() {
    var bank = bank()
    bank.opened(1, isOpen: true, debouncesItself: true, at: time(0))
    #expect(bank.edge(1, isOpen: false, at: time(100)).isEmpty)
    #expect(bank.edge(1, isOpen: true, at: time(200)) == [.exit(1, at: time(200))])
    #expect(bank.isLeaving(through: "latch", at: time(5_000), leeway: .zero, validFor: .seconds(10)))
    #expect(!bank.isLeaving(through: "latch", at: time(10_201), leeway: .zero, validFor: .seconds(10)))
    #expect(!bank.isLeaving(through: "other", at: time(5_000), leeway: .zero, validFor: .seconds(10)))
    #expect(!bank.isLeaving(through: "latch", at: time(150), leeway: .milliseconds(40), validFor: .seconds(10)))
  }

  @Test func `an opening is unused if its doors were closed since before it`() {
    var door = InputPlan(name: "front")
    door.output = "latch"
    var bank = InputBank([door, door])
    for index in 0...1 { bank.opened(index, isOpen: false, debouncesItself: false, at: time(0)) }
    bank.openingEnded("other", active: time(0)...time(100))
    #expect(bank.deadline == nil)
    bank.openingEnded("latch", active: time(1_000)...time(2_000))
    #expect(bank.due(at: time(12_049)).isEmpty && bank.due(at: time(12_050)) == [.notEntered(0)])
    // A second opening continues the first; a door that is opening at the end has used it.
    bank.openingEnded("latch", active: time(20_000)...time(21_000))
    bank.openingBegan("latch")
    #expect(bank.deadline == nil)
    bank.openingEnded("latch", active: time(25_000)...time(26_000))
    _ = bank.edge(1, isOpen: true, at: time(36_040))
    #expect(bank.due(at: time(36_050)).isEmpty && bank.due(at: time(36_090)) == [.opened(1, at: time(36_040))])
  }

  @Test func `any order of edges, losses and times leaves the level that was last steady`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var bank = bank(heldOpen: .seconds(5))
      var (now, level, edgeAt) = (0, Bool?.none, 0)
      for _ in 0..<200 {
        now += Int.random(in: 0...80, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          bank.lost(0, at: time(now))
          level = nil
        case 1:
          let isOpen = Bool.random(using: &random)
          bank.opened(0, isOpen: isOpen, debouncesItself: false, at: time(now))
          (level, edgeAt) = (isOpen, now)
        case 2...12:
          let isOpen = Bool.random(using: &random)
          _ = bank.edge(0, isOpen: isOpen, at: time(now))
          if level != nil { (level, edgeAt) = (isOpen, now) }
        default: _ = bank.due(at: time(now))
        }
      }
      _ = bank.due(at: time(max(now, edgeAt + 50)))
      #expect(bank.states[0].level == level.map { $0 ? .open : .closed } ?? .unknown)
    }
  }
}
