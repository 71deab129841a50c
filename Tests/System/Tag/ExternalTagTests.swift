// External tags, with the shipped programs: a Classic and a DESFire by their UIDs, a label by its URL, and a
// stranger that is published.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct ExternalTagTests {
  private func world() throws -> KioskWorld {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = """
        - {name: play, topic: home/play, message: '%{tag} %{uid}', cooldown: 0 s}
      tags:
        - {uid: 01020304, action: play, label: Abbey Road, trust: uid}
        - {uid: 04010203040506, action: play, label: Help, trust: uid}
        - {uri: "https://boxes.example/17", action: play, label: Box 17, trust: uid}
      unknown_tags: {topic: home/unknown, message: '%{uid}', cooldown: 0 s}
      """
    return try KioskWorld(configuration)
  }

  @Test func `external cards act by their UIDs or content, and an unknown card is published`() throws {
    let world = try world()
    try world.start()
    for (placement, payload) in [
      ("classic uid=01020304", "Abbey Road 01020304"), ("desfire uid=04010203040506", "Help 04010203040506"),
      ("ntag213 uid=04a1b2c3d4e5f6 url=https://boxes.example/17", "Box 17 04a1b2c3d4e5f6"),
      ("classic uid=0a0b0c0d", "0a0b0c0d"), ("ntag213 uid=04a1b2c3d4e5f7", "04a1b2c3d4e5f7"),
    ] {
      let tap = try world.tap(placement, until: "delivered-by-tag", messages: 1)
      #expect(tap.received.map(\.payload) == [payload], "\(placement): \(tap.log)")
    }
    try world.goodTap()
    let forged = try Signing.url(index: "1", key: Signing.key())
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(forged)", until: "refused")
  }

  @Test func `check and tag read warn that anyone can copy such a tag`() throws {
    let world = try world()
    let check = try world.tappet("check", "--config-only")
    #expect(check.output.contains("such as a UID, and cannot drive this kiosk's outputs"), "\(check.output)")
    try world.start()
    try world.tell("place classic uid=01020304")
    let read = try world.tappet("tag", "read", "--timeout", "60")
    #expect(read.status == 0 && read.output.contains("matched as 'Abbey Road': play"), "\(read)")
    for (placement, words) in [
      ("classic uid=0a0b0c0d", ["MIFARE Classic", "published according to 'unknown_tags'"]),
      (
        "ntag215 uid=04a1b2c3d4e5f7 ndef=d1021753709101095501636e6e2e636f6d2f5101065402656e434e4e",
        ["record    Smart Poster, 23 bytes", "url       http://www.cnn.com/", "text      CNN", "published according"]
      ),
    ] {
      try world.takeAway()
      try world.tell("place " + placement)
      let read = try world.tappet("tag", "read", "--timeout", "60")
      #expect(read.status == 0 && words.allSatisfy { read.output.contains($0) }, "\(read)")
    }
    try world.tell("take")
  }
}
