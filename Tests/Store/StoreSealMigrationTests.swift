// Secrets that an earlier version sealed, in its database and in its replica, and what the seals cover now.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetStore

@Suite struct StoreSealMigrationTests {
  private let folder = StateFolder()

  private func secret(_ number: UInt8, uid: TagUID? = nil) throws -> TagSecret {
    TagSecret(
      id: "secret-\(number)", action: "garage", index: 4,
      key: try #require(SecretKey([UInt8](repeating: number, count: 32))), createdUnixSeconds: 1000, label: "Ann",
      uid: uid)
  }

  /// As version 5 wrote it; written out here, so that an edited context shows.
  private func sealedBefore(_ secret: TagSecret, _ key: SecretKey) throws -> String {
    let context = "tappet secret 1 \(secret.id.utf8.count) \(secret.id) 6 garage 4"
    let sealed = try secret.key.withBytes { bytes in
      try LibCrypto.seal(Array(bytes), key: key, context: Array(context.utf8))
    }
    return sealed.map { String(format: "%02x", $0) }.joined()
  }

  /// Turns the database and its replica into those of version 5.
  private func makeOld(_ key: SecretKey) throws {
    let sealed = try sealedBefore(try secret(1), key)
    try folder.sqlite(
      """
      UPDATE secrets SET sealed = x'\(sealed)';
      ALTER TABLE secrets DROP COLUMN uid;
      ALTER TABLE audit DROP COLUMN detail;
      ALTER TABLE audit DROP COLUMN mac;
      DROP TABLE audit_chain;
      DROP TABLE webhooks;
      DROP TABLE webhook_totals;
      DROP TABLE given_up;
      DROP TABLE announced; DROP TABLE tag_hints;
      DROP TABLE history; DROP TABLE arrivals; DROP TABLE tag_counts; DROP TABLE ticket_uses;
      DROP TABLE room_commands; DROP TABLE room_position; DROP TABLE room_edits;
      ALTER TABLE outbox DROP COLUMN closes;
      DELETE FROM meta WHERE name = 'seal';
      PRAGMA user_version = 5;
      """)
    try replica("UPDATE secrets SET sealed = x'\(sealed)'; ALTER TABLE secrets DROP COLUMN uid;")
  }

  private func replica(_ sql: String) throws {
    _ = try Programs.run(Programs.installed("sqlite3"), [folder.path + "/secrets.db", sql])
  }

  private func known() throws -> StoredSecrets { try SecretStore.open(folder: folder.path).secrets() }

  @Test func `a database of an earlier version opens, and is sealed again with labels and times`() throws {
    let key = try folder.key()
    try folder.open().addSecret(try secret(1), sealedUnder: key)
    try makeOld(key)
    let first = try known()
    #expect(first.readable.map(\.secret.label) == ["Ann"] && first.unreadable.isEmpty)
    #expect(try folder.sqlite("SELECT value FROM meta WHERE name = 'seal'") == "1")
    try folder.sqlite("UPDATE secrets SET label = 'Bob'")
    #expect(try known().unreadable.map(\.id) == ["secret-1"])
    try folder.sqlite("UPDATE secrets SET label = 'Ann'")
    #expect(try known().readable.count == 1)
  }

  @Test func `the replica of an earlier version is restored from, and sealed again`() throws {
    let key = try folder.key()
    try folder.open().addSecret(try secret(1), sealedUnder: key)
    try makeOld(key)
    for ending in ["", "-wal", "-shm"] { unlink(folder.databasePath + ending) }
    #expect(try known().readable.map(\.secret.id) == ["secret-1"])
    try folder.sqlite("UPDATE secrets SET created = 7")
    #expect(try known().unreadable.count == 1)
  }

  @Test func `label, time and UID cannot be changed without the key`() throws {
    let key = try folder.key()
    let uid = try #require(TagUID([4, 1, 2, 3, 4, 5, 6]))
    try folder.open().addSecret(try secret(1, uid: uid), sealedUnder: key)
    #expect(try known().readable.map(\.secret.uid) == [uid])
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
