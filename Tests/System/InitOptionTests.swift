// `tappet init --yes`: what single options make of kiosk.yaml and of the secrets.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InitOptionTests {
  /// Runs it with these options besides those that every kiosk of the world needs; the new kiosk.yaml.
  private func initialize(_ world: KioskWorld, _ name: String, _ options: String...) throws -> String {
    let target = world.folder + "/\(name)/kiosk.yaml"
    let done = try Programs.run(
      try Programs.built("tappet"),
      [
        "init", "--yes", "--config", target, "--url", "localhost:\(world.broker.port)", "--ca",
        try Certificates.path("ca.pem"), "--certificate", try Certificates.path("client.pem"), "--private-key",
        try Certificates.path("client.key"),
      ] + options, environment: ["TAPPET_PRESETS": Repository.root + "/board/presets"])
    #expect(done.status == 0, "\(done)")
    return target
  }

  @Test func `with the preset of Home Assistant the kiosk shows itself there`() throws {
    let world = try KioskWorld()
    for (preset, line) in [("home-assistant", "\nhome_assistant: true "), ("mosquitto", "\n# home_assistant: true ")] {
      let target = try initialize(world, preset, "--preset", preset, "--reader", "none")
      #expect(try String(contentsOfFile: target, encoding: .utf8).contains(line))
    }
  }

  @Test func `a board without a reader says so, and takes a share code all the same`() throws {
    let world = try KioskWorld()
    let share = world.folder + "/share"
    try "smpshare://secret?idx=0&key=\(Signing.key())\n".write(toFile: share, atomically: true, encoding: .utf8)
    let target = try initialize(
      world, "buttons", "--preset", "mosquitto", "--reader", "none", "--share-file", share)
    #expect(try String(contentsOfFile: target, encoding: .utf8).contains("\nreader: none\n"))
    let secrets = try Programs.run(try Programs.built("tappet"), ["secret", "list", "--config", target, "--json"])
    #expect(secrets.list("secrets").count == 1, "\(secrets)")
  }
}
