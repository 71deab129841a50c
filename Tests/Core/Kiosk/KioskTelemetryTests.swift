// When the kiosk's state is published, and when not.

import Testing

@testable import TappetCore

@Suite struct KioskTelemetryTests {
  private func count(_ words: [String]) -> Int { words.count { $0 == "announce state" } }

  /// States until then, while the reader gives its sign of life.
  private func count(_ story: KioskScript, until end: Int) -> Int {
    var words: [String] = []
    for time in stride(from: story.time + 500, to: end, by: 500) {
      words += story.sleep(until: time) + story.at(time, .reader(.heartbeat))
    }
    return count(words + story.sleep(until: end))
  }

  @Test func `the state is published on connecting, and each minute without changes`() {
    let story = KioskScript(publishesState: true)
    story.start()
    #expect(count(story.at(5, .reader(.ready(device: "chip")))) == 0)
    #expect(count(story.at(10, .link(.connected(sessionPresent: false)))) == 1)
    #expect(count(story.at(10, .brokerOutbox(.fetched([], reachedEnd: true)))) == 0)
    #expect(count(story, until: 60_009) == 0)
    #expect(count(story, until: 60_010) == 1)
    #expect(count(story, until: 180_010) == 2)
  }

  @Test func `a change is published immediately, and further changes are published together a second later`() {
    let story = KioskScript(publishesState: true)
    story.startAll()
    #expect(count(story, until: 4_900) == 0)
    #expect(count(story.at(5_000, .certificates(daysLeft: 3))) == 1)
    #expect(count(story.at(5_100, .certificates(daysLeft: 2))) == 0)
    #expect(count(story.at(5_200, .certificates(daysLeft: 1))) == 0)
    #expect(count(story.sleep(until: 5_999)) == 0)
    #expect(count(story.sleep(until: 6_000)) == 1)
    #expect(count(story, until: 65_999) == 0)
  }

  @Test func `losing the clock changes the state, which is published immediately`() {
    let story = KioskScript([.garage], publishesState: true)
    story.startAll()
    _ = story.sleep(until: 5_000)
    let words = story.at(6_500, .clockChecked(isSynchronized: false))
    #expect(words.contains("light clock-unknown") && count(words) == 1, "\(words)")
  }

  @Test func `a different number of low items changes the state, and the same number does not`() {
    let story = KioskScript(publishesState: true)
    story.startAll()
    #expect(story.kiosk.status.inventory == nil)
    story.kiosk.settings.inventory = InventoryPlan()
    #expect(story.kiosk.status.inventory?.lowCount == nil)
    #expect(count(story, until: 4_900) <= 1)
    #expect(count(story.at(6_500, .inventory(.message(.lowCount(3))))) == 1)
    #expect(story.kiosk.status.inventory?.lowCount == 3)
    #expect(count(story.at(8_500, .inventory(.message(.lowCount(3))))) == 0)
    #expect(count(story.at(9_500, .inventory(.message(.lowCount(0))))) == 1)
    #expect(story.kiosk.status.inventory?.lowCount == 0)
  }

  @Test func `a change that is reverted within a second is not published`() {
    let story = KioskScript(publishesState: true)
    story.startAll()
    #expect(count(story, until: 4_900) == 0)
    story.at(5_000, .certificates(daysLeft: 3))
    story.at(5_100, .certificates(daysLeft: 2))
    story.at(5_200, .certificates(daysLeft: 3))
    #expect(count(story, until: 64_999) == 0)
  }

  @Test func `nothing is published without a connection, and each connection starts with the state`() {
    let story = KioskScript(publishesState: true)
    story.startAll()
    #expect(count(story.at(20_000, .link(.lost(.closedByBroker)))) == 0)
    #expect(count(story.at(20_100, .certificates(daysLeft: 3))) == 0)
    #expect(story.kiosk.selfReport.telemetry.deadline == nil)
    _ = story.sleep(until: 30_000)
    #expect(count(story.at(30_000, .link(.connected(sessionPresent: false)))) == 1)
  }

  @Test func `without the configuration nothing is published or scheduled`() {
    let story = KioskScript()
    story.startAll()
    #expect(count(story.at(5_000, .certificates(daysLeft: 3))) == 0)
    #expect(story.kiosk.selfReport.telemetry.deadline == nil && count(story.sleep(until: 200_000)) == 0)
  }

  @Test func `a tap's message is published before the state with its counters`() {
    let story = KioskScript(publishesState: true)
    story.startAll()
    story.tap(at: 3_000, .of(.lightSecret))
    let words = story.commit(at: 3_010).words
    let order = words.filter { $0 == "publish light" || $0 == "announce state" }
    #expect(order == ["publish light", "announce state"], "\(words)")
  }
}
