// One removal for each arrival, and the number of a tag's taps, across whatever ends in between.

import Testing

@testable import TappetCore

@Suite struct KioskPresenceTests {
  private static let card = TagUID.number(40)

  private static func action(_ mode: ActionMode, cooldown: Duration = .zero) -> Action {
    Action(
      name: "play", title: "Play", index: 7, topic: "music", message: PayloadTemplate("play"), cooldown: cooldown,
      mode: mode,
      removal: ActionRemoval(
        topic: "music/%{tag}", message: PayloadTemplate(configured: "stop %{uid}") ?? PayloadTemplate("")))
  }

  private func story(
    _ mode: ActionMode = .hold, owed: [TagArrival] = [], cooldown: Duration = .zero
  ) -> KioskScript {
    let story = KioskScript([.light, Self.action(mode, cooldown: cooldown)])
    story.kiosk.settings.foreignTags = ForeignTags([
      ExternalTag(mark: .uid(Self.card), action: "play", label: "Help"),
      ExternalTag(mark: .uid(.number(41)), action: "play", label: "Abbey Road"),
    ])
    var summary = OutboxSummary()
    summary.arrivals = owed
    story.start(summary: summary)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(10, .brokerOutbox(.fetched([], reachedEnd: true)))
    return story
  }

  /// The card comes; the effects of its reading.
  @discardableResult
  private func place(
    _ story: KioskScript, _ uid: TagUID = Self.card, at time: Int, wasPresent: Bool = false
  ) -> [String] {
    story.at(time, .reader(.tagArrived(uid, wasPresent: wasPresent)))
    return fault(story, uid, at: time)
  }

  /// The effects of a card that cannot be read, but for those who wait for any reading.
  private func fault(_ story: KioskScript, _ uid: TagUID, at time: Int) -> [String] {
    story.at(time, .reader(.tagFaulted(uid, .mifareClassic, .unsupportedModel))).filter { !$0.hasPrefix("show") }
  }

  @discardableResult
  private func take(_ story: KioskScript, _ uid: TagUID = Self.card, at time: Int) -> [String] {
    story.at(time, .reader(.tagLeft(uid)))
  }

  private let owed = TagArrival(entry: EntryID(high: 1, low: 1), action: "play", uid: Self.card, tag: "Help")

  @Test func `a card's removal is published once, and identifies the card`() throws {
    let story = story()
    #expect(place(story, at: 1_000) == ["store play"])
    let arrival = try #require(story.commit(at: 1_001).entry)
    #expect(arrival.message.text == "play" && arrival.notes.arrival?.uid == Self.card)
    #expect(take(story, at: 9_000).contains("store play"))
    let removal = try #require(story.commit(at: 9_001).entry)
    #expect(removal.topic == "music/Help" && removal.message.text == "stop " + Hex.encode(Self.card.bytes))
    #expect(removal.notes.ended == arrival.id && removal.notes.arrival == nil)
    #expect(!take(story, at: 9_500).contains("store play") && !story.sleep(until: 20_000).contains("store play"))
    #expect(place(story, at: 21_000) == ["store play"])
  }

  @Test func `a card that leaves before its arrival is on disk is removed afterwards`() throws {
    let story = story()
    place(story, at: 1_000)
    let arrival = try #require(story.lastEffects.compactMap { $0.storedEntry }.last)
    #expect(!take(story, at: 1_001).contains("store play"))
    #expect(story.at(1_100, .brokerOutbox(.stored(arrival.id, sequence: 1))).contains("store play"))
  }

  @Test func `an arrival that could not be written causes no removal`() throws {
    let story = story()
    place(story, at: 1_000)
    let arrival = try #require(story.lastEffects.compactMap { $0.storedEntry }.last)
    take(story, at: 1_001)
    #expect(!story.at(1_100, .store(.storeFailed(arrival.id, .full))).contains("store play"))
    #expect(!story.at(7_000, .store(.checked)).contains("store play"))
  }

  @Test func `a removal that could not be written is entered again once the disk works`() throws {
    let story = story()
    place(story, at: 1_000)
    story.commit(at: 1_001)
    take(story, at: 2_000)
    let removal = try #require(story.lastEffects.compactMap { $0.storedEntry }.last)
    #expect(!story.at(2_100, .store(.storeFailed(removal.id, .full))).contains("store play"))
    #expect(story.at(7_200, .store(.checked)).contains("store play"))
    story.commit(at: 7_300)
    #expect(!story.sleep(until: 30_000).contains("store play"))
  }

  @Test func `a card taken while the kiosk was down is removed at the next start, once`() {
    let story = story(owed: [owed])
    #expect(story.sleep(until: 30_000).filter { $0 == "store play" }.count == 1)
  }

