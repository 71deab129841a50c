// The parts of SQLite that the databases need: connections, prepared statements and transactions. It converts SQLite's
// result codes to `DatabaseError`, and makes no other decisions.

import CPlatform
import CSQLite
import TappetBase

/// One connection to one database.
///
/// Must be used by only one thread at a time.
package final class Database {
  /// Path of the database file.
  package let path: String
  /// Whether the WAL index is in memory, so that no other process can open the database.
  package let isExclusive: Bool
  private let handle: OpaquePointer
  /// Number of pages in the write-ahead log after the last commit.
  package private(set) var logPages = 0
  private let errors: DatabaseErrors
  /// A few cached statements, each identified by the address of its SQL literal.
  private var statements: [(text: UnsafePointer<UInt8>, statement: Statement)] = []

  /// Opens an existing file; `path` must not be a symbolic link.
  ///
  /// With `isExclusive`, no other process may open the database, and the WAL index uses no disk space.
  @export(interface)
  package init(path: String, isExclusive: Bool = false) throws(DatabaseError) {
    self.path = path
    self.isExclusive = isExclusive
    errors = DatabaseErrors(path: path)
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(path, &opened, flags, ReservingVFS.registered())
    guard let opened else { throw .other(DatabaseFailure(code: SQLITE_NOMEM, systemCode: ENOMEM, path: path)) }
    guard code == SQLITE_OK else {
      let error = errors.last(of: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(clamping: Limits.storeBusyTimeout.wholeMilliseconds))
    sqlite3_wal_hook(
      handle, { context, _, _, pages in Database.recordCommit(context, pages) },
      Unmanaged.passUnretained(self).toOpaque())
    if isExclusive { try execute("PRAGMA locking_mode = EXCLUSIVE") }
  }

  deinit {
    releaseStatements()
    sqlite3_close_v2(handle)
  }

  /// Runs one or more SQL statements that return no rows.
  package func execute(_ sql: String) throws(DatabaseError) {
    if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK { throw error() }
  }

  /// Returns the prepared statement for `sql`, reset and without bound values, and caches it.
  @export(interface)
  package func statement(_ sql: StaticString) throws(DatabaseError) -> Statement {
    for known in statements where known.text == sql.utf8Start { return known.statement.rewound() }
    var prepared: OpaquePointer?
    let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    let size = Int32(clamping: sql.utf8CodeUnitCount)
    let code = sqlite3_prepare_v3(handle, text, size, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error() }
    let statement = Statement(prepared, errors)
    statements.append((sql.utf8Start, statement))
    return statement
  }

  /// Finalizes the cached statements, most of which are used only at startup; they are prepared again when needed.
  package func releaseStatements() {
    for known in statements { known.statement.finalize() }
    statements.removeAll()
  }

  /// Returns the first column of the first row; `nil` if there is no row.
  package func integer(_ sql: StaticString) throws(DatabaseError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  ///
  /// Acquires the write lock first, so that `body` never has to wait for the lock.
  package func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result, failed: (DatabaseError) -> Failure
  ) throws(Failure) -> Result {
    do throws(DatabaseError) { try statement("BEGIN IMMEDIATE").run() } catch { throw failed(error) }
    let result: Result
    do throws(Failure) { result = try body() } catch {
      rollBack()
      throw error
    }
    do throws(DatabaseError) { try statement("COMMIT").run() } catch {
      rollBack()
      throw failed(error)
    }
    return result
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  package func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    try transaction(body, failed: { $0 })
  }

  /// Handles a commit that leaves `pages` pages in the log; SQLite's own hook restarts the log at a fixed count.
  private static func recordCommit(_ context: UnsafeMutableRawPointer?, _ pages: Int32) -> Int32 {
    guard let context else { return SQLITE_OK }
    let database = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
    database.logPages = Int(pages)
    if database.logPages >= Limits.storeLogPagesMax { database.checkpoint() }
    return SQLITE_OK
  }

  /// Number of rows that the last statement changed.
  package var changeCount: Int { Int(sqlite3_changes(handle)) }

  /// Runs `body`, but does not wait if another process has locked the database.
  package func withoutWaiting(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    let usual = try integer("PRAGMA busy_timeout") ?? 0
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, Int32(clamping: usual)) }
    try body()
  }

  /// Moves the write-ahead log's content into the database, so that the next commit restarts the log.
  ///
  /// Content that another process is still reading is left for the next checkpoint.
  package func checkpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }

  /// Disk space, in bytes, left after all cached content is written to both the log and the database; `nil` if unknown.
  package var room: Int64? {
    @export(interface) get {
      let free = tp_free_space(path)
      var (size, cached, highest): (Int64, Int32, Int32) = (0, 0, 0)
      sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &cached, &highest, 0)
      if let log = Database.log(of: handle), let methods = log.pointee.pMethods?.pointee {
        _ = methods.xFileSize?(log, &size)
      }
      return free < 0 ? nil : free - size - 2 * Int64(cached)
    }
  }

  /// Extends the write-ahead log with zeros to `size` bytes, or leaves it unchanged.
  ///
  /// Must be called within a transaction, so that no other process extends the log. SQLite does not regard the zeros as
  /// part of the log: they are frames without the log's salt and checksum (sqlite.org/fileformat2.html, §4.1).
  @export(interface)
  package func lengthenLog(to size: Int64) {
    guard let log = Database.log(of: handle), let methods = log.pointee.pMethods?.pointee else { return }
    var start: Int64 = 0
    guard methods.xFileSize?(log, &start) == SQLITE_OK, start < size else { return }
    // The database also needs room to grow; otherwise, no checkpoint could ever empty the log.
    guard tp_free_space(path) >= 2 * (size - start) else { return }
    let zeros = [UInt8](repeating: 0, count: 16 * 1024)
    var end = start
    while end < size {
      let count = min(Int64(zeros.count), size - end)
      guard methods.xWrite?(log, zeros, Int32(count), end) == SQLITE_OK else {
        _ = methods.xTruncate?(log, start)
        return
      }
      end += count
    }
    _ = methods.xSync?(log, SQLITE_SYNC_NORMAL)
  }

  /// Row number of the last inserted row.
  package var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// SQLITE_CORRUPT, for damage that SQLite reports as text instead of as a result code.
  package static let corruptCode = SQLITE_CORRUPT

  /// SQLITE_BUSY, for a lock of Tappet, rather than of SQLite, that another process holds.
  package static let busyCode = SQLITE_BUSY

  /// Rolls back, unless SQLite has already done so: some errors end a transaction automatically
  /// (sqlite.org/lang_transaction.html, §3), and a second rollback would be an error.
  private func rollBack() {
    for known in statements { known.statement.reset() }
    if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  private func error() -> DatabaseError { errors.last(of: handle) }

  /// The first corruption error that occurred on this connection.
  package var damage: DatabaseError? { errors.damage }

  fileprivate static func error(of handle: OpaquePointer, path: String) -> DatabaseError {
    var systemCode = sqlite3_system_errno(handle)
    let code = sqlite3_extended_errcode(handle)
    // After a failed write to its log, SQLite often no longer has the errno, but the log's file object still does.
    if code & 0xFF == SQLITE_IOERR, StoreFault(systemCode: systemCode) == nil { systemCode = logErrno(of: handle) }
    let failure = DatabaseFailure(code: code, systemCode: systemCode, path: path)
    switch failure.code & 0xFF {
    case SQLITE_FULL: return .full(failure)
    case SQLITE_READONLY, SQLITE_PERM: return .readOnly(failure)
    // Our statements are fixed and valid, so SQLITE_ERROR means that one of their tables or columns is missing.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: return .corrupt(failure)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(failure)
    case SQLITE_IOERR, SQLITE_CANTOPEN: return diskError(failure)
    default: return .other(failure)
    }
  }

  /// Returns the errno of the last failed call on the write-ahead log; 0 if there was none.
  private static func logErrno(of handle: OpaquePointer) -> Int32 {
    var code: Int32 = 0
    guard let log = log(of: handle), let control = log.pointee.pMethods?.pointee.xFileControl else { return 0 }
    return control(log, SQLITE_FCNTL_LAST_ERRNO, &code) == SQLITE_OK ? code : 0
  }

  /// Returns the file object of the open write-ahead log.
  private static func log(of handle: OpaquePointer) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK ? file : nil
  }

  /// Recognizes, by their errno, full and read-only disks that SQLite reports as input/output errors.
  private static func diskError(_ failure: DatabaseFailure) -> DatabaseError {
    switch StoreFault(systemCode: failure.systemCode) {
    case .full: .full(failure)
    case .readOnly: .readOnly(failure)
    default: .ioError(failure)
    }
  }
}

