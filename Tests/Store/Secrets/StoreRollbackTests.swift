// An older replica of the secrets, or an older database, whose number of changes was raised: a secret that was removed
// stays removed.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetStore

@Suite struct StoreRollbackTests {
  private let folder = StateFolder()

  private func secret(_ number: Int64) throws -> TagSecret {
    TagSecret(
      id: "id-\(number)", action: "light", index: 1, key: try SecretKey.random(), createdUnixSeconds: number,
      label: nil)
  }

  private func replica(_ sql: String) throws -> String {
    try Programs.run(Programs.installed("sqlite3"), [folder.path + "/secrets.db", sql]).output
  }

  private func ids() throws -> [String] {
    try SecretStore.open(folder: folder.path).secrets().readable.map(\.secret.id)
  }

  @Test(arguments: [true, false])
  func `a replica with a raised number is rewritten, not trusted`(_ keepsProof: Bool) throws {
    let secretStore = try SecretStore.open(folder: folder.path)
    for number in 1...2 { try secretStore.add(try secret(Int64(number))) }
    try FileManager.default.copyItem(atPath: folder.path + "/secrets.db", toPath: folder.path + "/older")
    #expect(try secretStore.remove(id: "id-1"))
    unlink(folder.path + "/secrets.db")
    rename(folder.path + "/older", folder.path + "/secrets.db")
    _ = try replica("UPDATE meta SET value = 1000" + (keepsProof ? "" : "; DROP TABLE proof"))
    #expect(try ids() == ["id-2"])
    #expect(try replica("SELECT group_concat(id) FROM secrets") == "id-2\n")
    #expect(try ids() == ["id-2"])
  }

  /// The database of a moment ago in the place of the present one, whose replica has seen a removal since.
  private func exchangeDatabase() throws {
    for number in 1...2 { try SecretStore.open(folder: folder.path).add(try secret(Int64(number))) }
    try FileManager.default.copyItem(atPath: folder.databasePath, toPath: folder.path + "/older")
    #expect(try SecretStore.open(folder: folder.path).remove(id: "id-1"))
    for name in ["tappet.db", "tappet.db-wal", "tappet.db-shm"] { unlink(folder.path + "/" + name) }
    rename(folder.path + "/older", folder.databasePath)
  }

  @Test(arguments: [
    "SELECT 1", "UPDATE meta SET value = 3 WHERE name = 'secret changes'",
    "UPDATE meta SET value = 1000 WHERE name = 'secret changes'",
    "UPDATE meta SET value = 1000 WHERE name = 'secret changes'; DELETE FROM meta WHERE name = 'secret proof'",
  ])
  func `an older database with a raised number is restored from the replica, not trusted`(_ sql: String) throws {
    try exchangeDatabase()
    #expect(try replica("SELECT value FROM meta") == "3\n")
    try folder.sqlite(sql)
    let recovered = try SecretStore.recovered(folder: folder.path)
    #expect(recovered.recovery?.restoredCount == 1)
    #expect(try recovered.secrets().readable.map(\.secret.id) == ["id-2"])
    #expect(try ids() == ["id-2"])
    #expect(try SecretStore.recovered(folder: folder.path).recovery == nil)
    #expect(try replica("SELECT group_concat(id) FROM secrets") == "id-2\n")
  }

  @Test func `a store without the key leaves the recovery to a store with the key`() throws {
    try exchangeDatabase()
    try folder.sqlite("UPDATE meta SET value = 1000 WHERE name = 'secret changes'")
    _ = try folder.open()
    #expect(try replica("SELECT group_concat(id) FROM secrets") == "id-2\n")
    #expect(try ids() == ["id-2"])
  }

  @Test func `a database without a proof gets one once the key is known`() throws {
    let secretStore = try SecretStore.open(folder: folder.path)
    for number in 1...2 { try secretStore.add(try secret(Int64(number))) }
    try folder.sqlite("UPDATE secrets SET times_used = 7; DELETE FROM meta WHERE name = 'secret proof'")
    #expect(try SecretStore.recovered(folder: folder.path).recovery == nil)
    #expect(try SecretStore.open(folder: folder.path).secrets().readable.map(\.timesUsed) == [7, 7])
    #expect(try folder.sqlite("SELECT count(*) FROM meta WHERE name = 'secret proof'") == "1")
  }

  @Test func `a new sealing key also proves the number of changes`() throws {
    let entry = AuditEntry(unixSeconds: 1, peer: .current(), operation: "rekey", subject: "")
    let secretStore = try SecretStore.open(folder: folder.path)
    try secretStore.add(try secret(1))
    _ = try secretStore.rekey(noting: entry)
    try folder.sqlite("UPDATE secrets SET times_used = 7")
    #expect(try SecretStore.recovered(folder: folder.path).recovery == nil)
    #expect(try SecretStore.open(folder: folder.path).secrets().readable.map(\.timesUsed) == [7])
  }

  @Test func `a database that lost its last changes still gets them back from the replica`() throws {
    let secretStore = try SecretStore.open(folder: folder.path)
    try secretStore.add(try secret(1))
    try secretStore.add(try secret(2))
    try folder.sqlite(
      "DELETE FROM secrets WHERE id = 'id-2'; UPDATE meta SET value = value - 1 WHERE name = 'secret changes'")
    #expect(try SecretStore.recovered(folder: folder.path).recovery?.restoredCount == 2)
    #expect(try ids() == ["id-1", "id-2"])
  }

  @Test func `a replica written without the key gets its proof once the key is known`() throws {
    let secretStore = try SecretStore.open(folder: folder.path)
    try secretStore.add(try secret(1))
    unlink(folder.path + "/secrets.db")
    _ = try folder.open()
    #expect(try replica("SELECT count(*) FROM proof") == "0\n")
    unlink(folder.path + "/secrets.db")
    _ = try ids()
    #expect(try replica("SELECT count(*) FROM proof") == "1\n")
  }
}
