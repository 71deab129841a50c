// Rows of the tap log about inputs: those of a level that was found follow only from a different one.

import TappetCore
import TappetSQLite
import Testing

@testable import TappetStore

@Suite struct InputHistoryTests {
  private let folder = StateFolder()

  @Test func `a level that was found has a row only if the last row differs`() throws {
    let store = try folder.open()
    store.historyAge = .seconds(90 * 86_400)
    let found = TapRecord.foundCode
    // A door without rows counts as closed; the rows of another one count for that one.
    let changes: [(input: String, result: TapResult, code: String?)] = [
      ("front", .closed, found), ("front", .opened, nil), ("back", .closed, found), ("front", .opened, found),
      ("front", .heldOpen, nil), ("front", .opened, found), ("front", .closed, found), ("front", .closed, found),
      ("front", .opened, found), ("front", .closed, nil), ("back", .forced, nil), ("back", .opened, found),
      // An opening that nobody used has no level.
      ("front", .notEntered, nil), ("front", .closed, found),
    ]
    for (index, change) in changes.enumerated() {
      let record = TapRecord(
        unixMilliseconds: 1_770_000_000_000 + Int64(index), result: change.result, trigger: .input,
        action: change.input, code: change.code)
      try store.transaction { () throws(DatabaseError) in try store.note(record) }
    }
    let rows = try store.history(after: 0, HistoryFilter(), limit: 100).map { $0.record }
    #expect(
      rows.map { $0.result.name + ($0.code.map { " " + $0 } ?? "") } == [
        "opened", "held-open", "closed found", "opened found", "closed", "forced", "not-entered",
      ])
    #expect(rows.allSatisfy { $0.trigger == .input && $0.isOfInput } && rows.last?.action == "front")
    // The page lists taps.
    #expect(try store.history(in: 0..<2_000_000_000_000, limit: 100).records.isEmpty)
  }
}
