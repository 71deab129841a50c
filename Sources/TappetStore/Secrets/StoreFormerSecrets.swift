// Secrets that nothing needs once their tag is written again. The audit tells which: a secret that was made here and
// never shown is on one tag at most. Where the audit does not go back that far, nothing is assumed.

import TappetCore
import TappetSQLite

extension Store {
  /// The ids of the secrets that were made here and have not been shown since.
  @export(interface)
  package func unsharedSecretIDs() throws(DatabaseError) -> Set<String> {
    let statement = try database.statement(
      """
      SELECT subject FROM audit WHERE deed = 'secret-made'
      EXCEPT SELECT subject FROM audit WHERE deed = 'secret-shared'
      """)
    defer { statement.reset() }
    var ids: Set<String> = []
    while try statement.step() { ids.insert(statement.text(0)) }
    return ids
  }

  /// The ids of the secrets that were shown, of those that the audit still names.
  package func sharedSecretIDs() throws(DatabaseError) -> Set<String> {
    let statement = try database.statement("SELECT subject FROM audit WHERE deed = 'secret-shared'")
    defer { statement.reset() }
    var ids: Set<String> = []
    while try statement.step() { ids.insert(statement.text(0)) }
    return ids
  }

  /// Removes the secret of a tag that has another one now, unless it was shared meanwhile; within a transaction.
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
