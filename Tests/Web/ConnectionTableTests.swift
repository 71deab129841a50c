// The places of connections: one network does not take them all, and an idle one makes room.

import TappetBase
import Testing

@testable import TappetWeb

@Suite struct ConnectionTableTests {
  private let start = Instant(nanoseconds: 0)

  private func connection(_ number: Int) throws -> OpaquePointer {
    try #require(OpaquePointer(bitPattern: 0x1000 + number))
  }

  @Test func `one network has half of the places`() throws {
    var table = ConnectionTable(perNetworkMax: 64)
    for number in 0..<64 {
      #expect(table.admit("2001:db8::") == .accepted)
      table.add(try connection(number), Int32(number), of: "2001:db8::", at: start)
    }
    #expect(table.admit("2001:db8::") == .refused)
    #expect(table.admit("2001:db8:0:1::") == .accepted)
    table.remove(try connection(7))
    #expect(table.admit("2001:db8::") == .accepted)
  }

  @Test func `a new connection takes the place of the idle one that was opened first`() throws {
    var table = ConnectionTable(perNetworkMax: 64)
    for number in 0..<Limits.webConnectionsMax {
      let opened = start + .milliseconds(Int64(number))
      table.add(try connection(number), Int32(number), of: "\(number % 16)", at: opened)
    }
    // The first one is being answered, and the second one has been.
    for number in 0...1 { #expect(table.begin(try connection(number)) == Int32(number)) }
    table.end(try connection(1), at: start)
    for number in [2, 3] {
      #expect(table.admit("other") == .replacing(Int32(number)))
      table.add(try connection(200 + number), Int32(200 + number), of: "other", at: start + .seconds(1))
    }
    for number in Array(0..<Limits.webConnectionsMax) + [202, 203] { _ = table.begin(try connection(number)) }
    #expect(table.admit("other") == .refused)
  }

  @Test func `a connection has 6 s for its first request, and 15 s for the next one`() throws {
    var table = ConnectionTable(perNetworkMax: 64)
    let one = try connection(1)
    table.add(one, 1, of: "192.0.2.7", at: start)
    #expect(table.deadline == start + .seconds(6) && table.overdue(at: start + .seconds(5)).isEmpty)
    #expect(table.overdue(at: start + .seconds(6)) == [1])
    _ = table.begin(one)
    #expect(table.deadline == nil && table.overdue(at: start + .seconds(60)).isEmpty)
    table.end(one, at: start + .seconds(60))
    #expect(table.deadline == start + .seconds(75))
  }
}
