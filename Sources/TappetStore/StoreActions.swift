// Everything in the database that depends on an action's name: its secrets and learned tags, which are sealed together
// with the name, its pending entries and its pending removals. All of them are moved when the action is renamed. The
// tap log is left unchanged, because it records the names used at the time.

import TappetCore
import TappetSQLite

/// Numbers of secrets and learned tags that were moved to an action's new name.
package struct RenamedAction: Hashable, Sendable {
  /// Number of moved secrets.
  package var secretCount = 0
  /// Number of moved learned tags.
  package var learnedTagCount = 0
}

extension Store {
  /// Moves everything that belongs to the action `old` to the action `new`.
  ///
  /// All or nothing. Throws if `new` would have too many secrets or already has one of the secrets, or if a secret
  /// cannot be decrypted.
  @export(interface)
  package func renameAction(
    _ old: String, to new: String, sealedUnder key: SecretKey, limit: Int = Limits.secretsPerActionMax,
    noting auditEntry: AuditEntry
  ) throws(SecretError) -> RenamedAction {
    let renamed = try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        let known: StoredSecrets
        do throws(DatabaseError) { known = try secrets(sealedUnder: key) } catch { throw .store(error) }
        if let damaged = known.unreadable.first(where: { $0.action == old }) { throw .unreadable(damaged.id) }
        let moving = known.readable.map { $0.secret }.filter { $0.action == old }
        try Store.requireRoom(for: moving, in: new, known, limit: limit)
        for secret in moving { try move(secret, to: new, key) }
        let learnedTagCount = try moveLearnedTags(of: old, to: new, key)
        do throws(DatabaseError) {
          try renameEntries(old, to: new)
          try recordSecretChange()
          try note(auditEntry)
        } catch { throw .store(error) }
        return RenamedAction(secretCount: moving.count, learnedTagCount: learnedTagCount)
      }, failed: { .store($0) })
    renewReplica()
    return renamed
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

  private func moveLearnedTags(of old: String, to new: String, _ key: SecretKey) throws(SecretError) -> Int {
    let known: [LearnedTag]
    do throws(DatabaseError) { known = try learnedTags(sealedUnder: key) } catch { throw .store(error) }
    var count = 0
    for var learned in known where learned.tag.action == old {
      learned.tag.action = new
      try writeValue(learned.stored, as: learned.name, under: key)
      count += 1
    }
    return count
  }

  private func renameEntries(_ old: String, to new: String) throws(DatabaseError) {
    let statements: [StaticString] = [
      "UPDATE outbox SET action = ?2 WHERE action = ?1", "UPDATE arrivals SET action = ?2 WHERE action = ?1",
      "UPDATE given_up SET action = ?2 WHERE action = ?1",
      "UPDATE OR REPLACE meta SET name = 'webhook works: ' || ?2 WHERE name = 'webhook works: ' || ?1",
    ]
    for text in statements {
      let statement = try database.statement(text)
      statement.bind(old, at: 1)
      statement.bind(new, at: 2)
      try statement.run()
    }
  }
}
