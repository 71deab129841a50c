// External tags: known by UID, text or URI, or by nobody.

import Testing

@testable import TappetCore

@Suite struct ExternalTagTests {
  private static let play = Action(
    name: "play", title: "Play", index: 7, topic: "music/%{tag}",
    message: PayloadTemplate(configured: "%{uid} %{text}") ?? PayloadTemplate(""))
  private static let unknown = Action(
    name: KioskSettings.unknownTagsName, title: "Unknown tag", index: -1, topic: "tags/%{uid}",
    message: PayloadTemplate(configured: "%{text}") ?? PayloadTemplate(""))
  private static let card = TagUID.number(40)

  private func story(_ tags: [ExternalTag] = [], publishesUnknown: Bool = false) -> KioskScript {
    let story = KioskScript([.light, .garage, .scene, Self.play])
    story.kiosk.settings.foreignTags = ForeignTags(tags)
    if publishesUnknown { story.kiosk.settings.unknownTags = Self.unknown }
    story.startAll()
    return story
  }

  private func known(_ mark: ExternalTag.Identifier = .uid(Self.card)) -> ExternalTag {
    ExternalTag(mark: mark, action: "play", label: "Abbey Road")
  }

  /// A tag without anything that can be read arrives, and leaves.
  private func tapUnreadable(
    _ story: KioskScript, at time: Int, _ uid: TagUID = Self.card, _ fault: TagFault = .unsupportedModel
  ) -> [String] {
    story.at(time, .reader(.tagArrived(uid)))
    return story.at(time, .reader(.tagFaulted(uid, .mifareClassic, fault))).filter { $0 != "show \(fault)" }
  }

  /// A Type 2 tag with this text record.
  private func holding(text: String, uid: Int) -> TagReading {
    let record = NDEFRecord(typeNameFormat: 1, type: Array("T".utf8), payload: [2] + Array("en\(text)".utf8))
    guard let message = NDEFMessage(records: [record]).encode(), let blocks = Type2Memory.encode(message: message)
    else { preconditionFailure() }
    let header: [UInt8] = [4, 0, 1, 0x8D, 1, 2, 3, 4, 4, 0x48, 0, 0, 0xE1, 0x10, 0x12, 0x00]
    return TagReading(
      uid: .number(uid), model: .ntag213, bytes: header + blocks + [UInt8](repeating: 0, count: 144 - blocks.count))
  }

  @Test func `an unreadable card is matched by its UID, which its message contains`() throws {
    let story = story([known()])
    #expect(tapUnreadable(story, at: 100) == ["store play"])
    let entry = try #require(story.commit(at: 101).entry)
    #expect(entry.topic == "music/Abbey Road" && entry.message.text == Hex.encode(Self.card.bytes) + " ")
    #expect(entry.uid == Self.card && entry.tag == "Abbey Road")
    #expect(tapUnreadable(story, at: 200, .number(41)).contains { $0.hasPrefix("report refused") })
  }

  @Test func `a card that stays counts once, and again when it returns after its cooldown`() {
    let story = story([known()])
    #expect(tapUnreadable(story, at: 100).contains("store play"))
    story.commit(at: 101)
    #expect(!tapUnreadable(story, at: 150).contains("store play"))
    story.at(200, .reader(.tagLeft(Self.card)))
    #expect(!tapUnreadable(story, at: 1_000).contains("store play"))
    story.at(1_100, .reader(.tagLeft(Self.card)))
    #expect(tapUnreadable(story, at: 2_500).contains("store play"))
  }

  @Test func `a link that is not UTF-8 matches no tag`() throws {
    let message = NDEFMessage(records: [NDEFRecord(uri: Array("http://x/".utf8) + [0xE4])]).encode()
    let tags = ForeignTags([ExternalTag(mark: .uri("http://x/\u{FFFD}"), action: "play")])
    #expect(tags.find(TagReading(uid: Self.card, model: .type4, bytes: try #require(message))) == nil)
  }

