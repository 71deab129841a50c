// Finds the NDEF message in the memory of a Type 2 tag (NFC Forum Type 2 Tag 1.2). Takes linear time, does not exceed
// the area in the capability container, and can be used while the memory is still being read.
//
//     byte 0   10         12             16 …
//     serial   lock       CC: E1 vv nn aa   TLV blocks, to byte 16 + 8 nn
//
//     TLV:  00 NULL · 01 Lock Control · 02 Memory Control · 03 NDEF · FD proprietary · FE terminator
//           length: one byte, or FF and two bytes big-endian

/// The reason why a memory cannot be read.
package enum Type2Error: Error, Hashable, Sendable {
  /// Byte 12 is not E1, so the tag is not formatted for NDEF (§4.6).
  case noCapabilityContainer
  /// The major version is not 1 (§4.6).
  case unsupportedVersion(UInt8)
  /// The tag forbids reading (§4.6).
  case readProtected
  /// The block's length exceeds the data area.
  case lengthBeyondMemory(offset: Int, length: Int, dataAreaEnd: Int)
  /// The length of a Lock Control or Memory Control block is not 3 (§2.3.2, §2.3.3).
  case malformedControl(offset: Int)
  /// There are more control blocks than any real tag has.
  case tooManyControls
}

/// The result of searching for the message in a memory, or in the first part of a memory.
package enum Type2Location: Hashable, Sendable {
  /// The complete NDEF message.
  case message([UInt8])
  /// The NDEF block is empty.
  case empty
  /// There is no NDEF block.
  case none
  /// The result depends on the memory up to this offset.
  case needs(Int)
  case malformed(Type2Error)
}

