// SQLite, as little of it as the store needs: a connection, its prepared statements, transactions. The one file that
// imports CSQLite. What SQLite answers becomes a `StoreError`; nothing else is decided here.

import CPlatform
import CSQLite
import TappetCore

/// One connection to one database.
///
/// One thread at a time.
final class StoreDatabase {
  /// The database file.
  let path: String
  private let handle: OpaquePointer
  /// In the write-ahead log, after the last commit.
  private(set) var logPages = 0
  /// A handful, each known by the address of its SQL, which is a literal.
  private var statements: [(text: UnsafePointer<UInt8>, statement: StoreStatement)] = []

  /// Opens an existing file; `path` must not be a symbolic link.
  init(path: String) throws(StoreError) {
    self.path = path
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw .other(StoreFailure(code: SQLITE_NOMEM, systemCode: ENOMEM, path: path)) }
    guard code == SQLITE_OK else {
      let error = StoreDatabase.error(of: opened, path: path)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(clamping: Limits.storeBusyTimeout.wholeMilliseconds))
    sqlite3_wal_hook(
      handle, { context, _, _, pages in StoreDatabase.noteCommit(context, pages) },
      Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    for known in statements { known.statement.finalize() }
    sqlite3_close_v2(handle)
  }

  /// Runs SQL that answers nothing, and may be several statements.
  func execute(_ sql: String) throws(StoreError) {
    if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK { throw error() }
  }

  /// The prepared statement of `sql`, rewound and without values; kept for the next time.
  func statement(_ sql: StaticString) throws(StoreError) -> StoreStatement {
    for known in statements where known.text == sql.utf8Start { return known.statement.rewound() }
    var prepared: OpaquePointer?
    let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    let size = Int32(clamping: sql.utf8CodeUnitCount)
    let code = sqlite3_prepare_v3(handle, text, size, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error() }
    let statement = StoreStatement(prepared, of: self)
    statements.append((sql.utf8Start, statement))
    return statement
  }

  /// The first column of the first row; nil without one.
  func integer(_ sql: StaticString) throws(StoreError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Everything that `body` does, or nothing.
  ///
  /// The write lock is taken first, so that no half of it waits for it.
  func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result, failed: (StoreError) -> Failure
  ) throws(Failure) -> Result {
    do throws(StoreError) { try statement("BEGIN IMMEDIATE").run() } catch { throw failed(error) }
    let result: Result
    do throws(Failure) { result = try body() } catch {
      rollBack()
      throw error
    }
    do throws(StoreError) { try statement("COMMIT").run() } catch {
      rollBack()
      throw failed(error)
    }
    return result
  }

