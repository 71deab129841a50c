// Tells a story to its end. After its steps everything goes well for a while, and then nothing may be left waiting.

import TappetCore

/// The result of a story.
struct Verdict: Sendable {
  /// The rule that was broken; `nil` means that the story ended well.
  var failure: String?
  /// Number of steps that were taken.
  var stepCount: Int
  /// Number of events that the kiosk handled.
  var eventCount: Int
  /// Number of accepted entries: a world without taps would keep every rule.
  var promiseCount: Int
  /// Number of taps of tickets.
  var ticketTapCount: Int
}

enum Story {
  /// Tells the story that the seed makes up; it may be about tickets alone.
  static func tell(seed: UInt64, stepCount: Int, ofTickets: Bool) -> Verdict {
    let world = World(seed: seed)
    var teller = StoryTeller(seed: seed, ofTickets: ofTickets)
    var taken = 0
    while taken < stepCount, world.failure == nil {
      world.take(teller.next())
      taken += 1
    }
    return end(world, taken)
  }

  /// Tells a written story.
  static func tell(_ script: Script, listener: ((String) -> Void)? = nil) -> Verdict {
    let world = World(seed: script.seed, listener: listener)
    var taken = 0
    for step in script.steps where world.failure == nil {
      listener?("── " + step.text)
      world.take(step)
      taken += 1
    }
    listener?("── everything goes well from now on")
    return end(world, taken)
  }

  /// The first `stepCount` steps of the story that the seed makes up.
  static func script(seed: UInt64, stepCount: Int, ofTickets: Bool) -> Script {
    var teller = StoryTeller(seed: seed, ofTickets: ofTickets)
    return Script(seed: seed, steps: (0..<stepCount).map { _ in teller.next() })
  }

  private static func end(_ world: World, _ taken: Int) -> Verdict {
    world.heal()
    let forgotten = world.book.fates.values.count { $0.isPromised && !$0.hasOutcome }
    if forgotten > 0 { world.fail("accepted entries have no outcome") }
    return Verdict(
      failure: world.failure, stepCount: taken, eventCount: world.eventCount,
      promiseCount: world.book.fates.values.count { $0.isPromised }, ticketTapCount: world.tickets.tapCount)
  }
}

extension World {
  /// Lets everything go well from now on, until nothing is left waiting and the panel shows it.
  func heal() {
    disk.fault = nil
    poison.pickiness = 0
    take(Step(.leave))
    take(Step(.secrets, 0))
    take(Step(.certificates, 300))
    if isStopping { startAgain(diskFinishes: true) }
    disk.commitAll()
    tellAnswers(.max)
    // Entries may wait for the broker, and the answer to a line for its room.
    if settings.endpointCount == 0 || owesLateAnswer { take(Step(.reload, 0)) }
    for button in contacts.indices { take(Step(.line, button)) }
    for output in settings.panel.outputs.indices { take(Step(.output, 200 + output)) }
    closeDoors()
    take(Step(.synchronized, 1))
    // The longest pause is that of a webhook's server, after that of its process: five minutes each.
    for _ in 0..<2_000 where failure == nil {
      disk.commitAll()
      tellAnswers(.max)
      take(Step(.linkUp))
      take(Step(.closed))
      if assistant.isAway { take(Step(.homeAssistant, 1)) }
      while !outstanding.isEmpty, failure == nil { take(Step(.acknowledge)) }
      if hook.process == .ending { take(Step(.webhookEnds, 1)) }
      take(Step(.webhookStarts))
      while !hook.outstanding.isEmpty, failure == nil { take(Step(.webhookAnswers)) }
      if shelf.process == .ending { take(Step(.inventoryEnds, 1)) }
      take(Step(.inventoryStarts))
      tellNews()
      while shelf.question != nil, shelf.process == .ready, failure == nil { take(Step(.inventoryAnswers)) }
      if room.process == .ending { take(Step(.roomsEnd, 1)) }
      take(Step(.roomsStart))
      if settings.rooms.unread != nil { take(Step(.roomUnread, 0)) }
      take(Step(.siteAnswers))
      if reader == .ending || isHanging { take(Step(.readerEnds, 2)) }
      isHanging = false
      take(Step(.readerStarts))
      take(Step(.heartbeat))
      if tagJob.isRequested { for kind in [Step.Kind.tagWritten, .tagJob] { take(Step(kind, 2)) } }
      // An hour may pass until an entry that was set aside is tried again.
      let isTriedLater = !disk.rows.isEmpty && disk.rows.allSatisfy { poison.isAside($0.id) }
      pass(milliseconds: isTriedLater ? 60_000 : 500, beats: true)
      if isAtRest { return }
    }
    fail("after minutes in which everything went well, \(restlessness)")
  }

  private var isAtRest: Bool {
    guard reader == (settings.hasReader ? .ready : .none), case .up = link, disk.isIdle, disk.rows.isEmpty else {
      return false
    }
    if assistant.owedUntil != nil || keepsTooMuch || owesRemoval || owesNews || owesCount || owesBundle || owesAnswer {
      return false
    }
    return kiosk.outboxCount == 0 && kiosk.webhookCount == 0 && book.shownLight == (book.isLocked ? .locked : .ready)
  }

  private var restlessness: String {
    if !disk.rows.isEmpty { return "entries are still waiting" }
    if kiosk.outboxCount + kiosk.webhookCount != 0 { return "the outbox is not empty" }
    if assistant.owedUntil != nil { return "a discovery is missing" }
    if owesRemoval { return "a removal is owed" }
    if owesNews { return "a change of the inventory was not passed on" }
    if owesCount { return "a count was neither written nor discarded" }
    if owesAnswer { return "a line in a room is not answered" }
    if owesBundle { return "a bundle of people is left waiting" }
    if keepsTooMuch { return "the broker keeps what is configured away" }
    return "the light is \(book.shownLight?.name ?? "dark")"
  }
}
