// People as they ship: through the kiosk and directly, and in a backup.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PersonTests {
  private func person(_ world: KioskWorld, _ words: [String]) throws -> Finished {
    try Programs.run(try Programs.built("tappet"), ["person"] + words + ["--config", world.configPath])
  }

  @Test(arguments: [true, false])
  func `a person is added, gets a tag, is suspended and resumed, and is removed`(runs: Bool) throws {
    let world = try KioskWorld(.init(more: "  - {name: who, topic: 'home/who', message: '%{person}', cooldown: 0 s}"))
    if runs { try world.start() }
    #expect(try world.tappet("person", "add", "Ann").status == 0)
    #expect(try world.tappet("person", "add", "Ben").status == 0)
    let uid = world.freshUID()
    try world.tell("place ntag213 uid=\(uid)")
    let written = try world.tappet("tag", "write", "who", "--person", "Ann", "--timeout", "60", "--json")
    #expect(written.status == 0, "\(written)")
    let id = try #require(written.data["secret"] as? String)
    try world.takeAway()
    #expect(try world.tappet("person", "rename", "Ann", "Ann Lee").status == 0)
    let people = try world.tappet("person", "list", "--json").list("people")
    #expect(people.map { $0["name"] as? String } == ["Ann Lee", "Ben"])
    #expect(people.map { $0["tags"] as? Int } == [1, 0])
    #expect(try world.tappet("secret", "list").output.contains("Ann Lee's"))
    #expect(try world.tappet("person", "suspend", "Ann Lee").status == 0)
    if !runs { try world.start() }
    var before = world.lights.count
    try world.tell("back")
    try world.awaitLight("refused", after: before)
    try world.takeAway()
    #expect(eventually { world.log.contains("code=person-suspended") })
    #expect(eventually { world.log.contains("Ann Lee is suspended") && world.log.contains("code=person-suspended") })
    #expect(try world.tappet("person", "resume", "Ann Lee").status == 0)
    before = world.lights.count
    try world.tell("back")
    try world.awaitLight("delivered-by-tag", after: before)
    #expect(eventually { world.received.last?.topic == "home/who" && world.received.last?.payload == "Ann Lee" })
    try world.takeAway()
    let moved = try world.tappet("person", "assign", "Ben", String(id.prefix(8)))
    #expect(moved.status == 0 && moved.errors.contains("is now assigned to Ben, formerly to Ann Lee"), "\(moved)")
    before = world.lights.count
    try world.tell("back")
    try world.awaitLight("delivered-by-tag", after: before)
    #expect(eventually { world.received.last?.payload == "Ben" })
    #expect(try world.tappet("status").output.contains("  Ben\n"))
    try world.takeAway()
    #expect(try world.tappet("person", "remove", "Ben", "--yes").status == 0)
    before = world.lights.count
    try world.tell("back")
    try world.awaitLight("refused", after: before)
    let audit = try world.tappet("audit").output
    for word in ["added", "renamed", "suspended", "resumed", "removed"] { #expect(audit.contains("person-\(word)")) }
    #expect(audit.contains("secret-assigned"))
  }

  @Test func `a name with different capitals is not a second person, and a mistyped name is suggested`() throws {
    let world = try KioskWorld(withBroker: false)
    #expect(try person(world, ["add", "Zo\u{EB} Lee"]).status == 0)
    let taken = "a person named 'Zo\u{EB} Lee' already exists"
    #expect(try person(world, ["add", "ZO\u{CB} lee"]).errors.contains(taken))
    let path = world.folder + "/people.csv"
    try Data("name\nBen\nzo\u{EB} lee\n".utf8).write(to: URL(fileURLWithPath: path))
    let table = try person(world, ["import", path])
    #expect(table.status == 1 && table.errors.contains("' differ only in capital letters"), "\(table)")
    for typed in ["zo\u{EB} LEE", "Zo\u{EB} Leee"] {
      let unknown = try person(world, ["suspend", typed])
      #expect(
        unknown.errors.contains("there is no person '\(typed)' (did you mean 'Zo\u{EB} Lee'?)"), "\(unknown)")
    }
    #expect(try person(world, ["rename", "Zo\u{EB} Lee", "zo\u{EB} Lee"]).status == 0)
  }

  @Test func `the command accepts the same days and hours as a table`() throws {
    let world = try KioskWorld(withBroker: false)
    #expect(try person(world, ["add", "Ann"]).status == 0)
    let limits = ["--from", "2026/12/1", "--until", "31.12.2026", "--hours", "Tuesday 8-12; Friday"]
    let allowed = try person(world, ["allow", "Ann"] + limits)
    #expect(allowed.status == 0, "\(allowed)")
    let row = try world.tappet("person", "export").output
    #expect(row.contains("Ann,no,2026-12-01,2026-12-31,Tue 08:00-12:00; Fri 00:00-24:00,"), "\(row)")
  }

  @Test func `unspecified limits and their use counts are kept, and --always removes all limits`() throws {
    let world = try KioskWorld(withBroker: false)
    let table = world.folder + "/people.csv"
    try "name,uses,used\nAnn,5,2\n".write(toFile: table, atomically: true, encoding: .utf8)
    #expect(try person(world, ["import", table]).status == 0)
    func allowed(_ words: String...) throws -> String {
      _ = try person(world, ["allow", "Ann"] + words)
      let row = try world.tappet("person", "export").output.split(separator: "\r\n").last { $0.hasPrefix("Ann,") }
      return String(row ?? "")
    }
    #expect(try allowed("--hours", "Tue 08:00-12:00") == "Ann,no,,,Tue 08:00-12:00,5,2,,,")
    #expect(try allowed("--until", "2099-12-31") == "Ann,no,,2099-12-31,Tue 08:00-12:00,5,2,,,")
    // A first day after the last day that is kept is refused.
    #expect(try allowed("--from", "2100-01-01") == "Ann,no,,2099-12-31,Tue 08:00-12:00,5,2,,,")
    #expect(try allowed("--uses", "7") == "Ann,no,,2099-12-31,Tue 08:00-12:00,7,0,,,")
    #expect(try allowed("--always", "--uses", "1") == "Ann,no,,,,1,0,,,")
  }

  @Test func `a day ticket admits once, even if the kiosk was killed, and only within its hours`() throws {
    let world = try KioskWorld(.init(more: "  - {name: door, topic: home/door, message: in, cooldown: 0 s}"))
    try world.importSecret(index: 3, key: world.keys[1])
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let id = try #require(secrets.first { $0["action"] as? String == "door" }?["id"] as? String)
    for words in [["add", "Day ticket"], ["assign", "Day ticket", id], ["allow", "Day ticket", "--uses", "2"]] {
      #expect(try person(world, words).status == 0)
    }
    try world.start()
    func tap(until light: String, messages: Int) throws -> String {
      let url = try Signing.url(index: "3", key: world.keys[1])
      return try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: light, messages: messages).log
    }
    _ = try tap(until: "delivered-by-tag", messages: 1)
    #expect(world.kiosk?.end(SIGKILL) == true)
    try world.start()
    #expect(try world.tappet("person", "list").output.contains("1 of 2 uses"))
    _ = try tap(until: "delivered-by-tag", messages: 1)
    let log = try tap(until: "refused", messages: 0)
    #expect(log.contains("Day ticket has no uses left") && log.contains("code=used-up"), "\(log)")
    #expect(world.kiosk?.end(SIGKILL) == true)
    try world.start()
    _ = try tap(until: "refused", messages: 0)
    #expect(try world.settled().count == 2)
    let day = Calendar(identifier: .gregorian).component(.weekday, from: Date())
    let other = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][(day + 1) % 7]
    #expect(try person(world, ["allow", "Day ticket", "--hours", "\(other) 00:00-24:00"]).status == 0)
    #expect(try tap(until: "refused", messages: 0).contains("outside the hours of Day ticket"))
    let lifted = try person(world, ["allow", "Day ticket", "--always"])
    #expect(lifted.errors == "Day ticket: no limits.\n")
    _ = try tap(until: "delivered-by-tag", messages: 1)
  }

  @Test(arguments: [true, false])
  func `invalid input is refused with its own message, and changes nothing`(runs: Bool) throws {
    let world = try KioskWorld(withBroker: false)
    if runs { try world.start(until: "offline") }
    #expect(try world.tappet("person", "add", "Ann").status == 0)
    func refusal(_ words: String...) throws -> String {
      let done = try person(world, words)
      #expect(done.status == 1 && done.output.isEmpty, "\(words): \(done)")
      return done.errors
    }
    #expect(try refusal("add", "Ann").contains("a person named 'Ann' already exists"))
    #expect(try refusal("add", " Ann ").contains("a person named 'Ann' already exists"))
    #expect(try refusal("add", " ").contains("a person needs a name"))
    #expect(try refusal("add", "a\u{1B}[2Jb").contains("character 2 of the name, U+001B,"))
    #expect(try refusal("add", String(repeating: "ü", count: 2048)).contains("4096 bytes long; the maximum is 128"))
    #expect(try refusal("suspend", "Cy").contains("there is no person 'Cy'"))
    #expect(try refusal("rename", "Ann", "").contains("a person needs a name"))
    #expect(try refusal("assign", "Ann", "nobody").contains("there is no secret 'nobody'"))
    #expect(try refusal("assign", "Cy", "nobody").contains("there is no person 'Cy'"))
    for hours in ["Mon 9", "", ";"] {
      #expect(try refusal("allow", "Ann", "--hours", hours).contains("is not a range of days and hours"))
    }
    #expect(try refusal("allow", "Ann", "--hours", "Mon 09:00-12:00; Mon 11:00-13:00").contains("overlaps"))
    #expect(try refusal("allow", "Ann", "--hours", "Mon 12:00-09:00").contains("ends before it starts"))
    #expect(try refusal("allow", "Ann", "--from", "2026-02-02", "--until", "2026-02-01").contains("precedes the first"))
    #expect(try refusal("allow", "Ann", "--until", "2026-02-30").contains("is not a date"))
    #expect(try refusal("allow", "Cy", "--uses", "1").contains("there is no person 'Cy'"))
    #expect(try person(world, ["allow", "Ann"]).status == 2)
    #expect(try refusal("remove", "Ann").contains("cannot be undone"))
    let unwritten = try world.tappet("tag", "write", "light", "--person", "Cy", "--timeout", "1")
    #expect(unwritten.status == 1 && unwritten.errors.contains("there is no person 'Cy'"), "\(unwritten)")
    #expect(try world.tappet("person", "list").output == "Ann  0 tags\n")
  }

  @Test func `a backup includes people, and who is suspended`() throws {
    let world = try KioskWorld(withBroker: false)
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let id = try #require(secrets.first?["id"] as? String)
    for words in [
      ["add", "Ann"], ["add", "Ben"], ["assign", "Ann", id], ["suspend", "Ann"],
      ["allow", "Ben", "--uses", "3", "--hours", "Mon-Fri 08:00-17:00"],
    ] {
      #expect(try person(world, words).status == 0)
    }
    let passphrase = world.folder + "/passphrase"
    _ = FileManager.default.createFile(
      atPath: passphrase, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600])
    let backup = world.folder + "/backup"
    let made = try world.tappet("backup", backup, "--passphrase-file", passphrase)
    #expect(made.status == 0 && made.errors.contains("2 secrets, 2 people, "), "\(made)")
    try FileManager.default.removeItem(atPath: world.folder + "/state")
    #expect(try world.tappet("restore", backup, "--passphrase-file", passphrase, "--yes", "--secrets-only").status == 0)
    #expect(
      try world.tappet("person", "list").output == "Ann  1 tag  suspended\nBen  0 tags  Mon-Fri 08:00-17:00, 3 uses\n")
  }
}
