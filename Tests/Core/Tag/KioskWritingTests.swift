// While a job waits, the next tag never becomes a tap.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct KioskWritingTests {
  @Test func `a tag that comes while a job waits is never a tap, even afterwards while it stays`() {
    let story = KioskScript()
    story.startAll()
    #expect(story.at(100, .tagJob(.waiting)) == ["light writing"])
    let reading = TagReading.of(.lightSecret)
    #expect(story.at(200, .reader(.tagArrived(reading.uid))) == [])
    #expect(story.at(210, .reader(.tagRead(reading))) == [])
    #expect(story.at(300, .tagJob(.done)) == ["light ready"])
    // A restless reader sees the tag once more.
    #expect(!story.at(310, .reader(.tagRead(reading))).contains { $0.hasPrefix("store") })
    story.at(400, .reader(.tagLeft(reading.uid)))
    #expect(story.tap(at: 3_000, reading).contains { $0.hasPrefix("store") })
  }

  @Test func `a tag that is being confirmed when the job comes is the job's, and never becomes a tap`() {
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
    #expect(story.at(1_000, .tagJob(.waiting)).contains("report not confirmed alarm closed"))
    #expect(!story.sleep(until: 9_000).contains { $0.hasPrefix("store") })
  }

  @Test func `a job that fails is shown, and an unreadable tag is handled by the job`() {
    let story = KioskScript()
    story.startAll()
    story.at(100, .tagJob(.waiting))
    let uid = TagReading.of(.lightSecret).uid
    #expect(story.at(200, .reader(.tagFaulted(uid, .ntag213, .pulledAway))) == [])
    #expect(story.at(300, .tagJob(.failed)) == ["light refused", "light ready"])
    #expect(story.at(400, .reader(.tagFaulted(uid, .ntag213, .pulledAway))).contains("light refused"))
  }

  @Test func `a reader that is lost while a job waits is shown`() {
    let story = KioskScript()
    story.startAll()
    story.at(100, .tagJob(.waiting))
    #expect(story.at(200, .readerEnded(.signaled(9))).contains("light reader-lost"))
  }
}
