// Tells a story to its end: its steps, and then everything goes well for a while, after which nothing may wait any more.

import TappetCore

/// What became of a story.
struct Verdict: Sendable {
  /// What was wrong; nil: nothing.
  var complaint: String?
  /// Steps that were taken.
  var stepCount: Int
  /// Events that the kiosk was told.
  var eventCount: Int
  /// Entries that were accepted: a world in which nobody taps would keep every rule.
  var promiseCount: Int
}

enum Story {
  /// A story as the seed tells it.
  static func tell(seed: UInt64, stepCount: Int) -> Verdict {
    let world = World(seed: seed)
    var teller = StoryTeller(seed: seed)
    var taken = 0
    while taken < stepCount, world.complaint == nil {
      world.take(teller.next())
      taken += 1
    }
    return end(world, taken)
  }

  /// A story as it is written.
  static func tell(_ script: Script, listener: ((String) -> Void)? = nil) -> Verdict {
    let world = World(seed: script.seed, listener: listener)
    var taken = 0
    for step in script.steps where world.complaint == nil {
      listener?("── " + step.text)
      world.take(step)
      taken += 1
    }
    listener?("── everything goes well from now on")
    return end(world, taken)
  }

  /// The steps that the seed tells, up to `stepCount`.
  static func script(seed: UInt64, stepCount: Int) -> Script {
    var teller = StoryTeller(seed: seed)
    return Script(seed: seed, steps: (0..<stepCount).map { _ in teller.next() })
  }

  private static func end(_ world: World, _ taken: Int) -> Verdict {
    world.heal()
    let forgotten = world.book.fates.values.count { $0.isPromised && !$0.hasOutcome }
    if forgotten > 0 { world.complain("accepted entries have no outcome") }
    return Verdict(
      complaint: world.complaint, stepCount: taken, eventCount: world.eventCount,
      promiseCount: world.book.fates.values.count { $0.isPromised })
  }
}

extension World {
  /// From now on everything goes well; after a while nothing waits any more, and the panel says so.
  func heal() {
    disk.fault = nil
    take(Step(.leave))
    take(Step(.secrets, 0))
    take(Step(.certificates, 300))
    if isStopping { startAgain(diskFinishes: true) }
    for button in contacts.indices { take(Step(.line, button)) }
    take(Step(.synchronised, 1))
    // The longest rest is a minute, the longest wait for another attempt too.
    for _ in 0..<1_000 where complaint == nil {
      disk.commitAll()
      tellAnswers(.max)
      take(Step(.linkUp))
      take(Step(.closed))
      while !outstanding.isEmpty, complaint == nil { take(Step(.acknowledge)) }
      if reader == .ending || isHanging { take(Step(.readerEnds, 2)) }
      isHanging = false
      take(Step(.readerStarts))
      take(Step(.heartbeat))
      pass(milliseconds: 500, beats: true)
      if isAtRest { return }
    }
    complain("everything went well for minutes, and \(restlessness)")
  }

  private var isAtRest: Bool {
    guard reader == .ready, case .up = link, disk.isIdle, disk.rows.isEmpty else { return false }
    return kiosk.outboxCount == 0 && book.shownLight == (book.isLocked ? .locked : .ready)
  }

  private var restlessness: String {
    if !disk.rows.isEmpty { return "entries still wait" }
    if kiosk.outboxCount != 0 { return "the outbox is not empty" }
    return "the light is \(book.shownLight?.name ?? "dark")"
  }
}
