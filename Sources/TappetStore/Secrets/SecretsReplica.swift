// A replica of the secrets and of the other sealed values in a file next to the database, sealed as in the database, so
// that a damaged database does not require rewriting every tag.
//
// The replica is a separate small database. Whenever the secrets change, it is written as a whole and renamed into
// place, so the file is always the old or the new replica, never a partial one. Database and replica both count the
// changes; the higher count is current. Both counts are authenticated: otherwise, an older copy with a raised count
// could bring back a removed secret.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

extension Store {
  /// Name of the replica's file in the state folder.
  package static let replicaName = "secrets.db"

  /// Synchronizes database and replica: whichever contains fewer changes is updated from the other.
  ///
  /// Returns the number of secrets restored from the replica; `nil` if no restore was needed. The folder must be
  /// locked. If the replica cannot be written or read, taps are still accepted, and `replicaError` is set.
  func reconcileReplica(in folder: DatabaseFolder) throws(DatabaseError) -> Int? {
    replicaError = nil
    guard let seen = try replicaChanges(folder) else {
      writeReplica(folder)
      return nil
    }
    let changes = try secretChanges()
    do throws(DatabaseError) {
      if seen > changes { return try catchUp(with: folder, seen: seen, changes: changes) }
      return try checkNumber(folder, seen: seen, changes: changes)
    } catch {
      // An unreadable replica does not mean that the database is damaged.
      replicaError = error
      return nil
    }
  }

  /// Handles a replica with more changes than the database: restores from the replica if its count is authentic.
  private func catchUp(with folder: DatabaseFolder, seen: Int64, changes: Int64) throws(DatabaseError) -> Int? {
    switch try isProven(folder, seen: seen, changes: changes) {
    case true?: return try restore(from: folder)
    case false?:
      writeReplica(folder)
      throw .corrupt(
        DatabaseFailure(code: Database.corruptCode, systemCode: 0, path: folder.file(Store.replicaName)))
    case nil:
      isReplicaUnchecked = true
      return nil
    }
  }

  /// Handles a replica with no more changes than the database: restores only if the replica's count alone is authentic.
  private func checkNumber(_ folder: DatabaseFolder, seen: Int64, changes: Int64) throws(DatabaseError) -> Int? {
    guard let key = replicaKey else {
      if seen < changes {
        // The replica may nevertheless be current.
        if try replicaProof(folder) == nil { writeReplica(folder) } else { isReplicaUnchecked = true }
      }
      return nil
    }
    if try numberIsProven() != true {
      let proof = try replicaIsProven(folder, changes: seen) == true ? try replicaProof(folder) : nil
      // No restore is needed if the contents are equal: a change without the key leaves the count unauthenticated.
      if let proof, try Store.proof(of: database, changes: seen, key) != proof { return try restore(from: folder) }
      try transaction { () throws(DatabaseError) in try proveNumber(under: key) }
    }
    if seen < changes { writeReplica(folder) }
    return nil
  }

  /// Whether a restore from the replica is allowed; `nil` while this is unknown.
  ///
  /// An empty database has lost everything, so even an older replica cannot remove anything from it.
  private func isProven(_ folder: DatabaseFolder, seen: Int64, changes: Int64) throws(DatabaseError) -> Bool? {
    let count = try sealedCount()
    if changes == 0, count == 0 { return true }
    return try replicaIsProven(folder, changes: seen)
  }

  /// Synchronizes the database of an open store and its replica, because another process may have changed either.
  func reconcileReplica() throws(DatabaseError) {
    let folder = try DatabaseFolder.open(path: folderPath)
    try folder.lock()
    defer { folder.unlock() }
    isReplicaUnchecked = false
    if let count = try reconcileReplica(in: folder) { restoredCount = count }
  }

  /// Adopts the sealing key once it is known: enables the audit chain, and verifies or authenticates the replica.
  func adopt(_ sealingKey: SecretKey) throws(DatabaseError) {
    auditKey = sealingKey.auditKey
    replicaKey = sealingKey.replicaKey
    let isNumberProven = try numberIsProven() == true
    if isReplicaUnchecked || !isNumberProven { try reconcileReplica() }
    if isReplicaUnproven { renewReplica() }
  }

  /// Renews the replica after a change of the secrets, unless renewal is deferred.
  func renewReplica() {
    isReplicaStale = true
    if !defersReplica { renewStaleReplica() }
  }

