// Hexadecimal text for C (tappet.h, "values").

import CTappet
import TappetCore

private let sizeMax = 1 << 30

/// `tappet_hex_encode`.
@_cdecl("tappet_hex_encode") @implementation
public func tappet_hex_encode(
  _ bytes: UnsafePointer<UInt8>?, _ size: Int, _ result: UnsafeMutablePointer<CChar>?, _ resultSize: Int
) -> Int32 {
  guard isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  return withInput(bytes, size, sizeMax: sizeMax) { input in
    guard result != nil else { return Int32(clamping: input.count * 2) }
    guard input.count * 2 < resultSize else { return ErrorCode.buffer.rawValue }
    return output(Hex.digits(of: input), result, resultSize, endsWithNUL: true)
  } ?? ErrorCode.argument.rawValue
}

/// `tappet_hex_decode`.
@_cdecl("tappet_hex_decode") @implementation
public func tappet_hex_decode(
  _ text: UnsafePointer<CChar>?, _ size: Int, _ result: UnsafeMutablePointer<UInt8>?, _ resultSize: Int
) -> Int32 {
  guard isBuffer(result, resultSize) else { return ErrorCode.argument.rawValue }
  return withInput(text, size, sizeMax: sizeMax) { input in
    guard let bytes = Hex.decode(input) else { return ErrorCode.hex.rawValue }
    return output(bytes, result, resultSize, endsWithNUL: false)
  } ?? ErrorCode.argument.rawValue
}
