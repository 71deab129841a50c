// The largest table of people, through the kiosk and directly, with the shipped programs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PersonTableSizeVerifyTests {
  @Test(arguments: [true, false])
  func `ten thousand people are imported together, and ten thousand and one are refused`(runs: Bool) throws {
    let world = try KioskWorld(withBroker: false)
    if runs { try world.start(until: "offline") }
    let path = world.folder + "/people.csv"
    func importing(_ text: String) throws -> Finished {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return try world.tappet("person", "import", path, limit: 5 * patience)
    }
    var table = "name,hours\r\n"
    for number in 1...10_000 { table += "Person \(number),Mon-Fri 07:00-19:30\r\n" }
    let done = try importing(table)
    #expect(done.errors == "Imported: 10000 added, 0 changed, 0 tags assigned.\n", "\(done)")
    let refused = try importing(table + "Person 10001,Mon-Fri 07:00-19:30\r\n")
    #expect(refused.status == 1 && refused.errors.contains("line 10002: there are already 10000 people"), "\(refused)")
    let short = try importing("name\n" + String(repeating: "a\n", count: 30_001))
    #expect(short.status == 1 && short.errors.contains("more than 30000 rows"), "\(short)")
    #expect(try world.tappet("person", "list", "--json").list("people").count == 10_000)
  }
}
