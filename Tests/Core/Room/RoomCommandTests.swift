// From a line in a room to an output or an action: who may, how late, and what is nobody's command.

import Testing

@testable import TappetCore

@Suite struct RoomCommandTests {
  private let plan = CommandPlan(
    topic: "#door:h", trust: .room(RoomCommanders(users: ["@ann:h"])), window: .seconds(30), actions: ["light"],
    outputs: ["gate"])

  private func running(_ plan: CommandPlan) -> KioskScript {
    var panel = PanelPlan.pressing("light")
    panel.outputs = [OutputPlan(name: "gate")]
    let story = KioskScript(panel: panel, commands: [plan], hasReader: false)
    story.startAll()
    story.at(10, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    story.at(10, .rooms(.message(.ready)))
    story.at(20, .rooms(.message(.access(room: "#door:h", .open))))
    return story
  }

  @discardableResult
  private func say(
    _ text: String, as event: String = "$1", by user: String = "@ann:h", power: Int64? = nil, secondsAgo: Int64 = 0,
    _ story: KioskScript, at time: Int = 40_000
  ) -> [String] {
    let milliseconds = story.moment(time).unixMilliseconds - secondsAgo * 1000
    let line = RoomLine(
      room: "#door:h", event: event, user: user, unixMilliseconds: milliseconds, power: power, text: text)
    let heard = story.at(time, .rooms(.message(.heard(line))))
    let batch = story.at(time, .rooms(.message(.batch(position: event))))
    let isRecorded = batch.contains { $0.hasPrefix("record") }
    let acted = isRecorded ? story.at(time, .store(.roomCommandsRecorded)) : []
    return (heard + batch + acted).filter { $0 != "poll rooms" && !$0.hasPrefix("record") }
  }

  @Test func `a user's line drives an output or runs an action, and gets a reply in the room`() {
    let story = running(plan)
    #expect(
      say("!gate pulse", story) == [
        "output 0 on", "report command gate pulse on #door:h", "report output 0 on by #door:h", "reply - done to $1",
      ])
    #expect(say("  !light ", as: "$2", story, at: 40_100) == ["store light", "report command light on #door:h"])
    #expect(story.commit(at: 40_105).words.contains("reply - accepted to $2"))
    #expect(say("!STATUS", as: "$3", story, at: 40_200).last == "reply - done to $3")
    #expect(story.kiosk.status.commands[0].counts.accepted == 3)
    #expect(story.kiosk.status.commands[0].isSubscribed == true)
  }

  @Test func `a stranger's line is refused without a reply, and an old or invalid line with one`() {
    let story = running(plan)
    #expect(say("!gate on", by: "@eve:h", story) == ["report command refused stranger"])
    #expect(say("!gate open", by: "@eve:h", story) == ["report command refused stranger"])
    #expect(say("!suspend Ben", by: "@eve:h", power: 100, story) == ["report command refused stranger"])
    #expect(say("!gate on", secondsAgo: 31, story).last == "reply - refused late(seconds: 31) to $1")
    #expect(say("!gate on", as: "$2", secondsAgo: -31, story).last == "reply - refused early(seconds: 31) to $2")
    #expect(say("!gate open", as: "$3", story).last == "reply - refused malformed to $3")
    #expect(say("!gate", as: "$4", story).last == "reply - refused malformed to $4")
    #expect(story.kiosk.status.outputs.map(\.isOn) == [false])
  }

  @Test func `only users with the power level can command, and lower or unknown power is refused`() {
    var plan = plan
    plan.trust = .room(RoomCommanders(users: ["@ann:h"], powerLevel: 50))
    let story = running(plan)
    #expect(say("!gate on", as: "$1", by: "@bob:h", power: 49, story) == ["report command refused stranger"])
    #expect(say("!gate on", as: "$2", by: "@bob:h", power: nil, story) == ["report command refused stranger"])
    #expect(say("!gate on", as: "$3", by: "@bob:h", power: 50, story).last == "reply - done to $3")
    #expect(say("!gate off", as: "$4", by: "@eve:h", power: RoomPowers.creator, story).last == "reply - done to $4")
    #expect(say("!gate on", as: "$5", power: -1, story).last == "reply - done to $5")
  }

