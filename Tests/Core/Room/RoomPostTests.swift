// Messages to rooms without anything to listen for: tappet-matrix runs while one is due, beside tappet-webhook.

import Testing

@testable import TappetCore

extension KioskScript {
  fileprivate static func inRoom() -> KioskScript {
    let story = KioskScript([.chat, .hook])
    story.kiosk.settings.rooms.actions = ["chat": "#door:h"]
    story.kiosk.delivery.webhookProcess.roomActions = ["chat"]
    story.startAll()
    for _ in 0..<2 { story.at(10, .webhookOutbox(.fetched([], reachedEnd: true))) }
    return story
  }

  /// Asks for the action and commits its entry; returns it and the words of the commit.
  @discardableResult
  fileprivate func enter(
    _ name: String, sequence: Int64, at milliseconds: Int
  ) throws -> (entry: OutboxEntry, words: [String]) {
    at(milliseconds, .panel(.asked(action: name)))
    var entry = try #require(lastEffects.compactMap { $0.storedEntry }.last)
    entry.sequence = sequence
    return (entry, at(milliseconds, .webhookOutbox(.stored(entry.id, sequence: sequence))))
  }
}

@Suite struct RoomPostTests {
  @Test func `a message to a room starts only tappet-matrix, which posts it and ends after half a minute`() throws {
    let story = KioskScript.inRoom()
    let (entry, accepted) = try story.enter("chat", sequence: 1, at: 100)
    #expect(accepted == ["light accepted", "start rooms", "report accepted chat"])
    #expect(story.at(150, .rooms(.message(.ready))) == ["post chat"])
    let words = story.at(200, .rooms(.message(.created(entry.id, event: "$1"))))
    #expect(words == ["light delivered-by-button", "report delivered chat", "forget webhook"])
    story.at(210, .webhookOutbox(.removed([entry.id])))
    #expect(!story.sleep(until: 30_199).contains("stop rooms"))
    #expect(story.sleep(until: 30_201).contains("stop rooms"))
    #expect(story.at(30_300, .rooms(.ended(.exited(0)))) == [] && story.kiosk.status.rooms == nil)
    #expect(try story.enter("chat", sequence: 2, at: 30_400).words.contains("start rooms"))
  }

  @Test func `a message in flight when its process dies is posted by the next one, but not a webhook again`() throws {
    let story = KioskScript.inRoom()
    #expect(try story.enter("hook", sequence: 1, at: 100).words.contains("start webhooks"))
    #expect(story.at(110, .webhook(.ready)) == ["post hook"])
    #expect(try story.enter("chat", sequence: 2, at: 120).words.contains("start rooms"))
    #expect(story.at(130, .rooms(.message(.ready))) == ["post chat"])
    let words = story.at(200, .rooms(.ended(.signaled(9))))
    #expect(words.contains("light offline") && !words.contains { $0.hasPrefix("post") }, "\(words)")
    #expect(story.sleep(until: 4_000).contains("start rooms"))
    #expect(story.at(4_000, .rooms(.message(.ready))).contains("post chat"))
    // The same of the other process.
    #expect(!story.at(4_100, .webhook(.ended(.signaled(9)))).contains { $0.hasPrefix("post") })
    #expect(story.sleep(until: 8_000).contains("start webhooks"))
    #expect(story.at(8_000, .webhook(.ready)).contains("post hook"))
  }

  @Test func `an unusable session is read again by the next process, after the pause`() throws {
    let story = KioskScript.inRoom()
    let (entry, _) = try story.enter("chat", sequence: 1, at: 100)
    story.at(150, .rooms(.message(.ready)))
    let words = story.at(200, .rooms(.message(.undelivered(entry.id, .fileUnusable, code: 2))))
    #expect(words.contains("stop rooms") && words.contains("light offline"), "\(words)")
    story.at(210, .rooms(.ended(.exited(0))))
    #expect(story.sleep(until: 10_000).contains("fetch webhooks after 0"))
    #expect(story.at(10_000, .webhookOutbox(.fetched([entry], reachedEnd: true))).contains("start rooms"))
    #expect(story.at(10_000, .rooms(.message(.ready))).contains("post chat"))
  }

