// A message at which the broker closes the connection stops no other, and a broker that restarts costs none.

import Testing

@testable import TappetCore

@Suite struct KioskPoisonTests {
  // Not stored: the leak detector does not see what only an enumeration's case in a static array refers to.
  private static var endings: [LinkFailure] {
    [
      .closedByBroker, .connectionBroken(SystemCode(code: 104, text: "reset")),
      .disconnectedByBroker(.topicNameInvalid), .disconnectedByBroker(.packetTooLarge), .protocolViolated(code: 2),
    ]
  }

  @Test(arguments: [1, 50, 100] as [Int64], endings)
  func `one poison message in a hundred is set aside, and the others are delivered once`(
    _ place: Int64, _ ending: LinkFailure
  ) {
    for actions in [[Action.light], [.light, .scene]] {
      let story = PoisonStory(PoisonStory.waiting(100, actions: actions), poison: [place])
      story.ending = ending
      story.run(until: 60_000)
      #expect(story.taken.sorted() == (1...100).filter { $0 != place })
      #expect(story.setAside == [place] && story.disk.map { $0.sequence } == [place])
      #expect(story.kiosk.kiosk.asideCount == 1)
      #expect(story.stormCount == 0 && story.kiosk.kiosk.delivery.link.isUp)
    }
  }

  @Test(arguments: [[1, 2], [1, 100], [33, 66], [99, 100]] as [Set<Int64>])
  func `two poison messages do not block the others`(_ poison: Set<Int64>) {
    let story = PoisonStory(PoisonStory.waiting(100), poison: poison)
    story.run(until: 60_000)
    #expect(story.taken.sorted() == (1...100).filter { !poison.contains($0) })
    #expect(Set(story.setAside) == poison && story.stormCount == 0)
  }

  @Test(arguments: [1, 50, 100] as [Int64])
  func `a kiosk that is killed twenty times still delivers the other messages`(_ place: Int64) {
    let story = PoisonStory(PoisonStory.waiting(100), poison: [place])
    for _ in 1...20 {
      story.run(until: 2_700)
      story.restartKiosk()
    }
    story.run(until: 3_000)
    #expect(story.disk.map { $0.sequence } == [place])
    #expect(story.disk.first?.closes ?? 0 >= Limits.closesUntilAside && story.kiosk.kiosk.asideCount == 1)
  }

  @Test func `a kiosk that is killed after every connection still delivers all other messages`() {
    let story = PoisonStory(PoisonStory.waiting(100, actions: [.light]), poison: [1])
    for _ in 1...20 where story.disk.count > 1 {
      let before = story.failures.count
      for time in stride(from: 100, through: 20_000, by: 100) where story.failures.count == before {
        story.run(until: time)
        if story.disk.count == 1 { break }
      }
      story.restartKiosk()
    }
    #expect(story.disk.map { $0.sequence } == [1])
  }

  @Test func `a single poison message does not prevent the link from working`() {
    let story = PoisonStory(PoisonStory.waiting(1), poison: [1])
    story.run(until: 30_000)
    let connects = story.connects.count
    #expect(story.kiosk.kiosk.delivery.link.isUp && story.setAside == [1] && connects <= 7)
    story.run(until: 60_000)
    #expect(story.kiosk.kiosk.delivery.link.isUp && story.connects.count == connects)
  }

  @Test func `the failure names the poison message, with its topic and size, and not another client`() {
    let story = PoisonStory(PoisonStory.waiting(1), poison: [1])
    story.ending = .disconnectedByBroker(.topicNameInvalid)
    story.run(until: 30_000)
    let alone = LinkFailure.closedAtMessage(topic: "home/scene", size: 7, .topicNameInvalid)
    #expect(story.failures == [story.ending, .closedAtMessages(count: 1, .topicNameInvalid), alone, alone, alone])
  }

  @Test func `an entry that was set aside is retried less and less often, until it expires`() {
    let story = PoisonStory(PoisonStory.waiting(1), poison: [1])
    story.run(until: 3_590_000)
    let trials = story.connects.suffix(7)
    let pauses = zip(trials, trials.dropFirst()).map { ($1 - $0 + 30_000) / 60_000 }
    #expect(pauses == [0, 1, 2, 4, 8, 16], "\(story.connects)")
    #expect(story.expired.isEmpty && story.disk.count == 1)
    story.run(until: 3_700_000)
    #expect(story.expired == [1] && story.disk.isEmpty && story.kiosk.kiosk.asideCount == 0)
  }

