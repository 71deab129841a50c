// The store room on the kiosk's socket for the page: finding, changing and undoing, by the process for it.

import Foundation
import TappetJSON
import TestSupport
import Testing

@Suite struct PageStoreTests {
  private static let table = """
    building,room,spot,box,code,item,quantity,minimum
    House,Cellar,Shelf,Screws,B-17,M4 <b>,20,5
    House,Cellar,Shelf,Screws,B-17,M5,3,5
    House,Cellar,Rack,Ropes,B-18,,,

    """

  private func world() throws -> KioskWorld {
    let world = try KioskWorld.withPage("inventory: {}", open: "look")
    try Self.table.write(toFile: world.folder + "/boxes.csv", atomically: true, encoding: .utf8)
    let done = try world.tappet("inventory", "import", world.folder + "/boxes.csv")
    guard done.status == 0 else { throw TestFault("\(done)") }
    try world.start()
    return world
  }

  /// PID of the process that answers the page; `nil` if none is running.
  private func process(of world: KioskWorld) -> pid_t? {
    Kernel.children(of: world.kiosk?.pid ?? 0).first { Kernel.commandLine($0).contains("--stock-socket") }
  }

  private func names(_ list: JSON?) -> [String] {
    (list?["things"]?.elements ?? []).compactMap { $0["name"]?.text }
  }

