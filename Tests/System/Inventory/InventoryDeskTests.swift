// The store room as it ships: a table of boxes, tags that are written, two taps that move, a loan, low stock.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InventoryDeskTests: InventoryDeskSuite {
  @Test func `one tap shows a box, two taps in either order move it, and each is published`() throws {
    let world = try world()
    try world.start()
    let box = try writeTag(world, "--box", "B-7")
    let rack = try writeTag(world, "--spot", "Rack")
    let tap = try world.tap(box, until: "delivered-by-tag", messages: 1)
    #expect(
      shown(tap) == #"""
        {"did": "shown", "thing": "Box 7", "in": "\#(path)", "holds": "7 Thing 7", "with": "", "by": "kiosk"}
        """#, "\(tap)")
    #expect(tap.lights.contains("holding") && tap.log.contains("box Box 7 [B-7] is in \(path): 7 Thing 7"))
    let moved = try world.tap(rack, until: "accepted", messages: 1)
    #expect(moved.log.contains("event=inventory-moved"), "\(moved)")
    #expect(try world.tappet("find", "B-7").output == "box       Box 7  [B-7]  House → Cellar → Rack\n")
    #expect(
      try world.tappet("inventory", "moves").output.contains("kiosk  box Box 7: \(path), now House → Cellar → Rack"))
    #expect(eventually { moves(world).count == 1 })
    let feed = try #require(moves(world).first)
    #expect(feed.contains(#""name": "Box 7", "code": "B-7", "path": "House → Cellar → Rack""#), "\(feed)")
    // The box lies there already: now the rack is held, and the box no more.
    _ = try world.tap(rack, until: "delivered-by-tag", messages: 1)
    // The place first, then the box.
    let shelf = try writeTag(world, "--spot", "Shelf")
    let held = try world.tap(shelf, until: "delivered-by-tag", messages: 1)
    #expect(held.log.contains("spot Shelf is in"), "\(held)")
    _ = try world.tap(box, until: "accepted", messages: 1)
    #expect(try world.tappet("find", "B-7").output == "box       Box 7  [B-7]  \(path)\n")
    let cellar = try writeTag(world, "--room", "Cellar")
    let room = try world.tap(cellar, until: "delivered-by-tag", messages: 1)
    #expect(room.log.contains("room Cellar is in House"), "\(room)")
    try world.goodTap()
  }

  @Test(.needsTmux)
  func `the watch shows tapped things, their contents and reasons for refusals, even after a restart`()
    throws
  {
    let world = try world()
    try world.start()
    let box = try writeTag(world, "--box", "B-7")
    let terminal = try Terminal(
      try Programs.built("tappet"), ["inventory", "watch", "--config", world.configPath], in: world.folder, columns: 80)
    #expect(terminal.shows("Tap a tag, or scan a code"), "\(terminal.lines)")
    _ = try world.tap(box, until: "holding", messages: 1)
    #expect(terminal.shows("  Box 7  [B-7]") && terminal.shows("  " + path), "\(terminal.lines)")
    #expect(terminal.shows("  Thing 7  7") && terminal.shows("Tap the second tag or code"), "\(terminal.lines)")
    let stray = try writeTag(world)
    _ = try world.tap(stray, until: "refused")
    #expect(terminal.shows("tap refused: no entry in the inventory has this tag or code"), "\(terminal.lines)")
    #expect(world.kiosk?.end(SIGKILL) == true)
    #expect(terminal.shows("the kiosk has stopped"), "\(terminal.lines)")
    try world.start()
    #expect(eventually { !terminal.lines.contains { $0.contains("the kiosk has stopped") } }, "\(terminal.lines)")
    _ = try world.tap(box, until: "holding", messages: 1)
    #expect(eventually { !terminal.lines.contains { $0.contains("tap refused") } }, "\(terminal.lines)")
    try terminal.type("q")
    #expect(eventually { terminal.lines.allSatisfy { !$0.contains("Box 7") } }, "\(terminal.lines)")
  }

  @Test func `an item is lent and returned, and low stock is reported once`() throws {
    let world = try world()
    try world.start()
    #expect(try world.tappet("person", "add", "Ada").status == 0)
    let item = try writeTag(world, "--item", "Thing 50")
    let ada = try writeTag(world, "--person", "Ada")
    let rack = try writeTag(world, "--spot", "Rack")
    _ = try world.tap(item, until: "holding", messages: 1)
    let lent = try world.tap(ada, until: "accepted", messages: 1)
    #expect(lent.log.contains("item Thing 50 was checked out to Ada"), "\(lent)")
    #expect(try world.tappet("item", "list", "--lent").output == "Thing 50  50  with Ada\n")
    #expect(try world.tappet("item", "show", "Thing 50").output.contains("  with      Ada, since "))
    // The item is still held, and she has it: it comes back. Then another thing is held, so she comes first: the rack,
    // whose first tap is refused, because the item does not fit there.
    let back = try world.tap(ada, until: "accepted", messages: 1)
    #expect(back.log.contains("event=inventory-returned"), "\(back)")
    #expect(try world.tap(rack, until: "refused").log.contains("can only be moved into a box"))
    _ = try world.tap(rack, until: "delivered-by-tag", messages: 1)
    try world.tell("place " + ada)
    #expect(eventually { world.log.contains("event=inventory-person") })
    try world.takeAway()
    let again = try world.tap(item, until: "accepted", messages: 1)
    #expect(again.log.contains("event=inventory-lent"), "\(again)")
    #expect(try world.tap(item, until: "accepted", messages: 1).log.contains("event=inventory-returned"))
    #expect(try world.tappet("item", "list", "--lent").output.isEmpty)
    #expect(try world.tappet("item", "edit", "Thing 50", "--quantity", "3").status == 0)
    func restocks() -> [String] { world.received.filter { $0.topic == "home/restock" }.map(\.payload) }
    #expect(eventually { restocks().contains("Thing 50 3/10 House → Cellar → Rack → Box 50") }, "\(restocks())")
    // Boxes 1 to 9 were low from the start.
    #expect(eventually { restocks().count == 10 }, "\(restocks())")
    let status = try world.tappet("status")
    #expect(
      eventually { (try? world.tappet("status").output.contains("inventory 10 items are low")) ?? false },
      "\(status)")
  }

  @Test func `a box is lent and returned, and a tap names everyone who has pieces of an item`() throws {
    let world = try world()
    try world.start()
    #expect(try world.tappet("person", "add", "Ada").status == 0)
    let box = try writeTag(world, "--box", "B-7")
    let item = try writeTag(world, "--item", "Thing 7")
    let ada = try writeTag(world, "--person", "Ada")
    _ = try world.tap(box, until: "holding", messages: 1)
    let lent = try world.tap(ada, until: "accepted", messages: 1)
    #expect(lent.log.contains("box Box 7 [B-7] was checked out to Ada"), "\(lent)")
    #expect(shown(lent)?.contains(#""did": "lent", "thing": "Box 7""#) == true, "\(lent)")
    #expect(shown(lent)?.contains(#""with": "Ada""#) == true, "\(lent)")
    #expect(try world.tappet("box", "list", "--lent").output == "Box 7  [B-7]  with Ada\n")
    let back = try world.tap(ada, until: "accepted", messages: 1)
    #expect(back.log.contains("event=inventory-returned"), "\(back)")
    #expect(try world.tappet("box", "list", "--lent").output.isEmpty)
    for (person, quantity) in [("Ben", "2"), ("Cy", "3")] {
      #expect(try world.tappet("item", "lend", "Thing 7", "--to", person, "--quantity", quantity).status == 0)
    }
    // The item is in the box that is held, so it is only shown.
    let tap = try world.tap(item, until: "delivered-by-tag", messages: 1)
    #expect(tap.log.contains("; quantity 7, some of it with Ben, Cy"), "\(tap)")
    #expect(shown(tap)?.contains(#""did": "shown""#) == true && shown(tap)?.contains(#""with": "Ben, Cy""#) == true)
  }

  @Test func `lists of low and lent items are retained, and an overdue loan is reported once`() throws {
    let world = try world(inventory: ", overdue: restock")
    try world.start()
    func kept(_ list: String) -> String {
      (world.witness?.all ?? []).last { $0.topic == "tappet/kiosk/inventory/" + list }?.payload ?? ""
    }
    #expect(eventually { kept("low").hasPrefix(#"{"count":9,"items":[{"#) }, "\(kept("low"))")
    #expect(eventually { kept("out") == #"{"count":0,"items":[],"more":0}"# }, "\(kept("out"))")
    let lent = try world.tappet("item", "lend", "Thing 50", "--to", "Ann", "--until", "2024-02-29")
    #expect(lent.status == 0, "\(lent)")
    #expect(eventually { kept("out").contains(#""due":"2024-02-29","overdue":true"#) }, "\(kept("out"))")
    func reports() -> [String] {
      world.received.filter { $0.topic == "home/restock" && $0.payload.hasPrefix("Thing 50 ") }.map(\.payload)
    }
    #expect(eventually { reports() == ["Thing 50 50/10 House → Cellar → Rack → Box 50"] }, "\(reports())")
    func changes(_ verb: String) -> Int {
      (world.witness?.all ?? []).count { $0.topic == "tappet/kiosk/inventory/change/" + verb }
    }
    #expect(eventually { changes("low") == 9 }, "\(changes("low"))")
    #expect(try world.tappet("item", "count", "Thing 5", "20").status == 0)
    #expect(eventually { kept("low").hasPrefix(#"{"count":8,"#) }, "\(kept("low"))")
    #expect(try world.tappet("item", "return", "Thing 50").status == 0)
    #expect(eventually { kept("out").hasPrefix(#"{"count":0,"#) }, "\(kept("out"))")
    #expect(eventually { changes("restocked") == 1 && changes("counted") == 1 && changes("low") == 9 })
    #expect(reports().count == 1, "\(reports())")
  }

  @Test func `a card starts and ends a job, in which each tap of an item removes one piece`() throws {
    let world = try world()
    try world.start()
    let item = try writeTag(world, "--item", "Thing 50")
    let card = try writeTag(world, action: "taking")
    let started = try world.tap(card, until: "holding")
    #expect(started.log.contains("event=inventory-job-started"), "\(started)")
    for quantity in [49, 48] {
      let taken = try world.tap(item, until: "accepted", messages: 1)
      #expect(taken.log.contains("item Thing 50 has one piece less; quantity \(quantity)"), "\(taken)")
    }
    let ended = try world.tap(card, until: "ready")
    #expect(ended.log.contains("event=inventory-job-ended"), "\(ended)")
    // The tag stands for the item again.
    let shown = try world.tap(item, until: "holding", messages: 1)
    #expect(shown.log.contains("; quantity 48"), "\(shown)")
    #expect(try world.tappet("inventory", "undo", "--any").status == 0)
    let listed = try world.tappet("item", "list", "--in", "B-50")
    #expect(listed.output.contains("49"), "\(listed)")
    let unfit = try world.tappet("tag", "write", "taking", "--box", "B-3")
    #expect(unfit.status == 1 && unfit.errors.contains("has 'job: remove'"), "\(unfit)")
  }

  @Test func `a number tag makes one change of that many pieces, and one undo reverts it`() throws {
    let world = try world(inventory: ", job_ends: 10 min")
    try world.start()
    let item = try writeTag(world, "--item", "Thing 50")
    let card = try writeTag(world, action: "taking")
    let number = try writeTag(world, "--number", "25", action: nil)
    let early = try world.tap(number, until: "refused")
    #expect(early.log.contains("code=number-unexpected"), "\(early)")
    _ = try world.tap(card, until: "holding")
    try world.tell("place " + number)
    #expect(eventually { world.log.contains("the next item is 25 pieces") }, "\(world.log.suffix(2000))")
    try world.takeAway()
    let taken = try world.tap(item, until: "accepted", messages: 1)
    #expect(taken.log.contains("item Thing 50 has 25 pieces less; quantity 25"), "\(taken)")
    let one = try world.tap(item, until: "accepted", messages: 1)
    #expect(one.log.contains("has one piece less; quantity 24"), "\(one)")
    let after = try world.tap(number, until: "accepted", messages: 1)
    #expect(after.log.contains("has 25 pieces less instead of 1; quantity 0"), "\(after)")
    for quantity in ["Thing 50  25", "Thing 50  50"] {
      #expect(try world.tappet("inventory", "undo", "--any").status == 0)
      #expect(try world.tappet("item", "list", "--in", "B-50").output.contains(quantity))
    }
    let unfit = try world.tappet("tag", "write", "--number", "25", "--box", "B-3")
    #expect(unfit.status == 2, "\(unfit)")
  }

  @Test func `a count continues after the kiosk is killed, and is written at its end`() throws {
    let world = try world(inventory: ", job_ends: 10 min")
    try world.start()
    let item = try writeTag(world, "--item", "Thing 50")
    let card = try writeTag(world, action: "counting")
    _ = try world.tap(card, until: "holding")
    let first = try world.tap(item, until: "accepted", messages: 1)
    #expect(first.log.contains("item Thing 50: 1 piece counted so far"), "\(first)")
    #expect(world.kiosk?.end(SIGKILL) == true)
    try world.startForTaps(until: "holding")
    #expect(eventually { world.log.contains("reason=resumed") }, "\(world.log.suffix(2000))")
    let second = try world.tap(item, until: "accepted", messages: 1)
    #expect(second.log.contains("item Thing 50: 2 pieces counted so far"), "\(second)")
    #expect(try world.tappet("item", "list", "--in", "B-50").output.contains("Thing 50  50"))
    let ended = try world.tap(card, until: "accepted")
    #expect(ended.log.contains("event=inventory-count-ended"), "\(ended)")
    #expect(try world.tappet("item", "list", "--in", "B-50").output.contains("Thing 50  2, low"))
    #expect(
      eventually {
        (world.witness?.all ?? []).contains {
          $0.topic == "tappet/kiosk/inventory/change/counted" && $0.payload.contains(#""from": 50, "to": 2"#)
        }
      })
    #expect(try world.tappet("inventory", "undo", "--any").status == 0)
    #expect(try world.tappet("item", "list", "--in", "B-50").output.contains("Thing 50  50"))
  }

  @Test(.needsTmux) func `a count that starts at a box lists missing items, until they are found`() throws {
    let world = try world(inventory: ", job_ends: 10 min")
    try world.start()
    #expect(try world.tappet("item", "add", "Drill", "--in", "B-50").status == 0)
    let box = try writeTag(world, "--box", "B-50")
    let item = try writeTag(world, "--item", "Thing 50")
    let other = try writeTag(world, "--item", "Thing 3")
    let card = try writeTag(world, action: "counting")
    let terminal = try Terminal(
      try Programs.built("tappet"), ["inventory", "watch", "--config", world.configPath], in: world.folder, columns: 80)
    #expect(terminal.shows("Tap a tag, or scan a code"), "\(terminal.lines)")
    _ = try world.tap(card, until: "holding")
    let begun = try world.tap(box, until: "accepted", messages: 1)
    #expect(begun.log.contains("box Box 50 [B-50] is being counted"), "\(begun)")
    _ = try world.tap(item, until: "accepted", messages: 1)
    let stray = try world.tap(other, until: "accepted", messages: 1)
    #expect(stray.log.contains("1 piece counted so far; it belongs in \(path) → Box 3"), "\(stray)")
    let ended = try world.tap(card, until: "accepted")
    #expect(ended.log.contains("2 items counted by counting") && ended.log.contains("; missing: Drill"), "\(ended)")
    #expect(terminal.shows("  Missing") && terminal.shows("  Drill  1  House → Cellar → Rack"), "\(terminal.lines)")
    let missing = try world.tappet("item", "list", "--missing")
    #expect(missing.output == "Drill  1  House → Cellar → Rack → Box 50\n", "\(missing)")
    func kept() -> String {
      (world.witness?.all ?? []).last { $0.topic == "tappet/kiosk/inventory/missing" }?.payload ?? ""
    }
    #expect(eventually { kept().contains(#""name":"Drill","quantity":1"#) }, "\(kept())")
    #expect(try world.tappet("item", "count", "Drill", "1").status == 0)
    #expect(eventually { kept() == #"{"count":0,"items":[],"more":0}"# }, "\(kept())")
    #expect(try world.tappet("item", "list", "--missing").output.isEmpty)
  }

  @Test func `an audit records who has seen a box, and lists the spot's other boxes as missing`() throws {
    let world = try world(inventory: ", job_ends: 10 min")
    try world.start()
    let box = try writeTag(world, "--box", "B-7")
    let spot = try writeTag(world, "--spot", "Shelf")
    let card = try writeTag(world, action: "audit")
    _ = try world.tap(card, until: "holding")
    #expect(try world.tap(spot, until: "accepted", messages: 1).log.contains("spot Shelf was seen in House → Cellar"))
    let seen = try world.tap(box, until: "accepted", messages: 1)
    #expect(seen.log.contains("box Box 7 [B-7] was seen in \(path)"), "\(seen)")
    #expect(try world.tappet("box", "show", "B-7").output.contains(" by kiosk\n"))
    let shown = try world.tappet("box", "show", "B-7", "--json").output
    #expect(shown.contains(#""seen_by":"kiosk""#) || shown.contains(#""seen_by": "kiosk""#), "\(shown)")
    let missing = try world.tappet("box", "list", "--in", "Shelf", "--unseen-since", "2024-02-29")
    let names = missing.output.split(separator: "\n").map { $0.prefix { $0 != "[" } }
    #expect(names.count == 99 && names.contains("Box 9  ") && !names.contains("Box 7  "), "\(missing)")
    #expect(try world.tappet("box", "list", "--unseen-since", "9999-12-31").output.contains("Box 7  [B-7]"))
    let wrong = try world.tappet("box", "list", "--unseen-since", "today")
    #expect(wrong.status == 2 && wrong.errors.contains("--unseen-since must be a day"), "\(wrong)")
    let ended = try world.tap(card, until: "accepted")
    #expect(ended.log.contains("2 entries seen in audit; missing: Box "), "\(ended)")
    #expect(ended.log.contains(" and 79 more") && ended.log.contains("event=inventory-audit-ended"), "\(ended)")
    #expect(try world.tappet("box", "list", "--missing").output.split(separator: "\n").count == 99)
  }

  @Test func `external tags are matched by their text or UID, and unknown ones are refused`() throws {
    let world = try world()
    try world.start()
    let labelled = try writeTag(world, "--box", "B-3", "--with-code")
    _ = try world.tap(labelled, until: "holding", messages: 1)
    let text = try world.tap(textTag("04a1b2c3d4e5f6", "B-4"), until: "accepted")
    #expect(text.log.contains("box Box 4 [B-4] is in"), "\(text)")
    let stranger = try world.tap(textTag("04a1b2c3d4e5f7", "nothing"), until: "refused")
    #expect(stranger.log.contains("code=thing-unknown"), "\(stranger)")
    #expect(try world.tappet("box", "edit", "B-9", "--tag", "04a1b2c3d4e5f7").status == 0)
    let known = try world.tap(textTag("04a1b2c3d4e5f7", "nothing"), until: "holding")
    #expect(known.log.contains("box Box 9 [B-9]"), "\(known)")
    let unfit = try world.tappet("tag", "write", "light", "--box", "B-3")
    #expect(unfit.status == 1 && unfit.errors.contains("has no 'mode: inventory'"), "\(unfit)")
  }
}
