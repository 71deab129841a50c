// Stories that the simulation found (Tests/Simulation), each repeated as a script.

import Testing

@testable import TappetCore

@Suite struct KioskStoryTests {
  /// Seed 3 of the first run.
  @Test func `old entries are checked again if the clock is set during an expiry pass`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset - 1_000
    // The clock is wrong by far, so an entry of an earlier start cannot be judged.
    story.start(
      summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(6, .link(.failed(.connectionRefused)))
    // Something of this start is over first, so a pass begins without a clock.
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    var words: [String] = []
    while !words.contains("expire without a clock"), let deadline = story.wakesAt, deadline < 6_000 {
      words = story.at(deadline, .timerFired)
      if words.contains("connect 0") { story.at(deadline, .link(.failed(.connectionRefused))) }
    }
    #expect(words.contains("expire without a clock"))
    #expect(!story.at(story.time, .clockChecked(isSynchronized: true)).contains("expire"))
    // The answer is from before: it says nothing about entries that only the clock can judge.
    #expect(story.at(story.time, .brokerOutbox(.expired([], earliest: nil))).contains("expire"))
  }

  /// Seed 27.
  @Test func `setting the clock makes the kiosk query the store again`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset + 3_600_000
    story.start(summary: OutboxSummary(count: 2, size: 9, earliestExpiry: .atUnixMilliseconds(unix)))
    story.at(5, .reader(.ready(device: "chip")))
    // An entry of this start is over sooner than that of the earlier one, so only the former is named.
    story.at(10, .brokerOutbox(.expired([], earliest: .at(story.moment(86_400_000).instant))))
    #expect(story.at(20, .clockChecked(isSynchronized: true)) == ["expire"])
    story.at(30, .brokerOutbox(.expired([], earliest: .at(story.moment(86_400_000).instant))))
    story.wallOffset += 7_200_000
    #expect(story.at(40, .clockChecked(isSynchronized: true)) == ["expire"])
  }

  /// Seed 1274.
  @Test func `a button that moves during a stop causes no wakeup`() {
    let story = KioskScript(panel: .pressing("light"))
    story.startAll()
    story.at(20, .panel(.opened(.input(0), isActive: true, debouncesItself: false)))
    story.at(100, .stopRequested)
    story.at(100, .timerFired)
    #expect(story.edge(0, false, at: 110) == [])
    let deadline = story.wakesAt
    #expect(story.at(140, .timerFired) == [] && story.wakesAt == deadline)
  }

  /// Seed 9, from when entries could first be dropped.
  @Test func `a drop does not end a running expiry pass`() throws {
    let story = KioskScript([.brief])
    story.startOffline()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let second = story.accept(at: 200, .of(.of(.brief, id: "b", byte: 5), uid: 2))
    let (first, other) = (try #require(accepted), try #require(second))
    var words: [String] = []
    while !words.contains("expire"), let deadline = story.wakesAt, deadline < 6_000 {
      words = story.at(deadline, .timerFired)
      if words.contains("connect 0") { words += story.at(deadline, .link(.failed(.connectionRefused))) }
    }
    #expect(words.contains("expire"))
    #expect(story.at(story.time, .store(.dropped([other]))) == ["report dropped brief"])
    #expect(
      story.at(story.time, .brokerOutbox(.expired([first], earliest: nil))) == [
        "light expired", "report expired brief", "forget",
      ])
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `entries in memory when the database is replaced are sent on a later connection, or expire`() throws {
    let story = KioskScript([.light, .brief])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5), .lightSecret]))
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let short = story.accept(at: 200, .of(.of(.brief, id: "b", byte: 5), uid: 2))
    let (light, brief) = (try #require(accepted), try #require(short))
    #expect(story.at(300, .store(.replaced)).first == "fetch after 0")
    #expect(story.kiosk.outboxCount == 0)
    story.at(310, .brokerOutbox(.fetched([], reachedEnd: true)))
    story.at(400, .link(.lost(.closedByBroker)))
    var words: [String] = []
    while !words.contains("expire"), let deadline = story.wakesAt, deadline < 6_000 {
      words = story.at(deadline, .timerFired)
      if words.contains("connect 0") { words += story.at(deadline, .link(.failed(.connectionRefused))) }
    }
    #expect(
      story.at(story.time, .brokerOutbox(.expired([], earliest: nil))) == ["light expired", "report expired brief"])
    #expect(story.wakesAt ?? 0 > story.time)
    while !words.contains("connect 0"), let deadline = story.wakesAt { words = story.at(deadline, .timerFired) }
    #expect(story.at(story.time, .link(.connected(sessionPresent: false))).contains("publish light"))
    #expect(
      story.at(story.time, .link(.acknowledged(light.id))).contains("report delivered light"))
    #expect(story.kiosk.outboxCount == 0 && brief.action == "brief")
  }
}
