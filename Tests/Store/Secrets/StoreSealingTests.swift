// The sealing key's changes, and what else is sealed: whatever is cut short in between, everything opens under one key.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreSealingTests {
  private let folder = StateFolder()
  private let peer = LocalPeer(user: 1000, process: 1, program: "test")

  private var auditEntry: AuditEntry { AuditEntry(unixSeconds: 5, peer: peer, operation: "rekeyed", subject: "") }
  private var keyPath: String { folder.path + "/tappet.key" }

  private func secret(_ number: UInt8) throws -> TagSecret {
    TagSecret(
      id: "secret-\(number)", action: "garage", index: 0,
      key: try #require(SecretKey([UInt8](repeating: number, count: 32))), createdUnixSeconds: 1, label: nil)
  }

  /// A store with two secrets and a value, under the key of the file.
  private func filled() throws -> (Store, SecretKey) {
    let store = try folder.open()
    let key = try SealingKey.resolve(store, credentials: nil)
    for number in 1...2 { try store.addSecret(try secret(UInt8(number)), sealedUnder: key) }
    try store.seal(.test([1, 2, 3, 4]), as: "tag-password:04a1", under: key)
    return (store, key)
  }

  private func expectAllReadable(_ store: Store, under key: SecretKey) throws {
    let secrets = try store.secrets(sealedUnder: key)
    #expect(secrets.readable.count == 2 && secrets.unreadable.isEmpty)
    #expect(try store.sealedValue(named: "tag-password:04a1", under: key)?.array == [1, 2, 3, 4])
  }

  @Test func `a new key opens everything, the old key nothing, and only one key file remains`() throws {
    let (store, old) = try filled()
    #expect(try SealingKey.replace(old, of: store, noting: auditEntry) == 3)
    let new = try SealingKey.resolve(store, credentials: nil)
    #expect(new != old)
    try expectAllReadable(store, under: new)
    #expect(try store.secrets(sealedUnder: old).readable.isEmpty)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.filter { $0.contains("key") } == ["tappet.key"])
    #expect(try store.audit(after: 0, limit: 10).map(\.entry) == [auditEntry])
  }

  @Test func `after a kill before the commit, the old key stays and the new one is removed`() throws {
    let (store, old) = try filled()
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: keyPath + ".next"))
    chmod(keyPath + ".next", 0o600)
    let key = try SealingKey.resolve(store, credentials: nil)
    #expect(key == old)
    try expectAllReadable(store, under: key)
    #expect(StateFolder.mode(keyPath + ".next") == nil)
  }

  @Test func `after a kill between the commit and the renaming of the file, the new key is used`() throws {
    let (store, old) = try filled()
    let before = try Data(contentsOf: URL(fileURLWithPath: keyPath))
    _ = try SealingKey.replace(old, of: store, noting: auditEntry)
    rename(keyPath, keyPath + ".next")
    try before.write(to: URL(fileURLWithPath: keyPath))
    chmod(keyPath, 0o600)
    let key = try SealingKey.resolve(store, credentials: nil)
    #expect(key != old)
    try expectAllReadable(store, under: key)
    #expect(StateFolder.mode(keyPath + ".next") == nil && StateFolder.mode(keyPath) == 0o600)
    #expect(try SealingKey.resolve(store, credentials: nil) == key)
  }

  @Test func `the service manager's key replaces the file, and a second such key replaces the first`() throws {
    let (store, _) = try filled()
    let credentials = StateFolder()
    try FileManager.default.createDirectory(atPath: credentials.path, withIntermediateDirectories: true)
    func give(_ byte: UInt8, as name: String) throws {
      try Data(repeating: byte, count: 32).write(to: URL(fileURLWithPath: credentials.path + "/" + name))
    }
    try give(9, as: "tappet.key")
    let first = try SealingKey.resolve(store, credentials: credentials.path)
    try expectAllReadable(store, under: first)
    #expect(StateFolder.mode(keyPath) == nil)
    // Outside of the service there is no key now, and none is made up.
    #expect(throws: SealingKeyError.lost(path: keyPath)) {
      try SealingKey.resolve(store, credentials: nil)
    }
    try give(10, as: "tappet.key")
    let wrong = try SealingKey.resolve(store, credentials: credentials.path)
    #expect(try store.relation(to: wrong) == .foreign)
    #expect(throws: SecretError.foreignKey) { try store.addSecret(try secret(3), sealedUnder: wrong) }
    try give(9, as: "tappet.key.old")
    let second = try SealingKey.resolve(store, credentials: credentials.path)
    try expectAllReadable(store, under: second)
  }

  @Test func `a process with the old key cannot add anything after a rekey`() throws {
    let (store, old) = try filled()
    let other = try folder.open()
    _ = try SealingKey.replace(old, of: store, noting: auditEntry)
    #expect(throws: SecretError.foreignKey) { try other.addSecret(try secret(3), sealedUnder: old) }
    #expect(throws: SecretError.foreignKey) { try other.seal(.test([1]), as: "timestamp-key", under: old) }
    #expect(throws: SealingKeyError.notResealed(.foreignKey)) {
      try SealingKey.replace(old, of: other, noting: auditEntry)
    }
    try expectAllReadable(store, under: try SealingKey.resolve(store, credentials: nil))
  }

  @Test func `a value moved to a different name is unreadable`() throws {
    let (store, key) = try filled()
    try folder.sqlite("UPDATE sealed SET name = 'timestamp-key' WHERE name <> 'check'")
    #expect(throws: SecretError.unreadable("timestamp-key")) {
      try store.sealedValue(named: "timestamp-key", under: key)
    }
    #expect(try store.sealedValue(named: "tag-password:04a1", under: key) == nil)
  }

  @Test func `a restore replaces everything or nothing at all`() throws {
    let (store, key) = try filled()
    var bad = try secret(4)
    bad.label = String(repeating: "x", count: Limits.secretLabelSizeMax + 1)
    #expect(throws: SecretError.self) {
      try store.replaceSealed(by: [try secret(3), bad], [], sealedUnder: key, noting: auditEntry)
    }
    try expectAllReadable(store, under: key)
    let other = try SecretKey.random()
    try store.replaceSealed(
      by: [try secret(3)], [("timestamp-key", .test([9]))], sealedUnder: other, noting: auditEntry)
    #expect(try store.secrets(sealedUnder: other).readable.map(\.secret.id) == ["secret-3"])
    #expect(try store.sealedValueNames() == ["timestamp-key"])
    #expect(try store.relation(to: key) == .foreign)
  }

  @Test func `a label with control characters is refused, as is an unknown id`() throws {
    let (store, key) = try filled()
    for scalar in ["\n", "\u{9B}", "\u{1B}"] as [Unicode.Scalar] {
      let label = "a\(scalar)[2J"
      #expect(throws: SecretError.label(.unseen(scalar, place: 2))) {
        _ = try store.renameSecret("secret-1", label: label, sealedUnder: key)
      }
    }
    #expect(try !store.renameSecret("nobody", label: "x", sealedUnder: key))
    #expect(try store.renameSecret("secret-1", label: "Lobby", sealedUnder: key))
    #expect(try store.secrets(sealedUnder: key).readable.first?.secret.label == "Lobby")
  }

  @Test func `the audit log keeps the last thousand entries`() throws {
    let store = try folder.open()
    for number in 1...1010 {
      try store.recordAuditEntry(
        AuditEntry(unixSeconds: Int64(number), peer: peer, operation: "secret-shared", subject: "s"))
    }
    let first = try #require(try store.audit(after: 0, limit: 1).first)
    #expect(first.number == 11 && first.entry.unixSeconds == 11 && first.entry.peer == peer)
    #expect(try folder.sqlite("SELECT count(*) FROM audit") == "1000")
  }

  // MARK: Sealed properties

  @Test func `label, time, UID and action cannot be changed without the key`() throws {
    let secret = TagSecret(
      id: "secret-1", action: "garage", index: 4, key: try SecretKey.random(), createdUnixSeconds: 1000, label: "Ann",
      uid: TagUID([4, 1, 2, 3, 4, 5, 6]))
    try folder.open().addSecret(secret, sealedUnder: try folder.key())
    func known() throws -> StoredSecrets { try SecretStore.open(folder: folder.path).secrets() }
    #expect(try known().readable.map(\.secret.uid) == [secret.uid])
    for (change, back) in [
      ("label = NULL", "label = 'Ann'"), ("created = 1001", "created = 1000"),
      ("uid = NULL", "uid = x'04010203040506'"),
      ("uid = x'04'", "uid = x'04010203040506'"), ("action = 'light'", "action = 'garage'"),
    ] {
      try folder.sqlite("UPDATE secrets SET \(change)")
      #expect(try known().unreadable.count == 1, "\(change)")
      try folder.sqlite("UPDATE secrets SET \(back)")
      #expect(try known().unreadable.isEmpty, "\(back)")
    }
  }
}

