// A contact's edges by a script: each press is counted once, none is invented, whatever the contact does in between.

import Testing

@testable import TappetCore

/// Microseconds since the machine's start.
private func us(_ microseconds: Int) -> Instant { Instant(nanoseconds: Int64(microseconds) * 1000) }

private func ms(_ milliseconds: Int) -> Instant { us(milliseconds * 1000) }

extension Debouncer {
  /// A line that is open and at rest.
  fileprivate static func atRest(_ settings: DebounceSettings) -> Debouncer {
    var debouncer = Debouncer(settings)
    _ = debouncer.opened(isActive: false, debouncesItself: false)
    return debouncer
  }

  fileprivate mutating func edges(_ script: [(Int, Bool)]) -> [Change] {
    script.flatMap { edge(isActive: $0.1, at: ms($0.0)) }
  }
}

@Suite struct DebouncerTests {
  let seen = DebounceSettings(period: .milliseconds(10))
  let suppressed = DebounceSettings(period: .milliseconds(10), suppressesShortPulses: true)

  @Test func `a press counts at its first edge, and its release once the contact has been open for the period`() {
    var button = Debouncer.atRest(seen)
    #expect(button.edge(isActive: true, at: ms(100)) == [.pressed(ms(100))])
    #expect(button.edges([(102, false), (103, true), (200, false), (203, true), (204, false)]) == [])
    #expect(button.deadline == ms(214))
    #expect(button.advance(to: ms(213)) == [])
    #expect(button.advance(to: ms(214)) == [.released(ms(204))])
    #expect(button.deadline == nil)
  }

  @Test func `with short pulses suppressed, a press counts once it is steady`() {
    var button = Debouncer.atRest(suppressed)
    #expect(button.edges([(100, true), (102, false), (103, true)]) == [])
    #expect(button.deadline == ms(113))
    #expect(button.advance(to: ms(113)) == [.pressed(ms(103))])
    #expect(button.edges([(200, false)]) == [])
    #expect(button.advance(to: ms(210)) == [.released(ms(200))])
  }

  @Test(arguments: 1...9) func `a pulse shorter than the period is reported or suppressed as configured`(length: Int) {
    var seeing = Debouncer.atRest(seen)
    #expect(seeing.edges([(100, true), (100 + length, false)]) == [.pressed(ms(100))])
    #expect(seeing.advance(to: ms(200)) == [.released(ms(100 + length))])
    var suppressing = Debouncer.atRest(suppressed)
    #expect(suppressing.edges([(100, true), (100 + length, false)]) == [])
    #expect(suppressing.advance(to: ms(200)) == [])
  }

  @Test func `a break of contact during a hold does not count as a release`() {
    var button = Debouncer.atRest(seen)
    #expect(button.edges([(100, true), (300, false), (308, true), (400, false), (401, true)]) == [.pressed(ms(100))])
    #expect(button.advance(to: ms(1_000)) == [])
  }

  @Test func `a button that is stuck at the start is reported, and counts again after its release`() {
    var button = Debouncer(seen)
    #expect(button.opened(isActive: true, debouncesItself: false) == [.stuck])
    #expect(button.edges([(50, false), (52, true), (54, false)]) == [])
    #expect(button.advance(to: ms(64)) == [.recovered])
    #expect(button.edge(isActive: true, at: ms(100)) == [.pressed(ms(100))])
  }

  @Test func `edges of a line that is not open are ignored`() {
    var button = Debouncer(seen)
    #expect(button.edges([(10, true), (60, false), (110, true)]) == [])
    _ = button.opened(isActive: false, debouncesItself: false)
    #expect(button.edges([(150, true)]) == [.pressed(ms(150))])
    button.closed()
    #expect(button.edges([(200, false)]) == [] && button.deadline == nil)
    #expect(button.advance(to: ms(300)) == [])
  }

  @Test func `a line that debounces itself is trusted immediately`() {
    for settings in [seen, suppressed] {
      var button = Debouncer(settings)
      _ = button.opened(isActive: false, debouncesItself: true)
      #expect(button.edge(isActive: true, at: ms(10)) == [.pressed(ms(10))])
      #expect(button.edge(isActive: false, at: ms(11)) == [.released(ms(11))])
      #expect(button.deadline == nil)
    }
  }

