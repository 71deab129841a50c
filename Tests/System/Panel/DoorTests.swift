// A door with members, as docs/door.md tells it: what the page shows is run, by the shell, and the witness has the last
// word.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct DoorTests {
  private let page: DocsPage

  init() throws { page = try DocsPage("door") }

  /// A zone in which it is about noon, so that the door is open whenever the test runs.
  private var noon: String {
    let hour = Int(Date().timeIntervalSince1970) / 3600 % 24
    return hour <= 12 ? "Etc/GMT-\(12 - hour)" : "Etc/GMT+\(hour - 12)"
  }

  /// The page's kiosk, at noon.
  private func world() throws -> KioskWorld {
    try page.world { $0.replacingOccurrences(of: "Europe/Berlin", with: noon) }
  }

  private func paste(_ heading: String, _ world: KioskWorld) throws {
    try page.paste(try page.block("sh", after: "\n## \(heading)\n"), world)
  }

  /// A tag of its own for each of these people, as another kiosk has written it.
  private func importTags(_ names: [String], _ world: KioskWorld) throws -> [String: String] {
    var keys: [String: String] = [:]
    for name in names {
      let key = Signing.key()
      keys[name] = key
      let id = try world.importSecret(index: 3, key: key)
      #expect(try world.tappet("person", "assign", name, id).status == 0)
    }
    return keys
  }

  @Test func `the door page works as written, with sixty members, hours and a day ticket`() throws {
    let world = try world()
    let named = ["Ann Lee", "Ben Berg", "Cleaner", "Day ticket 1"]
    let members = named + (5...60).map { "Member \($0)" }
    try (members.joined(separator: "\n") + "\n").write(
      toFile: world.folder + "/members.txt", atomically: true, encoding: .utf8)
    try world.start()
    try paste("The members", world)
    #expect(try world.tappet("person", "list", "--json").list("people").count == 60)
    let ann = "ntag213 uid=\(world.freshUID())"
    try world.tell("place " + ann)
    try paste("Their tags", world)
    try world.takeAway()
    let keys = try importTags(["Ben Berg", "Cleaner", "Day ticket 1", "Member 60"], world)
    try paste("Days, hours and tickets", world)
    // The cleaner's day is another one, whatever today is.
    let weekday = Calendar(identifier: .gregorian).component(.weekday, from: Date())
    let day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][(weekday + 1) % 7]
    #expect(try world.tappet("person", "allow", "Cleaner", "--hours", "\(day) 00:00-24:00").status == 0)
    try paste("Someone leaves", world)

    func tap(_ name: String, until light: String) throws {
      let url = try Signing.url(index: "3", key: try #require(keys[name]))
      _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: light)
    }
    let before = world.lights.count
    try world.tell("back")
    try world.awaitLight("delivered-by-tag", after: before)
    try world.takeAway()
    try tap("Ben Berg", until: "refused")
    try tap("Cleaner", until: "refused")
    try tap("Day ticket 1", until: "delivered-by-tag")
    #expect(world.kiosk?.end(SIGKILL) == true)
    try world.start()
    try tap("Day ticket 1", until: "refused")
    try tap("Member 60", until: "delivered-by-tag")

    let received = try world.settled()
    let opened = try received.map { message in
      let content = try JSONSerialization.jsonObject(with: Data(message.payload.utf8)) as? [String: Any]
      return content?["who"] as? String
    }
    #expect(received.allSatisfy { $0.topic == "home/door" })
    #expect(opened == ["Ann Lee", "Day ticket 1", "Member 60"])
    for words in ["Ben Berg,person-suspended", "Cleaner,outside-hours", "Day ticket 1,used-up"] {
      var refused = ""
      let isListed = try eventually {
        refused = try world.tappet("history", "--outcome", "refused", "--csv").output
        return refused.contains(words)
      }
      #expect(isListed, "\(refused)")
    }
    func hers() throws -> Int { try world.tappet("history", "--person", "Ann Lee").output.split(separator: "\n").count }
    #expect(try eventually { try hers() == 2 })
    try paste("Who came", to: "tappet history", world)
  }

  /// Runs the lines of the section that begin with these words.
  private func paste(_ heading: String, to words: String, _ world: KioskWorld) throws {
    let section = try #require(page.text.components(separatedBy: "\n## \(heading)\n").last)
    for line in section.split(separator: "\n") where line.hasPrefix(words) {
      #expect(try !page.paste(String(line), world).output.isEmpty, "\(line)")
    }
  }
}