  @Test func `a new session ends the pause, and pending messages are posted immediately`() throws {
    let story = KioskScript.inRoom()
    let (entry, _) = try story.enter("chat", sequence: 1, at: 100)
    story.at(150, .rooms(.message(.ready)))
    #expect(story.at(200, .rooms(.message(.undelivered(entry.id, .tokenRefused, code: 401)))).contains("stop rooms"))
    story.at(210, .rooms(.ended(.exited(0))))
    #expect(!story.sleep(until: 400).contains { $0.hasPrefix("fetch") })
    #expect(story.at(400, .webhooksReplaced).contains("fetch webhooks after 0"))
    #expect(story.at(410, .webhookOutbox(.fetched([entry], reachedEnd: true))).contains("start rooms"))
    #expect(story.at(420, .rooms(.message(.ready))).contains("post chat"))
  }

  @Test func `an unusable webhook file does not end the process of rooms`() throws {
    let story = KioskScript.inRoom()
    let (entry, _) = try story.enter("hook", sequence: 1, at: 100)
    story.at(110, .webhook(.ready))
    try story.enter("chat", sequence: 2, at: 120)
    let words = story.at(130, .webhook(.failed(entry.id, .fileUnusable, code: 2)))
    #expect(words.contains("light queued") && !words.contains("stop rooms"), "\(words)")
    #expect(story.at(140, .rooms(.message(.ready))).contains("post chat"))
  }

  @Test(arguments: [false, true])
  func `a process that does not answer a message is killed after 75 s, whatever happens next`(_ isListening: Bool)
    throws
  {
    let story = KioskScript.inRoom()
    if isListening {
      let listening = story.settings {
        $0.rooms.actions = ["chat": "#door:h"]
        $0.rooms.unread = "#home:h"
      }
      story.at(50, .reconfigured(listening, reconnect: false))
      story.at(60, .rooms(.message(.ready)))
      // Its last sign of life is long ago.
      #expect(!story.sleep(until: 100_000).contains { $0.hasSuffix(" rooms") })
    }
    let start = story.time + 100
    try story.enter("chat", sequence: 1, at: start)
    if !isListening { story.at(start + 50, .rooms(.message(.ready))) }
    #expect(!story.sleep(until: start + 60_000).contains { $0.hasSuffix(" rooms") })
    try story.enter("chat", sequence: 2, at: start + 60_000)
    #expect(story.sleep(until: start + 75_100).contains("kill rooms"))
    #expect(story.kiosk.status.rooms == .lost(.silent))
  }

  @Test func `a reload ends the process, and the next message starts one`() throws {
    let story = KioskScript.inRoom()
    let (entry, _) = try story.enter("chat", sequence: 1, at: 100)
    story.at(150, .rooms(.message(.ready)))
    story.at(200, .rooms(.message(.created(entry.id, event: "$1"))))
    story.at(210, .webhookOutbox(.removed([entry.id])))
    #expect(story.at(300, .webhooksReplaced).contains("stop rooms"))
    #expect(!story.at(310, .rooms(.ended(.exited(0)))).contains("start rooms"))
    story.at(320, .webhookOutbox(.fetched([], reachedEnd: true)))
    #expect(try story.enter("chat", sequence: 2, at: 400).words.contains("start rooms"))
  }

  @Test func `a missing program is reported as long as a message is pending`() throws {
    let story = KioskScript.inRoom()
    let (entry, _) = try story.enter("chat", sequence: 1, at: 100)
    story.at(110, .rooms(.notStarted(code: 2)))
    #expect(story.kiosk.status.rooms == .lost(.notStarted(code: 2)) && story.kiosk.baseLight == .offline)
    story.at(120, .dropAsked(entry.id))
    story.at(130, .store(.dropped([entry])))
    #expect(story.kiosk.status.rooms == nil && story.kiosk.baseLight == .ready)
  }

  @Test func `a process that must run all the time is not ended while idle`() {
    let story = KioskScript.inRoom()
    let listening = story.settings {
      $0.rooms.actions = ["chat": "#door:h"]
      $0.rooms.unread = "#home:h"
    }
    #expect(story.at(100, .reconfigured(listening, reconnect: false)).contains("start rooms"))
    story.at(150, .rooms(.message(.ready)))
    for second in stride(from: 20, through: 300, by: 20) {
      #expect(!story.sleep(until: second * 1000).contains { $0.hasSuffix(" rooms") })
      story.at(second * 1000, .rooms(.message(.listening)))
    }
  }
}
