// Backups, the stored timestamp key, and a sealing key of the service manager's, with the shipped programs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SecretKeyTests {
  @Test
  func `a backup is restored with its passphrase only, and a wrong one looks like a damaged file`()
    throws
  {
    let (old, new) = (try KioskWorld(), try KioskWorld())
    try old.start()
    let (pass, backup) = (old.folder + "/pass", old.folder + "/backup")
    try "correct horse battery\n".write(toFile: pass, atomically: true, encoding: .utf8)
    chmod(pass, 0o600)
    #expect(try old.tappet("token", "key", "--key-file", old.folder + "/timestamp.key").status == 0)
    let made = try old.tappet("backup", backup, "--passphrase-file", pass)
    #expect(made.status == 0 && made.errors.contains("2 secrets, the timestamp key"), "\(made.errors)")
    #expect(try old.tappet("backup", backup, "--passphrase-file", pass).errors.contains("already exists"))
    #expect(try old.tappet("restore", backup, "--passphrase-file", pass, "--yes").errors.contains("a kiosk is running"))
    let unconfirmed = try new.tappet("restore", backup, "--passphrase-file", pass)
    #expect(unconfirmed.status == 1 && unconfirmed.errors.contains("add --yes to confirm"), "\(unconfirmed)")

    let before = try new.tappet("secret", "list").output
    let (other, cut, garbled) = (new.folder + "/other", new.folder + "/cut", new.folder + "/garbled")
    try "correct horse batterz\n".write(toFile: other, atomically: true, encoding: .utf8)
    chmod(other, 0o600)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
    try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
    bytes[bytes.count / 2] ^= 0x10
    try bytes.write(to: URL(fileURLWithPath: garbled))
    for (file, words) in [(backup, other), (cut, pass), (garbled, pass)] {
      let done = try new.tappet("restore", file, "--passphrase-file", words, "--yes")
      #expect(
        done.status == 1 && done.errors.contains("the passphrase is wrong, or \(file) is damaged"), "\(done.errors)")
    }
    #expect(
      try new.tappet("restore", new.configPath, "--passphrase-file", pass, "--yes").errors.contains("is not a backup"))
    #expect(try new.tappet("secret", "list").output == before)

    #expect(try new.tappet("restore", backup, "--passphrase-file", pass, "--yes", "--secrets-only").status == 0)
    #expect(try new.tappet("secret", "list").output == old.tappet("secret", "list").output)
    try new.start()
    let url = try old.url(1)
    let tapped = try new.tap("ntag213 uid=\(new.freshUID()) url=\(url)", until: "delivered-by-tag", messages: 1)
    #expect(tapped.received.count == 1)
  }

  @Test func `a stored timestamp key works like one in a file, and a new key applies immediately`() throws {
    let world = try KioskWorld()
    let config = try String(contentsOfFile: world.configPath, encoding: .utf8)
      .replacingOccurrences(of: "timestamp_key: {file: timestamp.key}", with: "timestamp_key: {stored: true}")
    try config.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let none = try world.tappet("run", "--plain")
    #expect(none.status == 4 && none.errors.contains("run: tappet token key"))
    #expect(try world.tappet("token", "key", input: world.timestampKey + "\n").status == 0)
    try world.start()
    func token() throws -> String {
      let outcome = try world.tap(
        "ntag213 uid=\(world.freshUID()) url=\(try world.url(0))", until: "delivered-by-tag", messages: 1)
      return String(outcome.received.first?.payload.split(separator: "\"").last { $0.count == 32 } ?? "")
    }
    let file = world.folder + "/timestamp.key"
    #expect(try world.tappet("token", "open", "--key-file", file, try token()).status == 0)
    #expect(try world.tappet("token", "open", try token()).status == 0)
    let other = String(Signing.key().prefix(64))
    #expect(try world.tappet("token", "key", input: other).status == 0)
    let path = world.folder + "/other.key"
    try other.write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o644)
    let open = try world.tappet("token", "open", "--key-file", path, try token())
    #expect(open.status == 4 && open.errors.contains("can be read by others; run: chmod 600"), "\(open.errors)")
    chmod(path, 0o600)
    #expect(try world.tappet("token", "open", "--key-file", path, try token()).status == 0)
    #expect(!world.log.contains(other) && !world.log.contains(world.timestampKey))
  }

  @Test func `with a sealing key of the service manager only the kiosk reads secrets, and the file is removed`() throws
  {
    let world = try KioskWorld()
    let credentials = world.folder + "/credentials"
    try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
    try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(
      to: URL(fileURLWithPath: credentials + "/tappet.key"))
    try world.start(environment: ["CREDENTIALS_DIRECTORY": credentials])
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/state/tappet.key"))
    try world.goodTap()
    #expect(try world.tappet("secret", "list", "--json").list("secrets").count == 2)
    let made = try world.tappet("secret", "new", "bell")
    #expect(made.status == 0)
    let rekey = try world.tappet("secret", "rekey")
    #expect(rekey.status == 1 && rekey.errors.contains("tappet.key.old"), "\(rekey.errors)")
    #expect(world.kiosk?.end() == true)
    let without = try world.tappet("secret", "list")
    #expect(without.status == 4 && without.errors.contains("start the kiosk"), "\(without.errors)")
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/state/tappet.key"))
  }
}
