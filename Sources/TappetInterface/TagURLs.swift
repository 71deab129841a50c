// Signed tag URLs for C (tappet.h, "values").

import CTappet
import TappetCore

/// `tappet_url_verify`.
@_cdecl("tappet_url_verify") @implementation
public func tappet_url_verify(
  _ url: UnsafePointer<CChar>?, _ urlSize: Int, _ keys: UnsafePointer<UInt8>?, _ keyCount: Int,
  _ result: UnsafeMutablePointer<tappet_url>?
) -> Int32 {
  guard let url, let result, result.pointee.size >= MemoryLayout<tappet_url>.size,
    (0...Limits.tagURLSizeMax).contains(urlSize),
    (0...Limits.secretsPerCallMax).contains(keyCount), keys != nil || keyCount == 0
  else { return ErrorCode.argument.rawValue }
  let text = bytes(url, urlSize)
  let parsed: TagURL
  do throws(TagURLError) { parsed = try TagURL.parse(text) } catch { return error.code.rawValue }
  var secrets: [TagSecret] = []
  secrets.reserveCapacity(keyCount)
  for index in 0..<keyCount {
    let start = keys.map { $0 + index * SecretKey.size }
    guard let key = SecretKey(copying: UnsafeRawBufferPointer(start: start, count: SecretKey.size)) else {
      return ErrorCode.memory.rawValue
    }
    secrets.append(TagSecret(id: "", action: "", index: Int64(index), key: key, createdUnixSeconds: 0, label: nil))
  }
  guard let secret = parsed.verify(with: secrets) else { return ErrorCode.signature.rawValue }
  result.pointee.index = parsed.index
  result.pointee.timestamp = parsed.timestamp
  result.pointee.key_index = Int(secret.index)
  return 0
}

/// `tappet_url_sign`.
@_cdecl("tappet_url_sign") @implementation
public func tappet_url_sign(
  _ index: Int64, _ timestamp: Int64, _ key: UnsafePointer<UInt8>?, _ result: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int32 {
  guard let key, let result, index >= 0, timestamp >= 0 else { return ErrorCode.argument.rawValue }
  guard let secret = SecretKey(copying: UnsafeRawBufferPointer(start: key, count: SecretKey.size)),
    let url = try? TagURL.sign(index: index, timestamp: timestamp, key: secret)
  else { return ErrorCode.memory.rawValue }
  let text = url.text()
  guard text.count < size else { return ErrorCode.buffer.rawValue }
  write(text, to: result)
  return Int32(truncatingIfNeeded: text.count)
}

extension TagURLError {
  fileprivate var code: ErrorCode {
    switch self {
    case .invalidScheme: .scheme
    case .invalidHost: .host
    case .noParameters: .parameters
    case .missing, .malformed, .repeated, .repeatedUnknown: .parameter
    }
  }
}

/// The caller's bytes.
func bytes(_ text: UnsafePointer<CChar>, _ size: Int) -> [UInt8] {
  Array(UnsafeRawBufferPointer(start: text, count: size))
}

/// Text and its NUL into the caller's buffer, which has room for them.
func write(_ text: [UInt8], to result: UnsafeMutablePointer<CChar>) {
  for (index, byte) in text.enumerated() { result[index] = CChar(bitPattern: byte) }
  result[text.count] = 0
}
