// Hexadecimal text for C (tappet.h, "values"). From the caller's memory straight into the caller's: it may be a key, and
// there may be more of it than we could find memory for.

import CTappet
import TappetCore

/// The answer, two digits a byte, fits an int.
private let bytesMax = (1 << 30) - 1
private let digitsMax = 1 << 30

/// `tappet_hex_encode`.
@_cdecl("tappet_hex_encode") @implementation
public func tappet_hex_encode(
  _ bytes: UnsafePointer<UInt8>?, _ size: Int, _ result: UnsafeMutablePointer<CChar>?, _ resultSize: Int
) -> Int32 {
  guard isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  return withInput(bytes, size, sizeMax: bytesMax) { input in
    let count = Int32(input.count * 2)
    guard let result else { return count }
    guard input.count * 2 < resultSize else { return ErrorCode.buffer.rawValue }
    for (index, byte) in input.enumerated() {
      result[2 * index] = digit(byte >> 4)
      result[2 * index + 1] = digit(byte & 0x0F)
    }
    result[2 * input.count] = 0
    return count
  } ?? ErrorCode.argument.rawValue
}

/// `tappet_hex_decode`.
@_cdecl("tappet_hex_decode") @implementation
public func tappet_hex_decode(
  _ text: UnsafePointer<CChar>?, _ size: Int, _ result: UnsafeMutablePointer<UInt8>?, _ resultSize: Int
) -> Int32 {
  guard isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  return withInput(text, size, sizeMax: digitsMax) { input in
    // All are looked at before one is written: a failure leaves the buffer as it was.
    guard input.count % 2 == 0, input.allSatisfy({ value(of: $0) != nil }) else { return ErrorCode.hex.rawValue }
    let count = input.count / 2
    guard let result else { return Int32(count) }
    guard count <= resultSize else { return ErrorCode.buffer.rawValue }
    for index in 0..<count {
      result[index] = (value(of: input[2 * index]) ?? 0) << 4 | (value(of: input[2 * index + 1]) ?? 0)
    }
    return Int32(count)
  } ?? ErrorCode.argument.rawValue
}

/// A lower-case digit of 0 to 15.
private func digit(_ value: UInt8) -> CChar { CChar(bitPattern: value < 10 ? 0x30 + value : 0x61 - 10 + value) }

/// 0 to 15; nil for what is no digit.
///
/// No table: no memory address depends on what may be a key's.
private func value(of character: UInt8) -> UInt8? {
  switch character {
  case 0x30...0x39: character - 0x30
  case 0x41...0x46: character - 0x41 + 10
  case 0x61...0x66: character - 0x61 + 10
  default: nil
  }
}
