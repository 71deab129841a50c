// The places of connections and streams: one network does not take them all, and an idle one makes room.

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

  @Test func `a new connection takes the place of the oldest idle one of the network with the most`() throws {
    var table = ConnectionTable(perNetworkMax: 64)
    table.add(try connection(0), 0, of: "visitor", at: start)
    for number in 1..<Limits.webConnectionsMax {
      let opened = start + .milliseconds(Int64(number))
      table.add(
        try connection(number), Int32(number), of: number < 40 ? "few" : number < 80 ? "some" : "flood", at: opened)
    }
    // One of the flood's is being answered, and one has been.
    for number in 80...81 { #expect(table.begin(try connection(number)) == Int32(number)) }
    table.end(try connection(81), at: start + .seconds(1))
    for (number, network) in [(82, "flood"), (83, "other"), (84, "flood")] {
      #expect(table.admit(network) == .replacing(Int32(number)))
      table.add(try connection(200 + number), Int32(200 + number), of: network, at: start + .seconds(1))
    }
    for number in Array(0..<Limits.webConnectionsMax) + [282, 283, 284] { _ = table.begin(try connection(number)) }
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

@Suite struct StreamPlacesTests {
  private func visitors(_ counts: (String?, Int)...) -> [Visitor] {
    counts.flatMap { device, count in (0..<count).map { Visitor(device: device, network: device ?? "n\($0 / 6)") } }
  }

  @Test func `a device takes the place of a stranger, or of the device with the most streams`() {
    let manager = Visitor(device: "manager", network: "a")
    let full = visitors(("look", 6), (nil, 12), ("press", 6))
    #expect(StreamPlaces.decide(about: manager, full) == .replacing(6))
    #expect(StreamPlaces.decide(about: manager, Array(full.dropLast())) == .accepted)
    let devices = visitors(("a", 4), ("b", 6), ("c", 6), ("d", 6), ("e", 2))
    #expect(StreamPlaces.decide(about: manager, devices) == .replacing(4))
    let even = visitors(("a", 5), ("b", 5), ("c", 5), ("d", 5), ("manager", 4))
    #expect(StreamPlaces.decide(about: manager, even) == .refused)
    #expect(StreamPlaces.decide(about: manager, visitors(("manager", 6))) == .refused)
  }

  @Test func `strangers never displace anybody, and one network of them has half of their places`() {
    let stranger = Visitor(device: nil, network: "n0")
    #expect(StreamPlaces.decide(about: stranger, visitors((nil, 5))) == .accepted)
    #expect(StreamPlaces.decide(about: stranger, visitors((nil, 6))) == .refused)
    let other = Visitor(device: nil, network: "other")
    #expect(StreamPlaces.decide(about: other, visitors((nil, 11), ("a", 6))) == .accepted)
    #expect(StreamPlaces.decide(about: other, visitors((nil, 12))) == .refused)
    #expect(StreamPlaces.decide(about: other, visitors(("a", 6), ("b", 6), ("c", 6), ("d", 6))) == .refused)
  }
}
