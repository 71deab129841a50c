// The fields of the messages between the kiosk and its helper processes: what is written is read, and nothing else is.

import Testing

@testable import TappetCore

extension WireField {
  /// The value that the bytes of a datagram are; `nil` if they are none.
  static func decoded(_ bytes: [UInt8]) -> Self? { try? Self(datagram: bytes) }
}

@Suite struct WireFieldTests {
  /// Checks each value, each beginning of its bytes, a byte more, and a thousand changes of its bytes.
  private func check<Field: WireField & Equatable>(_ values: [Field]) {
    var generator = Randomness(seed: 21)
    for value in values {
      let bytes = value.datagram
      #expect(Field.decoded(bytes) == value)
      #expect(Field.decoded(bytes + [0]) == nil, "\(value) and a byte more")
      for size in bytes.indices {
        #expect(throws: WireError.self, "\(size) bytes of \(value)") { try Field(datagram: Array(bytes[..<size])) }
      }
      if bytes.isEmpty { continue }
      for _ in 0..<1_000 {
        var changed = bytes
        changed[Int.random(in: changed.indices, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
        if let other = Field.decoded(changed) { #expect(other.datagram == changed, "\(other)") }
      }
    }
  }

  @Test func `numbers, strings and times round-trip, and every truncation is refused`() {
    check([0, 1, .max] as [UInt8])
    check([0, 258, .max] as [UInt16])
    check([0, 0x0102_0304, .max] as [UInt32])
    check([0, 258, .max] as [UInt64])
    check([0, -1, .min, .max] as [Int32])
    check([0, -1, .min, .max] as [Int64])
    check([true, false])
    check(["", "a", "Größe → 客 🏠", String(repeating: "x", count: 300)])
    check([.zero, .milliseconds(1), .milliseconds(Int64(UInt32.max))] as [Duration])
    check([nil, "", "a"] as [String?])
    check([nil, false, true] as [Bool?])
    check([[], [1], [0, 255, 7]] as [[UInt8]])
    check([[], ["", "a"], ["é", "", "b"]])
  }

  @Test func `identities and enums round-trip, and every truncation is refused`() throws {
    check([EntryID(high: 1 << 63 | 5, low: 7), EntryID(high: 0, low: .max)])
    check([try #require(InventoryID([UInt8](1...16)))])
    check(try [1...1, 1...4, 1...10].map { try #require(TagUID([UInt8]($0))) })
    check(TagModel.allCases)
    check(TagFault.allCases)
    check(ReaderFault.allCases)
    check(TransportError.allCases)
    check(RoomAccess.allCases)
    check(UnreadableReason.allCases)
    check(InventoryKind.allCases)
    check(InventoryFault.allCases)
    check(ScannerLayout.allCases)
    check(WebhookEndpoint.Method.allCases)
    check([.status(0), .status(502), .trouble(.closed, code: -1)] as [WebhookFault])
    check([.notThere, .pulledAway(begun: true), .tooSmall(needed: 375, capacity: 139)] as [TagWriteFault])
    let wills: [RoomWillState] = [.scheduled, .unsupported, .posted, .cancelled, .tooLong(secondsMax: 9)]
    check(wills + [.failed(.status(1))])
    check([.counted(rooms: 1, messages: 2, mentions: 3), .closed, .unknown, .tooLarge] as [RoomUnread])
  }

  @Test func `each reason for a refusal names the field`() {
    func error<Field: WireField>(_ bytes: [UInt8], _: Field.Type) -> WireError? {
      do throws(WireError) {
        _ = try Field(datagram: bytes)
        return nil
      } catch { return error }
    }
    #expect(error([0], UInt16.self) == .truncated(offset: 0))
    #expect(error([0, 0, 9], UInt16.self) == .trailingBytes(offset: 2))
    #expect(error([2], Bool.self) == .invalid(offset: 0))
    #expect(error([2], Bool?.self) == .invalid(offset: 0))
    #expect(error([0, 1, 0xC3], String.self) == .invalid(offset: 0))
    #expect(error([0, 2, 0x61], String.self) == .truncated(offset: 2))
    #expect(error([2, 0, 1], [UInt16].self) == .truncated(offset: 3))
    #expect(error([1, 0, 1, 0xFF], [String].self) == .invalid(offset: 1))
    #expect(error([0, 99], RoomOrder.self) == .unknownKind(0))
    #expect(error([1, 9], RoomMessage.self) == .otherVersion(9))
  }

  @Test func `a list that is too long is truncated to its first 255 elements`() {
    let list = (0..<300).map { UInt16($0) }
    #expect([UInt16].decoded(list.datagram) == Array(list.prefix(255)))
  }
}
