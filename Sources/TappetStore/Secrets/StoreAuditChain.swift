// The audit chain: each entry is authenticated together with the preceding entry, and a head authenticates the first
// and the last entry, with a key derived from the sealing key. With only write access to the database, no entry can be
// changed, removed or inserted undetected; replacing the whole database with an older copy is still possible.

import TappetCore
import TappetPlatform
import TappetSQLite

/// Result of checking the audit log.
package enum AuditState: Hashable, Sendable {
  /// All entries are unmodified; `count` is their number.
  case whole(count: Int)
  /// Number of the first entry that does not match the preceding entry.
  case broken(at: Int64)
}

/// The first and last links of the chain.
private struct AuditHead {
  /// Number and code of the entry before the first remaining entry.
  var anchor: Int64
  var anchorCode: [UInt8]
  /// Number and code of the last entry.
  var last: Int64
  var lastCode: [UInt8]

  /// The bytes that the head's code authenticates.
  var message: [UInt8] {
    Array("head \(anchor) \(Hex.encode(anchorCode)) \(last) \(Hex.encode(lastCode))".utf8)
  }

  /// Returns the head of an empty chain that starts after the given entry number.
  static func empty(after number: Int64) -> AuditHead {
    let none = [UInt8](repeating: 0, count: 32)
    return AuditHead(anchor: number, anchorCode: none, last: number, lastCode: none)
  }
}

extension SecretKey {
  /// Key of the audit chain; `nil` if OpenSSL fails.
  var auditKey: SecretKey? { derived(for: "tappet audit 1") }

  /// Key that authenticates the change counts of database and replica; `nil` if OpenSSL fails.
  var replicaKey: SecretKey? { derived(for: "tappet replica 1") }

  private func derived(for use: String) -> SecretKey? {
    guard var code = try? authenticate(Array(use.utf8)) else { return nil }
    defer { LibCrypto.wipe(&code) }
    return SecretKey(code)
  }
}

extension Store {
  /// An entry with its number and its authentication code.
  private typealias Link = (number: Int64, entry: AuditEntry, code: [UInt8])

  // MARK: Writing

  /// Appends the entry that was just inserted to the chain, within its transaction.
  ///
  /// A chain with a forged head, or with entries but no head, is left unchanged and stays broken.
  func chain(_ entry: AuditEntry, number: Int64) throws(DatabaseError) {
    guard let key = auditKey else { return }
    var head: AuditHead
    switch try readHead(under: key) {
    case .good(let found): head = found
    case .forged: return
    case .missing:
      guard try database.integer("SELECT count(*) FROM audit") == 1 else { return }
      head = .empty(after: number - 1)
    }
    guard let code = Store.code(of: entry, number, after: head.lastCode, key) else { return }
    try write(code, of: number)
    (head.last, head.lastCode) = (number, code)
    try write(head, under: key)
  }

  /// Removes all entries up to the given number, and anchors the chain at the last removed entry.
  func removeAudit(through number: Int64) throws(DatabaseError) {
    let doomed = try database.statement("SELECT number, mac FROM audit WHERE number <= ?1 ORDER BY number DESC LIMIT 1")
    doomed.bind(number, at: 1)
    guard try doomed.step() else { return doomed.reset() }
    let (anchor, code) = (doomed.integer(0), doomed.blob(1))
    doomed.reset()
    if let key = auditKey, case .good(var head) = try readHead(under: key) {
      (head.anchor, head.anchorCode) = (anchor, code)
      try write(head, under: key)
    }
    let cleaning = try database.statement("DELETE FROM audit WHERE number <= ?1")
    cleaning.bind(number, at: 1)
    try cleaning.run()
  }

  /// Rechains all entries under a new key, within a transaction.
  ///
  /// If the chain is broken under the old key, an additional entry records this, so that tampering is not concealed.
  func rechainAudit(
    from old: SecretKey, to new: SecretKey, by peer: LocalPeer, unixSeconds: Int64
  ) throws(DatabaseError) {
    var brokenAt: Int64?
    if case .broken(let number) = try auditState(under: old) { brokenAt = number }
    guard let key = new.auditKey else { return }
    let entries = try links()
    var head = AuditHead.empty(after: (entries.first?.number ?? 1) - 1)
    for link in entries {
      guard let code = Store.code(of: link.entry, link.number, after: head.lastCode, key) else { return }
      try write(code, of: link.number)
      (head.last, head.lastCode) = (link.number, code)
    }
    try write(head, under: key)
    auditKey = key
    guard let brokenAt else { return }
    try note(
      AuditEntry(unixSeconds: unixSeconds, peer: peer, operation: "audit-broken", subject: String(brokenAt)))
  }

