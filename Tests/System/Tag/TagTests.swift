// Tags written by the programs as they ship: through the running kiosk and directly, read by tools that nobody here
// wrote.

import Foundation
import TappetConfig
import TestSupport
import Testing

@Suite(.serialized) struct TagTests {
  /// `tappet tag …` while it waits for a tag.
  private func waiting(_ world: KioskWorld, _ words: String..., log: String = "tag.log") throws -> Service {
    try Service(
      try Programs.built("tappet"), ["tag"] + words + ["--config", world.configPath], log: world.folder + "/" + log)
  }

  private func secretCount(_ world: KioskWorld) throws -> Int {
    try world.tappet("secret", "list", "--json").list("secrets").count
  }

  private func tool(_ world: KioskWorld, _ name: String, _ arguments: [String], input: String = "") throws -> Finished {
    let device = "pn532_uart:" + world.folder + "/reader"
    return try Programs.run(
      try Programs.installed(name), arguments,
      environment: ["LIBNFC_DEFAULT_DEVICE": device, "LIBNFC_DEVICE": device], input: input)
  }

  @Test(arguments: ["ntag213", "ntag215", "type4", "ntag424"])
  func `a tag written without a kiosk is read by other libraries as expected, and acts`(_ model: String) throws {
    let world = try KioskWorld()
    try world.tell("place \(model) uid=04a1b2c3d4e5f6")
    let done = try world.tappet("tag", "write", "light", "--label", "Back door", "--timeout", "60", "--json")
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.data["uid"] as? String == "04a1b2c3d4e5f6" && done.data["action"] as? String == "light")
    var memory = try world.tell("dump").replacingOccurrences(of: "ok ", with: "")
    if model.hasPrefix("ntag2") {
      let file = world.folder + "/dump"
      #expect(try tool(world, "nfc-mfultralight", ["r", file]).output.contains("(0 pages failed)"))
      memory = try Data(contentsOf: URL(fileURLWithPath: file)).map { String(format: "%02x", $0) }.joined()
    }
    let record = try OtherLibraries.records(in: memory, isType4: !model.hasPrefix("ntag2"))
    let url = record.replacingOccurrences(of: "UriRecord ", with: "")
    #expect(url.hasPrefix("smp://action?idx=1&ts=") && url.utf8.count == 101, "\(record)")
    #expect(try secretCount(world) == 3)
    try world.tell("take")
    try world.start()
    let tap = try world.tap("\(model) uid=04a1b2c3d4e5f6 url=\(url)", until: "delivered-by-tag", messages: 1)
    #expect(tap.received.count == 1)
  }

  @Test func `a tag written through the kiosk does not count as a tap, but acts when tapped again`()
    throws
  {
    let world = try KioskWorld()
    try world.start()
    let before = world.lights.count
    let writing = try waiting(world, "write", "light", "--label", "Front door", "--json")
    try world.awaitLight("writing", after: before)
    #expect(try world.tappet("tag", "erase", "--timeout", "1").errors.contains("another tag is being written"))
    try world.tell("place ntag213 uid=\(world.freshUID())")
    #expect(eventually { !writing.isRunning })
    #expect(writing.text.contains("\"done\":true"), "\(writing.text)")
    #expect(eventually { world.lights.last == "ready" })
    #expect(try world.settled().isEmpty)
    try world.takeAway()
    let again = world.lights.count
    try world.tell("back")
    try world.awaitLight("delivered-by-tag", after: again)
    #expect(eventually { world.log.contains("event=tag-job-done") && world.log.contains("action=light") })
    #expect(try world.tappet("audit").output.contains("secret-made"))
    #expect(try secretCount(world) == 3)
  }

  @Test(arguments: [false, true])
  func `a tag pulled away half-way leaves no secret, and is completed when it returns`(_ hasKiosk: Bool) throws {
    let world = try KioskWorld(.init(more: "max_secrets: 3"))
    if hasKiosk { try world.start() }
    for exchanges in [7, 20, 33] {
      let before = world.lights.count
      let placement = "place ntag213 uid=\(world.freshUID()) stays=\(exchanges)"
      if !hasKiosk { try world.tell(placement) }
      let writing = try waiting(world, "write", "bell", log: "tag\(exchanges).log")
      if hasKiosk {
        try world.awaitLight("writing", after: before)
        try world.tell(placement)
      }
      let count = try secretCount(world)
      #expect(eventually { writing.text.contains("hold it on the reader again") }, "\(writing.text)")
      #expect(try secretCount(world) == count)
      try world.tell("back")
      #expect(eventually { !writing.isRunning })
      #expect(writing.text.contains("written: bell"), "\(writing.text)")
      #expect(try secretCount(world) == count + 1)
      try world.takeAway()
    }
    // As many tags an action as configured, and no more.
    let fourth = try world.tappet("tag", "write", "bell", "--timeout", "1")
    #expect(fourth.status == 1 && fourth.errors.contains("bell already has 3 secrets"), "\(fourth.errors)")
  }

  @Test(arguments: [false, true])
  func `a rewritten tag has one secret, and a shared secret is kept`(_ hasKiosk: Bool) throws {
    let world = try KioskWorld(.init(more: "max_secrets: 3"))
    if hasKiosk { try world.start() }
    try world.tell("place ntag213 uid=\(world.freshUID())")
    var last = ""
    for round in 0...3 {
      let written = try world.tappet("tag", "write", "bell", "--timeout", "60", "--json")
      let result = written.data
      #expect(written.status == 0 && result["replaced"] as? String == (round == 0 ? nil : last), "\(written)")
      #expect(try secretCount(world) == 3)
      last = try #require(result["secret"] as? String)
    }
    #expect(try world.tappet("secret", "share", last, "--url").status == 0)
    let other = try world.tappet("tag", "write", "garage", "--timeout", "60")
    #expect(other.output.contains("its previous secret, \(last) of bell, is kept, because other tags"), "\(other)")
    #expect(try secretCount(world) == 4)
    let moved = try world.tappet("tag", "write", "bell", "--timeout", "60")
    #expect(moved.output.contains(" of garage, was removed"), "\(moved)")
    #expect(try world.tappet("audit").output.contains("secret-replaced"))
    // With as many secrets as allowed only the action's own tags are written.
    #expect(try world.tappet("secret", "new", "bell").status == 0)
    let again = try world.tappet("tag", "write", "bell", "--timeout", "60")
    #expect(again.status == 0 && again.output.contains(" of bell, was removed"), "\(again)")
    try world.takeAway()
    try world.tell("place ntag213 uid=\(world.freshUID())")
    let fourth = try world.tappet("tag", "write", "bell", "--timeout", "60")
    #expect(fourth.status == 1 && fourth.errors.contains("bell already has 3 secrets"), "\(fourth)")
  }

  @Test func `Ctrl-C, or a tag that does not return, leaves nothing behind`() throws {
    let world = try KioskWorld()
    for hasKiosk in [false, true] {
      if hasKiosk { try world.start() }
      let before = world.lights.count
      let writing = try waiting(world, "write", "bell", log: "interrupted\(hasKiosk).log")
      if hasKiosk {
        try world.awaitLight("writing", after: before)
      } else {
        // It has started its reader, so it holds the signals.
        try #require(eventually { !Kernel.children(of: writing.pid).isEmpty })
      }
      writing.end(SIGINT)
      #expect(writing.text.contains("cancelled; nothing was changed"), "\(writing.text)")
      let late = try world.tappet("tag", "write", "bell", "--timeout", "1")
      #expect(late.status == 1 && late.errors.contains("in time"), "\(late.errors)")
    }
    #expect(try secretCount(world) == 2)
    try world.goodTap()
  }

  @Test func `every tag that cannot be written has its own message and exit status 1`() throws {
    let world = try KioskWorld(withBroker: false)
    for (placement, sentence) in [
      ("ntag213 readonly", "read-only"), ("ntag213 locked", "permanently locked"), ("ultralight", "can store only 48"),
      ("ntag213 password=01020304", "a password that this kiosk did not set"), ("ntag213 blank", "'tappet tag format'"),
      ("classic", "cannot be written by Tappet"), ("desfire", "smart card without an NDEF application"),
      ("type4 readonly", "read-only"),
    ] {
      try world.tell("place " + placement)
      let done = try world.tappet("tag", "write", "bell", "--timeout", "60")
      #expect(done.status == 1 && done.output.isEmpty && done.errors.contains(sentence), "\(placement): \(done.errors)")
    }
    try world.tell("place ntag213")
    try world.tell("beside ntag213 uid=04112233445566")
    let two = try world.tappet("tag", "write", "bell", "--timeout", "60")
    #expect(two.status == 1 && two.errors.contains("two tags are on the reader"), "\(two.errors)")
    let long = try world.tappet("tag", "write", "bell", "--label", String(repeating: "x", count: 4096))
    #expect(long.status == 1 && long.errors.contains("the label is 4096 bytes"), "\(long.errors)")
    let unknown = try world.tappet("tag", "write", "gate")
    #expect(unknown.status == 1 && unknown.errors.contains("the actions are garage, light, bell"), "\(unknown.errors)")
    #expect(try world.tappet("tag", "write").status == 2)
    #expect(try world.tappet("tag", "write", "bell", "--timeout", "x").status == 2)
    #expect(try world.tappet("tag", "lock", "--timeout", "1").errors.contains("add --yes"))
    try world.tell("unplug")
    let gone = try world.tappet("tag", "write", "bell", "--timeout", "60")
    #expect(gone.status == 4 && gone.errors.contains("was not found"), "\(gone.errors)")
    #expect(try secretCount(world) == 2)
  }
}
