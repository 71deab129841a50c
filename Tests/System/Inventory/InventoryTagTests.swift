// Tags of things in the inventory that are written or learned without the name of an action.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InventoryTagTests: InventoryDeskSuite {
  @Test func `tags for things are written without an action or, if plain, a secret, and existing tags are learned`()
    throws
  {
    let world = try world()
    try world.start()
    let box = try writeTag(world, "--box", "B-5", action: nil)
    #expect(try world.tappet("secret", "list").output.contains("Box 5"))
    let rack = try writeTag(world, "--spot", "Rack", "--plain", action: nil)
    let shown = try world.tap(box, until: "holding", messages: 1)
    #expect(shown.log.contains("box Box 5 [B-5] is in \(path)"), "\(shown)")
    let moved = try world.tap(rack, until: "accepted")
    #expect(moved.log.contains("event=inventory-moved"), "\(moved)")
    #expect(try !world.tappet("secret", "list").output.contains("Rack"))
    // The text on the tag is enough: another tag with the same text stands for the same spot.
    let id = try #require(
      try world.tappet("spot", "show", "Rack").output.split(separator: "\n").first { $0.hasPrefix("  id ") }?
        .split(separator: " ").last)
    let copy = try world.tap(textTag("04a1b2c3d4e5f6", String(id)), until: "accepted")
    #expect(copy.log.contains("spot Rack"), "\(copy)")
    try world.tell("place classic uid=01020304")
    let learned = try world.tappet("tag", "learn", "--box", "B-9", "--timeout", "60")
    try world.takeAway()
    #expect(learned.status == 0, "\(learned)")
    #expect(learned.errors.contains("triggers shelf, and represents the box Box 9"), "\(learned)")
    let known = try world.tap("classic uid=01020304", until: "accepted", messages: 1)
    #expect(known.log.contains("box Box 9 [B-9]"), "\(known)")
  }

  @Test func `a tag without an action or a thing is refused, and so is a thing without an inventory action`() throws {
    let world = try KioskWorld(.init())
    #expect(try world.tappet("building", "add", "House").status == 0)
    for (words, text) in [
      (["write"], "specify an ACTION, or --box"), (["learn"], "specify an ACTION, or --box"),
      (["write", "--plain"], "specify an ACTION, or --box"),
      (["write", "light", "--plain"], "--plain writes no action"),
      (["write", "--building", "House", "--plain", "--protect"], "--plain and --protect cannot be combined"),
      (["learn", "--building", "House", "--content"], "omit --content"),
    ] {
      let refused = try world.tappet(["tag"] + words)
      #expect(refused.status == 2 && refused.errors.contains(text), "\(words): \(refused)")
    }
    for word in ["write", "learn"] {
      let unfit = try world.tappet("tag", word, "--building", "House")
      #expect(unfit.status == 1 && unfit.errors.contains("no action has 'mode: inventory'"), "\(unfit)")
    }
  }
}
