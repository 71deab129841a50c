// A tag left on the reader while the kiosk is started again, however its last life ended: a door must not open because
// power returns or an update is installed.

import Foundation
import TestSupport
import Testing

/// Leaves a tag of an action that acts at the broker on the reader over `count` starts of each kind.
private func expectNoMessage(starts count: Int) throws {
  let world = try KioskWorld()
  let url = try world.url(1)
  try world.tell("place ntag213 uid=\(world.freshUID()) url=\(url)")
  func ignored() -> Int { world.log.components(separatedBy: "code=tag-held").count - 1 }
  func start() throws {
    let before = ignored()
    try world.start()
    #expect(eventually { ignored() > before }, "\(world.log.suffix(2000))")
  }
  // SIGTERM: `systemctl restart`, an upgrade, a reboot. SIGABRT: systemd's watchdog. SIGKILL: out of memory.
  for signal in [SIGTERM, SIGKILL, SIGABRT] {
    for _ in 0..<count {
      try start()
      world.kiosk?.end(signal)
    }
  }
  try start()
  for _ in 0..<count {
    let (before, lights) = (ignored(), world.lights.count)
    try world.tell("unplug")
    try world.awaitLight("reader-lost", after: lights)
    try world.tell("plug")
    #expect(eventually { ignored() > before }, "\(world.log.suffix(2000))")
  }
  #expect(try world.settled().isEmpty, "\(world.log.suffix(2000))")
  let history = try world.tappet("history", "--json").output
  #expect(!history.contains("accepted") && !history.contains("delivered"), "\(history)")
  try world.takeAway()
  try world.tell("back")
  #expect(try world.received(1).count == 1)
  try world.takeAway()
  #expect(try world.settled().count == 1)
}

@Suite struct LyingTagTests {
  @Test func `a tag left on the reader sends nothing at a start, and counts once it is removed and tapped`() throws {
    try expectNoMessage(starts: 2)
  }
}

// Not in the gate: it takes minutes.
@Suite struct LyingTagVerifyTests {
  @Test func `a tag left on the reader sends nothing at 20 starts of every kind`() throws {
    try expectNoMessage(starts: 20)
  }
}
