// The kiosk's last will: when it is cancelled, and what is reported about it.

import Testing

@testable import TappetCore

@Suite struct RoomWillTests {
  private let will = RoomWill(room: "#door:h", body: "{}", after: .seconds(300))

  private func running() -> KioskScript {
    let story = KioskScript(hasReader: false)
    story.startAll()
    var settings = story.kiosk.settings
    settings.rooms.will = will
    #expect(story.at(11, .reconfigured(settings, reconnect: false)).contains("start rooms"))
    story.at(12, .rooms(.message(.ready)))
    return story
  }

  private func tell(_ state: RoomWillState, _ story: KioskScript, at time: Int) -> [String] {
    story.at(time, .rooms(.message(.will(state))))
  }

  @Test func `a stop cancels the last will within its time limit`() {
    let story = running()
    #expect(tell(.scheduled, story, at: 20) == ["report will scheduled"])
    let words = story.at(30, .stopRequested)
    #expect(words.contains("cancel will") && !words.contains("stop rooms"))
    #expect(tell(.cancelled, story, at: 40).contains("stop rooms"))
    let other = running()
    #expect(other.at(30, .stopRequested).contains("cancel will"))
    #expect(other.sleep(until: 4000).contains("stop rooms"))
    let third = running()
    #expect(third.at(30, .stopRequested).contains("cancel will"))
    #expect(third.at(31, .rooms(.ended(.signaled(9)))).contains("disconnect"))
  }

  @Test func `a reload cancels the last will before the process ends, unless the will is unchanged`() {
    for (other, isCancelled) in [
      (will, false), (nil, true), (RoomWill(room: "#hall:h", body: "{}", after: .seconds(300)), true),
    ] {
      let story = running()
      var settings = story.kiosk.settings
      settings.rooms.will = other
      let words = story.at(20, .reconfigured(settings, reconnect: false))
      #expect(words.contains("cancel will") == isCancelled && words.contains("stop rooms") == (other == nil))
      if other == nil { #expect(words.firstIndex(of: "cancel will")! < words.firstIndex(of: "stop rooms")!) }
    }
  }

  @Test func `each state is reported once, and an unsupported will does not degrade the status`() {
    let story = running()
    #expect(tell(.unsupported, story, at: 20) == ["report will unsupported"])
    #expect(tell(.unsupported, story, at: 21).isEmpty)
    #expect(story.kiosk.status.rooms == .withoutWill(.unsupported))
    #expect(tell(.scheduled, story, at: 22) == ["report will scheduled"])
    #expect(story.kiosk.status.rooms == .good)
    #expect(tell(.posted, story, at: 23) == ["report will posted"])
    #expect(tell(.scheduled, story, at: 24) == ["report will scheduled"])
    story.at(25, .rooms(.ended(.signaled(9))))
    story.sleep(until: 9000)
    story.at(9001, .rooms(.message(.ready)))
    #expect(tell(.scheduled, story, at: 9002).isEmpty)
  }

  @Test func `a homeserver's limit determines whether a last will can be scheduled`() {
    #expect(will.lack(longest: .zero) == .unsupported && will.lack(longest: .seconds(300)) == nil)
    #expect(will.lack(longest: .seconds(299)) == .tooLong(secondsMax: 299))
  }
}
