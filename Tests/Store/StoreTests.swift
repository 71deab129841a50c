import Foundation
import TappetCore
import TappetSQLite
import Testing

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreTests {
  private let folder = StateFolder()

  // MARK: Files

  @Test func `the folder and its files are created for the owner alone, whatever the umask`() throws {
    let before = umask(0)
    defer { umask(before) }
    let store = try folder.open()
    _ = try store.append([.test(1)])
    _ = try folder.key()
    #expect(StateFolder.mode(folder.path) == 0o700)
    for name in ["tappet.db", "tappet.db-wal", "tappet.db-shm", "tappet.key"] {
      #expect(StateFolder.mode(folder.path + "/" + name) == 0o600, "\(name)")
    }
  }

  @Test func `a database that was opened to others is restricted to the owner again`() throws {
    _ = try folder.open()
    chmod(folder.databasePath, 0o644)
    chmod(folder.path, 0o777)
    _ = try folder.open()
    #expect(StateFolder.mode(folder.databasePath) == 0o600)
    #expect(StateFolder.mode(folder.path) == 0o755)
  }

  @Test func `a link or a folder in place of the database is refused`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    symlink("/etc/hostname", folder.databasePath)
    #expect(throws: DatabaseError.wrongFileType(path: folder.databasePath)) { try folder.open() }
    unlink(folder.databasePath)
    mkdir(folder.databasePath, 0o700)
    #expect(throws: DatabaseError.wrongFileType(path: folder.databasePath)) { try folder.open() }
  }

  @Test func `a folder that cannot be created is an error with its path and errno`() {
    let path = folder.path + "/missing/state"
    #expect(throws: DatabaseError.cannotOpen(path: path, SystemError(call: "mkdir", code: ENOENT))) {
      try Store(folder: path, bootID: [])
    }
  }

  @Test func `a file that is not a database is reported as damaged, and left unchanged`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let rubbish = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try rubbish.write(to: URL(fileURLWithPath: folder.databasePath))
    let error = #expect(throws: DatabaseError.self) { try folder.open() }
    #expect(error?.fault == .corrupt)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.databasePath)) == rubbish)
  }

  @Test func `damaged pages are an error, never a trap`() throws {
    let store = try folder.open()
    for start in 0..<20 { _ = try store.append((0..<50).map { .test(UInt64(start * 50 + $0)) }) }
    try folder.emptyLog()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.databasePath))
    let size = StateFolder.size(folder.databasePath)
    // All pages but the first: the header still says that it is a database.
    try file.seek(toOffset: 4096)
    file.write(Data((4096..<size).map { UInt8(truncatingIfNeeded: $0 &* 167) }))
    try file.close()
    let error = #expect(throws: DatabaseError.self) {
      let damaged = try folder.open()
      _ = try damaged.fetch(after: 0, limit: 1000, clockIsGood: true)
    }
    #expect(error?.fault == .corrupt)
  }

  // MARK: Schema

  @Test(arguments: [1, 2, 17, 99] as [Int64])
  func `a database of a different version is refused and left unchanged`(_ number: Int64) throws {
    do { _ = try folder.open() }
    try folder.sqlite("ALTER TABLE history DROP COLUMN person; PRAGMA user_version = \(number)")
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.databasePath))
    let refusal = DatabaseError.otherSchema(found: number, known: StoreSchema.version, path: folder.databasePath)
    #expect(throws: refusal) { try folder.open() }
    #expect(throws: refusal) {
      try Store.recovered(folder: folder.path, bootID: [UInt8](repeating: 1, count: 16), unixSeconds: 1)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.databasePath)) == before)
  }

  @Test(arguments: [0, 1, 17, 99, 255, 0x7FFF_FFFF, 0x0100_0001, 0x8000_0001])
  func `a damaged version number is not taken for a different version`(_ number: Int) throws {
    do { _ = try folder.open().append([.test(1)]) }
    // Bytes 60 to 63 of the file (sqlite.org/fileformat2.html, §1.3), as a damaged card changes them.
    try folder.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try #require(FileHandle(forUpdatingAtPath: folder.databasePath))
    try file.seek(toOffset: 60)
    try file.write(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    try file.close()
    let (store, recovery) = try Store.recovered(
      folder: folder.path, bootID: [UInt8](repeating: 1, count: 16), unixSeconds: 1_790_000_000)
    #expect(recovery?.setAside == nil)
    #expect(try store.fetch(after: 0, limit: 9, clockIsGood: true).entries.count == 1, "nothing is lost")
    #expect(try folder.sqlite("PRAGMA user_version") == "\(StoreSchema.version)")
  }

  @Test func `an absurd version number in a database of another schema counts as damage`() throws {
    do { _ = try folder.open() }
    try folder.sqlite("CREATE TABLE later (value); PRAGMA user_version = 70000")
    let recovered = try Store.recovered(
      folder: folder.path, bootID: [UInt8](repeating: 1, count: 16), unixSeconds: 1_790_000_000)
    #expect(recovered.recovery?.setAside != nil)
  }

  @Test func `ten threads that create the same store simultaneously all open it`() async throws {
    let path = folder.path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let sequences = try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<10 {
        group.addTask {
          let store = try Store(folder: path, bootID: [UInt8](repeating: 1, count: 16))
          return try store.append([.test(UInt64(number))])[0]
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sequences.sorted() == Array(1...10))
  }

  // MARK: The disk

  @Test func `a full database reports that, keeps its entries, and accepts more once there is room`() throws {
    let store = try folder.open()
    _ = try store.append([.test(1)])
    let pages = try #require(try store.database.integer("PRAGMA page_count"))
    try store.database.execute("PRAGMA max_page_count = \(pages)")
    let large = OutboxEntry.test(2, message: String(repeating: "x", count: 20_000))
    let error = #expect(throws: DatabaseError.self) { try store.append([.test(3), large]) }
    #expect(error?.fault == .full)
    #expect(try store.fetch(after: 0, limit: 10, clockIsGood: true).entries.map(\.id.low) == [1])
    try store.database.execute("PRAGMA max_page_count = 100000")
    #expect(try store.append([large]) == [2])
  }

  @Test func `a read-only database reports that`() throws {
    let store = try folder.open()
    try store.database.execute("PRAGMA query_only = 1")
    let error = #expect(throws: DatabaseError.self) { try store.append([.test(1)]) }
    #expect(error?.fault == .readOnly)
    #expect(throws: DatabaseError.self) { try store.tryWrite() }
    try store.database.execute("PRAGMA query_only = 0")
    try store.tryWrite()
  }

  @Test func `the errno distinguishes a full or read-only disk from a failing one`() {
    for (code, fault) in [(ENOSPC, StoreFault.full), (EDQUOT, .full), (EROFS, .readOnly), (EIO, .ioError)] {
      #expect(DatabaseError.cannotOpen(path: "", SystemError(call: "open", code: code)).fault == fault)
    }
  }

  @Test func `another program's lock is waited for, but not indefinitely`() throws {
    let store = try folder.open()
    try store.database.execute("PRAGMA busy_timeout = 50")
    let lock = try WriteLock(folder)
    let error = #expect(throws: DatabaseError.self) { try store.append([.test(1)]) }
    #expect(error?.fault == .busy)
    lock.release()
    #expect(try store.append([.test(1)]) == [1])
  }

  @Test func `SQLite runs with the documented settings`() throws {
    let store = try folder.open()
    #expect(try store.database.integer("PRAGMA synchronous") == 2)
    #expect(try store.database.integer("PRAGMA foreign_keys") == 1)
    #expect(try store.database.integer("PRAGMA mmap_size") ?? 0 == 0)
    #expect(try store.database.integer("PRAGMA cache_size") == -64)
    #expect(try folder.sqlite("PRAGMA journal_mode") == "wal")
  }
}