  @Test func `ten thousand edges a second are one press, then a broken button until the edges stop`() {
    for settings in [seen, suppressed] {
      var button = Debouncer.atRest(settings)
      var changes: [Debouncer.Change] = []
      for edge in 0..<30_000 { changes += button.edge(isActive: edge % 2 == 0, at: us(100_000 + edge * 100)) }
      let press: [Debouncer.Change] = settings.suppressesShortPulses ? [] : [.pressed(ms(100))]
      #expect(changes == press + [.chattering])
      #expect(button.advance(to: ms(4_000)) == [.recovered])
      #expect(
        button.edges([(4_100, true)]) + button.advance(to: ms(4_200)) == [
          .pressed(ms(4_100))
        ])
    }
  }

  @Test func `an edge that was read late does not count as a new press`() {
    var button = Debouncer.atRest(seen)
    #expect(button.edges([(100, true), (200, false)]) == [.pressed(ms(100))])
    // The timer fired before the edges of 205 and 206 were read.
    #expect(button.advance(to: ms(215)) == [.released(ms(200))])
    #expect(button.edges([(205, true), (206, false)]) == [])
    #expect(button.advance(to: ms(300)) == [])
    #expect(button.edges([(400, true)]) == [.pressed(ms(400))])
  }

  /// A thousand buttons with a history each: presses that bounce at both ends, and pulses between them.
  @Test func `a gap in which edges were lost does not count as a rest`() {
    var button = Debouncer.atRest(seen)
    #expect(button.edges([(100, true), (101, false), (102, true), (103, false)]) == [.pressed(ms(100))])
    // The kernel's queue was full from 103 on, and was read at 160: the contact may have bounced all the time.
    #expect(button.edgesLost(isActive: true, at: ms(160)) == [])
    #expect(button.edges([(161, false), (162, true), (163, false)]) == [])
    #expect(button.advance(to: ms(173)) == [.released(ms(163))])
    // Edges were lost from the start; the button is pressed now.
    #expect(button.edgesLost(isActive: true, at: ms(300)) == [.pressed(ms(300))])
  }

  @Test func `in a thousand random bounce trains every press is counted exactly once`() {
    for seed in 1...1_000 {
      var random = Randomness(seed: (UInt64(seed), 11, 13, 17))
      let suppresses = seed % 2 == 0
      var button = Debouncer.atRest(suppresses ? suppressed : seen)
      var time = 50_000  // microseconds
      var presses: [ClosedRange<Int>] = []
      var pulses: [Int] = []
      var changes: [Debouncer.Change] = []
      /// Makes one edge; before it the clock may advance any number of times.
      func edge(_ isActive: Bool, after gap: Int) {
        let looks = Int.random(in: 0...2, using: &random)
        for look in 0..<looks { changes += button.advance(to: us(time + gap * (look + 1) / (looks + 1))) }
        time += gap
        changes += button.edge(isActive: isActive, at: us(time))
      }
      /// Moves to `isActive` with up to 20 bounces that are less than the period apart.
      func bounce(to isActive: Bool, after gap: Int) {
        edge(isActive, after: gap)
        for _ in 0..<Int.random(in: 0...20, using: &random) {
          edge(!isActive, after: Int.random(in: 10...4_900, using: &random))
          edge(isActive, after: Int.random(in: 10...4_900, using: &random))
        }
      }
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let gap = Int.random(in: 10_000...200_000, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
          edge(true, after: gap)
          pulses.append(time)
          edge(false, after: Int.random(in: 1_000...9_999, using: &random))
        } else {
          let start = time + gap
          bounce(to: true, after: gap)
          presses.append(start...time)
          bounce(to: false, after: Int.random(in: 10_000...500_000, using: &random))
        }
      }
      changes += button.advance(to: us(time + 10_000))
      let pressed = changes.compactMap { if case .pressed(let at) = $0 { Int(at.nanoseconds / 1000) } else { nil } }
      let released = changes.compactMap { if case .released(let at) = $0 { at } else { nil } }
      #expect(pressed.count == presses.count + (suppresses ? 0 : pulses.count), "seed \(seed)")
      #expect(released.count == pressed.count && changes.count == 2 * pressed.count, "seed \(seed)")
      if suppresses {
        #expect(zip(pressed, presses).allSatisfy { $1.contains($0) }, "seed \(seed)")
      } else {
        #expect(pressed == (presses.map { $0.lowerBound } + pulses).sorted(), "seed \(seed)")
      }
    }
  }
}
