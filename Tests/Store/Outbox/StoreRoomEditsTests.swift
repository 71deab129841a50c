import TappetCore
import TappetSQLite
import TestSupport
import Testing

@testable import TappetStore

extension OutboxEntry {
  /// A tap for a topic and a room, whose outcome is to be reported.
  fileprivate static func reported(_ number: UInt64, isReported: Bool = true) -> OutboxEntry {
    OutboxEntry(
      id: .reported(number), action: "bell", topic: "home/bell", message: PayloadTemplate("ring"), isRetained: false,
      trigger: .tag, acceptedUnixMilliseconds: 1_000_000_000,
      acceptedAt: Instant(nanoseconds: 100 * OutboxEntry.second),
      expiry: .at(Instant(nanoseconds: 160 * OutboxEntry.second)),
      webhookBody: PayloadTemplate(#"{"body":"ring \#(number)"}"#), notes: EntryNotes(isReported: isReported))
  }
}

extension EntryID {
  fileprivate static func reported(_ number: UInt64) -> EntryID { EntryID(high: 8, low: number) }
}

extension StoreEvent {
  fileprivate var foundEdit: RoomEdit? { if case .edit(let edit) = self { edit } else { nil } }
}

@Suite struct StoreRoomEditsTests {
  private let folder = StateFolder()

  private func serve(_ store: Store, _ requests: StoreRequest...) throws -> [StoreEvent] {
    try StoreBatch(requests).commit(to: store)
  }

  private func next(_ store: Store, done: EntryID? = nil) throws -> RoomEdit? {
    try serve(store, .fetchEdit(done: done)).compactMap { $0.foundEdit }.first
  }

  /// The entries for rooms, as they are in the store.
  private func inRooms(_ store: Store) throws -> [OutboxEntry] {
    try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook).entries
  }

  @Test func `an edit is due once its event and its outcome are recorded, in either order, until it is done`() throws {
    let store = try folder.open()
    #expect(try !store.hasRoomEdits())
    _ = try store.append([.reported(1), .reported(2), .reported(3, isReported: false)])
    #expect(try store.hasRoomEdits() && next(store) == nil)
    let rooms = try inRooms(store)
    _ = try serve(
      store, .recordOutcome(.reported(2), .delivered), .remove(.broker, [try store.entries()[1]]),
      .remove(.webhook, [rooms[0]], event: "$1"), .remove(.webhook, [rooms[2]], event: "$3"))
    #expect(try next(store) == nil)
    _ = try serve(
      store, .recordOutcome(.reported(1), .expired), .recordOutcome(.reported(1), .delivered),
      .recordOutcome(.reported(3), .delivered), .remove(.webhook, [rooms[1]], event: "$2"))
    let first = RoomEdit(
      entry: .reported(1), action: "bell", message: PayloadTemplate(#"{"body":"ring 1"}"#), event: "$1",
      outcome: .expired)
    #expect(try next(store) == first)
    #expect(try next(store) == first)
    let second = try next(store, done: first.entry)
    #expect(second?.entry == .reported(2) && second?.outcome == .delivered)
    #expect(try next(store, done: .reported(2)) == nil)
    #expect(try !store.hasRoomEdits())
  }

  @Test func `a due edit is still due after a restart`() throws {
    do {
      let store = try folder.open()
      _ = try store.append([.reported(1)])
      _ = try serve(
        store, .remove(.webhook, [try inRooms(store)[0]], event: "$1"), .recordOutcome(.reported(1), .unheard),
        .remove(.broker, try store.entries()))
    }
    let store = try folder.open()
    #expect(try store.hasRoomEdits() && next(store)?.outcome == .unheard)
  }

  @Test func `a message that never reaches its room is not edited`() throws {
    let store = try folder.open()
    _ = try store.append([.reported(1), .reported(2)])
    let rooms = try inRooms(store)
    _ = try serve(
      store, .remove(.webhook, [rooms[0]]), .giveUp(rooms[1], .webhook(.roomClosed), unixMilliseconds: 0),
      .recordOutcome(.reported(1), .delivered), .recordOutcome(.reported(2), .delivered))
    #expect(try !store.hasRoomEdits())
  }

  @Test func `a tap that a person drops is edited as dropped, if its message is in the room`() throws {
    let store = try folder.open()
    _ = try store.append([.reported(1), .reported(2)])
    _ = try serve(store, .remove(.webhook, [try inRooms(store)[0]], event: "$1"))
    _ = try serve(store, .drop(nil, excluding: []))
    #expect(try next(store)?.outcome == .dropped)
    #expect(try next(store, done: .reported(1)) == nil)
    #expect(try !store.hasRoomEdits())
  }

  @Test func `an outcome that could not be written is written with the next removal`() throws {
    let store = try folder.open()
    _ = try store.append([.reported(1)])
    let outcome = StoreBatch([.recordOutcome(.reported(1), .delivered)])
    #expect(outcome.failed(.full).isEmpty && !outcome.removals.isEmpty)
    #expect(!StoreRequest.recordOutcome(.reported(1), .delivered).isWorthACommit)
    _ = try StoreBatch(outcome.removals + [.remove(.webhook, [try inRooms(store)[0]], event: "$1")]).commit(to: store)
    #expect(try next(store)?.outcome == .delivered)
  }

  @Test func `a request for an edit gets a response even if it fails`() {
    let events = StoreBatch([.fetchEdit(done: .reported(1))]).failed(.full)
    guard case .editFailed(.full)? = events.first else { return #expect(Bool(false), "\(events)") }
    #expect(events.count == 1)
  }
}
