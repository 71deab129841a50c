// The broker tool's figures and views: stats, top, sub --diff and --decode-token.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MQTTViewTests {
  private func run(_ broker: TestBroker, _ command: String, _ more: String...) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"), ["mqtt", command, "--url", "mqtt://localhost:\(broker.port)"] + more, limit: 60)
  }

  @Test func `stats measures round trips, and lists what the broker says`() throws {
    let silent = try TestBroker(.plain)
    let done = try run(silent, "stats")
    #expect(done.status == 0 && done.output.contains("round trip of 50: min "), "\(done)")
    #expect(done.output.contains("nothing came on $SYS"), "\(done)")
    let world = try KioskWorld()
    let figures = try world.tappet("mqtt", "stats")
    #expect(figures.output.contains("$SYS/broker/version  mosquitto version "), "\(figures)")
  }

  @Test func `top shows the busiest topic first`() throws {
    let broker = try TestBroker(.plain)
    for index in 0..<3 {
      #expect(
        try run(broker, "pub", "home/\(index)", String(repeating: "x", count: 300 / (index + 1)), "--retain").status
          == 0)
    }
    let done = try run(broker, "top", "--for", "1", "--by", "bytes")
    let topics = done.output.split(separator: "\n").dropFirst(2).compactMap { $0.split(separator: " ").last }
    #expect(done.status == 0 && topics == ["home/0", "home/1", "home/2"], "\(done)")
    #expect(try run(broker, "top", "--by", "colour").status == 2)
  }

  @Test func `a subscriber sees the changes, and the age of a token`() throws {
    let world = try KioskWorld()
    let token = try world.tappet("token", "seal").output.trimmingCharacters(in: .newlines)
    let service = try Service(
      try Programs.built("tappet"),
      ["mqtt", "sub", "home/#", "--count", "3", "--diff", "--decode-token", "--config", world.configPath],
      log: world.folder + "/sub")
    #expect(eventually(10) { service.text.contains("subscribed to") })
    for text in [#"{"power":"off"}"#, #"{"power":"on"}"#, "open \(token)"] {
      #expect(try world.tappet("mqtt", "pub", "home/light", text).status == 0)
    }
    #expect(eventually(10) { service.text.contains("3 messages") }, "\(service.text)")
    #expect(service.text.contains(#"home/light  power: "off" → "on""#), "\(service.text)")
    #expect(service.text.contains(" s old]"), "\(service.text)")
  }
}
