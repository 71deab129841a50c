/// Frames on the air: whole bytes with their CRC, or a few bits.

/// A frame of ISO/IEC 14443-3 type A in either direction.
package struct RFFrame: Equatable, Sendable {
  /// The bytes in transmission order, least significant bit first, including the CRC if there is one.
  package var bytes: [UInt8]
  /// Number of valid bits in the last byte; 0 means all eight.
  package var lastBits: UInt8
  /// Processing time of the sender before its response, in nanoseconds, in addition to the usual delay.
  package var delay: Int64 = 0

  /// Creates a frame; `lastBits` is 0 unless the last byte is incomplete.
  package init(_ bytes: [UInt8], lastBits: UInt8 = 0, delay: Int64 = 0) {
    self.bytes = bytes
    self.lastBits = lastBits
    self.delay = delay
  }

  /// Returns a frame that consists of `bytes` and their CRC.
  package static func withCRC(_ bytes: [UInt8], delay: Int64 = 0) -> RFFrame {
    RFFrame(bytes + crcA(bytes[...]), delay: delay)
  }
  /// Returns a four-bit frame: an acknowledgement (0xA) or a refusal.
  static func nibble(_ value: UInt8, delay: Int64 = 0) -> RFFrame { RFFrame([value & 0x0F], lastBits: 4, delay: delay) }
  /// Returns the acknowledgement (0xA).
  static func acknowledged(delay: Int64 = 0) -> RFFrame { nibble(0x0A, delay: delay) }

  /// The bytes without their CRC; `nil` if the CRC is missing or wrong.
  package var withoutCRC: [UInt8]? {
    guard lastBits == 0, bytes.count >= 3 else { return nil }
    let body = bytes.dropLast(2)
    return Array(bytes.suffix(2)) == Self.crcA(body) ? Array(body) : nil
  }

  /// Computes CRC_A: polynomial x^16 + x^12 + x^5 + 1, initial value 0x6363, low byte first (ISO/IEC 14443-3 Annex B).
  @export(interface)
  package static func crcA(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var crc: UInt16 = 0x6363
    for byte in bytes {
      var low = byte ^ UInt8(truncatingIfNeeded: crc)
      low ^= low << 4
      let wide = UInt16(low)
      crc = (crc >> 8) ^ (wide << 8) ^ (wide << 3) ^ (wide >> 4)
    }
    return [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
  }
}
