// Work on the secrets on the store's thread: between two commits, one after another, and never in the way of a tap for
// longer than its own commit takes.

import Foundation
import TappetCore
import TappetSQLite
import Testing
import TestSupport

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreThreadSecretTests {
  private let folder = StateFolder()
  private let diary = Diary<String>()

  private func start(_ prepare: (Store) throws -> Void = { _ in }) throws -> StoreThread {
    let store = try folder.open()
    _ = try SealingKey.resolve(store, credentials: nil)
    try prepare(store)
    let diary = diary
    let path = folder.path
    // Nobody else holds it; the compiler cannot see through `prepare`.
    nonisolated(unsafe) let handed = store
    return try StoreThread(
      handed,
      replace: { () throws(DatabaseError) in
        try Store.recovered(folder: path, bootID: [UInt8](repeating: 1, count: 16), unixSeconds: 1_770_000_000).store
      },
      post: { event in
        switch event {
        case .outbox(.broker, .stored(let id, _)): diary.note("stored \(id.low)")
        case .outbox(_, .fetchFailed): diary.note("fetchFailed")
        case .replaced: diary.note("replaced")
        default: diary.note("other")
        }
      })
  }

  private static func secret(_ number: Int64) throws -> TagSecret {
    TagSecret(
      id: "id-\(number)", action: "light-\(number)", index: number, key: try SecretKey.random(),
      createdUnixSeconds: number, label: nil)
  }

  /// Has the thread add a secret; its answer is in the diary as `added NUMBER`, or as the error.
  private func add(_ number: Int64, on thread: StoreThread, isRequired: Bool = false) throws -> Bool {
    let secret = try Self.secret(number)
    let diary = diary
    return thread.submit(isRequired: isRequired) { secrets in
      var word = "added \(number)"
      do throws(SecretStoreError) { try secrets.get().add(secret) } catch {
        if case .store(.corrupt) = error { word = "corrupt" } else { word = "\(error)" }
      }
      let answer = word
      return { replicaError in diary.note(replicaError == nil ? answer : "no replica") }
    }
  }

  @Test func `a secret is in the database and in the replica before the response is sent`() throws {
    let thread = try start()
    #expect(try add(1, on: thread))
    #expect(diary.wait(1) == ["added 1"])
    #expect(try folder.sqlite("SELECT id FROM secrets") == "id-1")
    let replica = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + Store.replicaName))
    #expect(replica.range(of: Data("id-1".utf8)) != nil)
    thread.stop()
  }

  @Test func `a tap that arrives while a secret is saved is stored before the replica is written`() throws {
    let thread = try start()
    let secret = try Self.secret(1)
    let diary = diary
    let path = folder.path + "/" + Store.replicaName
    let isAccepted = thread.submit(isRequired: false) { [unowned thread] secrets in
      try? secrets.get().add(secret)
      thread.submit(.append(.test(1)))
      return { _ in
        let replica = try? Data(contentsOf: URL(fileURLWithPath: path))
        diary.note(replica?.range(of: Data("id-1".utf8)) != nil ? "replica" : "no replica")
      }
    }
    #expect(isAccepted)
    #expect(diary.wait(2) == ["stored 1", "replica"])
    thread.stop()
  }

  @Test func `waiting taps are served before earlier requests for secrets`() throws {
    let thread = try start { try $0.waitLong() }
    let lock = try WriteLock(folder)
    thread.submit(.append(.test(0)))
    for number in 1...3 { #expect(try add(Int64(number), on: thread)) }
    for number in 1...3 as ClosedRange<UInt64> { thread.submit(.append(.test(number))) }
    lock.release()
    let words = try #require(diary.wait(7))
    thread.stop()
    // The first tap was under way, so the thread may take one piece of work with it; the others share the next commit.
    let last = try #require(words.lastIndex(of: "stored 3"))
    #expect(words[(last + 1)...].filter { $0.hasPrefix("added") }.count >= 2, "\(words)")
    #expect(words.filter { $0.hasPrefix("added") } == ["added 1", "added 2", "added 3"])
  }

  @Test func `damage fails pending requests with its own error, and later ones use a new database`() throws {
    let thread = try start { store in
      for start in 0..<40 { _ = try store.append((0..<50).map { .test(UInt64(start * 50 + $0)) }) }
    }
    thread.awaitPause()
    try folder.emptyLog()
    let gate = try thread.hold()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.databasePath))
    let size = StateFolder.size(folder.databasePath)
    try file.seek(toOffset: 4096)
    file.write(Data((4096..<size).map { UInt8(truncatingIfNeeded: $0 &* 167) }))
    try file.close()
    // The fetch meets the damage while all three wait.
    thread.submit(.fetch(.broker, after: 0, limit: 1000, clockIsGood: true))
    for number in 1...3 { #expect(try add(Int64(number), on: thread)) }
    gate.signal()
    #expect(try #require(diary.wait(4)).filter { $0 == "corrupt" }.count == 3)
    #expect(try add(4, on: thread))
    let words = try #require(diary.wait(6))
    #expect(words.contains("replaced") && words.last == "added 4", "\(words)")
    thread.stop()
  }

  @Test func `requests beyond the queue's limit are refused, but not the kiosk's own`() throws {
    let thread = try start()
    // From then on it takes nothing from the queue.
    let gate = try thread.hold()
    for number in 1...Limits.secretRequestsMax { #expect(try add(Int64(number), on: thread)) }
    #expect(try !add(100, on: thread))
    #expect(try add(101, on: thread, isRequired: true))
    gate.signal()
    #expect(diary.wait(Limits.secretRequestsMax + 1)?.last == "added 101")
    thread.stop()
  }

  @Test func `at a stop the kiosk's own requests are completed, and clients' requests are not`() throws {
    let thread = try start()
    let gate = try thread.hold()
    #expect(try add(1, on: thread))
    #expect(try add(2, on: thread, isRequired: true))
    let stopped = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      thread.stop()
      stopped.signal()
    }
    // Only a thread that is to stop refuses an entry: its failure is posted at once.
    var number: UInt64 = 0
    let isStopping = eventually {
      number += 1
      thread.submit(.append(.test(number)))
      return diary.count > 0
    }
    #expect(isStopping)
    #expect(try !add(3, on: thread))
    gate.signal()
    stopped.wait()
    #expect(try folder.sqlite("SELECT id FROM secrets") == "id-2")
  }

  @Test func `work on the secrets counts as progress`() throws {
    let thread = try start()
    thread.requestHeartbeat()
    #expect(try add(1, on: thread))
    #expect(diary.wait(1) != nil)
    #expect(thread.heartbeat.isAlive(at: Instant(nanoseconds: 0)))
    let gate = try thread.hold()
    // A thread that hangs gives no sign.
    thread.requestHeartbeat()
    #expect(!thread.heartbeat.isAlive(at: Instant(nanoseconds: 0)))
    gate.signal()
    #expect(try add(2, on: thread))
    #expect(diary.wait(2) != nil)
    #expect(thread.heartbeat.isAlive(at: Instant(nanoseconds: 0)))
    thread.stop()
  }
}
