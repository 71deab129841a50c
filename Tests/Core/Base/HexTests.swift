import Testing

@testable import TappetCore

@Suite struct HexTests {
  @Test func `every byte is encoded as two lower-case digits, and decoded from either case`() throws {
    let bytes = (0...255).map { UInt8($0) }
    let text = Hex.encode(bytes)
    #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f10"))
    #expect(text.hasSuffix("f9fafbfcfdfeff"))
    #expect(Hex.decode(text) == bytes)
    #expect(Hex.decode(text.uppercased()) == bytes)
    #expect(Hex.decode("") == [])
  }

  @Test(arguments: [
    "0", "000", "0g", "g0", " 00", "0x", "+1", "-1", "0 ", "00\n", "０0", "00\u{0}", "@@", "``", "//", "::",
  ])
  func `anything other than pairs of hex digits is refused`(text: String) {
    #expect(Hex.decode(text) == nil)
  }

  @Test func `exactly 22 byte values are hex digits`() {
    let digits = (0...255).map { UInt8($0) }.filter { Hex.decode([$0, UInt8(ascii: "0")]) != nil }
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
  }

  @Test func `a refused key leaves none of its digits in memory`() {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
    defer { memory.deallocate() }
    #expect(!Hex.decode("a1b2c3dx".utf8, into: memory))
    #expect(Array(memory) == [0, 0, 0, 0])
    #expect(!Hex.decode("a1b2c3".utf8, into: memory))
    #expect(Hex.decode("a1b2c3d4".utf8, into: memory))
    #expect(Array(memory) == [0xA1, 0xB2, 0xC3, 0xD4])
  }

  @Test func `an entry's id prints as 32 digits and round-trips`() throws {
    let id = EntryID(high: 0x0123_4567_89AB_CDEF, low: 0x00FE_DCBA_9876_5432)
    #expect(id.hex == "0123456789abcdef00fedcba98765432")
    #expect(EntryID(hex: id.hex) == id)
    #expect(EntryID(hex: id.hex.uppercased()) == id)
    #expect(EntryID(hex: "0123456789abcdef00fedcba9876543") == nil)
    #expect(EntryID(hex: "0123456789abcdef00fedcba9876543200") == nil)
    #expect(EntryID(hex: "0123456789abcdef00fedcba9876543g") == nil)
  }
}
