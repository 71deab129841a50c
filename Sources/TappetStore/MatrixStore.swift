// The keys of encrypted rooms, in a separate SQLite database in the state folder. Each row is sealed as a whole, with a
// key that is one of the kiosk's sealed values: the file alone reveals the names of rooms and devices, but no keys.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// Kind and name that identify a row.
package struct MatrixRow: Hashable, Sendable {
  /// Kind of a row; the raw values are stored in the database.
  package enum Kind: Int64, Sendable {
    /// The device's own keys.
    case account = 1
    /// The Olm sessions with a device, identified by the device's Curve25519 key.
    case sessions = 2
    /// A session for messages from another device, by room and session.
    case inbound = 3
    /// The sessions of the kiosk's own messages, without their keys, by room.
    case outbound = 4
    /// The signing key of a device, by user and device: a device that presents a different key is an impostor.
    case device = 5
    /// An encrypted room, by its id: a homeserver that later reports the room as unencrypted is not trusted, even if it
    /// has ended the session of the device.
    case encryptedRoom = 6
    /// The keys with which the account signs its device.
    case identity = 7
  }

  package let kind: Kind
  package let name: String

  package init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// Associated data that binds a value to its row: the value cannot be decrypted in any other row.
  fileprivate var context: [UInt8] { Array("matrix \(kind.rawValue) \(name)".utf8) }
}

/// A change to a row: the new content, or `nil` to remove the row.
package struct MatrixChange: Sendable {
  package let row: MatrixRow
  package let value: [UInt8]?

  package init(row: MatrixRow, value: [UInt8]?) {
    self.row = row
    self.value = value
  }
}

/// The open database, which no other process can open at the same time.
///
/// Must be used by only one thread at a time; blocks on the disk.
package final class MatrixStore {
  /// Name of the database file in the state folder.
  package static let fileName = "matrix.db"

  private static let tables = """
    CREATE TABLE device (name TEXT NOT NULL);
    CREATE TABLE row (
      kind INTEGER NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, name)
    ) WITHOUT ROWID;
    """

  private let database: Database
  private let key: SecretKey

  private init(_ database: Database, _ key: SecretKey) {
    self.database = database
    self.key = key
  }

  /// Opens the database in the state folder; creates the folder and the database if absent.
  ///
  /// No file needs to be opened after this call. Rows that belong to a different device are removed, except those of
  /// encrypted rooms.
  @export(interface)
  package static func open(folder path: String, device: String) throws(SecretStoreError) -> MatrixStore {
    let key = try SecretStore.open(folder: path).matrixKey()
    do throws(DatabaseError) {
      let store = MatrixStore(try connect(path), key)
      try store.begin(device)
      return store
    } catch { throw .store(error) }
  }

  /// Whether the folder contains the keys of the given device; also true while a process is using the database.
  @export(interface)
  package static func hasKeys(folder path: String, of device: String) -> Bool {
    guard access(path + "/" + fileName, F_OK) == 0 else { return false }
    do throws(DatabaseError) {
      return try connect(path).device() == device
    } catch {
      if case .busy = error { return true }
      return false
    }
  }

  private static func connect(_ path: String) throws(DatabaseError) -> Database {
    let folder = try DatabaseFolder.open(path: path)
    try folder.lock()
    defer { folder.unlock() }
    try folder.ensureDatabase(fileName)
    let database = try Database(path: folder.file(fileName), isExclusive: true)
    try database.prepare(tables, version: 1, cacheSizeMax: Limits.matrixCacheSizeMax)
    return database
  }

  /// Records the device; always writes something, so that the log file is open afterwards.
  private func begin(_ device: String) throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      if try database.device() != device { try deleteKeys() }
      try database.execute("DELETE FROM device")
      let statement = try database.statement("INSERT INTO device (name) VALUES (?)")
      statement.bind(device, at: 1)
      try statement.run()
    }
  }

  private func deleteKeys() throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM row WHERE kind != ?1")
    statement.bind(MatrixRow.Kind.encryptedRoom.rawValue, at: 1)
    try statement.run()
  }

  /// Returns the rows of all encrypted rooms, of which only the names count: they are also valid if the keys are lost.
  @export(interface)
  package func encryptedRooms() throws(DatabaseError) -> [(row: MatrixRow, value: [UInt8])] {
    let statement = try database.statement("SELECT name FROM row WHERE kind = ?1")
    statement.bind(MatrixRow.Kind.encryptedRoom.rawValue, at: 1)
    defer { statement.reset() }
    var rows: [(row: MatrixRow, value: [UInt8])] = []
    while try statement.step() { rows.append((MatrixRow(.encryptedRoom, statement.text(0)), [])) }
    return rows
  }

  /// Returns the rows of all keys; `nil` if a row cannot be decrypted, because the keys are lost in that case.
  @export(interface)
  package func rows() throws(DatabaseError) -> [(row: MatrixRow, value: [UInt8])]? {
    let statement = try database.statement("SELECT kind, name, value FROM row WHERE kind != ?1")
    statement.bind(MatrixRow.Kind.encryptedRoom.rawValue, at: 1)
    defer { statement.reset() }
    var rows: [(row: MatrixRow, value: [UInt8])] = []
    while try statement.step() {
      guard let kind = MatrixRow.Kind(rawValue: statement.integer(0)) else { return nil }
      let row = MatrixRow(kind, statement.text(1))
      guard let value = try? LibCrypto.open(statement.blob(2), key: key, context: row.context) else { return nil }
      rows.append((row, value))
    }
    return rows
  }

  /// Commits all changes, or none.
  @export(interface)
  package func commit(_ changes: [MatrixChange]) throws(SecretError) {
    if changes.isEmpty { return }
    var sealed: [(MatrixRow, [UInt8]?)] = []
    for change in changes {
      do throws(CryptoError) {
        var value: [UInt8]?
        if let plain = change.value { value = try LibCrypto.seal(plain, key: key, context: change.row.context) }
        sealed.append((change.row, value))
      } catch { throw .notSealed(error) }
    }
    do throws(DatabaseError) {
      try database.transaction { () throws(DatabaseError) in
        for (row, value) in sealed { try write(row, value) }
      }
    } catch { throw .store(error) }
  }

  private func write(_ row: MatrixRow, _ value: [UInt8]?) throws(DatabaseError) {
    let statement =
      if value == nil {
        try database.statement("DELETE FROM row WHERE kind = ? AND name = ?")
      } else {
        try database.statement("INSERT OR REPLACE INTO row (kind, name, value) VALUES (?, ?, ?)")
      }
    statement.bind(row.kind.rawValue, at: 1)
    statement.bind(row.name, at: 2)
    if let value { statement.bind(blob: value, at: 3) }
    try statement.run()
  }

  /// Deletes the device and its keys.
  package func clear() throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      try deleteKeys()
      try database.execute("DELETE FROM device")
    }
  }
}

extension Database {
  fileprivate func device() throws(DatabaseError) -> String? {
    let statement = try statement("SELECT name FROM device")
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }
}
