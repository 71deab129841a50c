// How often the broker has closed the connection at an entry: the next process has to know.

import TestSupport
import Testing

@testable import TappetCore
@testable import TappetStore

@Suite struct StoreClosesTests {
  private let folder = StateFolder()

  private func note(_ low: UInt64, _ count: Int) throws {
    let store = try folder.open()
    let closes = CloseCount(id: EntryID(high: 7, low: low), sequence: Int64(low), count: count)
    #expect(try StoreBatch([.recordCloses([closes])]).commit(to: store).isEmpty)
  }

  private func counts() throws -> [Int] {
    try folder.open().fetch(after: 0, limit: 9, clockIsGood: true).entries.map { $0.closes }
  }

  @Test func `the count survives a restart, and can be reduced`() throws {
    _ = try folder.open().append([.test(1), .test(2)])
    #expect(try counts() == [0, 0])
    try note(2, 3)
    #expect(try counts() == [0, 3])
    try note(2, 2)
    #expect(try counts() == [0, 2])
  }

  @Test func `a count for a removed entry does no harm`() throws {
    _ = try folder.open().append([.test(1)])
    try folder.open().removeAll([.test(1).at(1)])
    try note(1, 3)
    #expect(try counts() == [])
  }
}
