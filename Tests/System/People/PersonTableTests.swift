// Tables of people, through the kiosk and directly, with the shipped programs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PersonTableTests {
  private func write(_ world: KioskWorld, _ text: String) throws -> String {
    let path = world.folder + "/people.csv"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func importing(_ world: KioskWorld, _ text: String, _ words: String...) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"),
      ["person", "import", try write(world, text)] + words + ["--config", world.configPath])
  }

  private func secretIDs(_ world: KioskWorld) throws -> [String] {
    try world.tappet("secret", "list", "--json").list("secrets").compactMap { $0["id"] as? String }
  }

  @Test(arguments: [true, false])
  func `a table adds people and assigns their tags, and an export is read back unchanged`(runs: Bool) throws {
    let world = try KioskWorld(.init(more: "  - {name: who, topic: home/who, message: '%{person}', cooldown: 0 s}"))
    try world.importSecret(index: 3, key: world.keys[1])
    if runs { try world.start() }
    #expect(try world.tappet("secret", "new", "light", "--label", "spare").status == 0)
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let id = try #require(secrets.first { $0["action"] as? String == "who" }?["id"] as? String)
    let spare = try #require(secrets.first { $0["label"] as? String == "spare" })
    let (spareID, fingerprint) = (
      try #require(spare["id"] as? String), try #require(spare["fingerprint"] as? String)
    )
    #expect(try world.tappet("person", "add", "Ben").status == 0)
    #expect(try world.tappet("person", "assign", "Ben", id).status == 0)
    // A byte-order mark, CRLF, quotes and semicolons, as a spreadsheet writes them.
    let table =
      "\u{FEFF}tag;name;suspended;hours;uses;used\r\n"
      + "\(id);\"Ann \"\"Ann\"\" Lee\";no;\"Mon-Fri 07:00-19:30; Sat 09:00-12:00\";;\r\n"
      + "\r\n\(fingerprint);Day ticket;;;3;1\r\n;Ben;yes;;;\r\n"
    let trial = try importing(world, table, "--dry-run")
    #expect(
      trial.output
        == "+ Ann \"Ann\" Lee\n+ Day ticket\n~ Ben: suspended\n"
        + "~ Ann \"Ann\" Lee: the tag \(id) of who, formerly Ben's\n~ Day ticket: the tag \(spareID) of light\n",
      "\(trial)")
    #expect(trial.errors == "Would import: 2 added, 1 changed, 2 tags assigned. Nothing was changed.\n")
    #expect(try world.tappet("person", "list").output == "Ben  1 tag\n")
    let done = try importing(world, table)
    #expect(done.status == 0 && done.errors == "Imported: 2 added, 1 changed, 2 tags assigned.\n", "\(done)")
    #expect(
      try world.tappet("person", "list").output
        == "Ann \"Ann\" Lee  1 tag  Mon-Fri 07:00-19:30, Sat 09:00-12:00\nBen  0 tags  suspended\n"
        + "Day ticket  1 tag  1 of 3 uses\n")
    if !runs { try world.start() }

    let exported = try world.tappet("person", "export")
    let lines = exported.output.components(separatedBy: "\r\n")
    #expect(lines[0] == "name,suspended,from,until,hours,uses,used,tag,action,label")
    #expect(
      lines[1].hasPrefix("\"Ann \"\"Ann\"\" Lee\",no,,,Mon-Fri 07:00-19:30; Sat 09:00-12:00,,,\(id),who,"), "\(lines)")
    #expect(lines[2] == "Ben,yes,,,,,,,," && lines[3] == "Day ticket,no,,,,3,1,\(spareID),light,spare", "\(lines)")
    #expect(try world.tappet("person", "add", "=cmd()").status == 0)
    let whole = try world.tappet("person", "export").output
    #expect(whole.contains("\r\n'=cmd(),no,"), "\(whole)")
    let again = try importing(world, whole, "--json")
    #expect(again.data["added"] as? Int == 0 && again.data["changed"] as? Int == 0, "\(again)")
    #expect(again.data["assigned"] as? Int == 0 && again.data["dry_run"] as? Bool == false, "\(again)")
    // Neither a use nor a suspension was forgotten.
    #expect(try world.tappet("person", "export").output == whole)
    #expect(try world.tappet("audit").output.contains("people-imported"))

    // The tag is Ann's, and says so.
    #expect(try importing(world, "name,hours\n\"Ann\" Lee,\n").errors.contains("misplaced or unclosed quote"))
    #expect(try importing(world, "name,hours\n\"Ann \"\"Ann\"\" Lee\",\n").status == 0)
    let url = try Signing.url(index: "3", key: world.keys[1])
    let tap = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "delivered-by-tag", messages: 1)
    #expect(tap.received.map { $0.payload } == ["Ann \"Ann\" Lee"], "\(tap.log)")
    #expect(try importing(world, "name,tag\nBen,\(id)\n").errors.contains("1 tag assigned"))
    let refused = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "refused", messages: 0)
    #expect(refused.log.contains("Ben is suspended"), "\(refused.log)")
  }

  @Test func `a suspended person is refused, however the name is spelled`() throws {
    let world = try KioskWorld(.init(more: "  - {name: who, topic: home/who, message: '%{person}', cooldown: 0 s}"))
    try world.importSecret(index: 3, key: world.keys[1])
    try world.start()
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let id = try #require(secrets.first { $0["action"] as? String == "who" }?["id"] as? String)
    // As a person types it, and as a table from a Mac has it.
    let (typed, mac) = ("Jos\u{E9} M\u{FC}ller", "Jose\u{301} Mu\u{308}ller")
    #expect(try world.tappet("person", "add", typed).status == 0)
    #expect(try importing(world, "name,tag\n\(mac),\(id)\n", "--json").data["added"] as? Int == 0)
    #expect(try world.tappet("person", "suspend", mac).status == 0)
    let url = try Signing.url(index: "3", key: world.keys[1])
    let refused = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "refused", messages: 0)
    #expect(refused.log.contains("\(typed) is suspended"), "\(refused.log)")
    let unseen = try world.tappet("person", "add", "Ann\u{200B} Lee")
    #expect(unseen.status == 1 && unseen.errors.contains("character 4 of the name, U+200B, is invisible"))
    #expect(try importing(world, "name\nAnn\u{3164} Lee\n").errors.contains("line 2: character 4 of the name, U+3164"))
  }

  @Test(arguments: [
    "Name;SUSPENDED;Until;;\r\nAnn;TRUE;31.12.2026;;\r\n;;;;\r\nBen;false;2026/12/31;;\r\n;;;;\r\n",
    "sep=,\r\nname,suspended,until\r\nAnn,WAHR,2026-12-31 00:00:00\r\nBen,0,31.12.2026,,\r\n",
    "\u{FEFF}name\tsuspended\tuntil\rAnn\tYes\t2026-12-31\rBen\tno\t2026-12-31\r",
  ])
  func `a table is read in the formats that spreadsheets write`(_ text: String) throws {
    let world = try KioskWorld(withBroker: false)
    let done = try importing(world, text)
    #expect(done.status == 0 && done.errors.contains("2 added"), "\(done)")
    let list = try world.tappet("person", "export").output.components(separatedBy: "\r\n")
    #expect(list[1].hasPrefix("Ann,yes,,2026-12-31,") && list[2].hasPrefix("Ben,no,,2026-12-31,"), "\(list)")
    #expect(try world.tappet("person", "export", "--excel").output == "\u{FEFF}" + list.joined(separator: "\r\n"))
  }

  private static func utf16(_ text: String, littleEndian: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    for unit in text.utf16 {
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      bytes += littleEndian ? [low, high] : [high, low]
    }
    return bytes
  }

  /// A table with one name, in an encoding that a byte order mark or an option states.
  static let encodings: [(bytes: [UInt8], encoding: String?, name: String)] = [
    (utf16("\u{FEFF}name\nÄnn\n", littleEndian: true), nil, "Änn"),
    (utf16("\u{FEFF}name\nÄnn\n", littleEndian: false), nil, "Änn"),
    (utf16("name\nÄnn\n", littleEndian: true), "UTF-16LE", "Änn"),
    (Array("name\nJos".utf8) + [0xE9, 0x0A], "WINDOWS-1252", "José"),
    (Array("name\nM".utf8) + [0x81, 0x6C, 0x0A], "IBM850", "Mül"),
    (Array("name\rM".utf8) + [0x9F, 0x6C, 0x0D], "MACINTOSH", "Mül"),
    (Array("name\n".utf8) + [0xC8, 0xE2, 0xE0, 0xED, 0x0A], "windows-1251", "Иван"),
  ]

  @Test(arguments: encodings)
  func `a table in another encoding is imported once its encoding is specified`(
    _ sample: (bytes: [UInt8], encoding: String?, name: String)
  ) throws {
    let world = try KioskWorld(withBroker: false)
    let path = world.folder + "/people.csv"
    try Data(sample.bytes).write(to: URL(fileURLWithPath: path))
    if let encoding = sample.encoding {
      let refused = try world.tappet("person", "import", path)
      #expect(refused.status == 1 && refused.errors.contains("--encoding"), "\(refused)")
      let done = try world.tappet("person", "import", path, "--encoding", encoding)
      #expect(done.status == 0, "\(done)")
    } else {
      #expect(try world.tappet("person", "import", path).status == 0)
    }
    #expect(try world.tappet("person", "list").output.hasPrefix(sample.name))
  }

  @Test func `a table that does not match the stated encoding, or names an unknown one, is refused`() throws {
    let world = try KioskWorld(withBroker: false)
    let path = world.folder + "/people.csv"
    try Data("name\nAnn\nMül\n".utf8).write(to: URL(fileURLWithPath: path))
    let wrong = try world.tappet("person", "import", path, "--encoding", "ASCII")
    #expect(wrong.status == 1 && wrong.errors.contains("line 3 is not ASCII"), "\(wrong)")
    let unknown = try world.tappet("person", "import", path, "--encoding", "nothing")
    #expect(unknown.status == 2 && unknown.errors.contains("unknown encoding 'nothing'"), "\(unknown)")
    #expect(try world.tappet("person", "list").output.isEmpty)
  }

  @Test(arguments: [true, false])
  func `one wrong row is reported, and nothing is changed`(runs: Bool) throws {
    let world = try KioskWorld(withBroker: false)
    if runs { try world.start(until: "offline") }
    let id = try #require(try secretIDs(world).first)
    func refusal(_ rows: String, columns: String = "name,suspended,from,until,hours,uses,tag") throws -> String {
      let done = try importing(world, columns + "\nCy,,,,,,\n" + rows)
      #expect(done.status == 1 && done.errors.contains("people.csv: line "), "\(done)")
      #expect(done.errors.contains("nothing was changed"), "\(done)")
      return done.errors
    }
    #expect(try refusal("Ann,maybe,,,,,\n").contains("line 3: suspended must be 'yes', 'no' or empty, not 'maybe'"))
    #expect(try refusal("Ann,,,2026-02-30,,,\n").contains("line 3: '2026-02-30' is not a date"))
    #expect(try refusal("Ann,,2026-03-01,2026-02-01,,,\n").contains("the last day precedes the first day"))
    #expect(try refusal("Ann,,,,Mon 12:00-09:00,,\n").contains("ends before it starts"))
    #expect(try refusal("Ann,,,,Mon 09:00-12:00; Mon 11:00-13:00,,\n").contains("overlaps"))
    #expect(try refusal("Ann,,,,,-1,\n").contains("uses must be a whole number or empty, not '-1'"))
    #expect(try refusal("Ann,,,,,9999999999,\n").contains("the number of uses must be from 0 to"))
    #expect(try refusal("Ann,,,,,,nobody\n").contains("line 3: there is no secret 'nobody' here"))
    #expect(try refusal(",yes,,,,,\n").contains("line 3: a person needs a name"))
    let excel = "Excel has changed the date; format the column as yyyy-mm-dd"
    for day in ["12/31/2026", "31-Dec-26", "31.12.26", "46387"] {
      #expect(try refusal("Ann,,,\(day),,,\n").contains("line 3: until is '\(day)': \(excel)"), "\(day)")
    }
    #expect(try refusal("Ann,,,,,,,x\n").contains("line 3: the row contains 8 fields"))
    #expect(try refusal("\"a\u{1B}[2Jb\",,,,,,\n").contains("character 2 of the name, U+001B, is invisible"))
    #expect(try refusal("Ann,,,,,,\(id)\nBen,,,,,,\(id)\n").contains("line 4: line 3 assigns the tag"))
    #expect(
      try refusal("Ann,yes,,,,,\nAnn,,,,,,\(id)\n").contains("line 4: 'Ann' has a different 'suspended' in line 3"))
    #expect(try refusal("Ann,,\n").contains("line 3: the row contains 3 fields, but the first line contains 7"))
    #expect(try refusal("Ann,\"no\"x,,,,,\n").contains("line 3: misplaced or unclosed quote"))
    #expect(try refusal("Ann,\"no,,,,,\n").contains("misplaced or unclosed quote"))
    #expect(try refusal("Ann,,,,\(String(repeating: "x", count: 2000)),,\n").contains("line 3: the row is longer than"))
    #expect(try refusal("", columns: "name,nick,from,until,hours,uses,tag").contains("unknown column 'nick'"))
    let unknown = "unknown columns 'a', 'b'; the columns are name"
    #expect(try refusal("", columns: "name,a,from,b,hours,uses,tag").contains(unknown))
    #expect(try refusal("", columns: "Ann,yes,,,,,").contains("line 1 does not name the columns, such as 'name'"))
    #expect(try refusal("cy,,,,,,\n").contains("line 3: 'cy' and 'Cy' differ only in capital letters"))
    #expect(try refusal("Ann,,,,Di 8-12,,\n").contains("with English names of days"))
    #expect(try refusal("Ann,,,,a,,,b\n").contains("a field that contains the separator needs quotes"))
    #expect(try refusal("", columns: "name,name,from,until,hours,uses,tag").contains("duplicate column 'name'"))
    #expect(try refusal("", columns: "tag,suspended,from,until,hours,uses,used").contains("column 'name' is missing"))
    #expect(try importing(world, "").errors.contains("the file is empty"))
    let folder = try world.tappet("person", "import", world.folder)
    #expect(folder.status == 4 && folder.errors.contains("cannot be read"), "\(folder)")
    #expect(try world.tappet("person", "list").output.isEmpty)
    #expect(try world.tappet("audit").output.contains("people-imported") == false)
  }
}
