// A backup takes the place of a board: another folder with nothing in it becomes the same kiosk.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct BackupTests {
  private func mode(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  @Test func `a backup restores a lost board, with its configuration, certificates, keys and secrets`() throws {
    let world = try KioskWorld()
    // As on a board: the certificates lie beside kiosk.yaml, and are named without a folder.
    var text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    for (name, copy) in [("ca.pem", "ca.pem"), ("client.pem", "kiosk.pem"), ("client.key", "kiosk.key")] {
      let path = try Certificates.path(name)
      try FileManager.default.copyItem(atPath: path, toPath: world.folder + "/" + copy)
      text = text.replacingOccurrences(of: path, with: copy)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: world.folder + "/kiosk.key")
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: world.configPath)
    let passphrase = world.folder + "/passphrase"
    _ = FileManager.default.createFile(
      atPath: passphrase, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600])
    let backup = world.folder + "/backup"
    let made = try world.tappet("backup", backup, "--passphrase-file", passphrase)
    #expect(made.status == 0 && made.errors.contains("2 secrets, kiosk.yaml and 4 of its files"), "\(made)")
    #expect(mode(backup) == 0o600)
    #expect(made.errors.contains("Not in it: ") && made.errors.contains("pending messages"), "\(made)")
    let key = try String(contentsOfFile: world.folder + "/kiosk.key", encoding: .utf8)
    #expect(try Data(contentsOf: URL(fileURLWithPath: backup)).range(of: Data(key.utf8.prefix(100))) == nil)

    // The board is gone.
    let names = ["kiosk.yaml", "ca.pem", "kiosk.pem", "kiosk.key", "timestamp.key", "state"]
    let was = try names.dropLast().map { try Data(contentsOf: URL(fileURLWithPath: world.folder + "/" + $0)) }
    for name in names { try FileManager.default.removeItem(atPath: world.folder + "/" + name) }
    let wrong = world.folder + "/wrong"
    _ = FileManager.default.createFile(
      atPath: wrong, contents: Data("wrong horse\n".utf8), attributes: [.posixPermissions: 0o600])
    #expect(try world.tappet("restore", backup, "--passphrase-file", wrong, "--yes").status == 1)
    #expect(!FileManager.default.fileExists(atPath: world.configPath))
    let restored = try world.tappet("restore", backup, "--passphrase-file", passphrase, "--yes")
    #expect(restored.status == 0 && restored.errors.contains("\(world.configPath) will be written."), "\(restored)")
    let last = restored.errors.split(separator: "\n").last ?? ""
    #expect(last.hasPrefix("Restored: 2 secrets, kiosk.yaml"), "\(restored)")
    for (name, content) in zip(names, was) {
      #expect(try Data(contentsOf: URL(fileURLWithPath: world.folder + "/" + name)) == content, "\(name)")
    }
    #expect(mode(world.folder + "/kiosk.key") == 0o600 && mode(world.folder + "/timestamp.key") == 0o600)
    #expect(mode(world.configPath) == 0o640)
    try world.start()
    try world.goodTap()
    #expect(world.kiosk?.end() == true)

    // On a new board there is no folder yet.
    let other = world.folder + "/other/kiosk.yaml"
    let moved = try Programs.run(
      try Programs.built("tappet"),
      ["restore", backup, "--passphrase-file", passphrase, "--yes", "--config", other])
    #expect(moved.status == 0 && FileManager.default.fileExists(atPath: other), "\(moved)")

    // Files that were changed meanwhile stay with --secrets-only.
    try (text + "# changed\n").write(toFile: world.configPath, atomically: true, encoding: .utf8)
    #expect(try world.tappet("restore", backup, "--passphrase-file", passphrase, "--yes", "--secrets-only").status == 0)
    #expect(try String(contentsOfFile: world.configPath, encoding: .utf8).hasSuffix("# changed\n"))
  }

  @Test func `restoring a file outside the configuration's folder needs consent, or an entry in kiosk.yaml`() throws {
    let world = try KioskWorld(withBroker: false)
    let elsewhere = try Programs.temporaryFolder().path
    defer { try? FileManager.default.removeItem(atPath: elsewhere) }
    let target = elsewhere + "/ca.pem"
    func isThere() -> Bool { FileManager.default.fileExists(atPath: target) }
    var text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    for (name, copy) in [("ca.pem", target), ("client.pem", "kiosk.pem"), ("client.key", "kiosk.key")] {
      let path = try Certificates.path(name)
      try FileManager.default.copyItem(
        atPath: path, toPath: copy.hasPrefix("/") ? copy : world.folder + "/" + copy)
      text = text.replacingOccurrences(of: path, with: copy)
    }
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    chmod(target, 0o777)
    let passphrase = world.folder + "/passphrase"
    _ = FileManager.default.createFile(
      atPath: passphrase, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600])
    let backup = world.folder + "/backup"
    #expect(try world.tappet("backup", backup, "--passphrase-file", passphrase).status == 0)

    for name in [target, world.configPath] { try FileManager.default.removeItem(atPath: name) }
    let words = ["restore", backup, "--passphrase-file", passphrase]
    let refused = try world.tappet(words + ["--yes"])
    #expect(refused.status == 1 && refused.errors.contains("would write \"\(target)\", which is outside"), "\(refused)")
    for (answer, status) in [("n", Int32(1)), ("y", 0)] {
      #expect(!isThere() && !FileManager.default.fileExists(atPath: world.configPath))
      let session = try TypedSession(
        try Programs.built("tappet"), words + ["--config", world.configPath], log: world.folder + "/\(answer).log")
      try session.answer("Replace it?", "y")
      try session.answer("Write \"\(target)\"?", answer)
      #expect(try session.status() == status, "\(session.text)")
    }
    #expect(isThere() && mode(target) == 0o644)
    unlink(target)
    let known = try world.tappet(words + ["--yes"])
    #expect(known.status == 0 && isThere(), "\(known)")
  }

  @Test func `a new state folder is created after a question, and using another kiosk's folder needs consent`() throws {
    let world = try KioskWorld(withBroker: false)
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    let elsewhere = try Programs.temporaryFolder().path
    defer { try? FileManager.default.removeItem(atPath: elsewhere) }
    let state = elsewhere + "/state"
    let passphrase = world.folder + "/passphrase"
    _ = FileManager.default.createFile(
      atPath: passphrase, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600])
    // A kiosk whose state is elsewhere makes the backup.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.hasPrefix("state:") ? "state: \(state)" : String($0)
    }
    try lines.joined(separator: "\n").write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let backup = world.folder + "/backup"
    let words = ["restore", backup, "--passphrase-file", passphrase]
    #expect(try world.tappet("backup", backup, "--passphrase-file", passphrase).status == 0)
    try FileManager.default.removeItem(atPath: state)
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)

    let session = try TypedSession(
      try Programs.built("tappet"), words + ["--config", world.configPath], log: world.folder + "/n.log")
    try session.expect("\(state) will be created")
    try session.answer("Replace it?", "n")
    #expect(try session.status() == 1 && !FileManager.default.fileExists(atPath: state))

    // Another kiosk is there.
    let other = world.folder + "/other.yaml"
    try lines.joined(separator: "\n").write(toFile: other, atomically: true, encoding: .utf8)
    #expect(try Programs.run(try Programs.built("tappet"), ["secret", "list", "--config", other]).status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: state + "/tappet.key"))
    let refused = try world.tappet(words + ["--yes"])
    #expect(refused.status == 1 && refused.errors.contains("another kiosk's secrets"), "\(refused)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: state + "/tappet.key")) == before)
    #expect(try String(contentsOfFile: world.configPath, encoding: .utf8) == text)
  }

  @Test func `the audit names a removed secret's action, fingerprint and label`() throws {
    let world = try KioskWorld(withBroker: false)
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let fingerprint = try #require(secrets.first { $0["action"] as? String == "light" }?["fingerprint"] as? String)
    #expect(try world.tappet("secret", "remove", fingerprint).status == 0)
    let audit = try world.tappet("audit").output
    #expect(audit.contains("secret-removed") && audit.contains("(light, fingerprint \(fingerprint), Test)"), "\(audit)")
  }

  @Test func `a restore that cannot write its files leaves the secrets unchanged`() throws {
    let world = try KioskWorld(withBroker: false)
    let key = world.folder + "/timestamp.key"
    let passphrase = world.folder + "/passphrase"
    _ = FileManager.default.createFile(
      atPath: passphrase, contents: Data("correct horse\n".utf8), attributes: [.posixPermissions: 0o600])
    let backup = world.folder + "/backup"
    let words = [backup, "--passphrase-file", passphrase]
    #expect(try world.tappet(["backup"] + words).status == 0)
    let id = try world.importSecret(index: 2, key: Signing.key())

    // A folder that is not empty is where the key belongs.
    let old = try Data(contentsOf: URL(fileURLWithPath: key))
    try FileManager.default.removeItem(atPath: key)
    try FileManager.default.createDirectory(atPath: key + "/x", withIntermediateDirectories: true)
    let unwritten = try world.tappet(["restore", "--yes"] + words)
    #expect(unwritten.status == 4 && unwritten.errors.contains("\(key) cannot be written"), "\(unwritten)")
    #expect(unwritten.errors.contains("nothing was changed"), "\(unwritten)")
    #expect(try world.tappet("secret", "list").output.contains(id))

    try FileManager.default.removeItem(atPath: key)
    try old.write(to: URL(fileURLWithPath: key))
    #expect(try world.tappet(["restore", "--yes"] + words).status == 0)
    #expect(try !world.tappet("secret", "list").output.contains(id))
    #expect(try Data(contentsOf: URL(fileURLWithPath: key)) == old)
    let left = try FileManager.default.contentsOfDirectory(atPath: world.folder)
    #expect(!left.contains { $0.contains(".tappet-") }, "\(left)")
  }

  @Test func `Ctrl-C instead of a passphrase ends the command without writing anything`() throws {
    let world = try KioskWorld(withBroker: false)
    let file = world.folder + "/board.backup"
    let session = try TypedSession(
      try Programs.built("tappet"), ["backup", file, "--config", world.configPath], log: world.folder + "/backup.log")
    try session.expect("Passphrase (not shown)")
    try session.interrupt()
    try session.expect("tappet backup: no passphrase was entered")
    #expect(try session.status() == 1)
    #expect(access(file, F_OK) != 0)
  }

  @Test func `on a terminal a secret is shown before it is removed`() throws {
    let world = try KioskWorld(withBroker: false)
    let id = try world.importSecret(index: 2, key: Signing.key())
    for (answer, status) in [("n", Int32(1)), ("y", 0)] {
      let session = try TypedSession(
        try Programs.built("tappet"), ["secret", "remove", id, "--config", world.configPath],
        log: world.folder + "/remove-\(answer).log")
      try session.expect("\(id) of bell, Test")
      try session.answer("Remove this secret?", answer)
      #expect(try session.status() == status)
    }
    #expect(try !world.tappet("secret", "list").output.contains(id))
  }
}