  @Test func `a paired device finds, takes, moves and lends under its name, and undoes only what it did`() throws {
    let world = try world()
    let tablet = try world.browser(try world.pair("Hall tablet", level: "press"))
    #expect(try tablet.state["store"] == .bool(true))
    #expect(names(try tablet.ask("stock-list")["low"]) == ["M5"])
    let found = try tablet.ask("stock-find", ["text": .string("m4")])
    #expect(names(found) == ["M4 <b>"] && found["more"] == .bool(false))
    let id = try #require(found["things"]?.elements?.first?["id"])
    let taken = try tablet.ask("stock-adjust", ["id": id, "pieces": .number(-18), "ticket": .number(7)])
    #expect(taken["thing"]?["quantity"] == .number(2) && taken["thing"]?["low"] == .bool(true), "\(taken)")
    // A browser that sends the same again, because the answer was lost, takes nothing more.
    let again = try tablet.ask("stock-adjust", ["id": id, "pieces": .number(-18), "ticket": .number(7)])
    #expect(again["thing"]?["quantity"] == .number(2) && again["change"] == .null, "\(again)")
    let none = try tablet.ask("stock-adjust", ["id": id, "pieces": .number(-3), "ticket": .number(8)])
    #expect(none["error"]?.text == "there are only 2 of 'M4 <b>'", "\(none)")
    let other = try world.browser(try world.pair("Phone", level: "manage"))
    let change = try #require(taken["change"])
    #expect(try other.ask("stock-undo", ["change": change])["error"]?.text?.contains("Hall tablet made") == true)
    #expect(try tablet.ask("stock-undo", ["change": change])["undone"] != nil)
    let box = try tablet.ask("stock-find", ["text": .string("https://door.example/s/B-17")])["things"]?
      .elements?.first
    let shown = try tablet.ask("stock-show", ["id": try #require(box?["id"])])
    #expect(shown["place"]?["name"]?.text == "Shelf")
    #expect(shown["thing"]?["path"]?.text == "House → Cellar → Shelf" && names(shown["contents"]) == ["M4 <b>", "M5"])
    #expect(shown["contents"]?["things"]?.elements?.first?["quantity"] == .number(20))
    let moved = try tablet.ask("stock-move", ["id": try #require(box?["id"]), "to": .string("rack")])
    #expect(moved["thing"]?["path"]?.text == "House → Cellar → Rack", "\(moved)")
    let lent = try tablet.ask("stock-lend", ["id": id, "to": .string("Ben"), "until": .string("2020-01-01")])
    #expect(lent["thing"]?["loans"]?.elements?.first?["overdue"] == .bool(true), "\(lent)")
    #expect(names(try tablet.ask("stock-list")["lent"]) == ["M4 <b>"])
    #expect(try tablet.ask("stock-return", ["id": id, "from": .string("Ben")])["thing"]?["loans"] == .array([]))
    let moves = try world.tappet("inventory", "changes").output
    #expect(moves.components(separatedBy: "Hall tablet").count == 5, "\(moves)")
  }

  @Test func `a stranger, and a kiosk without a store room, get nothing, and garbage gets its reason`() throws {
    let world = try world()
    let stranger = try world.browser()
    #expect(try stranger.state["store"] == .bool(false))
    for request in ["stock-find", "stock-show", "stock-list", "stock-move", "stock-lend", "stock-undo"] {
      #expect(try stranger.ask(request)["code"]?.text == "not-allowed", "\(request)")
    }
    let tablet = try world.browser(try world.pair("Hall tablet", level: "press"))
    #expect(try tablet.ask("stock-show", ["id": .string("x")])["error"]?.text == "nothing has this name or code")
    #expect(
      try tablet.ask("stock-lend", ["id": .string("x"), "to": .string("Ben"), "until": .string("soon")])["code"]?.text
        == "request-malformed")
    for text in ["", " ", "\u{0}", "%", "' OR 1=1 --", "\"", String(repeating: "m ", count: 1500)] {
      #expect(try tablet.ask("stock-find", ["text": .string(text)])["things"] != nil, "\(text)")
    }
    let plain = try KioskWorld.withPage()
    try plain.start()
    let office = try plain.browser(try plain.pair("Office", level: "manage"))
    #expect(try office.state["store"] == .bool(false) && office.ask("stock-list")["code"]?.text == "stock-off")
  }

  @Test func `an item with 150 borrowers is shown and changed, and a list never hides it`() throws {
    let world = try world()
    // As 150 commands would make them: names of 100 bytes, which are twice as long in JSON.
    let loans = """
      UPDATE item SET quantity = 200 WHERE name = 'M5';
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 150)
      INSERT INTO loan (uuid, person, unix_ms, quantity)
        SELECT (SELECT uuid FROM item WHERE name = 'M5'), n || replace(hex(zeroblob(48)), '0', '"'), n, 1 FROM number;
      """
    let done = try Programs.run(
      try Programs.installed("sqlite3"), [world.folder + "/state/inventory.db", loans], input: "")
    #expect(done.status == 0, "\(done)")
    let tablet = try world.browser(try world.pair("Hall tablet", level: "press"))
    let found = try tablet.ask("stock-find", ["text": .string("M5")])
    let id = try #require(found["things"]?.elements?.first?["id"])
    #expect(try tablet.ask("stock-show", ["id": id])["thing"]?["borrowers"] == .number(150))
    let taken = try tablet.ask("stock-adjust", ["id": id, "pieces": .number(-1), "ticket": .number(3)])
    #expect(taken["thing"]?["quantity"] == .number(199), "\(taken)")
    #expect(self.names(try tablet.ask("stock-list")["lent"]) == ["M5"])
    #expect(
      try tablet.ask("stock-adjust", ["id": .string("x"), "pieces": .number(1)])["code"]?.text == "request-malformed")
  }

  @Test func `while another program changes the inventory, a change is refused and is not made later`() throws {
    let world = try world()
    let tablet = try world.browser(try world.pair("Hall tablet", level: "press"))
    let id = try #require(try tablet.ask("stock-find", ["text": .string("M5")])["things"]?.elements?.first?["id"])
    let sqlite = try Service(
      try Programs.installed("sqlite3"),
      [world.folder + "/state/inventory.db", "BEGIN IMMEDIATE", ".shell echo locked; exec sleep 30"],
      log: world.folder + "/sqlite")
    #expect(eventually { sqlite.text.contains("locked") })
    let refused = try tablet.ask("stock-adjust", ["id": id, "pieces": .number(-1), "ticket": .number(3)])
    #expect(refused["error"]?.text?.hasSuffix("try again") == true, "\(refused)")
    #expect(try tablet.ask("stock-show", ["id": id])["thing"]?["quantity"] == .number(3))
    sqlite.end(SIGKILL)
    let taken = try tablet.ask("stock-adjust", ["id": id, "pieces": .number(-1), "ticket": .number(3)])
    #expect(taken["thing"]?["quantity"] == .number(2), "\(taken)")
  }

  @Test func `the process is killed between two requests and during one, and the next request is answered`() throws {
    let world = try world()
    let token = try world.pair("Hall tablet", level: "press")
    #expect(names(try world.browser(token).ask("stock-find", ["text": .string("M5")])) == ["M5"])
    kill(try #require(process(of: world)), SIGKILL)
    #expect(eventually { process(of: world) == nil })
    #expect(names(try world.browser(token).ask("stock-find", ["text": .string("M5")])) == ["M5"])
    kill(try #require(process(of: world)), SIGSTOP)
    // tappet-web waits no longer than the kiosk does.
    #expect(try world.browser(token).ask("stock-list")["code"]?.text == "failed")
    #expect(names(try world.browser(token).ask("stock-list")["low"]) == ["M5"])
    try world.goodTap()
  }
}
