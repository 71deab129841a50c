// External tags, and the actions that end: what leaves, what switches, and what is counted. The rules are
// checked against what the disk holds and where the card lies:
//   - A tag of others acts only where it is configured or learned, and an unknown one only where those are published.
//   - Each arrival has exactly one removal, and none while its tag lies there, whatever dies in between.
//   - The taps of a toggle alternate.
//   - The numbers of a tag's taps neither repeat nor skip.

import TappetCore

extension Cast {
  static let jukebox = Action(
    name: "jukebox", title: "jukebox", index: 12, topic: "home/jukebox", message: counting, cooldown: .zero,
    mode: .hold,
    removal: ActionRemoval(topic: "home/jukebox/off", message: PayloadTemplate("off")))

  static let toggle = Action(
    name: "switch", title: "switch", index: 13, topic: "home/switch", message: PayloadTemplate("on"), cooldown: .zero,
    mode: .toggle, removal: ActionRemoval(topic: "home/switch", message: PayloadTemplate("off")))

  static let unknown = Action(
    name: KioskSettings.unknownTagsName, title: "unknown", index: -1, topic: "home/unknown", message: counting,
    cooldown: .seconds(2))

  private static let counting = PayloadTemplate(configured: "%{uid} %{count}") ?? PayloadTemplate("")

  /// The external cards, which come last in `cards`.
  static let foreignCards: [Card] = [
    holding(NDEFRecord(uri: Array("https://example.org/".utf8)), uid: 400),
    holding(NDEFRecord(uri: Array("https://example.org/1".utf8)), uid: 401),
    holding(text("box 17"), uid: 402), holding(NDEFRecord(uri: Array("x:switch".utf8)), uid: 403),
    holding(text("album"), uid: 404), holding(text("lamp"), uid: 405),
    holding(text("nobody's"), uid: 406),
  ].map { Card(reading: $0) }

  private static func text(_ text: String) -> NDEFRecord {
    NDEFRecord(typeNameFormat: 1, type: [UInt8(ascii: "T")], payload: [2, 0x65, 0x6E] + text.utf8)
  }

  /// The marks of the configuration.
  private static let marks = [
    ExternalTag(mark: .uid(uid(400)), action: "jukebox"), ExternalTag(mark: .uid(uid(401)), action: "jukebox"),
    ExternalTag(mark: .text("box 17"), action: "switch"), ExternalTag(mark: .uri("x:switch"), action: "switch"),
  ]

  /// The tags that were learned, one list for each version.
  ///
  /// `scene` has been given an output since, so that a tag that can be copied no longer triggers it.
  static let learnedVersions: [[ExternalTag]] = [
    [],
    [ExternalTag(mark: .uid(uid(404)), action: "jukebox"), ExternalTag(mark: .uid(uid(405)), action: "scene")],
    [ExternalTag(mark: .uid(uid(404)), action: "switch"), ExternalTag(mark: .uid(uid(405)), action: "switch")],
  ]

  /// The settings with the tags of others, and with unknown ones as well.
  static func foreign(_ settings: KioskSettings, unknown: Bool = false) -> KioskSettings {
    var settings = settings
    settings.foreignTags = ForeignTags(marks)
    settings.unknownTags = unknown ? Cast.unknown : nil
    return settings
  }
}

/// The judge's memory of arrivals and counts.
struct PresenceBook {
  /// An arrival whose removal is owed.
  struct Owed {
    var arrival: TagArrival
    /// The kiosk has seen its tag leave.
    var hasLeft = false
    /// Its action was not configured for a while, so that its end may have been given up.
    var isExcused = false
  }

  /// Index of the learned tags into `Cast.learnedVersions`.
  var learned = 0
  /// The arrivals on their way to the disk, and those that are owed.
  var coming: [EntryID: TagArrival] = [:]
  var owed: [EntryID: Owed] = [:]
  /// The arrivals that a removal on its way to the disk ends, by that.
  var ending: [EntryID: EntryID] = [:]
  /// The number of each tag's accepted taps, and whether one that failed left a gap.
  var counts: [TagUID: Int64] = [:]
  var hasGap: Set<TagUID> = []
  /// The counts that wait for their commit.
  var counting: [EntryID: (uid: TagUID, count: Int64)] = [:]

  /// Another process knows what the disk knows.
  mutating func restart(_ summary: OutboxSummary, isConfigured: (String) -> Bool) {
    (coming, ending, counting, hasGap) = ([:], [:], [:], [])
    counts = summary.tagCounts
    owed = [:]
    for arrival in summary.arrivals {
      owed[arrival.entry] = Owed(arrival: arrival, isExcused: !isConfigured(arrival.action))
    }
  }

  /// Handles a configuration without some of the actions.
  mutating func reload(isConfigured: (String) -> Bool) {
    for (entry, debt) in owed where !isConfigured(debt.arrival.action) { owed[entry]?.isExcused = true }
  }

  mutating func left(_ uid: TagUID) {
    for (entry, debt) in owed where debt.arrival.uid == uid { owed[entry]?.hasLeft = true }
    for (entry, arrival) in coming where arrival.uid == uid { leftWhileComing.insert(entry) }
  }

  /// Arrivals whose tag left before their commit.
  private var leftWhileComing: Set<EntryID> = []