  @Test func `once the broker accepts one set-aside entry, the others follow immediately`() {
    let story = PoisonStory(PoisonStory.waiting(20), poison: [3, 7, 11])
    story.run(until: 120_000)
    #expect(story.taken.count == 17 && Set(story.setAside) == [3, 7, 11] && story.kiosk.kiosk.asideCount == 3)
    story.poison = []
    story.run(until: 1_200_000)
    #expect(story.taken.sorted() == Array(1...20))
    #expect(story.disk.isEmpty && story.kiosk.kiosk.asideCount == 0)
  }

  @Test func `hundreds of poison messages delay another action's messages by only seconds`() {
    let others = (281...300).map { OutboxEntry.waiting(.scene, sequence: $0) }
    let story = PoisonStory(PoisonStory.waiting(280, actions: [.light]) + others, poison: Set(1...280))
    story.run(until: 60_000)
    #expect(story.taken.sorted() == Array(281...300))
    #expect(story.stormCount == 0)
  }

  @Test(arguments: [1_100, 1_500])
  func `more poison messages than fit into memory delay another action's messages by only seconds`(_ count: Int) {
    let last = Int64(count) + 20
    let others = (Int64(count) + 1...last).map { OutboxEntry.waiting(.scene, sequence: $0) }
    let story = PoisonStory(
      PoisonStory.waiting(count, actions: [.light]) + others, poison: Set(1...Int64(count)))
    story.run(until: 60_000)
    #expect(story.taken.sorted() == Array(Int64(count) + 1...last))
    let waiting = story.kiosk.kiosk.delivery.outbox.window.count
    #expect(waiting <= Limits.suspectsMax + 2 * Limits.outboxWindow, "\(waiting)")
    story.poison = []
    story.run(until: 1_500_000)
    #expect(story.taken.count == count + 20 && story.disk.isEmpty, "\(story.taken.count)")
  }

  // MARK: Others' faults

  @Test func `a broker restart never causes a message to be set aside`() {
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = Randomness(seed: (seed, 2, 3, 4))
      let story = PoisonStory(PoisonStory.waiting(100), seed: seed)
      story.delay = 150
      var time = 0
      for _ in 1...30 {
        time += Int.random(in: 1...4_000, using: &random)
        story.run(until: time)
        story.restartBroker(downFor: Int.random(in: 0...3_000, using: &random))
      }
      story.run(until: time + 400_000)
      #expect(story.setAside.isEmpty, "seed \(seed)")
      #expect(Set(story.taken) == Set(1...100) && story.disk.isEmpty, "seed \(seed)")
    }
  }

  @Test func `repeated outages of the broker do not make a message suspect`() {
    let story = PoisonStory(PoisonStory.waiting(1))
    // It never answers, and is restarted as soon as it has the message.
    story.delay = 1_000_000
    for time in stride(from: 500, through: 300_000, by: 500) {
      story.run(until: time)
      if story.kiosk.kiosk.delivery.outbox.inflightCount > 0 { story.restartBroker(downFor: 1_500) }
    }
    #expect(story.setAside.isEmpty && story.connects.count > 3)
  }

  @Test(arguments: [
    LinkFailure.keepaliveExpired, .acknowledgeExpired, .connectionBroken(SystemCode(code: 110, text: "timed out")),
    .disconnectedByBroker(.serverShuttingDown), .disconnectedByBroker(.sessionTakenOver),
  ])
  func `a network failure or an explicit reason from the broker does not make a message suspect`(_ failure: LinkFailure)
  {
    let story = PoisonStory(PoisonStory.waiting(10))
    story.delay = 1_000_000
    for time in stride(from: 100, through: 100_000, by: 100) {
      story.run(until: time)
      if story.kiosk.kiosk.delivery.outbox.inflightCount > 0 { story.lose(failure) }
    }
    #expect(story.disk.allSatisfy { $0.closes == 0 } && story.setAside.isEmpty)
  }
}