  // MARK: Checking

  /// Checks all entries of the audit log, using the sealing key.
  @export(interface)
  package func auditState(under sealingKey: SecretKey) throws(DatabaseError) -> AuditState {
    let entries = try links()
    guard let key = sealingKey.auditKey else { return .broken(at: entries.last?.number ?? 0) }
    let head: AuditHead
    switch try readHead(under: key) {
    case .good(let found): head = found
    case .forged: return .broken(at: entries.last?.number ?? 0)
    case .missing: return entries.isEmpty ? .whole(count: 0) : .broken(at: entries[0].number)
    }
    var previous = head.anchorCode
    var last = head.anchor
    for link in entries {
      let code = Store.code(of: link.entry, link.number, after: previous, key)
      guard let code, LibCrypto.areEqual(code, link.code) else { return .broken(at: link.number) }
      (previous, last) = (code, link.number)
    }
    return last == head.last && LibCrypto.areEqual(previous, head.lastCode)
      ? .whole(count: entries.count) : .broken(at: head.last)
  }

  private enum Head {
    case good(AuditHead)
    case forged
    case missing
  }

  private func readHead(under key: SecretKey) throws(DatabaseError) -> Head {
    let statement = try database.statement("SELECT anchor, anchor_mac, last, last_mac, mac FROM audit_chain")
    defer { statement.reset() }
    guard try statement.step() else { return .missing }
    let head = AuditHead(
      anchor: statement.integer(0), anchorCode: statement.blob(1), last: statement.integer(2),
      lastCode: statement.blob(3))
    guard let code = try? key.authenticate(head.message), LibCrypto.areEqual(code, statement.blob(4)) else {
      return .forged
    }
    return .good(head)
  }

  private func write(_ head: AuditHead, under key: SecretKey) throws(DatabaseError) {
    guard let code = try? key.authenticate(head.message) else { return }
    let statement = try database.statement(
      "INSERT OR REPLACE INTO audit_chain (id, anchor, anchor_mac, last, last_mac, mac) VALUES (1, ?1, ?2, ?3, ?4, ?5)")
    statement.bind(head.anchor, at: 1)
    statement.bind(blob: head.anchorCode, at: 2)
    statement.bind(head.last, at: 3)
    statement.bind(blob: head.lastCode, at: 4)
    statement.bind(blob: code, at: 5)
    try statement.run()
  }

  private func write(_ code: [UInt8], of number: Int64) throws(DatabaseError) {
    let statement = try database.statement("UPDATE audit SET mac = ?2 WHERE number = ?1")
    statement.bind(number, at: 1)
    statement.bind(blob: code, at: 2)
    try statement.run()
  }

  private func links() throws(DatabaseError) -> [Link] {
    let statement = try database.statement("SELECT number, mac FROM audit ORDER BY number")
    var codes: [Int64: [UInt8]] = [:]
    while try statement.step() { codes[statement.integer(0)] = statement.blob(1) }
    statement.reset()
    return try audit(after: .min, limit: Int(Limits.auditRowsMax) + 1).map {
      (number: $0.number, entry: $0.entry, code: codes[$0.number] ?? [])
    }
  }

  /// Returns the authentication code of an entry.
  ///
  /// The sizes distinguish "a" + "bc" from "ab" + "c"; a missing detail has the size -1.
  private static func code(
    of entry: AuditEntry, _ number: Int64, after previous: [UInt8], _ key: SecretKey
  ) -> [UInt8]? {
    var text = "entry \(number) \(entry.unixSeconds) \(entry.peer.user) \(entry.peer.process)"
    for part in [entry.peer.program, entry.operation, entry.subject] { text += " \(part.utf8.count) \(part)" }
    text += " \(entry.detail?.utf8.count ?? -1) \(entry.detail ?? "") \(Hex.encode(previous))"
    return try? key.authenticate(Array(text.utf8))
  }
}
