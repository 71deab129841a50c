// `tappet tag write` in the midst of a slow tag: progress on a terminal, Ctrl-C, and kills. The tag has a long message
// that must be overwritten, and the simulator takes the time that the air and the line take, 10 ms a page.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct TagInterruptionTests {
  private func slowWorld() throws -> KioskWorld {
    let world = try KioskWorld()
    world.sim?.end()
    try world.startSimulator(isPaced: true)
    guard eventually({ (try? world.tell("counters")) != nil }) else { throw TestFault("no simulator") }
    return world
  }

  private func placeSlowTag(_ world: KioskWorld, size: Int = 800) throws {
    let url = "https://example.org/" + String(repeating: "x", count: size)
    try world.tell("place ntag216 uid=\(world.freshUID()) url=\(url)")
  }

  private func write(_ world: KioskWorld, _ action: String) throws -> Service {
    try Service(
      try Programs.built("tappet"), ["tag", "write", action, "--timeout", "120", "--config", world.configPath],
      log: world.folder + "/write-" + UUID().uuidString)
  }

  private func writes(_ world: KioskWorld) throws -> Int {
    let line = try world.tell("counters").split(separator: "\n").first { $0.hasPrefix("writes ") }
    return Int(line?.split(separator: " ").last ?? "") ?? 0
  }

  /// In the midst of the 210 pages.
  private func awaitMidst(_ world: KioskWorld) throws {
    #expect(try eventually { try self.writes(world) >= 20 })
    #expect(try writes(world) < 180, "too late to be a test")
  }

  private func secretCount(_ world: KioskWorld) throws -> Int {
    try world.tappet("secret", "list").output.split(separator: "\n").count
  }

  /// By the kiosk it acts when it comes again.
  private func expectWorks(_ world: KioskWorld) throws {
    if world.kiosk?.isRunning == true {
      try world.takeAway()
      let before = world.lights.count
      try world.tell("back")
      return try world.awaitLight("delivered-by-tag", after: before)
    }
    let read = try world.tappet("tag", "read", "--timeout", "60")
    #expect(read.output.contains("works here: "), "\(read)")
  }

  @Test func `writing shows its progress on a terminal if it takes over a second`() throws {
    let world = try slowWorld()
    var count = 0
    func typed(_ action: String, _ placement: () throws -> Void) throws -> String {
      try placement()
      count += 1
      let session = try TypedSession(
        try Programs.built("tappet"), ["tag", "write", action, "--timeout", "120", "--config", world.configPath],
        log: world.folder + "/session-\(count)")
      #expect(try session.status() == 0, "\(session.text)")
      #expect(session.text.contains("written: " + action))
      return session.text
    }
    let slow = try typed("bell") { try placeSlowTag(world) }
    let counts = slow.components(separatedBy: "\rWriting: ").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
    #expect(counts.count >= 2 && counts == counts.sorted() && slow.contains(" of 210"), "\(slow)")
    // The result has a line of its own.
    #expect(slow.contains(" of 210\u{1B}[K\r\nwritten: bell"), "\(slow)")
    // On a busy machine this, too, may take a second.
    let isQuiet = try ["light", "garage", "light", "garage", "light"].contains { action in
      try !typed(action) { try world.tell("place ntag213 uid=\(world.freshUID()) empty") }.contains("Writing:")
    }
    #expect(isQuiet)
  }

  @Test(arguments: [false, true])
  func `Ctrl-C or SIGTERM while pages are written lets the write finish, and the tag works`(hasKiosk: Bool) throws {
    let world = try slowWorld()
    if hasKiosk { try world.start() }
    let (before, lights) = (try secretCount(world), world.lights.count)
    let writing = try write(world, "bell")
    if hasKiosk { try world.awaitLight("writing", after: lights) }
    try placeSlowTag(world)
    try awaitMidst(world)
    #expect(writing.end(hasKiosk ? SIGINT : SIGTERM))
    // No terminal, no progress.
    #expect(writing.status == 0 && writing.text.hasPrefix("written: bell"), "\(writing.text)")
    #expect(try secretCount(world) == before + 1)
    try expectWorks(world)
  }

  @Test(arguments: [false, true])
  func `a tag that immediately replaces a half-written one is written instead`(_ hasKiosk: Bool) throws {
    let world = try slowWorld()
    if hasKiosk { try world.start() }
    try placeSlowTag(world)
    let writing = try write(world, "bell")
    try awaitMidst(world)
    let uid = world.freshUID()
    try world.tell("place ntag215 uid=\(uid)")
    #expect(eventually { !writing.isRunning })
    #expect(writing.text.contains("hold it on the reader again"), "\(writing.text)")
    #expect(writing.text.contains("written: bell on NTAG215 \(uid)"), "\(writing.text)")
    #expect(try secretCount(world) == 3)
  }

  @Test func `a command killed while it writes pages has saved no secret, and a second write repairs the tag`() throws {
    let world = try slowWorld()
    let before = try secretCount(world)
    try placeSlowTag(world)
    let writing = try write(world, "bell")
    try awaitMidst(world)
    #expect(writing.end(SIGKILL))
    #expect(try secretCount(world) == before)
    // The command that the reader already has is completed.
    var again = try world.tappet("tag", "write", "bell", "--timeout", "60")
    _ = try eventually {
      if again.errors.contains("another program is using") {
        again = try world.tappet("tag", "write", "bell", "--timeout", "60")
      }
      return again.status == 0
    }
    #expect(again.status == 0, "\(again)")
    #expect(try secretCount(world) == before + 1)
    try expectWorks(world)
  }

  @Test func `a kiosk killed while it writes pages has saved no secret, and a second write repairs the tag`()
    throws
  {
    let world = try slowWorld()
    try world.start()
    let (before, lights) = (try secretCount(world), world.lights.count)
    let writing = try write(world, "bell")
    try world.awaitLight("writing", after: lights)
    try placeSlowTag(world)
    try awaitMidst(world)
    #expect(world.kiosk?.end(SIGKILL) == true)
    #expect(eventually { !writing.isRunning })
    #expect(
      writing.status == 4 && writing.text.contains("the kiosk stopped before"), "\(writing.text)")
    #expect(try secretCount(world) == before)
    try world.start()
    let later = world.lights.count
    let again = try write(world, "bell")
    try world.awaitLight("writing", after: later)
    #expect(eventually { !again.isRunning })
    #expect(again.status == 0, "\(again.text)")
    #expect(try secretCount(world) == before + 1)
    try expectWorks(world)
  }
}