  @Test func `a learned tag acts until it is forgotten, but never drives an output`() {
    let story = story()
    story.at(50, .tagsLearned([known()]))
    #expect(tapUnreadable(story, at: 100) == ["store play"])
    story.commit(at: 101)
    story.at(200, .reader(.tagLeft(Self.card)))
    story.at(300, .tagsLearned([]))
    #expect(!tapUnreadable(story, at: 5_000).contains { $0.hasPrefix("store") })
    let door = Action(
      name: "door", title: "Door", index: 8, topic: "door", message: PayloadTemplate("x"), unlocksPanel: true)
    let guarded = KioskScript([.light, door])
    guarded.startAll()
    guarded.at(50, .tagsLearned([ExternalTag(mark: .uid(Self.card), action: "door")]))
    #expect(!tapUnreadable(guarded, at: 100).contains { $0.hasPrefix("store") })
  }

  @Test func `a card that was pulled away is not matched by its UID`() {
    let story = story([known()], publishesUnknown: true)
    #expect(!tapUnreadable(story, at: 100, Self.card, .pulledAway).contains { $0.hasPrefix("store") })
  }

  @Test func `a tag is matched by its exact text or URI`() throws {
    let story = story([known(.text("box 7")), known(.uri("https://boxes.example/8"))])
    story.tap(at: 100, holding(text: "box 7", uid: 50))
    #expect(try #require(story.commit(at: 101).entry).message.text.hasSuffix(" box 7"))
    #expect(story.tap(at: 200, .holding(Array("https://boxes.example/8".utf8), uid: 51)).contains("store play"))
    #expect(!story.tap(at: 300, .holding(Array("https://boxes.example/80".utf8), uid: 52)).contains("store play"))
    #expect(!story.tap(at: 400, holding(text: "Box 7", uid: 53)).contains("store play"))
  }

  @Test func `a tag with a valid signature triggers its action, even if its UID is listed`() {
    let reading = TagReading.of(.lightSecret, uid: 40)
    let story = story([known()], publishesUnknown: true)
    #expect(story.tap(at: 100, reading).contains("store light"))
  }

  @Test func `unknown tags are published, except those that claim to belong to this kiosk`() throws {
    let story = story(publishesUnknown: true)
    story.tap(at: 100, holding(text: "screws", uid: 60))
    let entry = try #require(story.commit(at: 101).entry)
    #expect(entry.topic == "tags/" + Hex.encode(TagUID.number(60).bytes) && entry.message.text == "screws")
    #expect(entry.action == "unknown_tags")
    #expect(tapUnreadable(story, at: 200, .number(61)) == ["store unknown_tags"])
    let forged = TagReading.signed(index: Action.light.index, key: .repeating(0x99), uid: 62)
    #expect(!story.tap(at: 300, forged).contains { $0.hasPrefix("store") })
  }

  @Test func `without unknown_tags nothing is published about unknown tags`() {
    let story = story([known()])
    #expect(!story.tap(at: 100, holding(text: "screws", uid: 60)).contains { $0.hasPrefix("store") })
    #expect(!tapUnreadable(story, at: 200, .number(61)).contains { $0.hasPrefix("store") })
  }

  @Test func `Home Assistant's scanner is notified of known tags, but not of unknown ones`() throws {
    let story = story([known()], publishesUnknown: true)
    #expect(tapUnreadable(story, at: 100) == ["store play"])
    let entry = try #require(story.commit(at: 101).entry)
    func uid(_ entry: OutboxEntry) -> TagUID? {
      guard case .accepted(let uid)? = TapTransition(.entry(.accepted(entry, uid: Self.card)))?.kind else { return nil }
      return uid
    }
    #expect(uid(entry) == Self.card)
    story.tap(at: 200, holding(text: "screws", uid: 60))
    #expect(uid(try #require(story.commit(at: 201).entry)) == nil)
  }

  /// A Type 4 tag with this message.
  private func type4(_ hex: String, uid: Int = 70) -> TagReading {
    TagReading(uid: .number(uid), model: .type4, bytes: Hex.decode(hex) ?? [])
  }

  /// A link for Home Assistant's tag `5f0bbc5b-1f7f-4b22-9a3e-3d9a9e3f1c11`, and the application that reads it.
  private static let homeAssistantTag =
    "91013b5502686f6d652d617373697374616e742e696f2f7461672f35663062626335622d316637662d346232322d396133652d3364"
    + "39613965336631633131540f22616e64726f69642e636f6d3a706b67696f2e686f6d65617373697374616e742e636f6d70616e696f6e"
    + "2e616e64726f6964"

  private func tagID(_ entry: OutboxEntry) -> String? {
    TapTransition(.entry(.accepted(entry, uid: Self.card)))?.homeAssistantID
  }

