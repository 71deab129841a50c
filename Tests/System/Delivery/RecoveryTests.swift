// Everything works again when what was wrong is over; how soon, Core's tests of RetryPolicy and supervision say. And a
// certificate that is about to end.

import Foundation
import TappetTLS
import TestSupport
import Testing

@Suite(.serialized) struct RecoveryTests {
  @Test func `a waiting tap is delivered when the broker returns`() throws {
    let world = try KioskWorld()
    try world.start()
    for round in 1...2 {
      let before = world.lights.count
      world.broker.stop()
      try world.awaitLight("offline", after: before)
      _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "queued")
      let queued = world.lights.count
      try world.restartBroker()
      try world.awaitLight("delivered-by-tag", after: queued)
      #expect(try world.received(round).count == round)
    }
  }

  @Test func `a tag that lies on the reader when it returns works`() throws {
    let world = try KioskWorld()
    try world.start()
    for _ in 1...2 {
      let before = world.lights.count
      try world.tell("unplug")
      try world.awaitLight("reader-lost", after: before)
      let lost = world.lights.count
      // It lies there when the reader comes back, as a tap in that moment would.
      try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try world.url(1))")
      try world.tell("plug")
      try world.awaitLight("delivered-by-tag", after: lost)
      try world.takeAway()
    }
  }

  @Test
  func
    `a certificate that ends in three days has its light, its line and its place in the status, until it is replaced`()
    throws
  {
    let world = try KioskWorld()
    let (short, key) = (world.folder + "/short.pem", try Certificates.path("client.key"))
    let script = """
      set -e
      openssl req -new -key "$1" -subj '/O=Tappet demo/CN=kiosk-demo' > "$3/request"
      printf 'extendedKeyUsage = clientAuth\\n' > "$3/extensions"
      openssl x509 -req -in "$3/request" -CA "$2/intermediate.pem" -CAkey "$2/intermediate.key" -CAcreateserial \
        -CAserial "$3/serial" -days 3 -extfile "$3/extensions" > "$3/short.pem"
      cat "$2/intermediate.pem" >> "$3/short.pem"
      """
    let folder = URL(fileURLWithPath: key).deletingLastPathComponent().path
    let made = try Programs.run(
      URL(fileURLWithPath: "/bin/sh"), ["-c", script, "sh", key, folder, world.folder], input: "")
    #expect(made.status == 0, "\(made.errors)")
    pause(seconds: 1, "less than three days are left")
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: try Certificates.path("client.pem"), with: short)
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try world.startForTaps(until: "certificate-expiring")
    #expect(eventually { world.log.contains("event=certificate-expiring") })
    try world.goodTap()
    let status = try world.tappet("status", "--json")
    #expect(
      status.output.contains("\"file\":\"\(short)\"") && status.output.contains("\"days_left\":2"), "\(status.output)")
    #expect(try world.tappet("status").output.contains("2 days left"))
    let before = world.lights.count
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    world.kiosk?.signal(SIGHUP)
    try world.awaitLight("ready", after: before)
    #expect(eventually { world.log.contains("event=certificates-good") })
    try world.goodTap()
  }
}
