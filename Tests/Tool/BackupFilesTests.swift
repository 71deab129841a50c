// The files of a backup that somebody else made: root writes none that its kiosk.yaml does not name.

import TappetKiosk
import Testing

@testable import TappetCommandLine
@testable import TappetKioskTool

@Suite struct BackupFilesTests {
  private func parts(_ yaml: String, _ paths: [String]) -> [BackupPart] {
    let configuration = BackupPart(path: "", mode: 0o640, content: Array(yaml.utf8))
    return [configuration] + paths.map { BackupPart(path: $0, mode: 0o600, content: []) }
  }

  @Test(arguments: [
    ("broker: {ca: ca.pem}", ["ca.pem"], nil),
    ("broker: {ca: /srv/ca.pem, certificate: tls/kiosk.pem}", ["/srv/ca.pem", "tls/kiosk.pem"], nil),
    ("broker: {ca: ..ca.pem}", ["..ca.pem"], nil),
    ("broker: {ca: ca.pem}", ["ca.pem", "/etc/cron.d/x"], "kiosk.yaml does not specify"),
    ("broker: {ca: ca.pem}", ["kiosk.key"], "kiosk.yaml does not specify"),
    ("broker: {ca: ../ca.pem}", ["../ca.pem"], "a path with '..'"),
    ("broker: {ca: /etc/tappet/../cron.d/x}", ["/etc/tappet/../cron.d/x"], "a path with '..'"),
    ("not a configuration", ["ca.pem"], "kiosk.yaml does not specify"),
  ])
  func `a file that kiosk.yaml does not name, or one in a parent folder, is refused`(
    _ yaml: String, _ paths: [String], _ fault: String?
  ) {
    do throws(CommandFailure) {
      try BackupFiles.check(parts(yaml, paths))
      #expect(fault == nil)
    } catch { #expect(fault.map { error.sentence?.contains($0) == true } == true, "\(error)") }
  }

  @Test func `a backup without kiosk.yaml contains no other files`() {
    let stray = [BackupPart(path: "ca.pem", mode: 0o644, content: [])]
    #expect(throws: CommandFailure.self) { try BackupFiles.check(stray) }
  }

  @Test(arguments: [
    ("/etc/tappet/kiosk.yaml", ["ca.pem", "/etc/tappet/kiosk.key", "/etc/tappet/tls/a.pem"], []),
    ("/etc/tappet/kiosk.yaml", ["/etc/tappet.key", "/etc/cron.d/x"], ["/etc/tappet.key", "/etc/cron.d/x"]),
  ])
  func `only absolute paths lead out of the configuration's folder`(
    _ path: String, _ paths: [String], _ found: [String]
  ) {
    #expect(BackupFiles.outside(parts("", paths), path) == found)
  }
}
