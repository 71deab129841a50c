// Taps through the shipped programs: real libnfc, real mosquitto, the light, the log and the message of each.

import Foundation
import TappetConfig
import TestSupport
import Testing

@Suite(.serialized) struct TapTests {
  @Test func `a valid tag of each model is delivered exactly once`() throws {
    let world = try KioskWorld()
    try world.start()
    for model in ["ntag213", "ntag215", "ntag216", "ultralight-ev1-128", "type4", "ntag424"] {
      let uid = model == "type4" || model == "ntag424" ? "" : "uid=\(world.freshUID()) "
      let outcome = try world.tap("\(model) \(uid)url=\(try world.url(1))", until: "delivered-by-tag", messages: 1)
      #expect(outcome.received.map(\.topic) == ["home/light"], "\(model)")
      #expect(outcome.lights.filter { $0 != "reading" } == ["accepted", "delivered-by-tag"], "\(model)")
      #expect(outcome.log.contains("delivered: light"), "\(model)")
    }
    #expect(try Set(world.settled().map(\.payload)).count == 6)
  }

  @Test func `an invalid tag is refused with its own message and not published, and the next valid one works`() throws {
    let world = try KioskWorld()
    try world.start()
    let stranger = Signing.key()
    let good = try world.url(1)
    let digits = try Signing.url(index: "1", key: world.keys[1], timestamp: "1234567890123456789")
    // A 3-byte length far beyond the memory of an NTAG213.
    let beyond = "04a1b29fc3d4018096480000e110120003ff0fff" + String(repeating: "00", count: 160)
    let cases: [(name: String, tag: String, sentence: String)] = [
      ("forged", "url=" + (try Signing.url(index: "1", key: stranger)), "the tag is forged"),
      (
        "carries a foreign key", "url=" + (try Signing.url(index: "1", key: stranger, carriesKey: true)),
        "the tag is forged"
      ),
      ("unknown action", "url=" + (try Signing.url(index: "7", key: stranger)), "action 7, which is not configured"),
      (
        "no secret", "url=" + (try Signing.url(index: "2", key: stranger)),
        "'bell' has no secret, because it was removed or never imported"
      ),
      ("empty", "empty", "the tag is empty"),
      ("not NDEF", "blank", "not formatted for NDEF"),
      ("length beyond the memory", "memory=" + beyond, "tag is damaged"),
      ("garbage message", "ndef=d101ff55ffff", "not an NDEF message"),
      ("another scheme", "url=https://example.com/", "does not start with smp://"),
      ("another host", "url=smp://other?idx=1", "is not an action"),
      ("repeated parameter", "url=" + good + "&idx=1", "contains 'idx' twice"),
      ("bad hex", "url=" + good.dropLast() + "g", "the signature matches no secret"),
      ("a short signature", "url=" + good.dropLast(), "the signature matches no secret"),
      (
        "an index of 20 digits", "url=" + good.replacingOccurrences(of: "idx=1", with: "idx=99999999999999999999"),
        "malformed 'idx'"
      ),
      ("no signature", "url=smp://action?idx=1&ts=1", "lacks 'sig'"),
    ]
    for (name, tag, sentence) in cases {
      let uid = tag.hasPrefix("memory=") ? "" : "uid=\(world.freshUID()) "
      let outcome = try world.tap(
        "ntag215 \(uid)\(tag)".replacingOccurrences(
          of: "ntag215", with: tag.hasPrefix("memory=") ? "ntag213" : "ntag215"), until: "refused")
      #expect(outcome.log.contains(sentence), "\(name): \(outcome.log)")
      #expect(outcome.lights.filter { $0 != "reading" } == ["refused"], "\(name): \(outcome.lights)")
    }
    #expect(try world.settled() == [])
    // 19 digits are a number like any other.
    let long = try world.tap("ntag215 uid=\(world.freshUID()) url=\(digits)", until: "delivered-by-tag", messages: 1)
    #expect(long.received.count == 1)
    try world.goodTap()
  }

  @Test func `a message and its topic identify the tag`() throws {
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(
        more: "  - {name: who, topic: 'home/%{tag}', message: '{\"uid\":\"%{uid}\",\"by\":\"%{tag}\",\"otp\":\"%T\"}'}")
    )
    let uid = world.freshUID()
    try world.tell("place ntag213 uid=\(uid)")
    let written = try world.tappet("tag", "write", "who", "--label", "Ann/\"blue\"", "--timeout", "60")
    #expect(written.status == 0, "\(written)")
    try world.takeAway()
    try world.start()
    let before = world.lights.count
    try world.tell("back")
    try world.awaitLight("delivered-by-tag", after: before)
    let message = try #require(try world.received(1).last)
    #expect(message.topic == "home/Ann_\"blue\"")
    let content = try #require(JSONSerialization.jsonObject(with: Data(message.payload.utf8)) as? [String: String])
    #expect(content["uid"] == uid && content["by"] == "Ann/\"blue\"" && (content["otp"] ?? "").count > 20)
  }

  @Test func `a held tag counts once, and a quick second tap is ignored for the cooldown`() throws {
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(more: "  - {name: slow, topic: home/slow, message: x, cooldown: 1 h}"))
    try world.importSecret(index: 3, key: world.keys[1])
    try world.start()
    let url = try Signing.url(index: "3", key: world.keys[1])
    try world.tell("reset-counters")
    let first = world.lights.count
    try world.tell("place ntag213 uid=04a1b2c3d4e5f6 url=\(url)")
    try world.awaitLight("delivered-by-tag", after: first)
    // It lies there for ten more looks.
    let looked = try world.commandCount(nil)
    #expect(try eventually { try world.commandCount(nil) >= looked + 20 })
    #expect(world.lights.dropFirst(first).filter { $0 == "accepted" }.count == 1)
    try world.takeAway()
    let logBefore = world.log.utf8.count
    try world.tell("place ntag213 uid=04a1b2c3d4e5f6 url=\(url)")
    #expect(
      eventually { String(decoding: world.log.utf8.dropFirst(logBefore), as: UTF8.self).contains("cooldown ends in") })
    #expect(try world.settled().count == 1)
  }
}
