// A configuration that somebody is editing, or whose keys are not readable, next to a kiosk that runs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct BrokenConfigurationTests {
  private func edit(_ world: KioskWorld, _ old: String, _ new: String) throws {
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: old, with: new)
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
  }

  @Test(arguments: [
    // A typo, and text that is not YAML at all.
    ("topic: home/light", "topc: home/light", "unknown key 'topc'"), ("actions:", "actions: [", "is not valid YAML"),
  ])
  func `an error in the configuration does not prevent revoking a lost tag`(
    _ old: String, _ new: String, _ mistake: String
  ) throws {
    let world = try KioskWorld()
    let key = Signing.key()
    let id = try world.importSecret(index: 1, key: key)
    try world.start()
    try edit(world, old, new)
    let status = try world.tappet("status")
    #expect(status.status == 0 && status.output.contains("kiosk     kiosk, up"), "\(status)")
    #expect(status.errors.contains("warning: \(world.configPath):") && status.errors.contains(mistake), "\(status)")
    #expect(status.errors.contains("the kiosk that is listening on \(world.folder)/state/control"), "\(status)")
    #expect(try world.tappet("secret", "list").output.contains(id))
    #expect(try world.tappet("secret", "remove", id).status == 0)
    #expect(try world.tappet("audit").output.contains("secret-removed  \(id)"))
    let url = try Signing.url(index: "1", key: key)
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "refused")
    #expect(try world.tappet("outbox", "list").errors.contains("The outbox is empty"))
    #expect(try world.tappet("outbox", "drop", "--all").status == 0)
    // A command that needs the file itself is refused, and so is everything once nothing runs.
    #expect(try world.tappet("tag", "write", "light").status == 3)
    world.kiosk?.end()
    let ended = try world.tappet("secret", "list")
    #expect(ended.status == 3 && ended.errors.contains(mistake) && !ended.errors.contains("warning"), "\(ended)")
  }

  @Test func `the timestamp key is read only by commands that need it`() throws {
    let world = try KioskWorld()
    try world.start()
    // A user of the group tappet may not read it; root, who runs the tests, may read everything that is there.
    try FileManager.default.removeItem(atPath: world.folder + "/timestamp.key")
    for words in [["status"], ["secret", "list"], ["audit"], ["outbox", "list"], ["secret", "new", "bell"]] {
      let done = try Programs.run(try Programs.built("tappet"), words + ["--config", world.configPath])
      #expect(done.status == 0 && !done.errors.contains("timestamp.key"), "\(words): \(done)")
    }
    for words in [["check"], ["token", "seal"]] {
      let done = try Programs.run(try Programs.built("tappet"), words + ["--config", world.configPath])
      #expect(done.status == 3 && done.errors.contains("timestamp.key cannot be read"), "\(words): \(done)")
    }
  }

  @Test func `a key that others can read is refused at the start and at a reload`() throws {
    let world = try KioskWorld()
    let key = world.folder + "/own.key"
    try FileManager.default.copyItem(atPath: try Certificates.path("client.key"), toPath: key)
    try edit(world, try Certificates.path("client.key"), "own.key")
    try world.start()
    chmod(key, 0o644)
    world.kiosk?.signal(SIGHUP)
    #expect(eventually { world.log.contains("own.key can be read by others (mode 0644)") }, "\(world.log)")
    #expect(eventually { world.log.contains("the previous configuration stays active") })
    let again = try world.tappet("run")
    #expect(again.status == 3 && again.errors.contains(":6:16: \(key) can be read by others"), "\(again)")
  }
}