  /// Everything that `body` does, or nothing.
  func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try transaction(body, failed: { $0 })
  }

  /// After each commit, with the log's pages: the hook stands in the place of SQLite's own, which begins the log anew at so many.
  private static func noteCommit(_ context: UnsafeMutableRawPointer?, _ pages: Int32) -> Int32 {
    guard let context else { return SQLITE_OK }
    let database = Unmanaged<StoreDatabase>.fromOpaque(context).takeUnretainedValue()
    database.logPages = Int(pages)
    if database.logPages >= Limits.storeLogPagesMax { database.checkpoint() }
    return SQLITE_OK
  }

  /// The rows that the last statement changed.
  var changeCount: Int { Int(sqlite3_changes(handle)) }

  /// Runs `body` without waiting for other processes: who holds the database then is met at once.
  func withoutWaiting(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    let usual = try integer("PRAGMA busy_timeout") ?? 0
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, Int32(clamping: usual)) }
    try body()
  }

  /// Puts what is in the write-ahead log into the database; the log begins anew with the next commit.
  ///
  /// As far as no other process still reads there; what stays comes with the next time.
  func checkpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }

  /// Writes zeros behind the end of the write-ahead log up to `size` bytes, all of them or none; within a transaction, so that nobody
  /// else lengthens it.
  ///
  /// To SQLite they are no part of it: frames without the log's salt and checksum (sqlite.org/fileformat2.html, §4.1).
  func lengthenLog(to size: Int64) {
    guard let log = StoreDatabase.log(of: handle), let methods = log.pointee.pMethods?.pointee else { return }
    var start: Int64 = 0
    guard methods.xFileSize?(log, &start) == SQLITE_OK, start < size else { return }
    // The database needs room to grow, too: a checkpoint that finds none leaves the log as it is for ever.
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

  /// The row number of the last row that was inserted.
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// SQLITE_CORRUPT, for damage that SQLite tells in words.
  static let corruptCode = SQLITE_CORRUPT

  /// Some errors end a transaction by themselves (sqlite.org/lang_transaction.html, §3); a second end would be an error.
  private func rollBack() {
    for known in statements { known.statement.reset() }
    if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  fileprivate func error() -> StoreError { StoreDatabase.error(of: handle, path: path) }

  private static func error(of handle: OpaquePointer, path: String) -> StoreError {
    var systemCode = sqlite3_system_errno(handle)
    let code = sqlite3_extended_errcode(handle)
    // After a failed write to its log SQLite has often forgotten why; the file has not.
    if code & 0xFF == SQLITE_IOERR, StoreFault(systemCode: systemCode) == nil { systemCode = logErrno(of: handle) }
    let failure = StoreFailure(code: code, systemCode: systemCode, path: path)
    switch failure.code & 0xFF {
    case SQLITE_FULL: return .full(failure)
    case SQLITE_READONLY, SQLITE_PERM: return .readOnly(failure)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(failure)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(failure)
    case SQLITE_IOERR, SQLITE_CANTOPEN: return diskError(failure)
    default: return .other(failure)
    }
  }

  /// The errno of the last failed call on the write-ahead log; 0 when there was none.
  private static func logErrno(of handle: OpaquePointer) -> Int32 {
    var code: Int32 = 0
    guard let log = log(of: handle), let control = log.pointee.pMethods?.pointee.xFileControl else { return 0 }
    return control(log, SQLITE_FCNTL_LAST_ERRNO, &code) == SQLITE_OK ? code : 0
  }

  /// The write-ahead log, open.
  private static func log(of handle: OpaquePointer) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK ? file : nil
  }

  /// SQLite calls many a full or read-only disk an input/output error; the errno knows better.
  private static func diskError(_ failure: StoreFailure) -> StoreError {
    switch StoreFault(systemCode: failure.systemCode) {
    case .full: .full(failure)
    case .readOnly: .readOnly(failure)
    default: .ioError(failure)
    }
  }
}

/// A prepared statement.
///
/// Values are counted from 1, columns from 0, as in SQLite.
final class StoreStatement {
  private let handle: OpaquePointer
  // The database owns its statements and outlives them.
  private unowned(unsafe) let database: StoreDatabase
  /// A value that could not be bound; told by the next `step`.
  private var bindCode = SQLITE_OK

  fileprivate init(_ handle: OpaquePointer, of database: StoreDatabase) {
    self.handle = handle
    self.database = database
  }

  fileprivate func finalize() { sqlite3_finalize(handle) }

  fileprivate func rewound() -> StoreStatement {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    bindCode = SQLITE_OK
    return self
  }

  /// Lets go of the locks of a reading that is over.
  func reset() { sqlite3_reset(handle) }

  /// True: there is a row.
  ///
  /// False: done.
  func step() throws(StoreError) -> Bool {
    guard bindCode == SQLITE_OK else {
      throw .other(StoreFailure(code: bindCode, systemCode: 0, path: database.path))
    }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = database.error()
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement that answers no rows.
  func run() throws(StoreError) {
    defer { reset() }
    while try step() {}
  }

  // MARK: Values

  func bind(_ value: Int64, at index: Int32) { note(sqlite3_bind_int64(handle, index, value)) }

  func bind(_ value: Bool, at index: Int32) { bind(value ? 1 : 0, at: index) }

  func bind(_ text: String?, at index: Int32) {
    guard var text else { return note(sqlite3_bind_null(handle, index)) }
    // A null pointer would bind NULL instead of no characters.
    if text.isEmpty { return note(sqlite3_bind_text(handle, index, "", 0, copied)) }
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        sqlite3_bind_text64(
          handle, index, characters.baseAddress, UInt64(characters.count), copied, UInt8(SQLITE_UTF8))
      }
    }
    note(code)
  }

  func bind(blob bytes: [UInt8], at index: Int32) {
    // A null pointer would bind NULL instead of no bytes.
    if bytes.isEmpty { return note(sqlite3_bind_zeroblob(handle, index, 0)) }
    note(bytes.withUnsafeBytes { sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), copied) })
  }

  /// SQLITE_TRANSIENT, a macro with a cast: SQLite makes its own copy.
  private var copied: sqlite3_destructor_type? { unsafeBitCast(-1, to: sqlite3_destructor_type?.self) }

  private func note(_ code: Int32) { if code != SQLITE_OK { bindCode = code } }

  // MARK: Columns

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

  func blob(_ column: Int32) -> [UInt8] {
    // The pointer first, the size after it (sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