/// The errors of a connection and its statements.
private final class DatabaseErrors {
  let path: String
  private(set) var damage: DatabaseError?

  init(path: String) { self.path = path }

  func last(of handle: OpaquePointer) -> DatabaseError {
    let error = Database.error(of: handle, path: path)
    if case .corrupt = error, damage == nil { damage = error }
    return error
  }
}

/// A prepared statement.
///
/// Values are numbered from 1, columns from 0, as in SQLite.
package final class Statement {
  private let handle: OpaquePointer
  private let errors: DatabaseErrors
  /// Result code of a failed bind, which the next `step` throws.
  private var bindCode = SQLITE_OK

  fileprivate init(_ handle: OpaquePointer, _ errors: DatabaseErrors) {
    self.handle = handle
    self.errors = errors
  }

  fileprivate func finalize() { sqlite3_finalize(handle) }

  fileprivate func rewound() -> Statement {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    bindCode = SQLITE_OK
    return self
  }

  /// Releases the locks of a finished read.
  package func reset() { sqlite3_reset(handle) }

  /// Moves to the next row; returns false after the last row.
  @export(interface)
  package func step() throws(DatabaseError) -> Bool {
    guard bindCode == SQLITE_OK else {
      throw .other(DatabaseFailure(code: bindCode, systemCode: 0, path: errors.path))
    }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = errors.last(of: sqlite3_db_handle(handle))
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement that returns no rows.
  package func run() throws(DatabaseError) {
    defer { reset() }
    while try step() {}
  }

  // MARK: Values

  package func bind(_ value: Int64, at index: Int32) { note(sqlite3_bind_int64(handle, index, value)) }

  package func bind(_ value: Bool, at index: Int32) { bind(value ? 1 : 0, at: index) }

  @export(interface)
  package func bind(_ text: String?, at index: Int32) {
    guard var text else { return note(sqlite3_bind_null(handle, index)) }
    // A null pointer would bind NULL instead of an empty string.
    if text.isEmpty { return note(sqlite3_bind_text(handle, index, "", 0, copied)) }
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        sqlite3_bind_text64(
          handle, index, characters.baseAddress, UInt64(characters.count), copied, UInt8(SQLITE_UTF8))
      }
    }
    note(code)
  }

  package func bind(blob bytes: [UInt8], at index: Int32) {
    // A null pointer would bind NULL instead of an empty blob.
    if bytes.isEmpty { return note(sqlite3_bind_zeroblob(handle, index, 0)) }
    note(bytes.withUnsafeBytes { sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), copied) })
  }

  /// SQLITE_TRANSIENT, a macro with a cast, which makes SQLite copy the value.
  private var copied: sqlite3_destructor_type? { unsafeBitCast(-1, to: sqlite3_destructor_type?.self) }

  private func note(_ code: Int32) { if code != SQLITE_OK { bindCode = code } }

  // MARK: Columns

  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  package func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

  package func blob(_ column: Int32) -> [UInt8] {
    // The pointer must be requested before the size (sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
