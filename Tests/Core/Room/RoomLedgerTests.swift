// Commands from rooms act when they are on the disk, once, and are answered whatever ends in between.

import Testing

@testable import TappetCore

@Suite struct RoomLedgerTests {
  private static let plan = CommandPlan(
    topic: "#door:h", trust: .room(RoomCommanders(users: ["@ann:h"])), window: .seconds(30), actions: ["light"],
    outputs: ["gate"], perMinute: 600)

  private func running(_ rows: [RecordedCommand] = [], position: String? = "p1") -> KioskScript {
    var panel = PanelPlan.pressing("light")
    panel.outputs = [OutputPlan(name: "gate")]
    let story = KioskScript(panel: panel, commands: [RoomLedgerTests.plan], hasReader: false)
    var summary = OutboxSummary()
    summary.roomPosition = position
    summary.roomCommands = rows
    story.at(0, .started(summary))
    story.at(0, .clockChecked(isSynchronized: true))
    story.at(10, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    story.at(10, .rooms(.message(.ready)))
    return story
  }

  private func open(_ story: KioskScript) -> [String] {
    story.at(story.time, .rooms(.message(.access(room: "#door:h", .open)))).filter { !$0.hasPrefix("report") }
  }

  private func heard(_ text: String, as event: String, _ story: KioskScript, by user: String = "@ann:h") -> [String] {
    let line = RoomLine(
      room: "#door:h", event: event, user: user, unixMilliseconds: story.moment(story.time).unixMilliseconds,
      text: text)
    return story.at(story.time, .rooms(.message(.heard(line))))
  }

  private func batch(_ position: String, _ story: KioskScript) -> [String] {
    story.at(story.time, .rooms(.message(.batch(position: position))))
  }

  @Test func `lines act after their commit, and only then is the room polled again`() {
    let story = running()
    _ = open(story)
    #expect(heard("!gate on", as: "$1", story).isEmpty && heard("!light", as: "$2", story).isEmpty)
    #expect(batch("p2", story) == [#"record ["$1", "$2"] until p2"#])
    let words = story.at(20, .store(.roomCommandsRecorded))
    #expect(words.first == "output 0 on" && words.contains("store light") && words.contains("poll rooms"))
    #expect(story.kiosk.roomPosition == "p2")
    #expect(batch("p3", story) == ["poll rooms"])
  }

  @Test(arguments: [nil, "p1"])
  func `a process that starts during a commit misses no line, and no line acts twice`(recorded: String?) {
    let story = running(position: recorded)
    _ = open(story)
    _ = heard("!gate on", as: "$1", story)
    _ = batch("p2", story)
    _ = story.at(story.time, .webhooksReplaced)
    _ = story.at(story.time, .rooms(.ended(.exited(0))))
    #expect(story.kiosk.roomPosition == "p2")
    #expect(heard("!gate on", as: "$1", story).isEmpty && batch("p3", story).isEmpty)
    #expect(story.at(20, .store(.roomCommandsRecorded)).filter { $0 == "output 0 on" }.count == 1)
    #expect(story.kiosk.roomPosition == "p2" && batch("p4", story) == ["poll rooms"])
  }

  @Test func `a first position and a refused line are recorded, but a stranger's line is not`() {
    let story = running(position: nil)
    _ = open(story)
    #expect(batch("p1", story) == ["record [] until p1"])
    #expect(story.at(20, .store(.roomCommandsRecorded)) == ["poll rooms"])
    #expect(heard("!gate on", as: "$1", story, by: "@eve:h").isEmpty)
    #expect(batch("p2", story) == ["poll rooms", "report command refused stranger"])
    #expect(heard("!gate", as: "$2", story).isEmpty && batch("p3", story) == [#"record ["$2"] until p3"#])
    #expect(story.at(30, .store(.roomCommandsRecorded)).contains("reply - refused malformed to $2"))
  }

  @Test func `a response that kills each process is skipped, and other deaths skip no response`() {
    let story = running()
    func next(_ end: ProcessEnd, handles: Bool = false) {
      if handles { _ = story.at(story.time, .rooms(.message(.listening))) }
      _ = story.at(story.time, .rooms(.ended(end)))
      _ = story.at(story.time + 120_000, .timerFired)
      _ = story.at(story.time, .rooms(.message(.ready)))
    }
    for _ in 0..<5 { next(.signaled(9), handles: true) }
    for _ in 0..<5 { next(.exited(1)) }
    next(.signaled(6))
    next(.signaled(9), handles: true)
    next(.signaled(6))
    #expect(story.kiosk.roomPosition == "p1")
    next(.signaled(6))
    #expect(story.kiosk.roomPosition == nil)
    #expect(batch("p9", story) == ["record [] until p9"])
    _ = story.at(story.time, .store(.roomCommandsRecorded))
    #expect(story.kiosk.roomPosition == "p9")
  }

  @Test func `if lines cannot be written, none acts, and each gets a reply`() {
    let story = running()
    _ = open(story)
    _ = heard("!gate on", as: "$1", story)
    _ = batch("p2", story)
    let words = story.at(20, .store(.roomCommandsFailed(.full)))
    #expect(words.contains { $0.hasPrefix("reply - refused action") && $0.hasSuffix("to $1") }, "\(words)")
    #expect(words.contains("poll rooms"))
    #expect(!words.contains("output 0 on") && story.kiosk.roomPosition == "p1")
  }

  @Test func `lines that a former kiosk left unanswered are answered, and do not act`() {
    let seconds = KioskScript().wallOffset / 1000
    let story = running([
      RecordedCommand(room: "#door:h", event: "$1", unixSeconds: seconds),
      RecordedCommand(room: "#door:h", event: "$2", unixSeconds: seconds, isAnswered: true),
      RecordedCommand(room: "#gone:h", event: "$3", unixSeconds: seconds),
    ])
    #expect(open(story) == ["reply - interrupted to $1"])
    #expect(heard("!gate on", as: "$1", story).isEmpty)
    #expect(heard("!gate on", as: "$2", story).isEmpty && batch("p2", story) == ["record [] until p2"])
    #expect(!story.at(20, .store(.roomCommandsRecorded)).contains { $0.hasPrefix("reply") })
    #expect(story.at(20, .rooms(.message(.settled(event: "$1")))) == ["settle $1"])
    #expect(open(story).isEmpty)
  }

  @Test func `a line that a former kiosk left unanswered gets a reply once its room has commands again`() {
    let story = running([RecordedCommand(room: "#gone:h", event: "$3", unixSeconds: 1_800_000_000)])
    #expect(open(story).isEmpty)
    var settings = story.kiosk.settings
    settings.commands[0].topic = "#gone:h"
    story.at(20, .reconfigured(settings, reconnect: false))
    story.at(30, .rooms(.ended(.signaled(9))))
    _ = story.sleep(until: 5000)
    story.at(5000, .rooms(.message(.ready)))
    #expect(story.at(5000, .rooms(.message(.access(room: "#gone:h", .open)))).contains("reply - interrupted to $3"))
  }

  @Test func `the next process sends an ended process's replies, and receives its unfinished lines again`() {
    let story = running()
    _ = open(story)
    _ = heard("!gate on", as: "$1", story)
    _ = batch("p2", story)
    _ = heard("!light", as: "$2", story)
    story.at(20, .rooms(.ended(.signaled(9))))
    let words = story.at(30, .store(.roomCommandsRecorded))
    #expect(words.contains("output 0 on") && !words.contains("store light"))
    #expect(story.sleep(until: 5000).contains("start rooms"))
    story.at(5000, .rooms(.message(.ready)))
    #expect(open(story) == ["reply - done to $1"])
    #expect(heard("!gate on", as: "$1", story).isEmpty && heard("!light", as: "$2", story).isEmpty)
    #expect(batch("p3", story) == [#"record ["$2"] until p3"#])
  }

  @Test func `a batch that arrives during a commit waits for it`() {
    let story = running()
    _ = open(story)
    _ = heard("!gate on", as: "$1", story)
    _ = batch("p2", story)
    story.at(20, .rooms(.ended(.signaled(9))))
    _ = story.sleep(until: 5000)
    story.at(5000, .rooms(.message(.ready)))
    _ = open(story)
    _ = heard("!light", as: "$2", story)
    #expect(batch("p3", story).isEmpty)
    let words = story.at(5001, .store(.roomCommandsRecorded))
    #expect(words.contains(#"record ["$2"] until p3"#) && !words.contains("poll rooms"))
    #expect(story.at(5002, .store(.roomCommandsRecorded)).contains("poll rooms"))
  }

  @Test func `a line whose room loses its commands during the commit gets its reply when they return`() {
    let story = running()
    _ = open(story)
    _ = heard("!gate on", as: "$1", story)
    _ = batch("p2", story)
    let settings = story.kiosk.settings
    var without = settings
    without.commands = []
    story.at(20, .reconfigured(without, reconnect: false))
    #expect(story.at(30, .store(.roomCommandsRecorded)) == ["poll rooms"])
    story.at(40, .reconfigured(settings, reconnect: false))
    story.at(50, .rooms(.ended(.signaled(9))))
    _ = story.sleep(until: 5000)
    story.at(5000, .rooms(.message(.ready)))
    #expect(open(story) == ["reply - interrupted to $1"])
  }

  @Test func `an unacknowledged reply is sent again`() {
    let story = running()
    _ = open(story)
    _ = heard("!gate on", as: "$1", story)
    _ = batch("p2", story)
    #expect(story.at(20, .store(.roomCommandsRecorded)).contains("reply - done to $1"))
    let isListening = Event.rooms(.message(.listening))
    #expect(!story.at(59_000, isListening).contains { $0.hasPrefix("reply") })
    #expect(story.at(60_020, isListening).contains("reply - done to $1"))
    #expect(!story.at(61_000, isListening).contains { $0.hasPrefix("reply") })
    _ = story.at(61_500, .rooms(.message(.settled(event: "$1"))))
    #expect(!story.at(150_000, isListening).contains { $0.hasPrefix("reply") })
  }

  @Test func `a line that was refused for its time does not act if its homeserver changes the time`() {
    let story = running()
    _ = open(story)
    let line = RoomLine(
      room: "#door:h", event: "$1", user: "@ann:h",
      unixMilliseconds: story.moment(story.time).unixMilliseconds + 9_000_000, text: "!gate on")
    #expect(story.at(story.time, .rooms(.message(.heard(line)))).isEmpty)
    _ = batch("p2", story)
    #expect(story.at(20, .store(.roomCommandsRecorded)).contains { $0.hasPrefix("reply - refused early") })
    _ = story.at(30, .rooms(.message(.settled(event: "$1"))))
    _ = heard("!gate on", as: "$1", story)
    _ = batch("p3", story)
    #expect(!story.at(40, .store(.roomCommandsRecorded)).contains("output 0 on"))
  }

  @Test func `commands beyond the limit of commands in progress are refused`() {
    let story = running()
    _ = open(story)
    for number in 0...Limits.roomCommandsMax { #expect(heard("!gate on", as: "$\(number)", story).isEmpty) }
    _ = batch("p2", story)
    let words = story.at(20, .store(.roomCommandsRecorded))
    #expect(words.contains("reply - refused memoryFull to $\(Limits.roomCommandsMax)"))
    #expect(words.count { $0.contains("- done to") } == Limits.roomCommandsMax)
  }
}
