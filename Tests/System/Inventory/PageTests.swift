// The pages that tell a story from nothing, as a reader would follow them: their blocks are run, and what they show is
// compared with what the programs print.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PageTests {
  @Test func `the store-room page works as written, from the table and labels to moves and a loan`() throws {
    let page = try DocsPage("store-room")
    let world = try page.world()
    try page.block("csv", after: "\n## The boxes\n").write(
      toFile: world.folder + "/boxes.csv", atomically: true, encoding: .utf8)
    try world.start()
    try page.paste(page.block("sh", after: "\n## The boxes\n"), world)
    let low = try page.block("", after: "if it ran before the import, shows")
    #expect(eventually { world.received.map { "\($0.topic)  \($0.payload)" } == [low] }, "\(world.received)")

    func write(_ line: some StringProtocol) throws -> String {
      let uid = world.freshUID()
      try world.tell("place ntag215 uid=\(uid) empty")
      try page.paste(String(line), world)
      let memory = try world.tell("dump").filter { $0.isHexDigit }
      try world.takeAway()
      return "ntag215 uid=\(uid) memory=\(memory)"
    }
    let lines = try page.block("sh", after: "\n## The tags\n").split(separator: "\n")
    let (box, rack, item) = (try write(lines[0]), try write(lines[1]), try write(lines[2]))
    try page.paste("tappet person add Ada", world)
    let ada = try write("tappet tag write shelf --person Ada")

    // The sentences of the page's table, in its order.
    let sentences = page.text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.hasSuffix("` |") }
      .map { $0.split(separator: "`").dropLast().last.map(String.init) ?? "" }
    #expect(sentences.count == 4)
    func tap(_ placement: String, until light: String, says row: Int) throws {
      let log = try world.tap(placement, until: light, messages: 1).log
      #expect(log.contains(sentences[row]), "\(sentences[row]): \(log)")
    }
    try tap(box, until: "holding", says: 0)
    try tap(rack, until: "accepted", says: 1)
    _ = try world.tap(item, until: "accepted", messages: 1)
    try tap(ada, until: "accepted", says: 2)
    try page.check(after: "list the rest.", world)
    try page.check(after: "While Ada has the screws:", world)
    // Until the tag's cooldown is over, it is ignored.
    let isBack = try eventually {
      let before = tapCount(world)
      try world.tell("place " + ada)
      #expect(eventually { tapCount(world) > before })
      try world.takeAway()
      return world.log.contains(sentences[3])
    }
    #expect(isBack, "\(world.log)")
  }

  /// Number of records about taps so far.
  private func tapCount(_ world: KioskWorld) -> Int { world.log.components(separatedBy: " uid=").count }

  @Test func `the inventory page works as written, with entries by hand, an import and a search`() throws {
    let page = try DocsPage("inventory")
    let world = try KioskWorld(withBroker: false)
    try Data([0xff, 0xd8, 0xff, 0xe0]).write(to: URL(fileURLWithPath: world.folder + "/m5.jpg"))
    let words = try page.block("sh", after: "\n## Add entries\n").split(separator: "\n", maxSplits: 1)
    #expect(words[0].hasPrefix("alias "))
    try page.paste(String(words[1]), world)
    let table = "with a column for each level adds everything"
    try page.block("csv", after: table).write(
      toFile: world.folder + "/boxes.csv", atomically: true, encoding: .utf8)
    try page.check(after: table, world)
    let found = try page.block("", after: "\n## Find\n").split(separator: "\n").map(String.init)
    for line in [0, 2] {
      #expect(try page.paste(String(found[line].dropFirst(2)), world).output == found[line + 1] + "\n")
    }
  }

  @Test func `the jukebox page works as written, with learned cards that play and stop`() throws {
    let page = try DocsPage("jukebox")
    let world = try page.world()
    try world.start()
    let lines = try page.block("sh", after: "\n## The cards\n").split(separator: "\n")
    for (line, uid) in zip(lines, ["01020304", "01020305"]) {
      try world.tell("place classic uid=" + uid)
      try page.paste(String(line), world)
      try world.takeAway()
    }
    let learned = try page.paste(String(try #require(lines.last)), world).output
    #expect(lines.count == 3 && learned.contains("Abbey Road") && learned.contains("Kind of Blue"), "\(learned)")
    try world.tell("place classic uid=01020304")
    let shown = try page.block("", after: "shows a line when the card arrives").split(separator: "\n").map(String.init)
    func music() -> [String] {
      (world.witness?.all ?? []).filter { $0.topic.hasPrefix("music/") }.map { "\($0.topic)  \($0.payload)" }
    }
    #expect(eventually { music() == [shown[0]] }, "\(music())")
    try world.takeAway()
    #expect(eventually { music() == shown }, "\(music())")
  }
}
