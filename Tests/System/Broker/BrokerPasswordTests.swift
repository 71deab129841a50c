// A stored password for the broker: typed once, sealed, and never seen again.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct BrokerPasswordTests {
  private let password = "correct horse battery"

  @Test func `a stored password works, can be replaced while the kiosk runs, and is nowhere readable`() throws {
    let world = try KioskWorld(withBroker: false)
    let broker = try TestBroker(.password(user: "kiosk", password: password))
    try world.write(KioskWorld.KioskConfiguration(port: broker.port, certificate: nil))
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
      .replacing(try Certificates.path("ca.pem"), with: TestCertificates.path("ca.pem"))
      .replacing("  client_id: kiosk\n", with: "  client_id: kiosk\n  username: kiosk\n  password: {stored: true}\n")
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let none = try world.tappet("run", "--plain")
    #expect(none.status == 4 && none.errors.contains("run: tappet broker password"), "\(none)")
    let missing = try world.tappet("check")
    #expect(missing.output.contains("FAIL  password"), "\(missing)")
    #expect(try world.tappet("broker", "password", input: "battery staple\n").status == 0)
    #expect(try world.tappet("check").output.contains("user name and password"))
    try world.start(until: "offline")
    #expect(try world.tappet("broker", "password", input: password + "\n").status == 0)
    try world.awaitLight("ready", after: 0)
    let good = try world.tappet("check")
    #expect(good.status == 0 && good.output.contains("ok    password       stored, sealed"), "\(good)")
    #expect(world.log.contains("event=broker-password-kept") && !world.log.contains(password))
    #expect(try world.tappet("audit").output.contains("broker-password-kept"))
    for name in try FileManager.default.subpathsOfDirectory(atPath: world.folder + "/state") {
      let bytes = FileManager.default.contents(atPath: world.folder + "/state/" + name) ?? Data()
      #expect(bytes.range(of: Data(password.utf8)) == nil, "\(name)")
    }
    let empty = try world.tappet("broker", "password", input: "\n")
    #expect(empty.status == 1 && empty.errors.contains("1 to 65535 bytes"), "\(empty)")
  }
}
