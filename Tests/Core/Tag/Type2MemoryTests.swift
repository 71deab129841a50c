import TappetPlatform
import Testing

@testable import TappetCore

/// A tag's memory: a serial number, a capability container for `size` bytes, the data area.
func type2Memory(_ data: [UInt8], size: Int = 144, version: UInt8 = 0x10, access: UInt8 = 0) -> [UInt8] {
  let head: [UInt8] = [0x04, 1, 2, 0x8F, 3, 4, 5, 6, 0, 0x48, 0, 0, 0xE1, version, UInt8(size / 8), access]
  return head + data + [UInt8](repeating: 0, count: max(0, size - data.count))
}

@Suite struct Type2MemoryTests {
  @Test func `the vectors' messages are encoded to the vectors' bytes, and found again`() throws {
    for vector in try Vectors.load().signed_urls {
      let message = try #require(Hex.decode(vector.ndef_hex))
      let block = try #require(Type2Memory.encode(message: message))
      #expect(block.count == vector.type2_tlv_len)
      #expect(Type2Memory.locate(in: type2Memory(block)) == .message(message))
      let withKey = try #require(NDEFMessage(records: [NDEFRecord(uri: Array(vector.url_with_key.utf8))]).encode())
      #expect(Type2Memory.encode(message: withKey)?.count == vector.type2_tlv_with_key_len)
    }
  }

  // An NTAG213 as it leaves the factory (NTAG213/215/216 data sheet, "Memory content at delivery").
  @Test func `a new NTAG213 is empty, and holds a message after its lock control block`() {
    let factory: [UInt8] = [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x00, 0xFE]
    #expect(Type2Memory.locate(in: type2Memory(factory)) == .empty)
    let written: [UInt8] = [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x03, 0xD0, 0x00, 0x00, 0xFE]
    #expect(Type2Memory.locate(in: type2Memory(written)) == .message([0xD0, 0, 0]))
  }

  @Test func `an empty area, a terminator and other blocks contain no message`() {
    #expect(Type2Memory.locate(in: type2Memory([])) == .none)
    #expect(Type2Memory.locate(in: type2Memory([0xFE, 0x03, 0x01, 0xD0])) == .none)
    #expect(Type2Memory.locate(in: type2Memory([0xFD, 0x02, 0x03, 0x01, 0x00, 0xFE])) == .none)
    #expect(Type2Memory.locate(in: type2Memory([], size: 0)) == .none)
  }

  @Test func `null, proprietary and unknown blocks are skipped, with short and long lengths`() {
    let skipped: [UInt8] = [0x00, 0x00, 0xFD, 0x02, 0x03, 0xFE, 0x77, 0x01, 0xFE, 0xFD, 0xFF, 0x00, 0x03, 9, 9, 9]
    #expect(Type2Memory.locate(in: type2Memory(skipped + [0x03, 0x02, 0xAA, 0xBB])) == .message([0xAA, 0xBB]))
  }

  @Test func `a message of 255 bytes or more has the long form of length`() throws {
    for size in [253, 254, 255, 256, 480] {
      let message = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let block = try #require(Type2Memory.encode(message: message))
      #expect(block.count == size + (size < 255 ? 3 : 5))
      #expect(Type2Memory.locate(in: type2Memory(block, size: 496)) == .message(message))
    }
    #expect(Type2Memory.encode(message: [UInt8](repeating: 0, count: 65_534)) != nil)
    #expect(Type2Memory.encode(message: [UInt8](repeating: 0, count: 65_535)) == nil)
  }

  @Test func `an unformatted memory is reported with its reason`() {
    var blank = type2Memory([0x03, 0x00])
    blank[12] = 0
    #expect(Type2Memory.locate(in: blank) == .malformed(.noCapabilityContainer))
    #expect(Type2Memory.locate(in: type2Memory([0x03, 0], version: 0x20)) == .malformed(.unsupportedVersion(0x20)))
    #expect(Type2Memory.locate(in: type2Memory([0x03, 0], version: 0x11)) == .empty)
    #expect(Type2Memory.locate(in: type2Memory([0x03, 0], access: 0x0F)) == .empty)
    #expect(Type2Memory.locate(in: type2Memory([0x03, 0], access: 0xF0)) == .malformed(.readProtected))
  }