  @Test func `a tag written by Home Assistant's app is scanned by its id, even if the tag is configured`() throws {
    let link = "https://www.home-assistant.io/tag/5f0bbc5b-1f7f-4b22-9a3e-3d9a9e3f1c11"
    for story in [story([known(.uri(link))]), story([known(.uid(.number(70)))]), story(publishesUnknown: true)] {
      story.tap(at: 100, type4(Self.homeAssistantTag))
      #expect(tagID(try #require(story.commit(at: 101).entry)) == "5f0bbc5b-1f7f-4b22-9a3e-3d9a9e3f1c11")
    }
  }

  @Test func `a tag written by Home Assistant's app needs the broker, but no configured entry`() {
    let story = story()
    story.kiosk.settings.homeAssistant = HomeAssistantPlan()
    let words = story.tap(at: 100, type4(Self.homeAssistantTag))
    #expect(words.contains("report performed home_assistant"), "\(words)")
    #expect(words.contains { $0.hasPrefix("announce tap scanned") }, "\(words)")
    story.at(200, .link(.lost(.closedByBroker)))
    let away = story.tap(at: 10_000, type4(Self.homeAssistantTag, uid: 71))
    #expect(away.contains { $0.hasPrefix("report refused") }, "\(away)")
    let without = self.story()
    #expect(without.tap(at: 100, type4(Self.homeAssistantTag)).contains { $0.hasPrefix("report refused") })
  }

  @Test(
    arguments: [
      ("https://www.home-assistant.io/tag/5f", "5f"), ("HTTP://WWW.Home-Assistant.io/tag/5F?x", "5F"),
      ("https://www.home-assistant.io/tag/", nil), ("https://www.home-assistant.io/tags/5f", nil),
      ("https://home-assistant.io.example/tag/5f", nil), ("", nil),
    ] as [(String, String?)])
  func `only Home Assistant's own links yield a tag id`(_ link: String, _ id: String?) {
    #expect(HomeAssistantTag.id(in: link) == id)
  }

  @Test func `a message contains the tag's link, unless it is a signed URL or a share code`() throws {
    let story = KioskScript([.light, .garage, .scene])
    story.kiosk.settings.unknownTags = Action(
      name: KioskSettings.unknownTagsName, title: "", index: -1, topic: "tags",
      message: try #require(PayloadTemplate(configured: "<%{uri}>")), cooldown: .zero)
    story.startAll()
    for (number, (link, shown)) in [
      ("https://boxes.example/17", "https://boxes.example/17"), ("smpshare://secret?idx=1&key=00", ""),
      ("smp://action?idx=77&ts=1&sig=00", ""), ("http://SMP://action?idx=77&ts=1&sig=00", ""),
      ("https://x.example/?smpShare://secret?idx=1&key=00", ""), ("https://smp.example/s", "https://smp.example/s"),
    ].enumerated() {
      story.tap(at: 1000 * (number + 1), .holding(Array(link.utf8), uid: 80 + number))
      #expect(try #require(story.commit(at: 1000 * (number + 1) + 1).entry).message.text == "<\(shown)>")
    }
  }

  @Test(
    arguments: [
      (" ", 0x20), ("\0", 0), ("\r\n", 0x0D), ("\u{A0}", 0xC2),
    ] as [(String, UInt8)])
  func `a tag URL with a stray byte is refused as such, and not published as unknown`(_ stray: String, _ byte: UInt8) {
    let story = story(publishesUnknown: true)
    let url = (try? TagURL.sign(index: 1, timestamp: 1, key: .repeating(0x11)).text()) ?? []
    for text in [url + Array(stray.utf8), Array(stray.utf8) + url] {
      let reading = TagReading.holding(text, uid: 90)
      #expect(throws: TagReadingError.content(.strayByte(byte))) { _ = try reading.tagURL() }
      #expect(!story.tap(at: 100, reading).contains { $0.hasPrefix("store") })
    }
  }

  @Test func `a random UID is recognized`() {
    #expect(TagUID(written: "04-A1-b2-C3") == TagUID([4, 0xA1, 0xB2, 0xC3]) && TagUID(written: "04-A1-B2") == nil)
    #expect(TagUID([8, 1, 2, 3])?.isRandom == true && TagUID([4, 1, 2, 3])?.isRandom == false)
    #expect(TagUID([8, 1, 2, 3, 4, 5, 6])?.isRandom == false)
  }
}
