// Damage to the database, done to its bytes: it is noticed, set aside as a whole, and the secrets come back from their
// replica.

import Foundation
import TappetCore
import TappetSQLite
import Testing

@testable import TappetStore

@Suite struct StoreRecoveryTests {
  private let folder = StateFolder()

  private var replicaPath: String { folder.path + "/" + Store.replicaName }

  private func secret(_ number: Int64) throws -> TagSecret {
    TagSecret(
      id: "id-\(number)", action: "light", index: 1, key: try SecretKey.random(), createdUnixSeconds: number, label: nil
    )
  }

  /// A store with secrets and so much in its outbox that it has many pages, closed.
  private func fill(secrets: Int64 = 2) throws -> [String: SecretKey] {
    let store = try folder.open()
    let key = try folder.key()
    var keys: [String: SecretKey] = [:]
    for number in 1...secrets {
      let secret = try secret(number)
      try store.addSecret(secret, sealedUnder: key)
      keys[secret.id] = secret.key
    }
    for start in 0..<20 { _ = try store.append((0..<50).map { .test(UInt64(start * 50 + $0)) }) }
    return keys
  }

  private func recover() throws -> (store: Store, recovery: StoreRecovery?) {
    try Store.recovered(folder: folder.path, bootID: [UInt8](repeating: 1, count: 16), unixSeconds: 1_770_000_000)
  }

  private func keys(_ store: Store) throws -> [String: SecretKey] {
    let stored = try store.secrets(sealedUnder: try folder.key())
    #expect(stored.unreadable.isEmpty)
    return Dictionary(uniqueKeysWithValues: stored.readable.map { ($0.secret.id, $0.secret.key) })
  }

