/// Encodes frames for the serial line, independent of their content (PN532 user manual, UM0701-02 §6.2.1).
///
///     normal     00 00 FF LEN LCS TFI PD0..PDn DCS 00             LEN = TFI + PD, LEN + LCS = 0 mod 256
///     extended   00 00 FF FF FF LENM LENL LCS TFI PD0..PDn DCS 00
///     ACK        00 00 FF 00 FF 00
///     NACK       00 00 FF FF 00 00
///     error      00 00 FF 01 FF 7F 81 00
package enum PN532Frame {
  /// Frame identifier (TFI) of frames from the host to the chip.
  static let hostToChip: UInt8 = 0xD4
  /// Frame identifier (TFI) of frames from the chip to the host.
  static let chipToHost: UInt8 = 0xD5
  /// ACK frame, which confirms the receipt of a frame.
  static let ack: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  /// Error frame, which rejects an invalid command (§6.2.1.5).
  static let syntaxError: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]
  /// Maximum number of bytes of TFI and data in a normal frame.
  static let normalSizeMax = 255
  /// Maximum number of bytes of TFI, command code and data in an extended frame (§6.2.1.2).
  static let extendedSizeMax = 265

  /// Encodes a response of the chip; `payload` starts with the command code plus one.
  static func encodeAnswer(_ payload: [UInt8]) -> [UInt8] {
    encode(direction: chipToHost, payload)
  }

  /// Encodes a frame in either direction.
  @export(interface)
  package static func encode(direction: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let size = payload.count + 1
    var frame: [UInt8] = [0x00, 0x00, 0xFF]
    if size <= normalSizeMax {
      let length = UInt8(truncatingIfNeeded: size)
      frame += [length, 0 &- length]
    } else {
      let high = UInt8(truncatingIfNeeded: size >> 8)
      let low = UInt8(truncatingIfNeeded: size)
      frame += [0xFF, 0xFF, high, low, 0 &- (high &+ low)]
    }
    var sum = direction
    for byte in payload { sum = sum &+ byte }
    frame.append(direction)
    frame += payload
    frame += [0 &- sum, 0x00]
    return frame
  }
}