  /// Writes the replica if the secrets have changed since it was written.
  func renewStaleReplica() {
    guard isReplicaStale else { return }
    do throws(DatabaseError) {
      let folder = try DatabaseFolder.open(path: folderPath)
      try folder.lock()
      defer { folder.unlock() }
      writeReplica(folder)
    } catch { replicaError = error }
  }

  /// Counts a change of the secrets, within the transaction of the change.
  func recordSecretChange() throws(DatabaseError) { try recordSecretChange(provenBy: replicaKey) }

  /// Counts a change to a new sealing key, or a change under a key that has not been adopted yet.
  func recordSecretChange(provenBy key: SecretKey?) throws(DatabaseError) {
    try database.statement("UPDATE meta SET value = value + 1 WHERE name = 'secret changes'").run()
    try proveNumber(under: key)
  }

  /// Authenticates the database's change count, within a transaction; if the key is unknown or OpenSSL fails, deletes
  /// the proof of the count.
  private func proveNumber(under key: SecretKey?) throws(DatabaseError) {
    let message = Store.numberMessage(try secretChanges())
    guard let proof = try? key?.authenticate(message) else {
      return try database.statement("DELETE FROM meta WHERE name = 'secret proof'").run()
    }
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('secret proof', ?1)")
    statement.bind(blob: proof, at: 1)
    try statement.run()
  }

  /// Whether the database's change count is authentic; `nil` while the key is unknown.
  private func numberIsProven() throws(DatabaseError) -> Bool? {
    guard let key = replicaKey else { return nil }
    let changes = try secretChanges()
    let statement = try database.statement("SELECT value FROM meta WHERE name = 'secret proof'")
    defer { statement.reset() }
    guard try statement.step(), let proof = try? key.authenticate(Store.numberMessage(changes)) else { return false }
    return LibCrypto.areEqual(proof, statement.blob(0))
  }

  private static func numberMessage(_ changes: Int64) -> [UInt8] { Array("database \(changes)".utf8) }

  /// Returns the number of changes of the secrets so far.
  func secretChanges() throws(DatabaseError) -> Int64 {
    try database.integer("SELECT value FROM meta WHERE name = 'secret changes'") ?? 0
  }

  /// Returns the change count of the replica; `nil` if there is no usable replica, which is then written again.
  private func replicaChanges(_ folder: DatabaseFolder) throws(DatabaseError) -> Int64? {
    do throws(DatabaseError) {
      return try openReplica(folder)?.integer("SELECT value FROM meta WHERE name = 'secret changes'")
    } catch {
      if case .otherSchema = error { throw error }
      return nil
    }
  }

  private func openReplica(_ folder: DatabaseFolder) throws(DatabaseError) -> Database? {
    guard try folder.tightenFile(Store.replicaName) else { return nil }
    let replica = try Database(path: folder.file(Store.replicaName))
    return try replica.hasTables(StoreSchema.replica, version: StoreSchema.version) ? replica : nil
  }

  // MARK: Writing

  /// Writes an up-to-date replica; the folder must be locked.
  func writeReplica(_ folder: DatabaseFolder) {
    let draft = Store.replicaName + ".new"
    isReplicaStale = false
    do throws(DatabaseError) {
      // The folder is locked, so an existing draft was left by an interrupted run.
      for name in [draft, draft + "-journal"] { unlink(folder.file(name)) }
      try folder.ensureFile(draft)
      try writeDraft(at: folder.file(draft))
      do throws(SystemError) {
        try checked("rename") { rename(folder.file(draft), folder.file(Store.replicaName)) }
        try folder.synchronize()
      } catch { throw .cannotOpen(path: folder.file(Store.replicaName), error) }
      replicaError = nil
    } catch {
      unlink(folder.file(draft))
      replicaError = error
    }
  }

  /// Writes the content of the replica to the draft, and closes it.
  ///
  /// No journal is used: an incomplete draft is discarded, and taps wait for fewer syncs.
  private func writeDraft(at path: String) throws(DatabaseError) {
    let draft = try Database(path: path)
    try draft.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL")
    try draft.transaction { () throws(DatabaseError) in
      try draft.execute("PRAGMA user_version = \(StoreSchema.version); " + StoreSchema.replica)
      try Store.copySealed(from: database, to: draft)
      let statement = try draft.statement("INSERT INTO meta VALUES ('secret changes', ?1)")
      statement.bind(try secretChanges(), at: 1)
      try statement.run()
      try writeProof(to: draft)
    }
    isReplicaUnproven = replicaKey == nil
  }

