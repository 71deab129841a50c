// Taps and scans at the shelf, with the test in the place of tappet-inventory.

import Testing

@testable import TappetCore

@Suite struct KioskInventoryTests {
  @Test func `a barcode, a UID or low stock never drives an output, whatever is configured`() throws {
    let shelf = ShelfScript()
    func opening(_ name: String, _ mode: ActionMode) -> Action {
      Action(
        name: name, title: name, index: 9, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
        outputs: [OutputOrder(output: "gate", request: .pulse)], mode: mode)
    }
    var settings = shelf.story.kiosk.settings
    settings.panel.outputs = [OutputPlan(name: "gate")]
    settings.actions = [opening("shelf", .inventory), opening("alarm", .tap)]
    settings.unknownTags = opening("unknown_tags", .tap)
    settings.inventory?.lowStockAction = "alarm"
    settings.inventory?.overdueAction = "alarm"
    shelf.at(.reconfigured(settings, reconnect: false))
    shelf.at(.panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    var words = shelf.scan("screws")
    #expect(words.contains("report refused no proof for shelf"), "\(words)")
    let thing = try #require(shelf.things["m4"])
    for message in [InventoryMessage.low(thing), .overdue(due: "2026-11-01", thing)] {
      let refused = shelf.at(.inventory(.message(message)))
      #expect(refused.contains("report refused no proof for alarm"), "\(refused)")
      words += refused
    }
    words += shelf.at(.reader(.tagFaulted(.number(40), .mifareClassic, .unsupportedModel)))
    #expect(!words.contains { $0.hasPrefix("output") }, "\(words)")
  }

  private let shelf = ShelfScript()

  @Test func `a tapped box goes to the spot tapped next, and can go to another spot within the time limit`() {
    #expect(shelf.light == .ready)
    #expect(shelf.scan("screws").contains("report shown screws") && shelf.light == .holding)
    #expect(shelf.scan("shelf").contains("light accepted") && shelf.light == .holding)
    shelf.scan("rack")
    #expect(shelf.changes == ["screws to shelf", "screws to rack"])
    _ = shelf.story.sleep(until: shelf.time + 9_999)
    #expect(shelf.light == .holding)
    _ = shelf.story.sleep(until: shelf.time + 10_000)
    #expect(shelf.light != .holding)
    shelf.time += 10_000
    shelf.scan("shelf")
    #expect(shelf.changes.count == 2)
  }

  @Test func `boxes tapped after a spot within the time limit go to that spot`() {
    for name in ["shelf", "screws", "nails"] { shelf.scan(name) }
    #expect(shelf.changes == ["screws to shelf", "nails to shelf"])
    // The spot is held still; a box that is there is held instead, and goes back to the rack.
    for name in ["nails", "rack"] { shelf.scan(name) }
    #expect(shelf.changes.last == "nails to rack")
  }

  @Test func `a box that is removed between the taps is refused, and the next box is moved`() {
    shelf.scan("screws")
    shelf.remove("screws")
    #expect(shelf.scan("shelf").contains("light refused"))
    #expect(shelf.scan("screws").contains("light refused"))
    shelf.scan("nails")
    #expect(shelf.scan("shelf").contains("report moved nails"))
  }

  @Test(arguments: [-86_400_000, 86_400_000])
  func `a jump of the wall clock neither ends nor extends a hold`(_ milliseconds: Int64) {
    shelf.scan("screws")
    shelf.story.wallOffset += milliseconds
    #expect(shelf.scan("shelf").contains("report moved screws") && shelf.light == .holding)
    shelf.story.wallOffset -= milliseconds
    _ = shelf.story.sleep(until: shelf.time + 9_999)
    #expect(shelf.light == .holding)
    _ = shelf.story.sleep(until: shelf.time + 10_000)
    #expect(shelf.light != .holding)
  }

  @Test func `an item can be put into a box, but not onto a spot`() {
    shelf.scan("m4")
    #expect(shelf.scan("nails").contains("report moved m4"))
    shelf.scan("cellar")
    shelf.scan("m4")
    let refused = shelf.scan("rack")
    #expect(refused.contains("light refused") && shelf.light != .holding, "\(refused)")
    #expect(shelf.scan("screws").contains("report shown screws"))
    #expect(shelf.changes == ["m4 to nails"])
  }

  @Test func `tapping a held thing again releases it, even after it was moved`() {
    for first in [[], ["shelf"]] {
      for name in ["screws"] + first { shelf.scan(name) }
      #expect(shelf.light == .holding)
      #expect(shelf.scan("screws").contains("report released screws") && shelf.light != .holding)
      #expect(shelf.scan("rack").contains("report shown rack"))
      shelf.scan("rack")
    }
    #expect(shelf.changes == ["screws to shelf"])
  }

  @Test func `a thing that cannot go into the held thing is held instead`() {
    for name in ["screws", "nails", "shelf"] { shelf.scan(name) }
    #expect(shelf.changes == ["nails to shelf"])
  }

  @Test func `an item goes to the person whose tag is tapped, and returns at that person's next tap`() {
    shelf.scan("m4")
    shelf.tapAda()
    shelf.tapAda()
    #expect(shelf.changes == ["m4 to Ada", "m4 from Ada"])
    // The person first.
    shelf.scan("rack")
    shelf.tapAda()
    #expect(shelf.light == .holding)
    shelf.scan("m4")
    #expect(shelf.changes.last == "m4 to Ada" && shelf.changes.count == 3)
  }

  @Test func `a box and a person can be tapped in either order, and the box returns at the person or its spot`() {
    shelf.scan("screws")
    #expect(shelf.tapAda().contains("report lent screws"))
    shelf.tapAda()
    #expect(shelf.changes == ["screws to Ada", "screws from Ada"])
    shelf.scan("rack")
    shelf.tapAda()
    #expect(shelf.scan("nails").contains("report lent nails"))
    // The box is not at the spot that it belongs to, so it is put back there.
    shelf.scan("rack")
    #expect(shelf.scan("nails").contains("report moved nails"))
    #expect(shelf.changes.suffix(2) == ["nails to Ada", "nails to rack"])
  }

  @Test func `a repeating scanner is throttled like tags, and the held thing stays held`() {
    func scanned(_ name: String) -> [String] { shelf.at(.inventory(.message(.scanned(name)))) }
    for _ in 1..<Limits.scansMax { #expect(scanned("nothing").contains("light reading")) }
    #expect(scanned("screws").contains("report shown screws") && shelf.light == .holding)
    for _ in 0..<100 {
      let refused = scanned("nothing")
      #expect(refused.contains("light refused") && !refused.contains("light reading"), "\(refused)")
    }
    #expect(shelf.light == .holding && shelf.scan("shelf").contains("report moved screws"))
  }

  @Test(arguments: [InventoryFault.scanTooLong, .scanIncomplete, .scanUnreadable])
  func `an unusable code is refused with its reason, and the held thing stays held`(_ fault: InventoryFault) {
    shelf.scan("screws")
    let refused = shelf.at(.inventory(.message(.misread(fault))))
    #expect(refused.contains("light refused") && refused.contains { $0.contains("\(fault)") }, "\(refused)")
    #expect(shelf.light == .holding && shelf.scan("shelf").contains("report moved screws"))
    #expect(shelf.changes == ["screws to shelf"])
  }

  @Test(arguments: [
    ("smp://box?id=019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11", "019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11"),
    ("https://homebox.example/a/000-017", "https://homebox.example/a/000-017"),
    ("smp://action?idx=77&ts=1&sig=00&key=00", ""), ("smpshare://secret?idx=1&key=00", ""),
  ])
  func `a tag is looked up by its link, but no proof or secret is passed on`(_ link: String, _ code: String) {
    shelf.story.kiosk.settings.unknownTags = Action(
      name: KioskSettings.unknownTagsName, title: "", index: -1, topic: nil, message: PayloadTemplate(""),
      cooldown: .zero, mode: .inventory)
    shelf.story.tap(at: 1_000, .holding(Array(link.utf8), uid: 80))
    let key = shelf.story.lastEffects.compactMap(\.inventoryOrder).first
    #expect(key == .lookUp(1, InventoryKey(uid: .number(80), code: code)))
  }

  @Test func `a full disk at the second tap moves nothing, and both taps work once there is room`() {
    shelf.scan("screws")
    shelf.isFullNext = true
    let refused = shelf.scan("shelf")
    #expect(refused.contains("light refused") && refused.contains { $0.contains(" full") }, "\(refused)")
    #expect(shelf.changes.isEmpty && shelf.light != .holding)
    #expect(shelf.scan("screws").contains("report shown screws"))
    #expect(shelf.scan("shelf").contains("report moved screws") && shelf.changes == ["screws to shelf"])
    // The piece was not counted, and the next tap counts one.
    shelf.press(.remove)
    shelf.isFullNext = true
    #expect(shelf.scan("m4").contains("light refused") && shelf.quantity("m4") == 5 && shelf.light == .holding)
    #expect(shelf.scan("m4").contains("light accepted") && shelf.quantity("m4") == 4)
  }

  @Test func `a lost piece is counted once, even if the disk is full when it is sent again`() {
    shelf.press(.remove)
    shelf.isKilledNext = true
    #expect(shelf.scan("m4").contains("light refused") && shelf.quantity("m4") == 4)
    shelf.restart()
    shelf.isFullNext = true
    #expect(shelf.scan("m4").contains("light refused"))
    #expect(shelf.scan("m4").contains("light accepted") && shelf.quantity("m4") == 4)
  }

  @Test func `the light for a held thing ends with the process`() {
    shelf.scan("screws")
    #expect(shelf.light == .holding)
    shelf.at(.inventory(.ended(.signaled(9))))
    #expect(shelf.light != .holding)
  }
}
