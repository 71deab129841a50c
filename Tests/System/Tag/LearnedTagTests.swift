// Tags of others that were learned, through the kiosk and directly, and in a backup.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct LearnedTagTests {
  private func world() throws -> KioskWorld {
    try KioskWorld(.init(more: "  - {name: play, topic: home/play, message: '%{tag} %{uid}', cooldown: 0 s}"))
  }

  private func learn(_ world: KioskWorld, _ placement: String, _ words: [String]) throws -> Finished {
    try world.tell("place " + placement)
    defer { try? world.takeAway() }
    return try Programs.run(
      try Programs.built("tappet"),
      ["tag", "learn"] + words + ["--timeout", "60", "--config", world.configPath])
  }

  @Test(arguments: [true, false])
  func `a card is learned, plays, is listed and is forgotten`(runs: Bool) throws {
    let world = try world()
    if runs { try world.start() }
    let learned = try learn(world, "classic uid=01020304", ["play", "--label", "Abbey Road"])
    #expect(learned.status == 0 && learned.errors.contains("uid 01020304 triggers play"), "\(learned)")
    #expect(learned.errors.contains("UIDs, texts and URIs can be copied"))
    let box = "ntag213 uid=04a1b2c3d4e5f6 url=https://boxes.example/17"
    // A kiosk that has not noticed yet that the card is gone offers it once more.
    #expect(try eventually { try learn(world, box, ["play", "--content"]).status == 0 })
    let list = try world.tappet("tag", "learned").output
    #expect(list.contains("uid 01020304  play  learned ") && list.contains("Abbey Road"), "\(list)")
    #expect(list.contains("uri \"https://boxes.example/17\"  play"), "\(list)")
    if !runs { try world.start() }
    let tap = try world.tap("classic uid=01020304", until: "delivered-by-tag", messages: 1)
    #expect(tap.received.map(\.payload) == ["Abbey Road 01020304"], "\(tap.log)")
    let copy = try world.tap(
      "ntag213 uid=04a1b2c3d4e5f7 url=https://boxes.example/17", until: "delivered-by-tag", messages: 1)
    #expect(copy.received.map(\.payload) == [" 04a1b2c3d4e5f7"], "\(copy.log)")
    #expect(try world.tappet("tag", "forget", "01:02:03:04").status == 0)
    #expect(try world.tappet("tag", "forget", "01:02:03:04").errors.contains("there is no learned tag"))
    _ = try world.tap("classic uid=01020304", until: "refused")
    let audit = try world.tappet("audit").output
    #expect(audit.contains("tag-learned") && audit.contains("tag-forgotten"), "\(audit)")
  }

  @Test(arguments: [true, false])
  func `a random UID, an unknown action or a door is refused with its own reason`(runs: Bool) throws {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = "  - {name: key, topic: home/key, message: 'x', unlock: true}"
    let world = try KioskWorld(configuration)
    if runs { try world.start() }
    let random = try learn(world, "classic uid=08010203", ["light"])
    #expect(random.status == 1 && random.errors.contains("is random at each tap"), "\(random)")
    let door = try world.tappet("tag", "learn", "key")
    #expect(door.status == 1 && door.errors.contains("requires a signed tag"), "\(door)")
    let unknown = try world.tappet("tag", "learn", "lite")
    #expect(unknown.status == 1 && unknown.errors.contains("there is no action 'lite'"), "\(unknown)")
    let empty = try learn(world, "ntag213 uid=04a1b2c3d4e5f6", ["light", "--content"])
    #expect(empty.status == 1 && empty.errors.contains("neither text nor a URI"), "\(empty)")
    #expect(try world.tappet("tag", "learned").output.isEmpty)
  }

  @Test func `signed links, share codes and links that are not UTF-8 are neither learned by content nor shown`() throws
  {
    let world = try world()
    let digits = String(repeating: "5a", count: 32)
    for link in ["smp://action?idx=0&ts=1&sig=", "SMP://action?idx=0&ts=1&sig=", "smpshare://secret?idx=0&key="] {
      let refused = try learn(world, "ntag213 url=\(link)\(digits)", ["play", "--content"])
      #expect(refused.status == 1 && refused.errors.contains("learn the tag's UID instead"), "\(refused)")
      #expect(!refused.output.contains(digits) && !refused.errors.contains(digits), "\(refused)")
    }
    let latin = try learn(world, "ntag213 ndef=D1010B5500687474703A2F2F782FE4", ["play", "--content"])
    #expect(latin.status == 1 && latin.errors.contains("not UTF-8"), "\(latin)")
    #expect(try world.tappet("tag", "learned").output.isEmpty)
  }

  @Test func `a backup includes the learned tags`() throws {
    let world = try world()
    #expect(try learn(world, "classic uid=01020304", ["play", "--label", "Abbey Road"]).status == 0)
    let passphrase = world.folder + "/passphrase"
    _ = FileManager.default.createFile(
      atPath: passphrase, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600])
    let backup = world.folder + "/backup"
    let made = try world.tappet("backup", backup, "--passphrase-file", passphrase)
    #expect(made.status == 0 && made.errors.contains("1 learned tag"), "\(made)")
    try FileManager.default.removeItem(atPath: world.folder + "/state")
    #expect(try world.tappet("restore", backup, "--passphrase-file", passphrase, "--yes", "--secrets-only").status == 0)
    #expect(try world.tappet("tag", "learned").output.contains("uid 01020304  play"))
  }
}