  private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(offset))
    file.write(Data(bytes))
    try file.close()
  }

  private func noise(_ count: Int, seed: UInt8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ Int(seed)) &* 167 &+ 13) }
  }

  @Test func `an intact database is left unchanged`() throws {
    let keys = try fill()
    let opened = try recover()
    #expect(opened.recovery == nil)
    #expect(try self.keys(opened.store) == keys)
    #expect(try opened.store.summary(at: .test(100, wallSeconds: 1_000_000), clockIsGood: true).count == 1000)
  }

  @Test(arguments: ["header", "schema", "middle", "all but the first page", "second half"])
  func `overwritten bytes are detected, the file is set aside intact, and the secrets are restored`(_ place: String)
    throws
  {
    let keys = try fill()
    try folder.emptyLog()
    let size = StateFolder.size(folder.databasePath)
    switch place {
    case "header": try overwrite(folder.databasePath, at: 0, with: noise(64, seed: 1))
    case "schema": try overwrite(folder.databasePath, at: 100, with: noise(1000, seed: 2))
    case "middle":
      for page in [3, 5, 9, 17] { try overwrite(folder.databasePath, at: page * 4096, with: noise(4096, seed: 3)) }
    case "second half": try overwrite(folder.databasePath, at: size / 8192 * 4096, with: noise(size / 2, seed: 4))
    default: try overwrite(folder.databasePath, at: 4096, with: noise(size - 4096, seed: 5))
    }
    let damaged = try Data(contentsOf: URL(fileURLWithPath: folder.databasePath))
    let opened = try recover()
    #expect(opened.recovery?.restoredCount == 2)
    let aside = try #require(opened.recovery?.setAside)
    #expect(aside == folder.databasePath + ".damaged-1770000000")
    #expect(StateFolder.mode(aside) == 0o600)
    #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == damaged)
    #expect(try self.keys(opened.store) == keys)
    #expect(try opened.store.append([.test(1)]) == [1])
  }

  @Test(arguments: ["secrets", "outbox", "boots", "meta", "sealed", "audit", "audit_chain"])
  func `a database without one of its tables is set aside like any damaged database`(_ table: String) throws {
    let keys = try fill()
    try folder.sqlite("DROP TABLE \(table)")
    let opened = try recover()
    #expect(opened.recovery?.setAside != nil)
    #expect(try self.keys(opened.store) == keys)
    #expect(try opened.store.append([.test(1)]) == [1])
  }

  @Test func `a second database damaged in the same second is set aside under a different name`() throws {
    _ = try fill()
    for name in ["tappet.db.damaged-1770000000", "tappet.db.damaged-1770000000-2"] {
      try overwrite(folder.databasePath, at: 0, with: noise(64, seed: 1))
      #expect(try recover().recovery?.setAside == folder.path + "/" + name)
    }
  }

  @Test func `an empty database gets its secrets back`() throws {
    let keys = try fill()
    truncate(folder.databasePath, 0)
    unlink(folder.logPath)
    let opened = try recover()
    #expect(opened.recovery == StoreRecovery(setAside: nil, secretCount: 2, restoredCount: 2))
    #expect(try self.keys(opened.store) == keys)
  }

  @Test func `a missing database gets its secrets back`() throws {
    let keys = try fill()
    for ending in ["", "-wal", "-shm"] { unlink(folder.databasePath + ending) }
    #expect(try self.keys(try recover().store) == keys)
  }

  @Test func `a truncated database is set aside`() throws {
    let keys = try fill()
    try folder.emptyLog()
    truncate(folder.databasePath, off_t(StateFolder.size(folder.databasePath) / 2 + 100))
    let opened = try recover()
    #expect(opened.recovery?.setAside != nil)
    #expect(try self.keys(opened.store) == keys)
  }

  @Test func `garbage in the log loses the log's content, but no secret`() throws {
    // Open while the log is spoilt: at the end SQLite puts the log into the database.
    let store = try folder.open()
    try store.addSecret(try secret(1), sealedUnder: try folder.key())
    try FileManager.default.copyItem(atPath: folder.databasePath, toPath: folder.path + "/was.db")
    try FileManager.default.copyItem(atPath: folder.logPath, toPath: folder.path + "/was.db-wal")
    _ = consume store
    for ending in ["", "-wal", "-shm"] { unlink(folder.databasePath + ending) }
    rename(folder.path + "/was.db", folder.databasePath)
    rename(folder.path + "/was.db-wal", folder.logPath)
    try overwrite(folder.logPath, at: 0, with: noise(StateFolder.size(folder.logPath), seed: 6))
    let opened = try recover()
    #expect(try self.keys(opened.store).count == 1)
    #expect(opened.recovery?.restoredCount == 1)
  }

  @Test func `without a replica the kiosk starts without secrets, and reports that`() throws {
    _ = try fill()
    unlink(replicaPath)
    try overwrite(folder.databasePath, at: 0, with: noise(64, seed: 1))
    let opened = try recover()
    #expect(opened.recovery?.restoredCount == nil && opened.recovery?.setAside != nil)
    #expect(try opened.store.secretCount() == 0)
  }

  // MARK: The replica

  @Test func `only the owner can read the replica, it contains no key, and it follows every change`() throws {
    let store = try folder.open()
    let key = try folder.key()
    let secret = try secret(1)
    for _ in 0..<2 {
      try store.addSecret(secret, sealedUnder: key)
      #expect(StateFolder.mode(replicaPath) == 0o600)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: replicaPath))
      #expect(bytes.range(of: Data("id-1".utf8)) != nil)
      #expect(bytes.range(of: secret.key.withBytes { Data($0) }) == nil)
      #expect(try store.removeSecret("id-1"))
      #expect(try Data(contentsOf: URL(fileURLWithPath: replicaPath)).range(of: Data("id-1".utf8)) == nil)
    }
    #expect(store.replicaError == nil)
  }

  @Test func `a removed secret does not return from the replica`() throws {
    _ = try fill()
    #expect(try folder.open().removeSecret("id-1"))
    try overwrite(folder.databasePath, at: 0, with: noise(64, seed: 1))
    #expect(try keys(try recover().store).keys.sorted() == ["id-2"])
  }

  @Test func `a replica of a different version is refused and kept, and a damaged version number is corrected`() throws
  {
    _ = try fill()
    func change(_ sql: String) throws { try Database(path: replicaPath).execute(sql) }
    try change("CREATE TABLE more (x); PRAGMA user_version = \(StoreSchema.version + 1)")
    let whole = try Data(contentsOf: URL(fileURLWithPath: replicaPath))
    let refusal = DatabaseError.otherSchema(
      found: StoreSchema.version + 1, known: StoreSchema.version, path: replicaPath)
    #expect(throws: refusal) { try recover() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: replicaPath)) == whole)
    try change("DROP TABLE more; PRAGMA user_version = \(StoreSchema.version + 1)")
    #expect(try recover().recovery == nil)
  }

  @Test func `a damaged or outdated replica is rewritten`() throws {
    let keys = try fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: replicaPath))
    try overwrite(replicaPath, at: 0, with: noise(64, seed: 1))
    _ = try folder.open()
    #expect(try Data(contentsOf: URL(fileURLWithPath: replicaPath)).prefix(16) == whole.prefix(16))
    let store = try folder.open()
    try store.addSecret(try secret(3), sealedUnder: try folder.key())
    // As a power cut between the two would leave it.
    try whole.write(to: URL(fileURLWithPath: replicaPath))
    _ = try folder.open()
    try overwrite(folder.databasePath, at: 0, with: noise(64, seed: 1))
    #expect(try self.keys(try recover().store).count == keys.count + 1)
  }

  @Test func `a replica with damaged secrets does not prevent a start, and is rewritten`() throws {
    _ = try fill()
    try overwrite(replicaPath, at: 4096, with: noise(4096, seed: 1))
    truncate(folder.databasePath, 0)
    unlink(folder.logPath)
    let opened = try recover()
    #expect(opened.recovery == nil && opened.store.replicaError != nil)
    #expect(try opened.store.append([.test(1)]) == [1])
    try opened.store.addSecret(try secret(7), sealedUnder: try folder.key())
    #expect(opened.store.replicaError == nil)
    try overwrite(folder.databasePath, at: 0, with: noise(64, seed: 1))
    #expect(try keys(try recover().store).keys.sorted() == ["id-7"])
  }

  @Test func `a replica that cannot be written does not prevent adding a secret`() throws {
    let store = try folder.open()
    let key = try folder.key()
    unlink(replicaPath)
    mkdir(replicaPath, 0o700)
    try store.addSecret(try secret(1), sealedUnder: key)
    #expect(store.replicaError != nil)
    rmdir(replicaPath)
    _ = try folder.open()
    #expect(StateFolder.mode(replicaPath) == 0o600)
  }
}
