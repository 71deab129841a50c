// Everything that hangs on an action's name in the database: its secrets, which are sealed together with the name, and
// the entries that wait. All of it follows the action to another name.

import TappetCore

extension Store {
  /// Gives everything of the action `old` to the action `new`; returns the number of secrets.
  ///
  /// All of it or nothing. Refuses more secrets than an action may have, one that `new` has already, and one that
  /// cannot be opened.
  package func renameAction(
    _ old: String, to new: String, sealedUnder key: SecretKey, limit: Int = Limits.secretsPerActionMax,
    noting auditEntry: AuditEntry
  ) throws(SecretError) -> Int {
    let count = try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        let known: StoredSecrets
        do throws(StoreError) { known = try secrets(sealedUnder: key) } catch { throw .store(error) }
        if let damaged = known.unreadable.first(where: { $0.action == old }) { throw .unreadable(damaged.id) }
        let moving = known.readable.map { $0.secret }.filter { $0.action == old }
        try Store.requireRoom(for: moving, in: new, known, limit: limit)
        for secret in moving { try move(secret, to: new, key) }
        do throws(StoreError) {
          try renameEntries(old, to: new)
          try noteSecretChange()
          try note(auditEntry)
        } catch { throw .store(error) }
        return moving.count
      }, failed: { .store($0) })
    renewReplica()
    return count
  }

  private static func requireRoom(
    for moving: [TagSecret], in action: String, _ known: StoredSecrets, limit: Int
  ) throws(SecretError) {
    let there = known.readable.map { $0.secret }.filter { $0.action == action }
    for secret in moving {
      if let same = there.first(where: { $0.key == secret.key }) { throw .alreadyThere(id: same.id) }
    }
    let count = moving.count + there.count + known.unreadable.count { $0.action == action }
    if count > limit { throw .limitReached(action: action, max: limit) }
  }

  private func move(_ secret: TagSecret, to action: String, _ key: SecretKey) throws(SecretError) {
    var moved = secret
    moved.action = action
    try writeSealed(moved, key)
  }

  private func renameEntries(_ old: String, to new: String) throws(StoreError) {
    let statements: [StaticString] = [
      "UPDATE outbox SET action = ?2 WHERE action = ?1", "UPDATE webhooks SET action = ?2 WHERE action = ?1",
    ]
    for text in statements {
      let statement = try database.statement(text)
      statement.bind(old, at: 1)
      statement.bind(new, at: 2)
      try statement.run()
    }
  }
}