  private func writeProof(to draft: Database) throws(DatabaseError) {
    guard let key = replicaKey, let proof = try Store.proof(of: draft, changes: try secretChanges(), key) else {
      return
    }
    let statement = try draft.statement("INSERT INTO proof VALUES (?1)")
    statement.bind(blob: proof, at: 1)
    try statement.run()
  }

  /// Returns the authentication code of a replica's content and change count; `nil` if OpenSSL fails.
  private static func proof(
    of replica: Database, changes: Int64, _ key: SecretKey
  ) throws(DatabaseError) -> [UInt8]? {
    var message = Array("replica \(changes)".utf8)
    func add(_ bytes: [UInt8]) { message += Array(" \(bytes.count) ".utf8) + bytes }
    let rows = try replica.statement(
      "SELECT id, action, idx, sealed, created, label, uid FROM secrets ORDER BY id")
    defer { rows.reset() }
    while try rows.step() { for column in 0..<7 { add(rows.blob(Int32(column))) } }
    let values = try replica.statement("SELECT name, value FROM sealed ORDER BY name")
    defer { values.reset() }
    while try values.step() { for column in 0..<2 { add(values.blob(Int32(column))) } }
    return try? key.authenticate(message)
  }

  // MARK: Reading

  /// Whether the replica's content and change count are authentic; `nil` while the key is unknown.
  private func replicaIsProven(_ folder: DatabaseFolder, changes: Int64) throws(DatabaseError) -> Bool? {
    guard let key = replicaKey else { return nil }
    guard let found = try replicaProof(folder), let replica = try openReplica(folder),
      let proof = try Store.proof(of: replica, changes: changes, key)
    else { return false }
    return LibCrypto.areEqual(proof, found)
  }

  /// Returns the replica's proof, unverified; `nil` if there is none.
  private func replicaProof(_ folder: DatabaseFolder) throws(DatabaseError) -> [UInt8]? {
    guard let replica = try openReplica(folder), let statement = try? replica.statement("SELECT value FROM proof")
    else { return nil }
    defer { statement.reset() }
    return try statement.step() ? statement.blob(0) : nil
  }

  private func restore(from folder: DatabaseFolder) throws(DatabaseError) -> Int? {
    guard let replica = try openReplica(folder) else { return nil }
    try transaction { () throws(DatabaseError) in
      try database.statement("DELETE FROM secrets").run()
      try database.statement("DELETE FROM sealed").run()
      try Store.copySealed(from: replica, to: database)
      let statement = try database.statement("UPDATE meta SET value = ?1 WHERE name = 'secret changes'")
      statement.bind(try replica.integer("SELECT value FROM meta WHERE name = 'secret changes'") ?? 0, at: 1)
      try statement.run()
      try proveNumber(under: replicaKey)
    }
    return try secretCount()
  }

  /// Copies the sealed rows unchanged, for which no key is required.
  private static func copySealed(from source: Database, to target: Database) throws(DatabaseError) {
    let rows = try source.statement(
      "SELECT id, action, idx, sealed, created, label, last_used, times_used, uid FROM secrets")
    defer { rows.reset() }
    while try rows.step() {
      let insertion = try target.statement(
        """
        INSERT INTO secrets (id, action, idx, sealed, created, label, last_used, times_used, uid)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """)
      insertion.bind(rows.text(0), at: 1)
      insertion.bind(rows.text(1), at: 2)
      insertion.bind(rows.integer(2), at: 3)
      insertion.bind(blob: rows.blob(3), at: 4)
      insertion.bind(rows.integer(4), at: 5)
      insertion.bind(rows.isNull(5) ? nil : rows.text(5), at: 6)
      if !rows.isNull(6) { insertion.bind(rows.integer(6), at: 7) }
      insertion.bind(rows.integer(7), at: 8)
      if !rows.isNull(8) { insertion.bind(blob: rows.blob(8), at: 9) }
      try insertion.run()
    }
    let values = try source.statement("SELECT name, value FROM sealed")
    defer { values.reset() }
    while try values.step() {
      let insertion = try target.statement("INSERT INTO sealed (name, value) VALUES (?1, ?2)")
      insertion.bind(values.text(0), at: 1)
      insertion.bind(blob: values.blob(1), at: 2)
      try insertion.run()
    }
  }
}