/// The layout of a Type 2 tag's memory.
package enum Type2Memory {
  /// Number of bytes before the data area.
  package static let headerSize = 16

  /// Finds the message in the known part of the memory, which starts at page 0.
  @export(interface)
  package static func locate(in memory: [UInt8]) -> Type2Location {
    guard memory.count >= headerSize else { return .needs(headerSize) }
    guard memory[12] == 0xE1 else { return .malformed(.noCapabilityContainer) }
    guard memory[13] >> 4 == 1 else { return .malformed(.unsupportedVersion(memory[13])) }
    guard memory[15] >> 4 == 0 else { return .malformed(.readProtected) }
    var walk = TLVCursor(memory: memory, end: headerSize + Int(memory[14]) * 8)
    return walk.run()
  }

  /// Returns the blocks that contain `message`, to be written starting at byte 16.
  ///
  /// Returns `nil` if the message is too long for the length field.
  package static func encode(message: [UInt8]) -> [UInt8]? {
    guard message.count < 0xFFFF else { return nil }
    let length: [UInt8] =
      message.count < 0xFF
      ? [UInt8(message.count)] : [0xFF, UInt8(message.count >> 8), UInt8(message.count & 0xFF)]
    return [0x03] + length + message + [0xFE]
  }

  /// A cursor for one pass over the data area.
  ///
  /// It skips bytes in reserved ranges, which belong to no block.
  struct TLVCursor {
    let memory: [UInt8]
    let end: Int
    private var offset = headerSize
    private var reserved: [Range<Int>] = []

    init(memory: [UInt8], end: Int) {
      self.memory = memory
      self.end = end
    }

    mutating func run() -> Type2Location {
      while true {
        skipReserved()
        let start = offset
        guard offset < end else { return .none }
        guard let tag = next() else { return .needs(offset + 1) }
        switch tag {
        case 0x00: continue
        case 0xFE: return .none
        default: break
        }
        switch length() {
        case .unknown: return .needs(min(end, offset + 1))
        case .beyond: return .none
        case .bytes(let length):
          if let location = block(tag, at: start, length: length) { return location }
        }
      }
    }

    /// The place where an NDEF block exists, or can be written.
    struct Place {
      var offset: Int
      /// Whether a block exists at the offset.
      var hasBlock: Bool
      /// The ranges reserved by the blocks before the place.
      var reserved: [Range<Int>]
    }

    /// Returns the place of the NDEF block, or a place after the blocks that must be preserved.
    mutating func findPlace() -> Place {
      // After an unknown block, only an NDEF block is searched for; if there is none, the unknown block is overwritten.
      var place = Place(offset: offset, hasBlock: false, reserved: [])
      var isKnown = true
      while true {
        skipReserved()
        let start = offset
        guard offset < end, let tag = next(), tag != 0xFE else { return place }
        if tag == 0x00 { continue }
        if tag == 0x03 { return Place(offset: start, hasBlock: true, reserved: reserved) }
        guard case .bytes(let length) = length(), block(tag, at: start, length: length) == nil else { return place }
        isKnown = isKnown && (tag == 0x01 || tag == 0x02 || tag == 0xFD)
        if isKnown { place = Place(offset: offset, hasBlock: false, reserved: reserved) }
      }
    }

    private enum Length {
      case bytes(Int)
      case unknown
      /// The data area ends within the length field.
      case beyond
    }

    private mutating func length() -> Length {
      guard let first = lengthByte() else { return offset >= end ? .beyond : .unknown }
      guard first == 0xFF else { return .bytes(Int(first)) }
      guard let high = lengthByte(), let low = lengthByte() else { return offset >= end ? .beyond : .unknown }
      return .bytes(Int(high) << 8 | Int(low))
    }

    private mutating func lengthByte() -> UInt8? {
      skipReserved()
      return offset < end ? next() : nil
    }

    /// Handles one block; returns `nil` if the search continues after the block.
    private mutating func block(_ tag: UInt8, at start: Int, length: Int) -> Type2Location? {
      let available = end - offset - reservedBytes(from: offset)
      guard length <= available else {
        return .malformed(.lengthBeyondMemory(offset: start, length: length, dataAreaEnd: end))
      }
      switch tag {
      case 0x01, 0x02:
        guard length == 3 else { return .malformed(.malformedControl(offset: start)) }
        guard let value = takeBytes(3) else { return .needs(needed(for: 3)) }
        guard reserved.count < Limits.type2ControlsMax else { return .malformed(.tooManyControls) }
        reserve(TLVCursor.range(tag, value))
        return nil
      case 0x03:
        if length == 0 { return .empty }
        guard let message = takeBytes(length) else { return .needs(needed(for: length)) }
        return .message(message)
      default:
        skip(length)
        return nil
      }
    }

    /// Returns the range of bytes that a control block reserves (§2.3.2, §2.3.3).
    private static func range(_ tag: UInt8, _ value: [UInt8]) -> Range<Int> {
      let pageSize = 1 << Int(value[2] & 0x0F)
      let start = Int(value[0] >> 4) * pageSize + Int(value[0] & 0x0F)
      let size = value[1] == 0 ? 256 : Int(value[1])
      return start..<start + (tag == 0x01 ? (size + 7) / 8 : size)
    }

    private mutating func reserve(_ range: Range<Int>) {
      let clamped = range.clamped(to: headerSize..<max(headerSize, end))
      if !clamped.isEmpty { reserved.append(clamped) }
    }

    private mutating func skipReserved() {
      while let range = reserved.first(where: { $0.contains(offset) }) { offset = range.upperBound }
    }

    private mutating func next() -> UInt8? {
      guard offset < memory.count else { return nil }
      defer { offset += 1 }
      return memory[offset]
    }

    /// Reads `count` bytes of a block; returns `nil` and reads nothing if some of the bytes are not known yet.
    private mutating func takeBytes(_ count: Int) -> [UInt8]? {
      let before = offset
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count)
      while bytes.count < count {
        skipReserved()
        let stop = min(nextReserved, memory.count, offset + count - bytes.count)
        guard stop > offset else {
          offset = before
          return nil
        }
        bytes += memory[offset..<stop]
        offset = stop
      }
      return bytes
    }

    private mutating func skip(_ count: Int) { offset = needed(for: count) }

    /// Returns the offset after the next `count` bytes of a block.
    private func needed(for count: Int) -> Int {
      var copy = self
      var left = count
      while left > 0 {
        copy.skipReserved()
        let step = min(left, copy.nextReserved - copy.offset)
        copy.offset += step
        left -= step
      }
      return copy.offset
    }

    /// The offset of the next reserved range; `Int.max` if there is none.
    private var nextReserved: Int {
      reserved.reduce(Int.max) { $1.lowerBound > offset ? min($0, $1.lowerBound) : $0 }
    }

    private func reservedBytes(from start: Int) -> Int {
      var count = 0
      var copy = self
      copy.offset = start
      while copy.offset < end {
        let before = copy.offset
        copy.skipReserved()
        count += min(copy.offset, end) - before
        copy.offset = min(copy.nextReserved, end)
      }
      return count
    }
  }
}
