// The way of one tap: which are accepted, which are refused and why, and when the same tag counts again.

import Testing

@testable import TappetCore

@Suite struct KioskTapTests {
  // MARK: Accepted

  @Test func `a genuine tap is accepted at its commit, published, and delivered at its PUBACK`() throws {
    let story = KioskScript()
    story.startAll()
    let reading = TagReading.of(.lightSecret)
    #expect(story.at(100, .reader(.tagArrived(reading.uid))) == ["light reading"])
    #expect(story.at(140, .reader(.tagRead(reading))) == ["store light", "note light-1"])
    let (words, entry) = story.commit(at: 145)
    #expect(words == ["publish light", "light accepted", "report accepted light"])
    let sent = try #require(story.published.first)
    #expect(sent == entry)
    #expect(sent.topic == "home/light" && sent.message.text == "toggle" && sent.sequence == 1)
    #expect(
      story.at(150, .link(.acknowledged(sent.id))) == [
        "light delivered-by-tag", "report delivered light", "forget",
      ])
    #expect(story.at(155, .brokerOutbox(.removed([sent.id]))) == [])
    #expect(story.kiosk.outboxCount == 0)
    #expect(story.kiosk.counters.accepted == 1 && story.kiosk.counters.delivered == 1)
  }

  @Test func `a message and a topic identify the tag and the time of the tap`() throws {
    let action = Action(
      name: "who", title: "Who", index: 9, topic: "%{kiosk}/%{tag}",
      message: try #require(PayloadTemplate(configured: "{\"tag\":\"%{uid}\",\"at\":\"%{time}\",\"id\":\"%I\"}")))
    let story = KioskScript([action], panel: .pressing("who"))
    story.kiosk.settings.kioskName = "lobby"
    story.startAll()
    story.openButtons()
    var secret = TagSecret.of(action, id: "who-1", byte: 0x77)
    secret.label = "Ann's \"blue\" tag/2"
    story.at(20, .secretsLoaded([secret]))
    let reading = TagReading.of(secret)
    story.tap(at: 100, reading)
    let tapped = try #require(story.commit(at: 101).entry)
    let uid = Hex.encode(reading.uid.bytes)
    let time = UTCTime(unixSeconds: story.moment(100).unixSeconds).text
    #expect(tapped.topic == "lobby/Ann's \"blue\" tag_2")
    #expect(tapped.message.text == "{\"tag\":\"\(uid)\",\"at\":\"\(time)\",\"id\":\"\(tapped.id.hex)\"}")
    story.edge(0, true, at: 5_000)
    let pressed = try #require(story.commit(at: 5_001).entry)
    #expect(pressed.topic == "lobby/none" && pressed.message.text.hasPrefix("{\"tag\":\"\","))
  }

  @Test func `nothing is published before its commit`() {
    let story = KioskScript()
    story.startAll()
    story.tap(at: 100, .of(.lightSecret))
    #expect(story.at(500, .timerFired) == [])
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `a press is accepted without a tag, and has its own light for delivery`() throws {
    let story = KioskScript(panel: .pressing("light"))
    story.startAll()
    story.openButtons()
    #expect(story.edge(0, true, at: 100) == ["store light"])
    let entry = try #require(story.commit(at: 101).entry)
    #expect(entry.trigger == .button)
    #expect(
      story.at(102, .link(.acknowledged(entry.id))) == [
        "light delivered-by-button", "report delivered light", "forget",
      ])
    #expect(story.edge(1, true, at: 103) == [])
  }

  @Test func `every secret of an action is accepted, and its use is recorded`() {
    let story = KioskScript()
    story.startAll()
    #expect(story.tap(at: 100, .of(.spareSecret)) == ["store light", "note light-2"])
  }

  @Test func `a revoked secret refuses only its own tags`() {
    let story = KioskScript()
    story.startAll()
    story.at(50, .secretsLoaded([.spareSecret]))
    #expect(story.tap(at: 100, .of(.lightSecret)) == ["light refused", "report refused forged light"])
    #expect(story.tap(at: 200, .of(.spareSecret, uid: 2)) == ["store light", "note light-2"])
  }

  @Test func `two entries never have the same id`() throws {
    let story = KioskScript()
    story.startAll()
    let first = try #require(story.accept(at: 100, .of(.lightSecret, uid: 1)))
    let second = try #require(story.accept(at: 200, .of(.lightSecret, uid: 2)))
    #expect(first.id != second.id)
  }

  // MARK: Refused

  @Test func `a forged signature is refused`() {
    let story = KioskScript()
    story.startAll()
    let forged = TagReading.signed(index: 1, key: .repeating(0x99))
    #expect(story.tap(at: 100, forged) == ["light refused", "report refused forged light"])
    #expect(story.kiosk.counters.refused == 1)
  }

  @Test func `a secret of one action does not work for another`() {
    let story = KioskScript()
    story.startAll()
    let borrowed = TagReading.signed(index: 2, key: .repeating(0x11))
    #expect(story.tap(at: 100, borrowed) == ["light refused", "report refused forged garage"])
  }

  @Test func `a missing action and an action without a tag are refused by name`() {
    let story = KioskScript()
    story.startAll()
    #expect(
      story.tap(at: 100, .signed(index: 9, key: .repeating(0x11))) == [
        "light refused", "report refused no action 9",
      ])
    #expect(
      story.tap(at: 200, .signed(index: 3, key: .repeating(0x11))) == [
        "light refused", "report refused no tag for scene",
      ])
  }

  @Test func `a tag that could not be read is refused, and works when held longer`() {
    let story = KioskScript()
    story.startAll()
    let reading = TagReading.of(.lightSecret)
    story.at(100, .reader(.tagArrived(reading.uid)))
    #expect(
      story.at(130, .reader(.tagFaulted(reading.uid, .ntag213, .pulledAway))) == [
        "light refused", "report refused unreadable pulledAway", "show pulledAway",
      ])
    story.at(140, .reader(.tagLeft(reading.uid)))
    #expect(story.tap(at: 300, reading) == ["store light", "note light-1"])
  }

  @Test(arguments: [
    ("https://example.org", "url invalidScheme"), ("smp://other?idx=1", "url invalidHost"),
    ("smp://action", "url noParameters"), ("smp://action?ts=1", "url missing(TappetTag.TagURLParameter.index)"),
    ("smp://action?idx=1&idx=1", "url repeated(TappetTag.TagURLParameter.index)"),
    ("smp://action?idx=9999999999999999999&ts=1&sig=0", "url malformed(TappetTag.TagURLParameter.index)"),
    ("smp://action?idx=1&ts=1&sig=zz", "forged light"),
  ])
  func `anything but a tag URL is refused with a specific reason`(uri: String, words: String) {
    let story = KioskScript()
    story.startAll()
    #expect(story.tap(at: 100, .holding(Array(uri.utf8))) == ["light refused", "report refused \(words)"])
  }

  @Test func `a tag without a message is refused with the specific reason`() {
    let story = KioskScript()
    story.startAll()
    let uid = TagUID.number(1)
    func word(_ model: TagModel, _ bytes: [UInt8], at time: Int) -> String {
      story.tap(at: time, TagReading(uid: uid, model: model, bytes: bytes)).last ?? ""
    }
    let header: [UInt8] = [4, 0, 1, 0x8D, 1, 2, 3, 4, 4, 0x48, 0, 0, 0xE1, 0x10, 0x12, 0x00]
    #expect(word(.ntag213, [], at: 100).hasPrefix("report refused content"))
    #expect(word(.type4, [], at: 200) == "report refused content empty")
    #expect(word(.ntag213, header + [0x03, 0x00, 0xFE], at: 300) == "report refused content empty")
    #expect(word(.ntag213, header + [0x03, 0x20, 0xD1], at: 400).hasPrefix("report refused content incomplete"))
    #expect(word(.mifareClassic, [], at: 500).hasPrefix("report refused content unsupportedModel"))
    #expect(story.kiosk.counters.refused == 5)
    #expect(story.tap(at: 600, .of(.lightSecret)) == ["store light", "note light-1"])
  }

  // MARK: Held, and cooldown

  @Test func `a tag that stays on the reader is one tap`() {
    let story = KioskScript()
    story.startAll()
    let reading = TagReading.of(.lightSecret)
    story.at(100, .reader(.tagArrived(reading.uid)))
    #expect(story.at(110, .reader(.tagRead(reading))) == ["store light", "note light-1"])
    #expect(story.at(9_000, .reader(.tagRead(reading))) == ["light ready", "report held"])
    story.at(9_100, .reader(.tagLeft(reading.uid)))
    #expect(story.tap(at: 9_200, reading) == ["store light", "note light-1"])
  }

  @Test func `a held tag is refused once, not at each reading`() {
    let story = KioskScript()
    story.startAll()
    let forged = TagReading.signed(index: 1, key: .repeating(0x99))
    story.at(100, .reader(.tagArrived(forged.uid)))
    #expect(story.at(110, .reader(.tagRead(forged))) == ["light refused", "report refused forged light"])
    #expect(story.at(120, .reader(.tagRead(forged))) == ["light ready", "report held"])
  }

  @Test func `a tag held during a crash of the reader is still one tap`() {
    let story = KioskScript()
    story.startAll()
    let reading = TagReading.of(.lightSecret)
    story.at(100, .reader(.tagArrived(reading.uid)))
    story.at(110, .reader(.tagRead(reading)))
    story.commit(at: 111)
    #expect(
      story.at(5_000, .readerEnded(.signaled(11))) == ["light reader-lost", "report reader lost signal 11"])
    #expect(story.at(5_250, .timerFired) == ["start reader"])
    story.at(5_300, .reader(.ready(device: "chip")))
    story.at(5_300, .reader(.tagArrived(reading.uid, wasPresent: true)))
    #expect(story.at(5_430, .reader(.tagRead(reading))) == ["light ready", "report held"])
  }

  @Test func `a tag counts again after it left while the reader was lost`() {
    let story = KioskScript()
    story.startAll()
    let reading = TagReading.of(.lightSecret)
    story.at(100, .reader(.tagArrived(reading.uid)))
    story.at(110, .reader(.tagRead(reading)))
    story.commit(at: 111)
    story.at(5_000, .readerEnded(.signaled(11)))
    story.at(5_250, .timerFired)
    story.at(5_300, .reader(.ready(device: "chip")))
    story.at(6_500, .reader(.tagArrived(reading.uid)))
    #expect(story.at(6_530, .reader(.tagRead(reading))) == ["store light", "note light-1"])
  }

  /// All modes in which a tap is an event; with `hold`, a tag on the reader is a state.
  @Test(arguments: [ActionMode.tap, .toggle, .inventory], [nil, Duration.seconds(5)])
  func `a tag present at the start does nothing until it is removed`(
    _ mode: ActionMode, _ confirms: Duration?
  ) {
    let action = Action(
      name: "light", title: "Light", index: 1, topic: "home/light", message: PayloadTemplate("toggle"),
      confirmWithin: confirms, unlocksPanel: true, mode: mode)
    let story = KioskScript([action])
    story.startAll()
    let reading = TagReading.of(.lightSecret)
    #expect(story.tap(at: 100, reading, wasPresent: true) == ["light ready", "report held"])
    #expect(story.kiosk.counters.accepted == 0 && story.kiosk.outboxCount == 0)
    #expect(story.tap(at: 3_000, reading) != ["light ready", "report held"])
  }

  @Test func `a tag present at the start does nothing even if the reader is lost before reporting it`() {
    let story = KioskScript()
    story.startAll()
    story.at(10, .readerEnded(.signaled(11)))
    story.at(260, .timerFired)
    story.at(300, .reader(.ready(device: "chip")))
    #expect(story.tap(at: 310, .of(.lightSecret), wasPresent: true) == ["light ready", "report held"])
  }

  @Test func `a tag placed during a long reader outage does nothing, but one tapped during it acts`() {
    for (away, isIgnored) in [(9_000, false), (11_000, true)] {
      let story = KioskScript()
      story.startAll()
      story.at(5_900, .reader(.heartbeat))
      story.at(6_000, .readerEnded(.signaled(11)))
      story.at(6_250, .timerFired)
      story.at(6_300, .readerEnded(.exited(1)))
      story.at(6_000 + away, .timerFired)
      story.at(6_000 + away, .reader(.ready(device: "chip")))
      let words = story.tap(at: 6_000 + away, .of(.lightSecret), wasPresent: true)
      #expect(words == (isIgnored ? ["light ready", "report held"] : ["store light", "note light-1"]))
    }
  }

  @Test func `a tag that a person holds to the reader at the start, as in 'tappet init', acts`() {
    let story = KioskScript()
    story.kiosk.expectTap()
    story.startAll()
    #expect(story.tap(at: 100, .of(.lightSecret), wasPresent: true) == ["store light", "note light-1"])
  }

  @Test func `tapping another tag replaces the held tag`() {
    let story = KioskScript()
    story.startAll()
    story.at(100, .reader(.tagArrived(.number(1))))
    story.at(110, .reader(.tagRead(.of(.lightSecret, uid: 1))))
    story.at(200, .reader(.tagArrived(.number(2))))
    #expect(story.at(210, .reader(.tagRead(.of(.lightSecret, uid: 2)))) == ["store light", "note light-1"])
  }

  @Test func `the same tag is ignored within the cooldown, and another tag is not`() {
    let story = KioskScript([.slowLight])
    story.startAll()
    story.accept(at: 100, .of(.lightSecret, uid: 1))
    #expect(story.tap(at: 1_100, .of(.lightSecret, uid: 1)) == ["light ready", "report cooldown 1000"])
    #expect(story.tap(at: 1_200, .of(.spareSecret, uid: 2)) == ["store light", "note light-2"])
    #expect(story.tap(at: 2_100, .of(.lightSecret, uid: 1)) == ["store light", "note light-1"])
    #expect(story.kiosk.counters.ignored == 1)
  }

  @Test func `a URL copied onto six tags acts once in a cooldown, and so do two secrets on one tag`() {
    let story = KioskScript([.slowLight])
    story.startAll()
    story.accept(at: 100, .of(.lightSecret, uid: 1))
    for uid in 2...6 {
      #expect(
        story.tap(at: 100 + uid * 10, .of(.lightSecret, uid: uid)).last?.hasPrefix("report cooldown") == true)
    }
    #expect(story.tap(at: 200, .of(.spareSecret, uid: 1)).last?.hasPrefix("report cooldown") == true)
    #expect(story.tap(at: 2_100, .of(.lightSecret, uid: 7)) == ["store light", "note light-1"])
    #expect(story.tap(at: 2_200, .of(.spareSecret, uid: 8)) == ["store light", "note light-2"])
  }

  @Test func `a tap that could not be stored has no cooldown`() throws {
    let story = KioskScript([.slowLight])
    story.startAll()
    story.tap(at: 100, .of(.lightSecret))
    let entry = try #require(story.lastEffects.compactMap { $0.storedEntry }.first)
    story.at(110, .store(.storeFailed(entry.id, .busy)))
    #expect(story.tap(at: 200, .of(.lightSecret)) == ["store light", "note light-1"])
  }

  @Test func `messages of a reader that was killed are ignored`() {
    let story = KioskScript()
    story.startAll()
    story.at(50, .reader(.lost(.ioError, code: -1)))
    #expect(story.at(60, .reader(.tagArrived(.number(1)))) == [])
    #expect(story.at(70, .reader(.tagRead(.of(.lightSecret)))) == [])
  }
}
