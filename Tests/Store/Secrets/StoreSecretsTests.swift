import Foundation
import TappetCore
import Testing

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreSecretsTests {
  private let folder = StateFolder()

  private func secret(_ number: UInt8, action: String = "garage", label: String? = nil) throws -> TagSecret {
    TagSecret(
      id: "secret-\(number)", action: action, index: 4,
      key: try #require(SecretKey([UInt8](repeating: number, count: 32))), createdUnixSeconds: 1000 + Int64(number),
      label: label)
  }

  @Test func `a secret round-trips, and is sealed on disk`() throws {
    let store = try folder.open()
    let key = try folder.key()
    try store.addSecret(try secret(0xA5, label: "Lobby, ü"), sealedUnder: key)
    let read = try #require(try folder.open().secrets(sealedUnder: try folder.key()).readable.first?.secret)
    #expect(read.id == "secret-165" && read.action == "garage" && read.index == 4)
    #expect(read.createdUnixSeconds == 1165 && read.label == "Lobby, ü")
    #expect(try read.key == secret(0xA5).key)
    let plain = Data([UInt8](repeating: 0xA5, count: 16))
    for path in [folder.databasePath, folder.logPath] {
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: plain) == nil)
    }
  }

  @Test func `exceeding an action's maximum of secrets is refused, with the numbers`() throws {
    let store = try folder.open()
    let key = try folder.key()
    for number in 1...3 { try store.addSecret(try secret(UInt8(number)), sealedUnder: key, limit: 3) }
    #expect(throws: SecretError.limitReached(action: "garage", max: 3)) {
      try store.addSecret(try secret(4), sealedUnder: key, limit: 3)
    }
    try store.addSecret(try secret(5, action: "light"), sealedUnder: key)
    #expect(try store.removeSecret("secret-2"))
    try store.addSecret(try secret(4), sealedUnder: key, limit: 3)
    #expect(try store.secretCount() == 4)
  }

  @Test func `the tag that last used a secret is remembered, and forgotten with the secret`() throws {
    let store = try folder.open()
    let key = try folder.key()
    for number in 1...2 { try store.addSecret(try secret(UInt8(number)), sealedUnder: key) }
    let uids = try [[4, 1, 2, 3], [4, 1, 2, 4]].map { try #require(TagUID($0)) }
    try store.recordSecretUse("secret-1", by: uids[0], unixSeconds: 50)
    try store.recordSecretUse("secret-1", by: uids[1], unixSeconds: 51)
    try store.recordSecretUse("secret-2", by: uids[1], unixSeconds: 52)
    try store.recordSecretUse("nobody's", by: uids[0], unixSeconds: 53)
    let read = try folder.open().secrets(sealedUnder: key).readable.map { $0.secret.seenUIDs }
    #expect(read == [[uids[0]], [uids[1]]])
    #expect(try store.removeSecret("secret-1"))
    #expect(try folder.sqlite("SELECT count(*) FROM tag_hints") == "1")
  }

  @Test func `a key that an action already has is refused with its id, but can be used for another action`() throws {
    let store = try folder.open()
    let key = try folder.key()
    try store.addSecret(try secret(1), sealedUnder: key)
    var same = try secret(1)
    same.id = "another"
    #expect(throws: SecretError.alreadyThere(id: "secret-1")) { try store.addSecret(same, sealedUnder: key) }
    same.action = "light"
    try store.addSecret(same, sealedUnder: key)
  }

  @Test func `a removed secret is gone, and a second removal reports that`() throws {
    let store = try folder.open()
    let key = try folder.key()
    try store.addSecret(try secret(1), sealedUnder: key)
    try store.addSecret(try secret(2), sealedUnder: key)
    #expect(try store.removeSecret("secret-1"))
    #expect(try !store.removeSecret("secret-1"))
    #expect(try store.secrets(sealedUnder: key).readable.map(\.secret.id) == ["secret-2"])
  }

  @Test func `the uses of a secret are counted`() throws {
    let store = try folder.open()
    let key = try folder.key()
    try store.addSecret(try secret(1), sealedUnder: key)
    try store.recordSecretUse("secret-1", unixSeconds: 50)
    try store.recordSecretUse("secret-1", unixSeconds: 60)
    let read = try #require(try store.secrets(sealedUnder: key).readable.first)
    #expect(read.timesUsed == 2 && read.lastUsedUnixSeconds == 60)
  }

  @Test(arguments: [
    "UPDATE secrets SET action = 'gate' WHERE id = 'secret-1'", "UPDATE secrets SET idx = 5 WHERE id = 'secret-1'",
    "UPDATE secrets SET id = 'other' WHERE id = 'secret-1'",
    "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE id = 'secret-2') WHERE id = 'secret-1'",
    "UPDATE secrets SET sealed = x'00' WHERE id = 'secret-1'",
  ])
  func `a secret that was moved or changed is unreadable, and the others are not`(change: String) throws {
    let store = try folder.open()
    let key = try folder.key()
    try store.addSecret(try secret(1), sealedUnder: key)
    try store.addSecret(try secret(2), sealedUnder: key)
    try folder.sqlite(change)
    let secrets = try store.secrets(sealedUnder: key)
    #expect(secrets.readable.map(\.secret.id) == ["secret-2"])
    #expect(secrets.unreadable.count == 1)
  }

  @Test func `a label that is too long for a QR code is refused`() throws {
    let store = try folder.open()
    let label = String(repeating: "x", count: Limits.secretLabelSizeMax + 1)
    #expect(throws: SecretError.label(.tooLong(size: label.utf8.count, max: Limits.secretLabelSizeMax))) {
      try store.addSecret(try secret(1, label: label), sealedUnder: try folder.key())
    }
  }

  @Test func `another program can add secrets while the store is in use`() throws {
    let store = try folder.open()
    let key = try folder.key()
    let tool = try folder.open()
    for number in 1...3 {
      _ = try store.append([.test(UInt64(number))])
      try tool.addSecret(try secret(UInt8(number)), sealedUnder: key)
      #expect(try store.secrets(sealedUnder: key).readable.count == number)
    }
  }

  // MARK: The sealing key

  @Test func `the sealing key is created once`() throws {
    #expect(try folder.key() == folder.key())
    #expect(StateFolder.size(folder.path + "/tappet.key") == 32)
  }

  @Test func `the service manager's key takes precedence over the file`() throws {
    let credentials = StateFolder()
    try FileManager.default.createDirectory(atPath: credentials.path, withIntermediateDirectories: true)
    try Data(repeating: 9, count: 32).write(to: URL(fileURLWithPath: credentials.path + "/tappet.key"))
    let key = try SealingKey.resolve(folder.open(), credentials: credentials.path)
    #expect(key == SecretKey([UInt8](repeating: 9, count: 32)))
    #expect(StateFolder.mode(folder.path + "/tappet.key") == nil)
  }

  @Test func `a sealing key that others may read is refused`() throws {
    _ = try folder.key()
    let path = folder.path + "/tappet.key"
    chmod(path, 0o640)
    #expect(throws: SealingKeyError.readableByOthers(path: path, mode: 0o640)) { try folder.key() }
  }

  @Test func `a sealing key of a wrong size or kind is refused`() throws {
    _ = try folder.key()
    let path = folder.path + "/tappet.key"
    for size in [0, 31, 33, 64] {
      unlink(path)
      try Data(count: size).write(to: URL(fileURLWithPath: path))
      chmod(path, 0o600)
      #expect(throws: SealingKeyError.malformed(path: path, size: min(size, 33))) { try folder.key() }
    }
    unlink(path)
    mkfifo(path, 0o600)
    #expect(throws: SealingKeyError.malformed(path: path, size: 0)) { try folder.key() }
    unlink(path)
    symlink("/dev/zero", path)
    #expect(throws: SealingKeyError.unreadable(path: path, SystemError(call: "open", code: ELOOP))) { try folder.key() }
  }

  @Test func `a lost sealing key is not replaced if something was sealed under it`() throws {
    let path = folder.path + "/tappet.key"
    try folder.open().addSecret(try secret(1), sealedUnder: try folder.key())
    unlink(path)
    #expect(throws: SealingKeyError.lost(path: path)) { try folder.key() }
    #expect(StateFolder.mode(path) == nil)
  }

  @Test func `a key file that was truncated during its creation is created again`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try Data(count: 5).write(to: URL(fileURLWithPath: folder.path + "/tappet.key.new"))
    _ = try folder.key()
    #expect(StateFolder.size(folder.path + "/tappet.key") == 32)
    #expect(StateFolder.mode(folder.path + "/tappet.key.new") == nil)
  }
}
