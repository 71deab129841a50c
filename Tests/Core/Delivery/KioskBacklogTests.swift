// A long outbox: what the log says of it, and how its rows are removed.

import Testing

@testable import TappetCore

@Suite struct KioskBacklogTests {
  /// Delivers a backlog of `count` entries, one each millisecond; returns the reports and the groups of removals.
  private func drain(_ count: Int) -> (reports: [String], removals: [Int]) {
    let story = KioskScript(countMax: 1_000)
    let disk = (1...count).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: count, size: 6 * count))
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    var sent: [OutboxEntry] = []
    var reports: [String] = []
    var removals: [Int] = []
    func follow() {
      sent += story.published
      for effect in story.lastEffects {
        switch effect {
        case .store(.fetch(_, let after, let limit, _, _)):
          let rest = disk.filter { $0.sequence > after }
          story.at(story.time, .brokerOutbox(.fetched(Array(rest.prefix(limit)), reachedEnd: rest.count <= limit)))
          follow()
        case .report: reports.append(effect.words)
        case .store(.remove(_, let entries, _)): removals.append(entries.count)
        default: break
        }
      }
    }
    follow()
    for number in disk.indices {
      story.at(story.time + 1, .link(.acknowledged(sent[number].id)))
      follow()
    }
    #expect(story.kiosk.outboxCount == 0 && story.kiosk.counters.delivered == count)
    return (reports, removals)
  }

  @Test func `a long backlog is logged as one line, and its removals share commits`() {
    let (reports, removals) = drain(300)
    #expect(reports.filter { $0 == "report delivered light of many" }.count == 200)
    #expect(reports.filter { $0 == "report delivered light" }.count == 100)
    #expect(reports.filter { $0.hasSuffix(" more") } == ["report delivered 200 more"])
    #expect(removals.max() == Limits.removalsMax && removals.reduce(0, +) == 300)
    #expect(removals.count < 300 / Limits.removalsMax + Limits.inflightMax + 1)
  }

  @Test func `a short backlog is logged line by line, and its last entries are removed one by one`() {
    let (reports, removals) = drain(20)
    #expect(reports.filter { $0 == "report delivered light" }.count == 20)
    // The first ones while fourteen others were under way.
    #expect(removals == [7] + Array(repeating: 1, count: 13))
  }

  @Test func `a lost link flushes pending removals and reports`() {
    let story = KioskScript(countMax: 1_000)
    let disk = (1...128).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: 900, size: 5_400))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(20, .brokerOutbox(.fetched(disk, reachedEnd: false)))
    for number in 0..<5 { story.at(30, .link(.acknowledged(disk[number].id))) }
    let words = story.at(40, .link(.lost(.closedByBroker)))
    #expect(words.contains("report delivered 5 more") && words.last == "forget")
    #expect(
      story.lastEffects.contains {
        if case .store(.remove(_, let entries, _)) = $0 { entries.count == 5 } else { false }
      })
  }

  @Test func `entries that are acknowledged together share a removal, and each is reported once`() {
    let story = KioskScript(countMax: 1_000)
    let disk = (1...20).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: 20, size: 120))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(20, .brokerOutbox(.fetched(disk, reachedEnd: true)))
    let some = disk[..<4].map { (id: $0.id, isHeard: true) }
    let words = story.at(30, .delivered(some + [(EntryID(high: 0, low: 0), true), some[0]]))
    #expect(words.filter { $0.hasPrefix("light delivered") }.count == 4)
    #expect(words.filter { $0 == "report delivered light" }.count == 4 && !words.contains("forget"))
    let last = story.at(40, .delivered(disk[4...].map { ($0.id, true) }))
    #expect(last.filter { $0 == "forget" }.count == 1 && story.kiosk.outboxCount == 0)
    #expect(story.kiosk.counters.delivered == 20)
  }

  @Test func `entries of a long backlog that are acknowledged together flash the light once`() {
    let story = KioskScript(countMax: 1_000)
    let disk = (1...128).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: 900, size: 5_400))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(20, .brokerOutbox(.fetched(disk, reachedEnd: false)))
    let words = story.at(30, .delivered(disk[..<40].map { ($0.id, true) }))
    #expect(words.filter { $0.hasPrefix("light delivered") }.count == 1 && story.kiosk.counters.delivered == 40)
  }

  @Test func `hundreds of entries dropped together are logged as one line`() {
    let story = KioskScript()
    let disk = (1...300).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: 300, size: 1_800))
    story.at(10, .dropAsked(nil))
    let words = story.at(20, .store(.dropped(disk)))
    #expect(words.filter { $0 == "report dropped light of many" }.count == 300)
    #expect(words.filter { $0 != "report dropped light of many" } == ["report dropped 300 at once"])
    #expect(story.kiosk.outboxCount == 0)
  }
}