  /// The disk took an entry.
  mutating func stored(_ id: EntryID, isConfigured: (String) -> Bool) {
    if let arrival = coming.removeValue(forKey: id) {
      owed[id] = Owed(
        arrival: arrival, hasLeft: leftWhileComing.remove(id) != nil, isExcused: !isConfigured(arrival.action))
    }
    if let ended = ending.removeValue(forKey: id) { owed[ended] = nil }
    if let count = counting.removeValue(forKey: id) { counts[count.uid] = max(counts[count.uid] ?? 0, count.count) }
  }

  /// The disk did not take it.
  mutating func notStored(_ id: EntryID) {
    coming[id] = nil
    ending[id] = nil
    guard let failed = counting.removeValue(forKey: id) else { return }
    if counting.values.contains(where: { $0.uid == failed.uid }) { hasGap.insert(failed.uid) }
  }

  /// The arrival of an action that its next tap ends.
  func isOn(_ action: String) -> Bool {
    coming.values.contains { $0.action == action && $0.uid == nil }
      || owed.values.contains { $0.arrival.action == action && $0.arrival.uid == nil }
  }
}

extension World {
  func learn(_ number: Int) {
    presence.learned = abs(number) % Cast.learnedVersions.count
    tell(.tagsLearned(Cast.learnedVersions[presence.learned]))
  }

  /// The action that a card of nobody here sets off.
  func foreignAction(of card: Cast.Card) -> Action? {
    guard card.claims == nil else { return nil }
    let known = ForeignTags(Cast.learnedVersions[presence.learned])
    if let tag = settings.foreignTags.find(card.reading) ?? known.find(card.reading) {
      // A tag whose action is not configured, or needs a proof, is as good as unknown.
      if let action = settings.actions.first(where: { $0.name == tag.action && !$0.needsProof }) { return action }
    }
    return settings.unknownTags
  }

  func isConfigured(_ action: String) -> Bool { settings.actions.contains { $0.name == action } }

  /// Judges the notes of an entry; returns whether it is a removal, which nobody has tapped for.
  func judgeNotes(_ entry: OutboxEntry, _ action: Action) -> Bool {
    let notes = entry.notes
    judgeCount(entry)
    if let ended = notes.ended { judgeEnd(of: ended, by: entry, action) }
    if let arrival = notes.arrival {
      if action.mode == .toggle, presence.isOn(action.name) { fail("\(action.name) was switched on twice") }
      if action.mode == .hold, lying?.holding != nil { fail("a tag that lies there set off its action again") }
      presence.coming[entry.id] = arrival
      if action.mode == .hold { lying?.holding = entry.id }
    }
    guard entry.trigger == .tag, action.mode == .hold || action.mode == .toggle else { return false }
    if (notes.ended == nil) == (notes.arrival == nil) { fail("\(action.name) neither begins nor ends") }
    return action.mode == .hold && notes.ended != nil
  }

  private func judgeEnd(of ended: EntryID, by entry: OutboxEntry, _ action: Action) {
    guard presence.owed[ended] != nil else { return fail("a removal of an arrival that owes none") }
    if presence.ending.values.contains(ended) { fail("two removals of one arrival") }
    presence.ending[entry.id] = ended
    let liesThere = reader == .ready && !isHanging && lying?.isSeen == true && lying?.holding == ended
    if action.mode == .hold, liesThere { fail("a removal, and its tag lies there") }
    if entry.topic != "home/\(action.name)" + (action.mode == .hold ? "/off" : "") || entry.message.text != "off" {
      fail("\(action.name) ended with another topic or message")
    }
  }

  private func judgeCount(_ entry: OutboxEntry) {
    guard let count = entry.notes.count, let uid = entry.uid else { return }
    let waiting = presence.counting.values.filter { $0.uid == uid }.map { $0.count }
    let last = max(presence.counts[uid] ?? 0, waiting.max() ?? 0)
    if count <= last { fail("tap \(last) of a tag was counted again") }
    if count > last + 1, !presence.hasGap.contains(uid) { fail("tap \(last + 1) of a tag was skipped") }
    presence.counting[entry.id] = (uid, count)
  }

  /// A toggle ignores a tap only while the one before is on its way to the disk, and a tag left lying.
  func judgeHeld(_ action: String?) {
    guard action == Cast.toggle.name, lying?.wasPresent != true else { return }
    let isComing = presence.coming.values.contains { $0.action == action }
    let isEnding = presence.ending.values.contains { presence.owed[$0]?.arrival.action == action }
    if !isComing, !isEnding { fail("a toggle ignored a tap, and nothing of it was under way") }
  }

  /// The message that an action without facts, or with those of the card that lies there, has.
  func expectedText(_ action: Action, _ entry: OutboxEntry) -> String {
    guard action.message.namesFacts else { return action.message.text }
    return (entry.uid.map { Hex.encode($0.bytes) } ?? "") + " " + (entry.notes.count.map { "\($0)" } ?? "")
  }

  /// No removal waits that could be entered.
  func judgeRemovals() {
    for (entry, debt) in presence.owed where debt.hasLeft && !debt.isExcused {
      if !presence.ending.values.contains(entry) { return fail("a tag has left, and its removal is not entered") }
    }
  }

  /// Whether a removal is owed that nothing holds up.
  var owesRemoval: Bool {
    // Without a reader nobody knows whether the card still lies there.
    settings.hasReader
      && presence.owed.values.contains { $0.arrival.uid != nil && !$0.isExcused && isConfigured($0.arrival.action) }
  }
}
