// Hexadecimal text for C (tappet.h, "values"). Data is converted directly between the caller's buffers, because it may
// be a key, and may exceed the available memory.

import CTappet
import TappetCore

/// Limits that ensure that the size of the result, with two digits per byte, fits in an int.
private let bytesMax = (1 << 30) - 1
private let digitsMax = 1 << 30

/// Encodes bytes as lower-case hexadecimal digits.
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
      result[2 * index] = CChar(bitPattern: Hex.digit(byte >> 4))
      result[2 * index + 1] = CChar(bitPattern: Hex.digit(byte & 0x0F))
    }
    result[2 * input.count] = 0
    return count
  } ?? ErrorCode.argument.rawValue
}

/// Decodes hexadecimal digits of either case into bytes.
@_cdecl("tappet_hex_decode") @implementation
public func tappet_hex_decode(
  _ text: UnsafePointer<CChar>?, _ size: Int, _ result: UnsafeMutablePointer<UInt8>?, _ resultSize: Int
) -> Int32 {
  guard isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  return withInput(text, size, sizeMax: digitsMax) { input in
    // All digits are checked before the first byte is written, so that a failure leaves the buffer unchanged.
    guard input.count % 2 == 0, input.allSatisfy({ Hex.value(of: $0) < 16 }) else { return ErrorCode.hex.rawValue }
    let count = input.count / 2
    guard let result else { return Int32(count) }
    guard count <= resultSize else { return ErrorCode.buffer.rawValue }
    for index in 0..<count {
      result[index] = Hex.value(of: input[2 * index]) << 4 | Hex.value(of: input[2 * index + 1])
    }
    return Int32(count)
  } ?? ErrorCode.argument.rawValue
}
