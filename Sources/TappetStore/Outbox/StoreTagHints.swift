// The most recent secret of each tag. This is only a hint: a tag is verified with that secret first, and with all
// others if it does not match. The table is therefore not sealed, and losing it only costs time.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns, by secret id, the tags whose most recent secret is that secret.
  func tagHints() throws(DatabaseError) -> [String: [TagUID]] {
    let statement = try database.statement("SELECT secret, uid FROM tag_hints")
    defer { statement.reset() }
    var hints: [String: [TagUID]] = [:]
    while try statement.step() {
      if let uid = TagUID(statement.blob(1)) { hints[statement.text(0), default: []].append(uid) }
    }
    return hints
  }

  /// Records the most recent secret of a tag, within a transaction.
  func recordHint(_ uid: TagUID, _ secret: String) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO tag_hints (uid, secret) VALUES (?1, ?2)")
    statement.bind(blob: uid.bytes, at: 1)
    statement.bind(secret, at: 2)
    try statement.run()
  }

  /// Deletes the hints for a secret, within a transaction.
  func removeHints(of secret: String) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM tag_hints WHERE secret = ?1")
    statement.bind(secret, at: 1)
    try statement.run()
  }
}
