// The audit log: who changed or saw a secret, and when. It is written in the same transaction as the change, and never
// contains a secret.

import TappetCore
import TappetPlatform
import TappetSQLite

/// One recorded operation.
package struct AuditEntry: Hashable, Sendable {
  /// Time of the operation, in seconds since 1970.
  package var unixSeconds: Int64
  /// Process that performed the operation.
  package var peer: LocalPeer
  /// The operation's name, such as `secret-removed`.
  package var operation: String
  /// Id or name of the object.
  package var subject: String
  /// Human-readable description of the object; for a secret, its action, fingerprint and label.
  package var detail: String?

  package init(unixSeconds: Int64, peer: LocalPeer, operation: String, subject: String, detail: String? = nil) {
    self.unixSeconds = unixSeconds
    self.peer = peer
    self.operation = operation
    self.subject = subject
    self.detail = detail
  }
}

extension Store {
  /// Records an operation that changes nothing in the store, before the operation is performed.
  package func recordAuditEntry(_ auditEntry: AuditEntry) throws(DatabaseError) {
    try transaction { () throws(DatabaseError) in try note(auditEntry) }
  }

  /// Performs the write of `recordAuditEntry`, within a transaction; removes the oldest entries beyond the limit.
  func note(_ auditEntry: AuditEntry?) throws(DatabaseError) {
    guard let auditEntry else { return }
    let statement = try database.statement(
      """
      INSERT INTO audit (unix_seconds, user, process, program, operation, subject, detail)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    statement.bind(auditEntry.unixSeconds, at: 1)
    statement.bind(Int64(auditEntry.peer.user), at: 2)
    statement.bind(Int64(auditEntry.peer.process), at: 3)
    statement.bind(auditEntry.peer.program, at: 4)
    statement.bind(auditEntry.operation, at: 5)
    statement.bind(auditEntry.subject, at: 6)
    statement.bind(auditEntry.detail, at: 7)
    try statement.run()
    let number = database.lastRow
    try chain(auditEntry, number: number)
    try removeAudit(through: number - Limits.auditRowsMax)
  }

  /// Returns at most `limit` entries after the entry `number`, oldest first, each with its number.
  @export(interface)
  package func audit(after number: Int64, limit: Int) throws(DatabaseError) -> [(number: Int64, entry: AuditEntry)] {
    let statement = try database.statement(
      """
      SELECT number, unix_seconds, user, process, program, operation, subject, detail
      FROM audit WHERE number > ?1 ORDER BY number LIMIT ?2
      """)
    defer { statement.reset() }
    statement.bind(number, at: 1)
    statement.bind(Int64(limit), at: 2)
    var entries: [(number: Int64, entry: AuditEntry)] = []
    while try statement.step() {
      let peer = LocalPeer(
        user: UInt32(truncatingIfNeeded: statement.integer(2)),
        process: Int32(truncatingIfNeeded: statement.integer(3)),
        program: statement.text(4))
      let entry = AuditEntry(
        unixSeconds: statement.integer(1), peer: peer, operation: statement.text(5), subject: statement.text(6),
        detail: statement.isNull(7) ? nil : statement.text(7))
      entries.append((statement.integer(0), entry))
    }
    return entries
  }
}

extension TagSecret {
  /// Description of a secret for the audit log, so that an entry remains meaningful after the secret is removed.
  package var auditDetail: String {
    action + (key.fingerprint.map { ", fingerprint " + $0 } ?? "") + (label.map { ", " + $0 } ?? "")
  }
}
