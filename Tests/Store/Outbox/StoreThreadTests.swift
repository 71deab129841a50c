import Foundation
import TappetCore
import TappetSQLite
import Testing
import TestSupport

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreThreadTests {
  private let folder = StateFolder()
  /// The events that the thread has posted.
  private let answers = Diary<StoreEvent>()

  private func start(_ prepare: (Store) throws -> Void = { _ in }) throws -> StoreThread {
    let store = try folder.open()
    try prepare(store)
    let answers = answers
    let path = folder.path
    // Nobody else holds it; the compiler cannot see through `prepare`.
    nonisolated(unsafe) let handed = store
    return try StoreThread(
      handed, replace: { () throws(DatabaseError) in try Self.replacement(path) }, post: { answers.note($0) })
  }

  private static func replacement(_ path: String) throws(DatabaseError) -> Store {
    try Store.recovered(folder: path, bootID: [UInt8](repeating: 1, count: 16), unixSeconds: 1_770_000_000).store
  }

  @Test func `a database damaged while in use is set aside, and the next entries go to a new one`() throws {
    let thread = try start { store in
      for start in 0..<40 { _ = try store.append((0..<50).map { .test(UInt64(start * 50 + $0)) }) }
    }
    defer { thread.stop() }
    thread.awaitPause()
    // Another program's hand; what is in the log is put into the database first, and all of it overwritten but its
    // head.
    try folder.emptyLog()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.databasePath))
    let size = StateFolder.size(folder.databasePath)
    try file.seek(toOffset: 4096)
    file.write(Data((4096..<size).map { UInt8(truncatingIfNeeded: $0 &* 167) }))
    try file.close()
    thread.submit(.fetch(.broker, after: 0, limit: 1000, clockIsGood: true))
    #expect(try #require(answers.wait(1)).map(describe) == ["fetchFailed corrupt"])
    thread.submit(.append(.test(5000)))
    #expect(try #require(answers.wait(3)).map(describe) == ["fetchFailed corrupt", "replaced", "stored 5000 1"])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains("tappet.db.damaged-1770000000"), "\(names)")
    #expect(StateFolder.size(folder.path + "/tappet.db.damaged-1770000000") == size)
    #expect(try folder.sqlite("SELECT count(*) FROM outbox") == "1")
  }

  private func describe(_ event: StoreEvent) -> String {
    switch event {
    case .outbox(.broker, let answer): describe(answer)
    case .outbox(.webhook, let answer): "webhooks \(describe(answer))"
    case .storeFailed(let id, let fault): "storeFailed \(id.low) \(fault)"
    case .counted(let id): "counted \(id.low)"
    case .roomCommandsRecorded: "recorded"
    case .roomCommandsFailed(let fault): "recordFailed \(fault)"
    case .edit(let edit): "edit \(edit.map { "\($0.entry.low) \($0.event) \($0.outcome)" } ?? "none")"
    case .editFailed(let fault): "editFailed \(fault)"
    case .dropped(let entries): "dropped \(entries.map(\.id.low))"
    case .dropFailed(let fault): "dropFailed \(fault)"
    case .retried(let entries): "retried \(entries.map(\.id.low))"
    case .retryFailed(let fault): "retryFailed \(fault)"
    case .replaced: "replaced"
    case .checked: "checked"
    case .checkFailed(let fault): "checkFailed \(fault)"
    }
  }

  private func describe(_ answer: OutboxAnswer) -> String {
    switch answer {
    case .stored(let id, let sequence): "stored \(id.low) \(sequence)"
    case .removed(let ids): "removed \(ids.map(\.low))"
    case .removeFailed(let fault): "removeFailed \(fault)"
    case .fetched(let entries, let reachedEnd): "fetched \(entries.map(\.id.low)) \(reachedEnd)"
    case .fetchFailed(let fault): "fetchFailed \(fault)"
    case .expired(let entries, _): "expired \(entries.map(\.id.low))"
    case .fetchExpiredFailed(let fault): "fetchExpiredFailed \(fault)"
    }
  }

  @Test func `every request gets a response, in the order of processing`() throws {
    let thread = try start()
    thread.submit(.append(.test(1)))
    _ = answers.wait(1)
    thread.submit(.append(.test(2)))
    _ = answers.wait(2)
    thread.submit(.fetch(.broker, after: 0, limit: 9, clockIsGood: true))
    _ = answers.wait(3)
    thread.submit(.remove(.broker, [.test(1).at(1)]))
    _ = answers.wait(4)
    thread.submit(.fetchExpired(.broker, .test(900, wallSeconds: 1_000_800), clockIsGood: true, excluding: []))
    _ = answers.wait(5)
    thread.submit(.check)
    let events = try #require(answers.wait(6))
    thread.stop()
    #expect(
      events.map(describe) == [
        "stored 1 1", "stored 2 2", "fetched [1, 2] true", "removed [1]", "expired [2]", "checked",
      ])
  }

  @Test func `a broker without MQTT 5 is remembered, until all such brokers are forgotten`() throws {
    let thread = try start()
    thread.submit(.recordFallback(url: "mqtts://a:1", untilUnixSeconds: 5))
    thread.submit(.recordFallback(url: "mqtts://b:1", untilUnixSeconds: 6))
    thread.submit(.recordFallback(url: "mqtts://a:1", untilUnixSeconds: 7))
    thread.stop()
    #expect(try folder.open().fallback(at: "mqtts://a:1") == 7)
    #expect(try folder.open().fallback(at: "mqtts://b:1") == 6)
    #expect(try folder.open().fallback(at: "mqtts://c:1") == nil)
    let other = try start()
    other.submit(.forgetFallbacks)
    other.stop()
    #expect(try folder.open().fallback(at: "mqtts://a:1") == nil)
  }

  @Test func `of several brokers, only the last one that worked is remembered`() throws {
    let thread = try start()
    thread.submit(.recordBroker(url: "mqtts://a:1"))
    thread.submit(.recordBroker(url: "mqtts://b:1"))
    thread.stop()
    #expect(try folder.open().isLastBroker("mqtts://b:1"))
    #expect(try !folder.open().isLastBroker("mqtts://a:1"))
  }

  @Test func `a timed opening is remembered until it closes`() throws {
    let thread = try start()
    var openings = ["a", "b", "c"].map {
      TimedOpening(topic: $0, stopsAt: Instant(nanoseconds: 5), closesAt: Instant(nanoseconds: 7))
    }
    for opening in openings { thread.submit(.recordTimedOpening(topic: opening.topic, opening)) }
    thread.submit(.recordTimedOpening(topic: "b", nil))
    openings[2].stopsAt = nil
    thread.submit(.recordTimedOpening(topic: "c", openings[2]))
    thread.stop()
    #expect(try folder.open().timedOpenings() == [openings[0], openings[2]])
  }

  @Test func `commands from rooms are recorded with their position, and kept until long after they are answered`()
    throws
  {
    let thread = try start()
    let rows = (1...3).map { RecordedCommand(room: "#door:h", event: "$\($0)", unixSeconds: Int64($0)) }
    thread.submit(.recordRoomCommands(Array(rows[..<2]), position: "p1"))
    #expect(try #require(answers.wait(1)).map(describe) == ["recorded"])
    thread.submit(.settleRoomCommand("$2"))
    thread.submit(.recordRoomCommands([rows[2]], position: "p2"))
    _ = answers.wait(2)
    thread.stop()
    let store = try folder.open()
    #expect(try store.roomPosition() == "p2")
    #expect(try store.roomCommands().map(\.event) == ["$2", "$1", "$3"])
    #expect(try store.roomCommands().map(\.isAnswered) == [true, false, false])
    // A time of the homeserver's choice deletes nothing.
    for number in 0...Limits.roomCommandsAnsweredMax {
      #expect(try store.roomCommands().contains { $0.event == "$2" })
      let next = RecordedCommand(room: "#door:h", event: "$next\(number)", unixSeconds: .max - number)
      try store.transaction { () throws(DatabaseError) in
        try store.record([next], position: "p3")
        try store.settleRoomCommand(next.event)
      }
    }
    #expect(try store.roomCommands().count == Int(Limits.roomCommandsAnsweredMax) + 3)
    let last = RecordedCommand(room: "#door:h", event: "$last", unixSeconds: 1)
    try store.transaction { () throws(DatabaseError) in try store.record([last], position: "p4") }
    let events = try store.roomCommands().map(\.event)
    #expect(!events.contains("$2") && events.contains("$1") && events.contains("$next1"))
  }

  @Test func `wrong codes at the panel are remembered until it is unlocked`() throws {
    let thread = try start()
    for count in 1...4 { thread.submit(.recordWrongCodes(count)) }
    thread.stop()
    #expect(try folder.open().wrongCodes() == 4)
    let other = try start()
    other.submit(.recordWrongCodes(0))
    other.stop()
    #expect(try folder.open().wrongCodes() == 0)
  }

  @Test func `the latest trusted time is remembered`() throws {
    #expect(try folder.open().latestTime() == nil)
    let thread = try start()
    thread.submit(.recordTime(unixSeconds: 7))
    thread.submit(.recordTime(unixSeconds: 1_790_000_000))
    thread.stop()
    #expect(try folder.open().latestTime() == 1_790_000_000)
  }

  @Test func `a topic with a retained message is remembered until the message is cleared`() throws {
    let thread = try start()
    thread.submit(.recordAnnounced(topic: "b", content: "tag t"))
    thread.submit(.recordAnnounced(topic: "a", content: ""))
    thread.submit(.recordAnnounced(topic: "b", content: "lock d\ntag t"))
    thread.stop()
    let topics = try folder.open().announcedTopics()
    #expect(topics.map { $0.topic } == ["a", "b"] && topics.map { $0.content } == ["", "lock d\ntag t"])
    let other = try start()
    other.submit(.recordAnnounced(topic: "a", content: nil))
    other.stop()
    #expect(try folder.open().announcedTopics().map { $0.topic } == ["b"])
  }

  @Test func `waiting requests share one commit`() throws {
    let thread = try start { try $0.waitLong() }
    // Or else the thread may start the log over in a pause, before its pages are counted.
    #expect(folder.awaitLogRoom())
    // While another program holds the lock, the thread has taken one request and the others wait.
    let lock = try WriteLock(folder)
    thread.submit(.append(.test(0)))
    for number in 1...200 { thread.submit(.append(.test(UInt64(number)))) }
    lock.release()
    let events = try #require(answers.wait(201))
    #expect(events.allSatisfy { if case .outbox(.broker, .stored) = $0 { true } else { false } })
    // Each commit writes at least one page of the log; 201 of them alone would be 201 pages and more.
    let pages = try folder.logPages()
    #expect(pages > 0 && pages < 100, "\(pages) pages")
    thread.stop()
    #expect(try folder.sqlite("SELECT count(*) FROM outbox") == "201")
  }

  @Test func `taps overwrite a log that was allocated beforehand, and never lengthen it`() throws {
    let thread = try start()
    #expect(folder.awaitLogRoom())
    var pages: [Int] = []
    for number in 1...240 as ClosedRange<UInt64> {
      thread.submit(.append(.test(number)))
      _ = try #require(answers.wait(Int(2 * number - 1)))
      thread.submit(.remove(.broker, [.test(number).at(Int64(number))]))
      _ = try #require(answers.wait(Int(2 * number)))
      if number.isMultiple(of: 5) {
        thread.awaitPause()
        pages.append(try folder.logPages())
      }
    }
    #expect(StateFolder.size(folder.logPath) == Limits.storeLogRoom)
    // The log was started over several times.
    #expect(zip(pages, pages.dropFirst()).contains { $1 < $0 }, "\(pages)")
    // As after a power cut: another store reads the log and the zeros after it.
    thread.submit(.append(.test(9999)))
    _ = try #require(answers.wait(481))
    thread.awaitPause()
    let copy = StateFolder()
    try copy.take(from: folder)
    #expect(try copy.open().fetch(after: 0, limit: 9, clockIsGood: true).entries.map(\.id.low) == [9999])
    thread.stop()
  }

  @Test func `a log that another program truncated is allocated again`() throws {
    let thread = try start()
    #expect(folder.awaitLogRoom())
    thread.awaitPause()
    try folder.emptyLog()
    #expect(StateFolder.size(folder.logPath) == 0)
    for number in 1...100 as ClosedRange<UInt64> {
      thread.submit(.append(.test(number)))
      _ = try #require(answers.wait(Int(number)))
    }
    #expect(folder.awaitLogRoom())
    thread.stop()
  }

  @Test func `an entry that does not fit does not prevent storing the others`() throws {
    let thread = try start { store in
      try store.waitLong()
      let pages = try #require(try store.database.integer("PRAGMA page_count"))
      try store.database.execute("PRAGMA max_page_count = \(pages)")
    }
    let lock = try WriteLock(folder)
    thread.submit(.check)
    thread.submit(.append(.test(1)))
    thread.submit(.append(.test(2, message: String(repeating: "x", count: 30_000))))
    thread.submit(.append(.test(3)))
    lock.release()
    let events = try #require(answers.wait(4))
    thread.stop()
    #expect(Set(events.map(describe)) == ["checked", "stored 1 1", "storeFailed 2 full", "stored 3 2"])
  }

  @Test func `a removal that failed on disk is done with the next commit`() throws {
    let thread = try start { store in
      _ = try store.append([.test(1), .test(2)])
      try store.database.execute("PRAGMA busy_timeout = 20")
    }
    let lock = try WriteLock(folder)
    thread.submit(.remove(.broker, [.test(1).at(1)]))
    #expect(answers.wait(1).map { $0.map(describe) } == ["removeFailed busy"])
    lock.release()
    thread.submit(.check)
    #expect(answers.wait(3).map { $0.map(describe) } == ["removeFailed busy", "removed [1]", "checked"])
    thread.stop()
    #expect(try folder.open().fetch(after: 0, limit: 9, clockIsGood: true).entries.map(\.id.low) == [2])
  }

  @Test func `a room's answered command that could not be marked is marked with the next commit`() throws {
    let row = RecordedCommand(room: "#door:h", event: "$1", unixSeconds: 1)
    let thread = try start { store in
      try store.transaction { () throws(DatabaseError) in try store.record([row], position: "p1") }
      try store.database.execute("PRAGMA busy_timeout = 20")
    }
    let lock = try WriteLock(folder)
    thread.submit(.settleRoomCommand("$1"))
    thread.submit(.check)
    #expect(answers.wait(1).map { $0.map(describe) } == ["checkFailed busy"])
    lock.release()
    thread.submit(.check)
    #expect(answers.wait(2).map { $0.map(describe) } == ["checkFailed busy", "checked"])
    thread.stop()
    #expect(try folder.open().roomCommands().map(\.isAnswered) == [true])
  }

  @Test func `a busy database fails all waiting requests together, not one after the other`() throws {
    let thread = try start { try $0.database.execute("PRAGMA busy_timeout = 200") }
    let gate = try thread.hold()
    let lock = try WriteLock(folder)
    for number in 1...100 { thread.submit(.append(.test(UInt64(number)))) }
    gate.signal()
    _ = try #require(answers.wait(1))
    // One after the other, most would find the lock released.
    lock.release()
    let events = try #require(answers.wait(100))
    #expect(events.allSatisfy { describe($0).hasSuffix("busy") })
    thread.stop()
  }

  @Test func `earlier requests are served before the stop, and later ones are refused`() throws {
    let thread = try start()
    for number in 1...50 { thread.submit(.append(.test(UInt64(number)))) }
    thread.stop()
    #expect(answers.wait(50)?.count == 50)
    thread.submit(.append(.test(51)))
    #expect(answers.wait(51).map { describe($0[50]) } == "storeFailed 51 busy")
    #expect(try folder.sqlite("SELECT count(*) FROM outbox") == "50")
  }

  @Test func `a full queue refuses requests immediately`() throws {
    let thread = try start { try $0.waitLong() }
    let lock = try WriteLock(folder)
    // The thread may have taken the first ones before the lock stopped it.
    let count = 2 * Limits.storeAppendsMax + 10
    for number in 0..<count { thread.submit(.append(.test(UInt64(number)))) }
    lock.release()
    let events = try #require(answers.wait(count))
    thread.stop()
    let refused = events.filter { describe($0).hasSuffix("busy") }.count
    #expect(refused >= 9 && refused < count)
    #expect(try folder.sqlite("SELECT count(*) FROM outbox") == "\(count - refused)")
  }
}