  @Test func `a card that stayed throughout is not a new arrival, and is removed when it leaves`() throws {
    let story = story(owed: [owed])
    #expect(!place(story, at: 200, wasPresent: true).contains("store play"))
    #expect(!story.sleep(until: 5_000).contains("store play"))
    #expect(take(story, at: 6_000).contains("store play"))
    #expect(try #require(story.commit(at: 6_001).entry).notes.ended == owed.entry)
  }

  @Test func `a card's removal is undecided while the reader is lost, and decided by the next reader`() {
    let story = story()
    place(story, at: 1_000)
    story.commit(at: 1_001)
    #expect(!story.at(2_000, .readerEnded(.signaled(9))).contains("store play"))
    #expect(!story.sleep(until: 8_000).contains("store play"))
    story.at(8_100, .reader(.ready(device: "chip")))
    #expect(!place(story, at: 8_200, wasPresent: true).contains("store play"))
    #expect(!story.sleep(until: 9_000).contains("store play"))
    story.at(9_100, .readerEnded(.signaled(9)))
    _ = story.sleep(until: 15_000)
    story.at(15_100, .reader(.ready(device: "chip")))
    #expect(story.sleep(until: 16_000).filter { $0 == "store play" }.count == 1)
  }

  @Test func `the arrival of another card removes the first`() throws {
    let story = story()
    place(story, at: 1_000)
    story.commit(at: 1_001)
    #expect(story.at(3_000, .reader(.tagArrived(.number(41)))).contains("store play"))
    #expect(try #require(story.commit(at: 3_001).entry).message.text.hasPrefix("stop"))
    #expect(fault(story, .number(41), at: 3_002) == ["store play"])
  }

  @Test func `a card that returns within its cooldown is ignored, and causes no removal`() {
    let story = story(cooldown: .seconds(2))
    place(story, at: 1_000)
    story.commit(at: 1_001)
    take(story, at: 1_500)
    story.commit(at: 1_501)
    #expect(!place(story, at: 2_000).contains("store play"))
    #expect(!take(story, at: 2_500).contains("store play"))
  }

  @Test func `an arrival of an action that is no longer configured causes no removal`() {
    let story = story(owed: [TagArrival(entry: EntryID(high: 1, low: 1), action: "gone", uid: Self.card)])
    #expect(!story.sleep(until: 5_000).contains { $0.hasPrefix("store") })
  }

  @Test func `the toggle mode switches on and off, by any tag of the action, even across a restart`() throws {
    let story = story(.toggle)
    place(story, at: 1_000)
    let on = try #require(story.commit(at: 1_001).entry)
    #expect(on.message.text == "play" && on.notes.arrival?.uid == nil)
    #expect(!take(story, at: 2_000).contains("store play"))
    #expect(place(story, .number(41), at: 3_000).contains("store play"))
    let off = try #require(story.commit(at: 3_001).entry)
    #expect(off.topic == "music/Abbey Road" && off.notes.ended == on.id)
    take(story, .number(41), at: 3_500)
    place(story, at: 4_000)
    #expect(try #require(story.commit(at: 4_001).entry).message.text == "play")
    let next = self.story(.toggle, owed: [TagArrival(entry: on.id, action: "play", uid: nil)])
    #expect(!next.sleep(until: 5_000).contains("store play"))
    place(next, at: 6_000)
    #expect(try #require(next.commit(at: 6_001).entry).message.text.hasPrefix("stop"))
  }

  @Test func `a tag's accepted taps are counted across restarts, and only if a message needs the count`() throws {
    let counting = Action(
      name: "play", title: "Play", index: 7, topic: "music",
      message: PayloadTemplate(configured: "%{count}") ?? PayloadTemplate(""), cooldown: .zero)
    let story = KioskScript([.light, counting])
    story.kiosk.settings.foreignTags = ForeignTags([ExternalTag(mark: .uid(Self.card), action: "play")])
    var summary = OutboxSummary()
    summary.tagCounts = [Self.card: 6]
    story.start(summary: summary)
    story.at(5, .reader(.ready(device: "chip")))
    for (time, count) in [(1_000, 7), (2_000, 8)] {
      place(story, at: time)
      let entry = try #require(story.commit(at: time + 1).entry)
      #expect(entry.message.text == "\(count)" && entry.notes.count == Int64(count))
      take(story, at: time + 500)
    }
    place(story, at: 3_000)
    let lost = try #require(story.lastEffects.compactMap { $0.storedEntry }.last)
    story.at(3_001, .store(.storeFailed(lost.id, .full)))
    take(story, at: 3_002)
    place(story, at: 4_000)
    #expect(try #require(story.lastEffects.compactMap { $0.storedEntry }.last).notes.count == 9)
    let silent = self.story()
    place(silent, at: 1_000)
    #expect(try #require(silent.commit(at: 1_001).entry).notes.count == nil)
  }
}
