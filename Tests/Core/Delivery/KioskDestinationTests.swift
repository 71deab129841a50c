// A kiosk whose taps need the broker, a room, or neither: what connects, and what the light shows.

import Testing

@testable import TappetCore

extension KioskScript {
  /// The reader is ready, and the webhooks' outbox is read.
  fileprivate func startRooms() {
    start()
    at(5, .reader(.ready(device: "chip")))
    // The first question was asked before the clock was known, so there is a second one.
    for _ in 0..<2 { at(6, .webhookOutbox(.fetched([], reachedEnd: true))) }
  }

  /// Asks for the action; returns its entry.
  fileprivate func enter(_ name: String, at milliseconds: Int) throws -> EntryID {
    at(milliseconds, .panel(.asked(action: name)))
    return try #require(lastEffects.compactMap { $0.storedEntry }.last).id
  }
}

@Suite struct KioskDestinationTests {
  @Test func `without a broker nothing connects, and the kiosk is ready once the reader is`() throws {
    let story = KioskScript([.chat], endpoints: 0)
    story.start()
    #expect(story.kiosk.status.link == .absent && story.kiosk.baseLight == .starting)
    #expect(story.at(5, .reader(.ready(device: "chip"))).contains("light ready"))
    for _ in 0..<2 { story.at(6, .webhookOutbox(.fetched([], reachedEnd: true))) }
    let id = try story.enter("chat", at: 100)
    #expect(story.at(105, .webhookOutbox(.stored(id, sequence: 1))).contains("light accepted"))
    #expect(story.at(110, .webhook(.ready)) == ["post chat"])
    #expect(!story.sleep(until: 3_000).contains { $0.hasPrefix("connect") })
    #expect(!story.kiosk.isStuck(at: story.moment(3_000)))
    story.at(3_010, .webhook(.answered(id, status: 200, retryAfter: nil)))
    story.at(3_020, .webhookOutbox(.removed([id])))
    story.at(3_030, .stopRequested)
    #expect(story.at(3_040, .readerEnded(.exited(0))).contains("finish"))
  }

  @Test func `a missing broker is shown only if a tap needs the broker`() {
    for (actions, light) in [([Action.chat], Light.ready), ([.chat, .light], .offline)] {
      let story = KioskScript(actions)
      story.startOffline()
      #expect(story.kiosk.baseLight == light && story.kiosk.status.link == .failed(endpoint: 0, .connectionRefused))
    }
    let story = KioskScript([.chat], homeAssistant: HomeAssistantPlan())
    story.startOffline()
    #expect(story.kiosk.baseLight == .offline, "a scanned tag is for Home Assistant")
  }

  @Test func `a tap shows whether its own destination is reachable`() throws {
    let story = KioskScript([.chat, .light])
    story.startRooms()
    story.at(10, .link(.failed(.connectionRefused)))
    let chat = try story.enter("chat", at: 100)
    #expect(story.at(105, .webhookOutbox(.stored(chat, sequence: 1))).contains("light accepted"))
    let light = try story.enter("light", at: 200)
    #expect(story.at(205, .brokerOutbox(.stored(light, sequence: 2))).contains("light queued"))
  }

  @Test func `a homeserver that does not respond is shown only if a tap needs it`() {
    for (rooms, light) in [(["chat": "#door:h"], Light.offline), ([:], .ready)] {
      let story = KioskScript([.chat], endpoints: 0)
      story.kiosk.settings.rooms.actions = rooms
      story.startRooms()
      story.at(100, .rooms(.message(.failed(.status(502)))))
      #expect(story.kiosk.baseLight == light, "\(rooms)")
      story.at(200, .rooms(.message(.listening)))
      #expect(story.kiosk.baseLight == .ready)
    }
  }

  @Test func `one reload removes the broker, and the next one connects to it again`() {
    let story = KioskScript([.chat, .light])
    story.startAll()
    let brokerless = story.settings {
      $0.actions = [.chat]
      $0.endpointCount = 0
    }
    let former = story.kiosk.settings
    #expect(story.at(100, .reconfigured(brokerless, reconnect: true)).contains("disconnect"))
    #expect(story.kiosk.status.link == .absent && story.kiosk.baseLight == .ready)
    #expect(story.at(110, .link(.disconnected)) == ["report link closed"])
    #expect(!story.sleep(until: 2_000).contains { $0.hasPrefix("connect") })
    #expect(story.at(2_100, .reconfigured(former, reconnect: true)).contains("connect 0"))
    #expect(story.kiosk.status.link == .connecting && story.kiosk.baseLight == .starting)
    // Removed during an attempt, and added again before its end.
    #expect(story.at(2_200, .reconfigured(brokerless, reconnect: true)).contains("disconnect"))
    #expect(!story.at(2_210, .reconfigured(former, reconnect: true)).contains { $0.hasPrefix("connect") })
    #expect(story.at(2_220, .link(.failed(.connectionRefused))).contains("connect 0"))
  }

  @Test func `removing the broker clears its failure`() {
    let story = KioskScript([.chat, .light])
    story.startOffline()
    #expect(story.kiosk.baseLight == .offline)
    story.at(
      20,
      .reconfigured(
        story.settings {
          $0.actions = [.chat]
          $0.endpointCount = 0
        }, reconnect: true))
    #expect(story.kiosk.baseLight == .ready && story.kiosk.status.link == .absent)
    #expect(!story.sleep(until: 2_000).contains { $0.hasPrefix("connect") })
  }
}
