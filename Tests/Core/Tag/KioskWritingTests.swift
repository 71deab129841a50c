// While a job waits, the next tag never becomes a tap; and the course of a job, from its request to its end.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct KioskWritingTests {
  private let story = KioskScript()
  private let reading = TagReading.of(.lightSecret)
  private let draft: TagDraft
  private var uid: String { Hex.encode(reading.uid.bytes) }

  init() throws {
    draft = try TagDraft(action: .light, index: 1, label: nil, carriesKey: false, unixSeconds: 2000)
    story.startAll()
  }

  /// A job that writes an action's tag, or only erases a tag.
  private func job(erases: Bool = false) -> TagJobEvent {
    .prepared(TagJob(erases ? .erase : .write(draft, protects: false), passwordKey: nil))
  }

  @discardableResult private func begin(
    at time: Int, _ job: TagJobEvent, limit: Duration? = nil, in story: KioskScript? = nil
  ) -> [String] {
    let story = story ?? self.story
    return story.at(time, .tagJob(.requested(limit: limit))) + story.at(time + 10, .tagJob(job))
  }

  /// A tag is placed and read as a whole.
  @discardableResult private func place(at time: Int, in story: KioskScript? = nil) -> [String] {
    let story = story ?? self.story
    return story.at(time, .reader(.tagArrived(reading.uid))) + story.at(time, .reader(.tagRead(reading)))
      + story.at(time, .reader(.tagDescribed(TagDescription(uid: reading.uid, model: .ntag213))))
  }

  private func done(_ fault: TagWriteFault? = nil) -> Event {
    .reader(.orderDone(OrderOutcome(uid: reading.uid, model: .ntag213, writes: 28, fault: fault)))
  }

  @Test func `a tag that arrives during a job is never a tap, not even if it stays afterwards`() {
    #expect(begin(at: 100, job(erases: true)) == ["light writing"])
    #expect(place(at: 200) == ["tag order \(uid)", "show tag \(uid)"])
    #expect(story.at(300, done()) == ["light ready", "tag done"])
    // A restless reader sees the tag once more.
    #expect(!story.at(310, .reader(.tagRead(reading))).contains { $0.hasPrefix("store") })
    story.at(400, .reader(.tagLeft(reading.uid)))
    #expect(story.tap(at: 3_000, reading).contains { $0.hasPrefix("store") })
  }

  @Test func `a tag that awaits confirmation when a job starts belongs to the job, and never becomes a tap`() {
    let alarm = Action(
      name: "alarm", title: "Alarm", index: 6, topic: "home/alarm", message: PayloadTemplate("on"),
      confirmWithin: .seconds(5))
    let secret = TagSecret.of(alarm, id: "alarm-1", byte: 0x66)
    let story = KioskScript([alarm])
    story.startAll()
    story.at(10, .secretsLoaded([secret]))
    let reading = TagReading.of(secret)
    story.at(100, .reader(.tagArrived(reading.uid)))
    #expect(story.at(110, .reader(.tagRead(reading))).contains("light confirming"))
    #expect(begin(at: 1_000, job(), in: story).contains("report not confirmed alarm closed"))
    #expect(!story.sleep(until: 9_000).contains { $0.hasPrefix("store") })
  }

  @Test func `an unreadable tag ends the job, a moved tag does not, and neither counts as a tap`() {
    begin(at: 100, job())
    let moved = Event.reader(.tagFaulted(reading.uid, .ntag213, .pulledAway))
    #expect(story.at(200, moved) == ["tag notice heldTooShort", "show pulledAway"])
    let words = story.at(300, .reader(.tagFaulted(reading.uid, .ntag213, .malformedAnswer)))
    #expect(words.contains("tag failed unreadable(TappetTag.TagFault.malformedAnswer)"))
    #expect(words.contains("light refused") && words.contains("light ready"))
    #expect(story.at(400, moved).contains("light refused"))
  }

  @Test func `a job waits for the next reader, but a tag that was being written is lost with its reader`() {
    begin(at: 100, job())
    #expect(story.at(200, .readerEnded(.signaled(9))).contains("light reader-lost"))
    story.sleep(until: 2_000)
    #expect(story.at(2_000, .reader(.ready(device: "chip"))).contains("light writing"))
    #expect(place(at: 2_100).contains("tag order \(uid)"))
    #expect(story.at(2_200, .readerEnded(.signaled(9))).contains("tag failed readerLost(torn: true)"))
  }

  @Test func `a job succeeds if its secret was saved, and fails otherwise`() {
    begin(at: 100, job())
    place(at: 200)
    #expect(story.at(300, done()) == ["tag save light"])
    #expect(story.at(310, .tagJob(.secretSaved(true))) == ["light ready", "tag done light"])
    begin(at: 400, job())
    #expect(story.at(500, done()) == ["tag save light"])
    let words = story.at(510, .tagJob(.secretSaved(false)))
    #expect(words == ["light refused", "light ready", "tag not saved"])
  }

  @Test func `a tag already on the reader is written, unless the reader has lost it`() {
    place(at: 50)
    #expect(begin(at: 100, job(erases: true)).contains("tag order \(uid)"))
    story.at(200, done())
    story.at(300, .reader(.tagLeft(reading.uid)))
    #expect(begin(at: 400, job(erases: true)) == ["light writing"])
  }

  @Test func `a job ends when its time is up, but not while its tag is being written`() {
    begin(at: 100, job(erases: true), limit: .seconds(5))
    #expect(story.wakesAt == 5_100)
    place(at: 4_000)
    #expect(!story.sleep(until: 6_000).contains { $0.hasPrefix("tag") })
    #expect(story.at(6_000, done(.pulledAway(begun: true))) == ["tag notice pulledAway(begun: true)"])
    #expect(story.sleep(until: 11_000).contains("tag failed leftTorn"))
    story.at(11_500, .reader(.tagLeft(reading.uid)))
    begin(at: 12_000, job(erases: true), limit: .seconds(5))
    #expect(story.sleep(until: 18_000).contains("tag failed noTag"))
  }

  @Test func `a job cancelled before it is prepared ends immediately, and a refused job is forgotten`() {
    story.at(100, .tagJob(.requested(limit: nil)))
    #expect(story.at(110, .tagJob(.cancelled)) == [])
    #expect(story.at(120, .tagJob(job())) == ["light refused", "tag failed cancelled"])
    story.at(200, .tagJob(.requested(limit: .seconds(5))))
    #expect(story.at(210, .tagJob(.refused)) == [])
    #expect(story.at(220, .tagJob(.cancelled)) == [] && !story.sleep(until: 9_000).contains { $0.hasPrefix("tag") })
  }

  @Test func `an order that no reader accepts ends the job, and stale responses have no effect`() {
    begin(at: 100, job())
    place(at: 200)
    #expect(story.at(210, .tagJob(.orderLost)).contains("tag failed readerLost(torn: true)"))
    for stale in [TagJobEvent.orderLost, .secretSaved(true), .cancelled, job()] {
      #expect(!story.at(300, .tagJob(stale)).contains { $0.hasPrefix("tag") })
    }
  }
}
