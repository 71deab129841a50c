// Secrets that are no longer needed once their tag is rewritten. The audit log identifies such secrets: a secret that
// was created here and never shown is on at most one tag. A secret created before the start of the audit log is always
// kept.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the ids of the secrets that were created here and have not been shown since.
  @export(interface)
  package func unsharedSecretIDs() throws(DatabaseError) -> Set<String> {
    let statement = try database.statement(
      """
      SELECT subject FROM audit WHERE operation = 'secret-made'
      EXCEPT SELECT subject FROM audit WHERE operation = 'secret-shared'
      """)
    defer { statement.reset() }
    var ids: Set<String> = []
    while try statement.step() { ids.insert(statement.text(0)) }
    return ids
  }

  /// Returns the ids of the secrets that were shown, as far as the audit log goes back.
  package func sharedSecretIDs() throws(DatabaseError) -> Set<String> {
    let statement = try database.statement("SELECT subject FROM audit WHERE operation = 'secret-shared'")
    defer { statement.reset() }
    var ids: Set<String> = []
    while try statement.step() { ids.insert(statement.text(0)) }
    return ids
  }

  /// Removes the former secret of a rewritten tag, unless it has been shared; within a transaction.
  func removeReplaced(
    _ id: String?, sealedUnder key: SecretKey, noting auditEntry: AuditEntry?
  ) throws(DatabaseError) {
    guard let id, try unsharedSecretIDs().contains(id) else { return }
    let secret = try secrets(sealedUnder: key).readable.first { $0.secret.id == id }?.secret
    guard try removeRow(ofSecret: id), var entry = auditEntry else { return }
    entry.operation = "secret-replaced"
    entry.subject = id
    entry.detail = secret?.auditDetail
    try note(entry)
  }
}
