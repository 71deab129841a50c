// The lock by a script: what opens it, when it locks, the cost of a wrong code.

import Testing

@testable import TappetCore

private func s(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * 1_000_000_000) }

@Suite struct PanelLockTests {
  @Test func `the panel is locked at the start, unlocked by a tag, and locked again when idle`() {
    var lock = PanelLock(after: .seconds(60), code: [])
    #expect(lock.isLocked && lock.deadline == nil)
    #expect(lock.pressed(0, at: s(1)) == .refused)
    #expect(lock.unlock(at: s(10)) == true)
    #expect(!lock.isLocked && lock.deadline == s(70))
    lock.used(at: s(50))
    #expect(lock.advance(to: s(109)) == false)
    #expect(lock.advance(to: s(110)) && lock.isLocked)
    #expect(lock.advance(to: s(200)) == false)
  }

  @Test func `without a configured time the panel never locks`() {
    var lock = PanelLock(after: nil, code: [])
    #expect(!lock.isLocked && lock.deadline == nil && !lock.unlock(at: s(1)) && !lock.advance(to: s(100_000)))
  }

  @Test func `the right code unlocks the panel if it is pressed without long pauses`() {
    var lock = PanelLock(after: .seconds(60), code: [0, 1, 0])
    #expect([0, 1].map { lock.pressed($0, at: s(1)) } == [.accepted, .accepted])
    // Six seconds later the code starts again.
    #expect([0, 1, 0].map { lock.pressed($0, at: s(7)) } == [.accepted, .accepted, .unlocked])
    #expect(!lock.isLocked && lock.deadline == s(67))
  }

  @Test func `a stray press before the code does no harm, and every wrong code counts`() {
    var lock = PanelLock(after: .seconds(60), code: [0, 1, 0, 2])
    #expect([2, 0, 1].map { lock.pressed($0, at: s(1)) } == [.accepted, .accepted, .accepted])
    #expect(lock.pressed(0, at: s(1)) == .wrong(wait: .zero))
    #expect(lock.pressed(2, at: s(1)) == .unlocked && !lock.isLocked)
    // Somebody who presses without end is blocked after three codes' worth of presses.
    #expect(lock.advance(to: s(61)) == true)
    let answers = (0..<12).map { _ in lock.pressed(1, at: s(62)) }
    #expect(answers.filter { $0 == .accepted }.count == 9)
    #expect(
      answers.last == .wrong(wait: .seconds(30)) && lock.pressed(0, at: s(62)) == .blocked(remaining: .seconds(30)))
  }

  @Test func `a person can lock the panel immediately`() {
    var lock = PanelLock(after: .seconds(60), code: [0, 1])
    #expect(lock.lockNow() == false)
    _ = lock.unlock(at: s(1))
    #expect(lock.lockNow() == true && lock.isLocked && lock.deadline == nil)
    var none = PanelLock(after: nil, code: [])
    #expect(none.lockNow() == nil && !none.isLocked)
  }

  @Test func `from the third on, each wrong code doubles the delay`() {
    var lock = PanelLock(after: .seconds(60), code: [0, 1])
    var time = 0
    var waits: [Int64] = []
    for _ in 0..<9 {
      time += 1
      #expect(lock.pressed(1, at: s(time)) == .accepted)
      guard case .wrong(let wait) = lock.pressed(1, at: s(time)) else { return #expect(Bool(false), "\(waits)") }
      waits.append(wait.wholeMilliseconds / 1000)
      if wait > .zero {
        // The right code has no effect while it waits.
        #expect(lock.pressed(0, at: s(time)) == .blocked(remaining: wait))
        time += Int(wait.wholeMilliseconds / 1000)
      }
    }
    #expect(waits == [0, 0, 30, 60, 120, 240, 480, 900, 900])
    #expect([0, 1].map { lock.pressed($0, at: s(time)) } == [.accepted, .unlocked])
    #expect(lock.advance(to: s(time + 60)) == true)
    #expect([1, 1].map { lock.pressed($0, at: s(time + 61)) } == [.accepted, .wrong(wait: .zero)])
  }

  @Test func `the end of a wrong code can start the right one only after the first wrong code`() {
    var lock = PanelLock(after: .seconds(60), code: [0, 1, 0, 2])
    // Twice a wrong code, the second of which ends like the right one begins.
    #expect([1, 1, 1, 1].map { lock.pressed($0, at: s(1)) }.last == .wrong(wait: .zero))
    #expect([1, 0, 1, 0].map { lock.pressed($0, at: s(1)) }.last == .wrong(wait: .zero))
    #expect(lock.pressed(2, at: s(1)) == .accepted && lock.isLocked)
  }

  @Test func `a restart does not end the delay`() {
    var lock = PanelLock(after: .seconds(60), code: [0, 1])
    lock.resume(failures: 2, at: s(1))
    #expect([1, 1].map { lock.pressed($0, at: s(1)) } == [.accepted, .wrong(wait: .seconds(30))])
    var other = PanelLock(after: .seconds(60), code: [0, 1])
    other.resume(failures: lock.failures + 1, at: s(2))
    #expect(other.pressed(0, at: s(61)) == .blocked(remaining: .seconds(1)))
    #expect([0, 1].map { other.pressed($0, at: s(62)) } == [.accepted, .unlocked] && other.failures == 0)
  }

  @Test func `a tag unlocks the panel while codes are refused`() {
    var lock = PanelLock(after: .seconds(60), code: [0])
    for _ in 0..<3 { _ = lock.pressed(1, at: s(1)) }
    #expect(lock.pressed(0, at: s(2)) == .blocked(remaining: .seconds(29)))
    #expect(lock.unlock(at: s(2)) && !lock.isLocked)
  }
}