  @Test func `a block longer than the area is corrupt, even if more memory was read`() {
    let beyond = type2Memory([0x03, 143] + [UInt8](repeating: 1, count: 142)) + [UInt8](repeating: 1, count: 64)
    #expect(
      Type2Memory.locate(in: beyond) == .malformed(.lengthBeyondMemory(offset: 16, length: 143, dataAreaEnd: 160)))
    let exact = type2Memory([0x03, 142] + [UInt8](repeating: 1, count: 142))
    #expect(Type2Memory.locate(in: exact) == .message([UInt8](repeating: 1, count: 142)))
    #expect(
      Type2Memory.locate(in: type2Memory([0x00, 0x03, 0xFF, 0xFF, 0xFF]))
        == .malformed(.lengthBeyondMemory(offset: 17, length: 65_535, dataAreaEnd: 160)))
    #expect(
      Type2Memory.locate(in: type2Memory([0xFD, 0xFF, 0x01, 0x00]))
        == .malformed(.lengthBeyondMemory(offset: 16, length: 256, dataAreaEnd: 160)))
    #expect(Type2Memory.locate(in: type2Memory([0x01, 0x02, 0, 0])) == .malformed(.malformedControl(offset: 16)))
    let controls = (0..<9).flatMap { _ in [0x01, 0x03, 0x90, 0x08, 0x04] as [UInt8] }
    #expect(Type2Memory.locate(in: type2Memory(controls + [0x03, 0])) == .malformed(.tooManyControls))
  }

  // Type 2 Tag 1.2 §2.3.2: page 2 of 16 bytes, byte 4 = byte 36; 12 bits = 2 bytes.
  @Test func `lock bytes inside the area are not part of a message`() {
    let head: [UInt8] = [0x01, 0x03, 0x24, 0x0C, 0x34, 0x03, 0x14]
    let first = [UInt8](1...13)
    let second = [UInt8](14...20)
    #expect(
      Type2Memory.locate(in: type2Memory(head + first + [0xEE, 0xEE] + second + [0xFE])) == .message(first + second))
  }

  // §2.3.3: page 5 of 4 bytes, byte 3 = byte 23; 3 bytes, in the middle of the next block's header.
  @Test func `reserved bytes inside a block's header are skipped`() {
    let control: [UInt8] = [0x02, 0x03, 0x53, 0x03, 0x02]
    #expect(
      Type2Memory.locate(in: type2Memory(control + [0x00, 0x03, 0xEE, 0xEE, 0xEE, 0x02, 0xAA, 0xBB]))
        == .message([0xAA, 0xBB]))
  }

  @Test func `a size of 0 means 256 bits or 256 bytes`() {
    let lock: [UInt8] = [0x01, 0x03, 0x56, 0x00, 0x02, 0x03, 0x01]
    // Page 5 of 4 bytes, byte 6 = byte 26: 32 bytes from there.
    #expect(
      Type2Memory.locate(in: type2Memory(lock + [0xAA] + [0xFE])) == .message([0xAA]))
    let across: [UInt8] = [0x01, 0x03, 0x56, 0x00, 0x02, 0x03, 0x05, 1, 2, 3]
    #expect(
      Type2Memory.locate(in: type2Memory(across + [UInt8](repeating: 0xEE, count: 32) + [4, 5]))
        == .message([1, 2, 3, 4, 5]))
    let memory: [UInt8] = [0x02, 0x03, 0x56, 0x00, 0x02, 0x03, 0x05, 1, 2, 3]
    #expect(
      Type2Memory.locate(in: type2Memory(memory + [UInt8](repeating: 0xEE, count: 256) + [4, 5], size: 320))
        == .message([1, 2, 3, 4, 5]))
  }

  @Test func `reserved bytes are included when a length is checked`() {
    // 144 bytes, of which 32 are reserved; 7 are headers: 105 are left.
    let head: [UInt8] = [0x01, 0x03, 0x56, 0x00, 0x02, 0x03]
    func location(_ length: UInt8) -> Type2Location { Type2Memory.locate(in: type2Memory(head + [length])) }
    if case .message(let bytes) = location(105) {
      #expect(bytes.count == 105)
    } else {
      Issue.record("\(location(105))")
    }
    #expect(location(106) == .malformed(.lengthBeyondMemory(offset: 21, length: 106, dataAreaEnd: 160)))
  }

  /// Reads like a reader that reads no more than is needed.
  private static func readInSteps(_ memory: [UInt8], quantum: Int) -> (Type2Location, readBytes: Int) {
    var size = 0
    while true {
      let location = Type2Memory.locate(in: Array(memory.prefix(size)))
      guard case .needs(let wanted) = location else { return (location, size) }
      guard wanted > size, wanted <= memory.count else {
        Issue.record("needs \(wanted) after \(size) of \(memory.count)")
        return (location, size)
      }
      size = min(memory.count, (wanted + quantum - 1) / quantum * quantum)
    }
  }

  @Test func `reading in steps finds the same message, and stops at its end`() throws {
    let message = try #require(Hex.decode(Vectors.load().signed_urls[0].ndef_hex))
    let memory = type2Memory([0x01, 0x03, 0xA0, 0x0C, 0x34] + (try #require(Type2Memory.encode(message: message))))
    let (location, readBytes) = Type2MemoryTests.readInSteps(memory, quantum: 1)
    #expect(location == .message(message))
    #expect(readBytes == 16 + 5 + 2 + message.count)
  }

  @Test(arguments: 0..<500) func `any memory gives the same result, read whole or in steps`(seed: UInt64) {
    var generator = Randomness(seed: seed)
    let interesting: [UInt8] = [0x00, 0x01, 0x02, 0x03, 0xFD, 0xFE, 0xFF, 0x04, 0x24, 0x56]
    let data = (0..<Int.random(in: 0...144, using: &generator)).map { _ in
      Bool.random(using: &generator)
        ? interesting[Int.random(in: 0..<interesting.count, using: &generator)]
        : UInt8.random(in: 0...255, using: &generator)
    }
    let memory = type2Memory(data, size: Int.random(in: 0...18, using: &generator) * 8)
    let whole = Type2Memory.locate(in: memory)
    if case .needs = whole { Issue.record("a whole memory needs more") }
    for quantum in [1, 4, 16, 60] { #expect(Type2MemoryTests.readInSteps(memory, quantum: quantum).0 == whole) }
  }

  @Test func `every truncated message requests more bytes, and never those already read`() throws {
    let message = try #require(Hex.decode(Vectors.load().signed_urls[0].ndef_hex))
    let memory = type2Memory(try #require(Type2Memory.encode(message: message)))
    for size in 0..<16 + 2 + message.count {
      guard case .needs(let wanted) = Type2Memory.locate(in: Array(memory[..<size])) else {
        Issue.record("decided after \(size) bytes")
        continue
      }
      #expect(wanted > size && wanted <= 16 + 2 + message.count)
    }
  }
}