@Suite struct BackupFileTests {
  @Test func `a backup opens only with its passphrase, and only if complete and unchanged`() throws {
    let plain = Array("content".utf8)
    let words = Array("correct horse".utf8)
    let file = try BackupFile.seal(plain, passphrase: words)
    #expect(try BackupFile.open(file, passphrase: words) == plain)
    #expect(throws: BackupError.notAuthentic) { try BackupFile.open(file, passphrase: Array("correct horsf".utf8)) }
    for size in [17, 40, 59, file.count - 1] {
      #expect(throws: BackupError.notAuthentic) { try BackupFile.open(Array(file[..<size]), passphrase: words) }
    }
    for place in [16, 31, 32, 50, file.count - 1] {
      var changed = file
      changed[place] ^= 1
      #expect(throws: BackupError.notAuthentic) { try BackupFile.open(changed, passphrase: words) }
    }
    #expect(throws: BackupError.notABackup) { try BackupFile.open(Array(file[..<10]), passphrase: words) }
    #expect(throws: BackupError.notABackup) { try BackupFile.open([], passphrase: words) }
    #expect(try BackupFile.seal(plain, passphrase: words) != file)
  }

  @Test func `a backup opens with its passphrase in either Unicode form`() throws {
    let (composed, decomposed) = (Array("M\u{FC}ller-Stra\u{DF}e".utf8), Array("Mu\u{308}ller-Stra\u{DF}e".utf8))
    let file = try BackupFile.seal([1, 2, 3], passphrase: decomposed)
    for words in [composed, decomposed] { #expect(try BackupFile.open(file, passphrase: words) == [1, 2, 3]) }
    #expect(throws: BackupError.notAuthentic) { try BackupFile.open(file, passphrase: Array("Muller".utf8)) }
  }

  /// RFC 7914 has no vector of these costs; Python's hashlib, which calls another wrapper of it, agrees.
  @Test func `a passphrase's key matches another implementation of scrypt`() throws {
    let script =
      "import hashlib; print(hashlib.scrypt(b'correct horse', salt=b'0123456789abcdef', n=1 << 15, "
      + "r=8, p=4, maxmem=1 << 28, dklen=32).hex())"
    let expected = try Programs.run(Programs.installed("python3"), ["-c", script]).output
    let key = try LibCrypto.deriveKey(passphrase: Array("correct horse".utf8), salt: Array("0123456789abcdef".utf8))
    #expect(SecretKey(hex: expected.trimmingCharacters(in: .newlines)) == key)
  }
}
