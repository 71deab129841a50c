// Provisioning on a board whose clock was never set: it works, and what it does not know it does not make up.

import Foundation
import TappetPlatform
import TappetTLS
import TestSupport
import Testing

@Suite struct UnsetClockTests {
  @Test
  func `with a clock in 1970 every command works, and dates are shown as unknown`() throws {
    let world = try KioskWorld(withBroker: false)
    let pass = world.folder + "/pass"
    try "correct horse battery\n".write(toFile: pass, atomically: true, encoding: .utf8)
    chmod(pass, 0o600)
    func tappet(_ words: String...) throws -> Finished {
      let done = try Faults.run(words + ["--config", world.configPath], .clock(100))
      #expect([0, 1].contains(done.status), "\(words): \(done)")
      #expect(!(done.output + done.errors).contains("1970") && !(done.output + done.errors).contains("1969"), "\(done)")
      return done
    }
    let made = try tappet("secret", "new", "bell", "--label", "Lobby")
    #expect(made.status == 0)
    // A later look, with the clock set, shows the same.
    for done in [try tappet("secret", "list"), try world.tappet("secret", "list")] {
      let lines = done.output.split(separator: "\n")
      #expect(lines.filter { $0.contains("created at an unknown time") }.count == 1, "\(done)")
      #expect(lines.filter { $0.contains("created 20") }.count == 2, "\(done)")
    }
    #expect(try tappet("audit").output.contains("at an unknown time  user"))
    #expect(try tappet("backup", world.folder + "/backup", "--passphrase-file", pass).status == 0)
    let restored = try tappet("restore", world.folder + "/backup", "--passphrase-file", pass, "--yes")
    #expect(restored.status == 0 && restored.errors.contains("created at an unknown time"), "\(restored)")
    let listed = try world.tappet("secret", "list").output.split(separator: "\n")
    #expect(listed.contains { $0.contains("bell  idx=2") && $0.contains("created at an unknown time") }, "\(listed)")
    #expect(try tappet("secret", "rekey").status == 0)

    // A board that came up before 1970 in its own mind.
    let odd = try Faults.run(["secret", "new", "bell", "--config", world.configPath], .clock(-100_000))
    #expect(odd.status == 0, "\(odd)")
    #expect(try world.tappet("secret", "list").output.components(separatedBy: "unknown time").count == 3)

    let (own, key) = (try Certificates.path("client.pem"), try Certificates.path("client.key"))
    let checked = try tappet("cert", "check", own, key)
    #expect(checked.status == 1 && checked.output.contains("is not valid yet; is this machine's clock correct?"))
    let request = try tappet(
      "cert", "request", "--private-key", world.folder + "/new.key", "--name", "kiosk", "--out", world.folder + "/csr")
    #expect(request.status == 0, "\(request)")
    let target = ["--certificate", world.folder + "/c.pem", "--private-key", world.folder + "/c.key"]
    let imported = try tappet("cert", "import", own, key, target[0], target[1], target[2], target[3])
    #expect(imported.status == 0 && imported.output.contains("is this machine's clock correct?"), "\(imported)")
  }
}
