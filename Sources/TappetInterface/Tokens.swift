// Timestamp tokens for C (tappet.h, "values").

import CTappet
import TappetCore

/// `tappet_token_seal`.
@_cdecl("tappet_token_seal") @implementation
public func tappet_token_seal(
  _ unixSeconds: Int64, _ key: UnsafePointer<UInt8>?, _ keySize: Int, _ result: UnsafeMutablePointer<CChar>?
) -> Int32 {
  guard let result, let key = timestampKey(key, keySize) else { return ErrorCode.argument.rawValue }
  do throws(TimestampTokenError) {
    write(Array(try TimestampToken.seal(unixSeconds: unixSeconds, key: key).utf8), to: result)
    return 0
  } catch { return error.code.rawValue }
}

/// `tappet_token_open`.
@_cdecl("tappet_token_open") @implementation
public func tappet_token_open(
  _ token: UnsafePointer<CChar>?, _ tokenSize: Int, _ key: UnsafePointer<UInt8>?, _ keySize: Int,
  _ result: UnsafeMutablePointer<Int64>?
) -> Int32 {
  guard let token, tokenSize >= 0, let result, let key = timestampKey(key, keySize) else {
    return ErrorCode.argument.rawValue
  }
  guard tokenSize == 32 else { return ErrorCode.token.rawValue }
  do throws(TimestampTokenError) {
    result.pointee = try TimestampToken.open(String(decoding: bytes(token, tokenSize), as: UTF8.self), key: key)
    return 0
  } catch { return error.code.rawValue }
}

private func timestampKey(_ key: UnsafePointer<UInt8>?, _ size: Int) -> TimestampKey? {
  guard let key, [16, 24, 32].contains(size) else { return nil }
  return TimestampKey(copying: UnsafeRawBufferPointer(start: key, count: size))
}

extension TimestampTokenError {
  fileprivate var code: ErrorCode {
    switch self {
    case .timeOutOfRange: .time
    case .notHexadecimal: .token
    case .checksum: .checksum
    case .crypto: .memory
    // Judged by a receiver only, which these functions are not.
    case .outsideWindow, .repeated: .argument
    }
  }
}
