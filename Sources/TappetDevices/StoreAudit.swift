// Who changed a secret, or saw one, and when: beside the secrets, in the same transaction as the change. Never the secret.

import TappetCore

/// One deed.
public struct AuditEntry: Hashable, Sendable {
  /// When, seconds since 1970.
  public var unixSeconds: Int64
  /// Whose process did it.
  public var peer: LocalPeer
  /// What: a word of ours, as `secret-removed`.
  public var deed: String
  /// Done to what: an id, a name.
  public var subject: String

  /// A deed.
  public init(unixSeconds: Int64, peer: LocalPeer, deed: String, subject: String) {
    self.unixSeconds = unixSeconds
    self.peer = peer
    self.deed = deed
    self.subject = subject
  }
}

extension Store {
  /// Commits a deed that changes nothing in the store, before it is done.
  public func noteDeed(_ deed: AuditEntry) throws(StoreError) {
    try transaction { () throws(StoreError) in try note(deed) }
  }

  /// The write of `noteDeed`, within a transaction; the oldest make room.
  func note(_ deed: AuditEntry?) throws(StoreError) {
    guard let deed else { return }
    let statement = try database.statement(
      "INSERT INTO audit (unix_seconds, user, process, program, deed, subject) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    statement.bind(deed.unixSeconds, at: 1)
    statement.bind(Int64(deed.peer.user), at: 2)
    statement.bind(Int64(deed.peer.process), at: 3)
    statement.bind(deed.peer.program, at: 4)
    statement.bind(deed.deed, at: 5)
    statement.bind(deed.subject, at: 6)
    try statement.run()
    let cleaning = try database.statement("DELETE FROM audit WHERE number <= ?1")
    cleaning.bind(database.lastRow - Limits.auditRowsMax, at: 1)
    try cleaning.run()
  }

  /// What comes after the deed of this number, the oldest first, at most `limit`; each with its number.
  public func audit(after number: Int64, limit: Int) throws(StoreError) -> [(number: Int64, entry: AuditEntry)] {
    let statement = try database.statement(
      "SELECT number, unix_seconds, user, process, program, deed, subject FROM audit WHERE number > ?1 ORDER BY number LIMIT ?2"
    )
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
        unixSeconds: statement.integer(1), peer: peer, deed: statement.text(5), subject: statement.text(6))
      entries.append((statement.integer(0), entry))
    }
    return entries
  }
}
