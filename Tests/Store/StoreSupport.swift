// A state folder for the store's tests, and what the tests put into it.

import Foundation
import TappetCore
import TappetPlatform
import TappetSQLite
import TestSupport
import Testing

@testable import TappetStore

/// A folder that is gone when the test is over.
final class StateFolder {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "tappet-store-" + UUID().uuidString
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var databasePath: String { path + "/tappet.db" }
  var logPath: String { path + "/tappet.db-wal" }

  func open(boot: UInt8 = 1) throws -> Store {
    try Store(folder: path, bootID: [UInt8](repeating: boot, count: 16))
  }

  func key() throws -> SecretKey { try SealingKey.resolve(open(), credentials: nil) }

  static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Waits for the thread's pause; returns whether the log has its room then.
  func awaitLogRoom() -> Bool {
    eventually { StateFolder.size(logPath) >= Limits.storeLogRoom }
  }

  /// The pages that are in the log, by another program's reading.
  func logPages() throws -> Int { try checkpoint("PASSIVE")[1] }

  /// Puts all that is in the log into the database, by another program.
  func emptyLog() throws { _ = try checkpoint("TRUNCATE") }

  /// Where the store's thread is at a checkpoint just then, SQLite refuses another's at once, whatever its timeout.
  private func checkpoint(_ kind: String) throws -> [Int] {
    var counts: [Int] = []
    let isDone = try eventually {
      counts = try sqlite("PRAGMA wal_checkpoint(\(kind))").split(separator: "|").compactMap { Int($0) }
      return counts.count == 3 && counts[0] == 0
    }
    try #require(isDone, "the log is in use")
    return counts
  }

  /// Makes this a copy of the database in `other` as it is on the disk, which is in use.
  func take(from other: StateFolder) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: other.databasePath + ending, toPath: databasePath + ending)
    }
  }

  /// Runs SQL through the sqlite3 program: another process, another build of nothing of ours.
  @discardableResult
  func sqlite(_ sql: String) throws -> String {
    // The store's own thread may be at its log.
    let arguments = ["-cmd", ".timeout \(Int(patience * 1000))", databasePath, sql]
    return try Programs.run(Programs.installed("sqlite3"), arguments).output.trimmingCharacters(in: .newlines)
  }
}

/// Another program that holds the write lock until `release`.
final class WriteLock {
  private let process: TestProcess

  init(_ folder: StateFolder) throws {
    let output = folder.path + "/write-lock"
    process = try TestProcess(
      Programs.installed("sqlite3"), ["-cmd", ".timeout \(Int(patience * 1000))", folder.databasePath], input: .typed,
      output: output)
    try process.type("BEGIN IMMEDIATE;\nSELECT 'held';\n")
    guard eventually({ textSoFar(output).contains("held") }) else { throw TestFault("no lock") }
  }

  func release() {
    try? process.type("ROLLBACK;\n.quit\n")
    _ = process.ends()
  }
}

extension Store {
  /// Removes the entries in one commit.
  func removeAll(_ entries: [OutboxEntry]) throws {
    try transaction { () throws(DatabaseError) in try remove(entries) }
  }

  /// The entries that are in the store for this destination.
  func entries(for destination: Destination = .broker) throws -> [OutboxEntry] {
    try fetch(after: 0, limit: 1000, clockIsGood: true, of: destination).entries
  }

  /// Waits for another program's lock for as long as a busy machine lets that program keep it.
  func waitLong() throws { try database.execute("PRAGMA busy_timeout = \(Int(patience * 1000))") }
}

extension StoreThread {
  /// Waits until the thread has had a pause since its last answer: it gives the sign after that.
  func awaitPause() {
    requestHeartbeat()
    #expect(eventually { heartbeat.isAlive(at: Instant(nanoseconds: 0)) })
  }

  /// Keeps the thread at a piece of work, which it has begun by then, until the semaphore is signalled.
  func hold() throws -> DispatchSemaphore {
    let (hasBegun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isAccepted = submit(isRequired: false) { _ in
      hasBegun.signal()
      gate.wait()
      return { _ in }
    }
    try #require(isAccepted)
    hasBegun.wait()
    return gate
  }
}

extension SecretBytes {
  static func test(_ bytes: [UInt8]) -> SecretBytes { bytes.withUnsafeBytes { SecretBytes(copying: $0) } }

  var array: [UInt8] { withBytes { Array($0) } }
}

extension OutboxEntry {
  static let second: Int64 = 1_000_000_000

  /// The entry number `number`: accepted at second 100 of this start and second 1,000,000 of the wall clock.
  static func test(
    _ number: UInt64, action: String = "light", message: String = "toggle", acceptedAt: Int64 = 100,
    wallSeconds: Int64 = 1_000_000, lifetime: Int64 = 60
  ) -> OutboxEntry {
    test(
      number, action: action, message: PayloadTemplate(message), acceptedAt: acceptedAt, wallSeconds: wallSeconds,
      lifetime: lifetime)
  }

  static func test(
    _ number: UInt64, action: String = "light", message: PayloadTemplate, acceptedAt: Int64 = 100,
    wallSeconds: Int64 = 1_000_000, lifetime: Int64 = 60
  ) -> OutboxEntry {
    OutboxEntry(
      id: EntryID(high: 7, low: number), action: action, topic: "home/\(action)/set",
      message: message, isRetained: number % 2 == 0, trigger: .button,
      acceptedUnixMilliseconds: wallSeconds * 1000, acceptedAt: Instant(nanoseconds: acceptedAt * second),
      expiry: .at(Instant(nanoseconds: (acceptedAt + lifetime) * second)))
  }

  /// The entry as it is in the row with this number.
  func at(_ sequence: Int64) -> OutboxEntry {
    var entry = self
    entry.sequence = sequence
    return entry
  }
}

extension Moment {
  /// The moment `seconds` after the start and `wallSeconds` after 1970.
  static func test(_ seconds: Int64, wallSeconds: Int64) -> Moment {
    Moment(instant: Instant(nanoseconds: seconds * OutboxEntry.second), unixMilliseconds: wallSeconds * 1000)
  }
}

/// The deeds of a thread, in their order, for tests that wait for them.
// Unchecked: `entries` is touched only under the condition's lock.
final class Diary<Entry: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var entries: [Entry] = []

  func note(_ entry: Entry) {
    condition.lock()
    entries.append(entry)
    condition.broadcast()
    condition.unlock()
  }

  var count: Int {
    condition.lock()
    defer { condition.unlock() }
    return entries.count
  }

  /// All entries once there are `count` of them; `nil` if they do not come.
  func wait(_ count: Int) -> [Entry]? {
    let limit = Date(timeIntervalSinceNow: patience)
    condition.lock()
    defer { condition.unlock() }
    while entries.count < count { if !condition.wait(until: limit) { return nil } }
    return entries
  }
}
