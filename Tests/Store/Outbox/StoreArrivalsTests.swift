// Arrivals and numbers of taps, which change in the commit of an entry.

import Foundation
import Testing

@testable import TappetCore
@testable import TappetStore

@Suite struct StoreArrivalsTests {
  private let folder = StateFolder()
  private let uid = TagUID([4, 1, 2, 3])

  private func entry(_ number: UInt64, _ notes: EntryNotes) -> OutboxEntry {
    OutboxEntry(
      id: EntryID(high: 0, low: number), action: "play", topic: "music", message: PayloadTemplate("x"),
      isRetained: false, trigger: .tag, acceptedUnixMilliseconds: 1_790_000_000_000,
      expiry: .at(Instant(nanoseconds: 1 << 60)), uid: uid, notes: notes)
  }

  private func arrival(_ number: UInt64) -> TagArrival {
    TagArrival(
      entry: EntryID(high: 0, low: number), action: "play", uid: uid, tag: "Help", person: "id-of-Ann",
      text: "a\0b", count: 3)
  }

  @Test func `an arrival is kept from its entry's commit to that of its removal, even across restarts`() throws {
    _ = try folder.open().append([entry(1, EntryNotes(count: 3, arrival: arrival(1)))])
    #expect(try folder.open().arrivals(of: ["play"]) == [arrival(1)])
    _ = try folder.open().append([entry(2, EntryNotes(ended: EntryID(high: 0, low: 1)))])
    #expect(try folder.open().arrivals(of: ["play"]).isEmpty)
    #expect(try folder.open().fetch(after: 0, limit: 9, clockIsGood: true).entries.count == 2)
  }

  @Test func `an arrival without a tag round-trips`() throws {
    let toggled = TagArrival(entry: EntryID(high: 0, low: 1), action: "play", uid: nil)
    let store = try folder.open()
    _ = try store.append([entry(1, EntryNotes(arrival: toggled))])
    #expect(try store.arrivals(of: ["play"]) == [toggled])
  }

  @Test func `the arrivals of an action without a removal are forgotten`() throws {
    let store = try folder.open()
    _ = try store.append([entry(1, EntryNotes(arrival: arrival(1)))])
    #expect(try store.arrivals(of: ["light"]).isEmpty && store.arrivals(of: ["play"]).isEmpty)
  }

  @Test func `the number of a tag's taps is that in its last entry`() throws {
    let store = try folder.open()
    _ = try store.append([entry(1, EntryNotes(count: 1)), entry(2, EntryNotes(count: 2)), entry(3, EntryNotes())])
    let counts = try folder.open().tagCounts()
    let tag = try #require(uid)
    #expect(counts.count == 1 && counts[tag] == 2)
  }
}
