// The light 'unread': when it is shown, for which space, and what is reported about it.

import Testing

@testable import TappetCore

@Suite struct RoomUnreadTests {
  private let one = RoomUnread.counted(rooms: 1, messages: 3, mentions: 1)
  private let none = RoomUnread.counted(rooms: 0, messages: 0, mentions: 0)

  private func running(
    _ room: String? = "#home:h", panel: PanelPlan = PanelPlan(), isOnline: Bool = true
  ) -> KioskScript {
    let story = KioskScript(panel: panel)
    if isOnline { story.startAll() } else { story.startOffline() }
    var settings = story.kiosk.settings
    settings.rooms.unread = room
    #expect(story.at(11, .reconfigured(settings, reconnect: false)).contains("start rooms") == (room != nil))
    story.at(12, .rooms(.message(.ready)))
    return story
  }

  @discardableResult
  private func tell(_ unread: RoomUnread, of room: String = "#home:h", _ story: KioskScript, at time: Int) -> [String] {
    story.at(time, .rooms(.message(.unread(room: room, unread))))
  }

  @Test func `the light is shown from the first unread message until all are read`() {
    let story = running()
    let before = story.kiosk.baseLight
    #expect(before == .ready && story.kiosk.status.unread == nil)
    #expect(tell(one, story, at: 20) == ["light unread"])
    #expect(story.kiosk.status.unread == one && story.kiosk.status.rooms == .good)
    #expect(tell(.counted(rooms: 2, messages: 9, mentions: 0), story, at: 21).isEmpty)
    #expect(tell(none, story, at: 22) == ["light ready"])
    #expect(tell(.counted(rooms: 1, messages: 0, mentions: 0), story, at: 23) == ["light unread"])
  }

  @Test func `the count of a different space, or of a former configuration, is not shown`() {
    let story = running()
    #expect(tell(one, of: "#work:h", story, at: 20).isEmpty && story.kiosk.baseLight == .ready)
    tell(one, story, at: 21)
    var settings = story.kiosk.settings
    settings.rooms.unread = "#work:h"
    #expect(story.at(22, .reconfigured(settings, reconnect: false)).contains("light ready"))
    #expect(tell(one, story, at: 23).isEmpty && story.kiosk.status.unread == nil)
    settings.rooms.unread = nil
    let words = story.at(24, .reconfigured(settings, reconnect: false))
    #expect(words.contains("stop rooms"))
    #expect(tell(one, of: "#work:h", story, at: 25).isEmpty && story.kiosk.baseLight == .ready)
  }

  @Test func `the unread light stays while the homeserver or the process is unavailable`() {
    let story = running()
    tell(one, story, at: 20)
    story.at(21, .rooms(.message(.failed(.status(502)))))
    #expect(story.kiosk.baseLight == .unread)
    story.at(22, .rooms(.ended(.signaled(9))))
    #expect(story.sleep(until: 9000).contains("start rooms"))
    story.at(9001, .rooms(.message(.ready)))
    #expect(story.kiosk.baseLight == .unread)
    #expect(tell(none, story, at: 9002) == ["light ready"])
  }

  @Test func `an unusable space is reported once, appears in the status, and shows no light`() {
    let story = running()
    tell(one, story, at: 20)
    #expect(tell(.closed, story, at: 21) == ["light ready", "report unread closed"])
    #expect(tell(.closed, story, at: 22).isEmpty)
    #expect(story.kiosk.status.rooms == .withoutUnread(.closed) && story.kiosk.status.unread == nil)
    #expect(tell(.tooLarge, story, at: 23) == ["report unread tooLarge"])
    #expect(tell(none, story, at: 24) == ["report unread \(none)"])
    #expect(story.kiosk.status.rooms == .good && story.kiosk.status.unread == none)
  }

  @Test func `the unread light ranks below faults and above the lock`() {
    let locked = running(panel: PanelPlan(lockAfter: .seconds(60)))
    #expect(locked.kiosk.baseLight == .locked)
    #expect(tell(one, locked, at: 20) == ["light unread"] && tell(none, locked, at: 21) == ["light locked"])
    let offline = running(isOnline: false)
    tell(one, offline, at: 20)
    #expect(offline.kiosk.baseLight == .offline)
  }
}