  @Test func `lines in a room show the tap log, and suspend people only if the room allows it`() {
    let story = running(plan)
    #expect(say("!history", story) == ["report command history on #door:h", "serve history to $1"])
    #expect(say("!suspend Ben", as: "$2", story).last == "reply - refused notAllowed to $2")
    #expect(say("!suspend", as: "$3", story).isEmpty && say("!history all", as: "$4", story).isEmpty)
    var open = plan
    open.managesPeople = true
    let other = running(open)
    #expect(
      say("!suspend  Ben  Smith ", as: "$5", other) == [
        "report command suspend Ben Smith on #door:h", "serve suspend Ben Smith to $5",
      ])
    #expect(say("!Resume Ben", as: "$6", other).last == "serve resume Ben to $6")
    #expect(say("!suspend", as: "$7", other).last == "reply - refused malformed to $7")
    #expect(say("!suspend Ben", as: "$5", other).isEmpty)
  }

  @Test func `help replies with the status and the list of commands`() {
    let story = running(plan)
    #expect(say("!status", story) == say("!Help", as: "$1", running(plan)))
    #expect(say("!help me", as: "$2", story).isEmpty)
  }

  @Test func `a repeated line acts and is answered once, even after the homeserver has the reply`() {
    let story = running(plan)
    #expect(say("!gate pulse", story).last == "reply - done to $1")
    #expect(say("!gate pulse", story, at: 45_000) == ["output 0 off", "report output 0 off pulse over"])
    #expect(story.at(45_100, .rooms(.message(.settled(event: "$1")))) == ["settle $1"])
    #expect(story.at(45_100, .rooms(.message(.settled(event: "$1")))).isEmpty)
    #expect(say("!gate pulse", story, at: 45_200) == ["report command refused repeated"])
    #expect(!say("!gate pulse", secondsAgo: 5, story, at: 46_000).contains { $0.hasPrefix("reply") })
  }

  @Test func `a line that has acted does not act again after its room was removed and added again`() {
    let story = running(plan)
    #expect(say("!gate pulse", story).last == "reply - done to $1")
    story.at(40_500, .rooms(.message(.settled(event: "$1"))))
    var settings = story.kiosk.settings
    settings.commands = []
    story.at(41_000, .reconfigured(settings, reconnect: false))
    story.at(41_100, .rooms(.ended(.exited(0))))
    settings.commands = [plan]
    story.at(41_200, .reconfigured(settings, reconnect: false))
    story.at(41_300, .rooms(.message(.ready)))
    story.at(41_400, .rooms(.message(.access(room: "#door:h", .open))))
    #expect(say("!gate pulse", secondsAgo: 2, story, at: 42_000).last == "report command refused repeated")
    #expect(say("!gate pulse", as: "$2", story, at: 42_100).last == "reply - done to $2")
  }

  @Test(arguments: [
    "!Light", "!LIGHT\n", "\u{a0}!light", "!light\t", "> <@ben:h> is it dark?\n> yes\n\n!Light", "!light\u{FE0F}",
  ])
  func `a line with a phone's autocorrected characters is accepted`(_ text: String) {
    #expect(say(text, running(plan)) == ["store light", "report command light on #door:h"])
  }

  @Test(arguments: ["gate on", "!", "! gate on", "!weather", "!gate on now", "!down on", "", "!!light"])
  func `a line addressed to another program is ignored`(_ text: String) {
    let story = running(plan)
    #expect(say(text, story).isEmpty && story.kiosk.status.commands[0].counts == CommandCounts())
  }

  @Test func `nothing acts while the clock is unknown, or in a room without commands`() {
    let story = running(plan)
    story.at(39_900, .clockChecked(isSynchronized: false))
    #expect(say("!gate on", story).contains("reply - refused clockUnknown to $1"))
    story.at(40_500, .clockChecked(isSynchronized: true))
    var settings = story.kiosk.settings
    settings.commands = []
    story.at(40_600, .reconfigured(settings, reconnect: false))
    #expect(say("!gate on", story, at: 40_601).isEmpty)
  }

  @Test func `a silent process is ended, and one with an unusable session or files is replaced immediately`() {
    let story = running(plan)
    story.at(20_000, .rooms(.message(.listening)))
    let words = story.sleep(until: 20_000 + 181_000)
    #expect(words.contains("kill rooms") && words.contains("report rooms lost silent"))
    story.at(202_000, .rooms(.ended(.signaled(9))))
    #expect(story.kiosk.status.rooms == .lost(.silent) && story.kiosk.status.commands[0].isSubscribed == nil)
    #expect(story.sleep(until: 204_000).contains("start rooms"))
    #expect(story.at(204_001, .rooms(.message(.ready))).contains("report rooms back"))
    let full = WebhookFault.trouble(.fileUnusable, code: 28)
    for (time, fault) in [(204_000, WebhookFault.trouble(.tokenRefused, code: 401)), (220_000, full)] {
      #expect(story.at(time + 2, .rooms(.message(.failed(fault)))).contains("report room failing \(fault)"))
      #expect(story.kiosk.status.rooms == .failing(fault))
      #expect(story.at(time + 9000, .rooms(.ended(.exited(ProcessEnd.needsSuccessor)))) == ["start rooms"])
      story.at(time + 9001, .rooms(.message(.ready)))
      #expect(story.at(time + 9002, .rooms(.message(.failed(fault)))) == [])
      #expect(story.at(time + 9003, .rooms(.message(.listening))) == ["report room listening"])
      #expect(story.kiosk.status.rooms == .good)
    }
  }

  @Test func `an undecryptable line from an allowed user is reported`() {
    let story = KioskScript(commands: [], hasReader: false)
    let message = RoomMessage.unreadable(UnreadableLine(room: "#door:h", user: "@ann:h", reason: .keyMissing))
    #expect(
      story.at(10, .rooms(.message(message))) == ["report unreadable keyMissing of @ann:h in #door:h"])
  }

  @Test func `the process's messages round-trip, and other bytes are refused`() {
    var line = RoomLine(room: "!a:h", event: "$é", user: "@ann:h", unixMilliseconds: -1, text: "!gate on")
    #expect(RoomMessage.decoded(RoomMessage.heard(line).encode()) == .heard(line))
    line.power = RoomPowers.creator
    let messages: [RoomMessage] = [
      .ready, .listening, .failed(.status(502)), .failed(.trouble(.tokenRefused, code: -1)),
      .access(room: "#a:h", .encrypted), .heard(line), .batch(position: "D s1"), .settled(event: "$1"),
      .answered(RoomAnswer(question: .max, user: "@ann:h", power: nil, isYes: true)),
      .answered(RoomAnswer(question: 1, user: "@ann:h", power: -1, isYes: false)),
      .posted(EntryID(high: .max, low: 1), status: 429, retryAfter: .seconds(7)),
      .posted(EntryID(high: 0, low: 1), status: 200, retryAfter: nil),
      .created(EntryID(high: 0, low: 1), event: "$e"),
      .undelivered(EntryID(high: 1, low: .max), .roomPlain, code: -1),
      .invited(RoomInvitation(room: "!a:h", user: "@ann:h", event: "$e")),
      .invited(RoomInvitation(room: "!a", user: "@ann:h")), .joined(room: "!a:h", nil),
      .will(.scheduled), .will(.unsupported), .will(.posted), .will(.cancelled), .will(.tooLong(secondsMax: .max)),
      .will(.failed(.status(502))), .will(.failed(.trouble(.roomEncrypted, code: -1))),
      .joined(room: "!a:h", .status(429)), .joined(room: "!a:h", .trouble(.roomClosed, code: 403)),
      .unread(room: "#a:h", .counted(rooms: 1, messages: .max, mentions: 0)), .unread(room: "#a:h", .closed),
      .unread(room: "#a:h", .unknown), .unread(room: "", .tooLarge),
      .unreadable(UnreadableLine(room: "#a:h", user: "@ann:h", reason: .keyMissing)),
      .unreadable(UnreadableLine(room: "", user: "", reason: .damaged)),
    ]
    for message in messages {
      #expect(RoomMessage.decoded(message.encode()) == message)
      let bytes = message.encode()
      #expect(RoomMessage.decoded(bytes + [0]) == nil && RoomMessage.decoded(bytes.dropLast()) == nil)
    }
    let orders: [RoomOrder] = [
      .session(path: "/s", ca: ""), .room("#a:h", readsPowers: false, asks: true),
      .room("!a:h", readsPowers: true, asks: false), .begin(position: nil), .begin(position: "D s1"),
      .poll(position: "D s1"), .poll(position: nil),
      .ask(number: .max, room: "#a:h", text: "Open?"),
      .close(number: 1, text: ""),
      .answer(room: "!a:h", event: "$1", .reaction, text: "\u{2705}"),
      .encrypt(RoomEncryption(devices: .signed, allowsPlain: false), state: "/var/lib"), .invitations,
      .join(room: "!a:h"), .cancelWill, .unread(room: "#a:h"), .commanders(["@ann:h", "@ben:h"]), .commanders([]),
    ]
    let will = RoomOrder.will(RoomWill(room: "#a:h", body: "{}", after: .seconds(60)), mark: "kiosk")
    #expect(RoomOrder.decoded(will.encode()) == will)
    let post = RoomOrder.post(EntryID(high: 1, low: 2), room: "!a:h", limit: .seconds(9), body: [1, 0, 255])
    #expect(RoomOrder.decoded(post.encode()) == post)
    for order in orders {
      #expect(RoomOrder.decoded(order.encode()) == order && RoomOrder.decoded(order.encode() + [0]) == nil)
    }
    #expect(RoomOrder.decoded([4, 0, 0, 0, 0, 3, 0, 0]) == nil && RoomMessage.decoded([]) == nil)
  }
}
