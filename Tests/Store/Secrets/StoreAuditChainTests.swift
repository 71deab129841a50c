// The audit's chain: whatever is done to it without the key is found, and named.

import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetStore

@Suite struct StoreAuditChainTests {
  private let folder = StateFolder()

  private func entry(_ number: Int) -> AuditEntry {
    AuditEntry(
      unixSeconds: Int64(number), peer: .current(), operation: "secret-made", subject: "s\(number)",
      detail: number % 2 == 0 ? nil : "light, Ann")
  }

  /// A store whose audit has `count` entries.
  private func filled(_ count: Int) throws -> SecretStore {
    let secretStore = try SecretStore.open(folder: folder.path)
    for number in 1...count { try secretStore.note(entry(number)) }
    return secretStore
  }

  private func state() throws -> AuditState { try SecretStore.open(folder: folder.path).auditState() }

  @Test func `an audit log stays intact while only Tappet writes it, even beyond 1,000 entries`() throws {
    #expect(try state() == .whole(count: 0))
    _ = try filled(5)
    #expect(try state() == .whole(count: 5))
    _ = try filled(1010)
    #expect(try state() == .whole(count: Int(Limits.auditRowsMax)))
  }

  @Test(
    arguments: [
      ("UPDATE audit SET detail = 'light, Bob' WHERE number = 3", 3),
      ("UPDATE audit SET unix_seconds = 7 WHERE number = 2", 2),
      ("UPDATE audit SET subject = 's' WHERE number = 4", 4), ("DELETE FROM audit WHERE number = 3", 4),
      ("DELETE FROM audit WHERE number <= 2", 3), ("DELETE FROM audit WHERE number >= 4", 5),
      ("UPDATE audit SET number = 9 WHERE number = 5", 9), ("UPDATE audit SET mac = NULL WHERE number = 1", 1),
      (
        "CREATE TEMP TABLE t AS SELECT * FROM audit; UPDATE t SET number=number+5; INSERT INTO audit SELECT * FROM t",
        6
      ),
      ("DELETE FROM audit_chain", 1), ("UPDATE audit_chain SET last = 4", 5),
    ] as [(String, Int64)])
  func `an entry that was changed, removed or inserted is reported, even after later entries`(
    _ change: String, number: Int64
  )
    throws
  {
    _ = try filled(5)
    try folder.sqlite(change)
    #expect(try state() == .broken(at: number))
    let later = try SecretStore.open(folder: folder.path)
    try later.note(entry(6))
    if case .whole = try later.auditState() { Issue.record("made good") }
  }

  @Test func `a new key starts a new chain, and a break in the old one is recorded`() throws {
    let rekeyed = AuditEntry(unixSeconds: 9, peer: .current(), operation: "rekeyed", subject: "")
    let first = try filled(3)
    try first.add(
      TagSecret(
        id: "s", action: "light", index: 1, key: try SecretKey.random(), createdUnixSeconds: 1, label: nil))
    _ = try first.rekey(noting: rekeyed)
    #expect(try state() == .whole(count: 4))
    try folder.sqlite("DELETE FROM audit WHERE number = 2")
    #expect(try state() == .broken(at: 3))
    _ = try SecretStore.open(folder: folder.path).rekey(noting: rekeyed)
    #expect(try state() == .whole(count: 5))
    let operations = try folder.open().audit(after: 0, limit: 10).map { $0.entry.operation + " " + $0.entry.subject }
    #expect(operations.suffix(2) == ["audit-broken 3", "rekeyed "], "\(operations)")
  }
}
