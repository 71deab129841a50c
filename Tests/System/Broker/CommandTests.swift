// Commands through the shipped programs and a real mosquitto: published by Debian's own clients, and seen at a virtual
// panel.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct CommandTests {
  @Test func `commands drive outputs and actions, and their senders receive the outcome`() throws {
    let board = try CommandWorld()
    let world = board.world
    try board.start()
    try board.publish("command", #"{"id":"1","output":"gate","do":"pulse"}"#)
    #expect(try eventually { try board.levels(of: "gate") == [true, false] })
    #expect(eventually { board.replies == ["1 done"] }, "\(board.replies)")
    try board.publish("command", #"{"id":"2","action":"bell"}"#)
    #expect(eventually { board.replies == ["1 done", "2 accepted", "2 done"] }, "\(board.replies)")
    #expect(try world.settled().contains { $0.topic == "home/bell" && $0.payload == "ring" })
    try board.publish("pump", "ON")
    #expect(try eventually { try board.levels(of: "pump") == [true] })
    let status = try world.tappet("status", "--json")
    #expect(status.output.contains(#""topic":"home/lobby/command""#) || status.output.contains("home/lobby/command"))
    #expect(eventually { world.log.contains("event=command-accepted") })
    #expect(!world.log.contains("event=command-performed"))
  }

  @Test func `one kiosk's reply never commands another kiosk`() throws {
    let board = try CommandWorld()
    try board.start()
    let first = #"{"id":"1","output":"gate","do":"pulse"}"#
    try board.publish("command", first)
    _ = try board.reply(to: "1")
    let reply = try #require(board.world.witness?.all.first { $0.topic == "home/lobby/reply" }?.payload)
    #expect(reply.contains(#""output":"gate""#), "\(reply)")
    try board.publish("command", reply)
    try board.publish("command", #"{"id":"2","output":"gate","do":"off"}"#)
    #expect(try board.reply(to: "2") == "2 done" && board.replies.count == 2, "\(board.replies)")
    #expect(try board.levels(of: "gate").filter { $0 }.count == 1)
  }

  @Test func `a retained command never acts, and is reported with the way to clear it`() throws {
    let board = try CommandWorld()
    let world = board.world
    try board.publish("command", #"{"id":"r","output":"gate","do":"on"}"#, isRetained: true)
    try board.start()
    try board.publish("command", #"{"id":"k","output":"gate","do":"on"}"#, isRetained: true)
    #expect(eventually { world.log.contains("code=command-retained") }, "\(world.log)")
    #expect(eventually { world.log.contains("mosquitto_pub -r -n -t home/lobby/command") })
    try board.publish("command", #"{"id":"3","output":"gate","do":"pulse"}"#)
    #expect(eventually { board.replies == ["3 done"] }, "\(board.replies)")
    #expect(try eventually { try board.levels(of: "gate") == [true, false] })
  }

  @Test func `garbage, a megabyte and deep JSON are refused, floods are limited, and taps still work`() throws {
    let board = try CommandWorld()
    let world = board.world
    try board.start()
    let begun = Date()
    for text in ["{", String(repeating: "[", count: 2000), #"{"id":"x","output":"pump","do":"on"}"#] {
      try board.publish("command", text)
    }
    try board.publish("command", String(repeating: "x", count: 1 << 20))
    #expect(eventually { world.log.contains("code=command-too-large") }, "\(world.log)")
    #expect(
      eventually { world.log.contains("code=command-malformed") && world.log.contains("code=command-not-allowed") })
    #expect(try board.reply(to: "x") == "x refused command-not-allowed")
    let replies = (world.witness?.all ?? []).filter { $0.topic == "home/lobby/reply" }
    #expect(!replies.contains { $0.payload.contains("pump") }, "\(replies)")
    let flood = Array(repeating: "garbage!!", count: 2_000).joined(separator: "\n")
    #expect(try board.client("mosquitto_pub", ["-t", "home/lobby/pump", "-l"], input: flood).status == 0)
    try world.goodTap()
    // 30 of a minute have a line each, and the rest one together.
    let minutes = Int(Date().timeIntervalSince(begun) / 60) + 2
    #expect(world.log.components(separatedBy: "event=command-refused").count <= 31 * minutes)
    #expect(!world.log.contains("event=broker-lost"), "\(world.log)")
  }

  @Test func `a request of MQTT 5 gets its reply at the requested topic, with its correlation data`() throws {
    let board = try CommandWorld()
    try board.start()
    let done = try board.client(
      "mosquitto_rr",
      [
        "-V", "mqttv5", "-t", "home/lobby/command", "-e", "home/lobby/reply/me", "-W", "60", "-D", "publish",
        "correlation-data", "abc", "-F", "%D %p", "-m", #"{"id":"q","output":"gate","do":"pulse"}"#,
      ])
    #expect(done.status == 0 && done.output.contains(#""result":"done""#), "\(done)")
  }

  @Test func `commands sent during an outage do not act late`() throws {
    let board = try CommandWorld()
    let world = board.world
    try board.start()
    world.kiosk?.end(SIGKILL)
    try board.publish("command", #"{"id":"late","output":"gate","do":"on"}"#)
    try board.start()
    try board.publish("command", #"{"id":"now","output":"gate","do":"off"}"#)
    #expect(eventually { board.replies.contains("now done") })
    #expect(try board.levels(of: "gate").contains(true) == false && !board.replies.contains { $0.hasPrefix("late") })
  }
}
