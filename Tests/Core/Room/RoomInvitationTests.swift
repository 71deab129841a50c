// Whose invitations the kiosk accepts, how often it joins a room, and what it reports.

import Testing

@testable import TappetCore

@Suite struct RoomInvitationTests {
  private func running(_ inviters: [String] = ["@ann:h"]) -> KioskScript {
    let story = KioskScript(hasReader: false)
    story.startAll()
    var settings = story.kiosk.settings
    settings.rooms.inviters = inviters
    let words = story.at(11, .reconfigured(settings, reconnect: false))
    #expect(words.contains("start rooms") == !inviters.isEmpty)
    story.at(12, .rooms(.message(.ready)))
    return story
  }

  private func invite(
    to room: String = "!a:h", by user: String = "@ann:h", as event: String = "$1", _ story: KioskScript, at time: Int
  ) -> [String] {
    story.at(time, .rooms(.message(.invited(RoomInvitation(room: room, user: user, event: event)))))
  }

  private func answer(
    _ room: String, _ fault: WebhookFault?, _ story: KioskScript, at time: Int
  ) -> [String] {
    story.at(time, .rooms(.message(.joined(room: room, fault))))
  }

  @Test func `an allowed user's invitation is accepted once, and a stranger's is left alone`() {
    let story = running()
    #expect(invite(by: "@eve:h", story, at: 20).isEmpty && invite(by: "@ann:h.evil", story, at: 21).isEmpty)
    #expect(invite(story, at: 22) == ["join !a:h"])
    #expect(invite(story, at: 23).isEmpty)
    #expect(answer("!b:h", nil, story, at: 24).isEmpty)
    #expect(answer("!a:h", nil, story, at: 25) == ["report joined !a:h for @ann:h"])
    #expect(invite(story, at: 26).isEmpty && answer("!a:h", nil, story, at: 27).isEmpty)
    #expect(story.sleep(until: 60_000).filter { $0.hasPrefix("join") }.isEmpty)
  }

  @Test func `a refusal is reported once, and only a new invitation or process causes another attempt`() {
    let story = running()
    let fault = WebhookFault.trouble(.roomClosed, code: 403)
    #expect(invite(story, at: 20) == ["join !a:h"])
    #expect(answer("!a:h", fault, story, at: 30) == ["report not joined !a:h: \(fault)"])
    #expect(invite(story, at: 20_000).isEmpty)
    #expect(invite(as: "$2", story, at: 20_001) == ["join !a:h"])
    #expect(answer("!a:h", fault, story, at: 20_002) == ["report not joined !a:h: \(fault)"])
    story.at(20_003, .rooms(.ended(.exited(0))))
    #expect(story.sleep(until: 25_000).contains("start rooms"))
    story.at(25_001, .rooms(.message(.ready)))
    #expect(story.sleep(until: 36_000).filter { $0.hasPrefix("join") }.isEmpty)
    #expect(invite(as: "$2", story, at: 36_001) == ["join !a:h"])
  }

  @Test func `without a response the kiosk retries after a minute, five times in total`() {
    let story = running()
    #expect(invite(story, at: 20) == ["join !a:h"])
    var time = 1000
    for _ in 1..<Limits.roomJoinTriesMax {
      #expect(answer("!a:h", .status(502), story, at: time).isEmpty)
      story.at(time + 1, .rooms(.message(.listening)))
      #expect(story.sleep(until: time + 59_999).filter { $0.hasPrefix("join") }.isEmpty)
      #expect(story.sleep(until: time + 60_001).contains("join !a:h"))
      time += 61_000
    }
    #expect(answer("!a:h", .status(502), story, at: time) == ["report not joined !a:h: status(502)"])
  }

  @Test func `rooms are joined one at a time, and only a few a minute`() {
    let story = running()
    #expect(invite(story, at: 20) == ["join !a:h"])
    #expect(invite(to: "!b:h", story, at: 30).isEmpty && invite(to: "!c:h", story, at: 40).isEmpty)
    #expect(answer("!a:h", nil, story, at: 50) == ["report joined !a:h for @ann:h"])
    #expect(story.sleep(until: 15_019).filter { $0.hasPrefix("join") }.isEmpty)
    #expect(story.sleep(until: 15_021).contains("join !b:h"))
    #expect(story.sleep(until: 100_000).filter { $0.hasPrefix("join") }.isEmpty)
    #expect(answer("!b:h", nil, story, at: 100_001) == ["join !c:h", "report joined !b:h for @ann:h"])
  }

  @Test func `a changed list of users applies immediately, and an empty list ends the process`() {
    let story = running()
    #expect(invite(story, at: 20) == ["join !a:h"])
    #expect(invite(to: "!b:h", story, at: 30).isEmpty)
    var settings = story.kiosk.settings
    settings.rooms.inviters = ["@ben:h"]
    story.at(40, .reconfigured(settings, reconnect: false))
    #expect(story.sleep(until: 30_000).filter { $0.hasPrefix("join") }.isEmpty)
    #expect(invite(story, at: 30_001).isEmpty && invite(by: "@ben:h", story, at: 30_002) == ["join !a:h"])
    settings.rooms.inviters = []
    #expect(story.at(30_003, .reconfigured(settings, reconnect: false)).contains("stop rooms"))
    _ = running([])
  }
}
