// Tag URLs and share URLs for C (tappet.h, "values").

import CTappet
import TappetCore

/// Verifies a tag URL with the given keys and returns its contents.
@_cdecl("tappet_url_verify") @implementation
public func tappet_url_verify(
  _ url: UnsafePointer<CChar>?, _ size: Int, _ keys: UnsafePointer<UInt8>?, _ keyCount: Int,
  _ result: UnsafeMutablePointer<tappet_url>?
) -> Int32 {
  guard url != nil, let result, result.pointee.size >= MemoryLayout<tappet_url>.size,
    (0...Limits.secretsPerCallMax).contains(keyCount), keys != nil || keyCount == 0
  else { return ErrorCode.argument.rawValue }
  return withInput(url, size, sizeMax: Limits.tagURLSizeMax) { input in
    do throws(TagURLError) {
      let parsed = try TagURLText(input)
      let bytes = UnsafeRawBufferPointer(start: keys, count: keyCount * SecretKey.size)
      guard let index = parsed.verify(keys: bytes) else { return ErrorCode.signature.rawValue }
      result.pointee.index = parsed.index
      result.pointee.timestamp = parsed.timestamp
      result.pointee.key_index = index
      result.pointee.carries_key = parsed.carriesKey
      result.pointee.reserved = (0, 0, 0, 0, 0, 0, 0)
      return 0
    } catch { return error.code.rawValue }
  } ?? ErrorCode.argument.rawValue
}

/// Creates a signed tag URL.
@_cdecl("tappet_url_sign") @implementation
public func tappet_url_sign(
  _ index: Int64, _ timestamp: Int64, _ key: UnsafePointer<UInt8>?, _ result: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int32 {
  guard index >= 0, timestamp >= 0, isBuffer(result, size), let key = tagKey(key) else {
    return ErrorCode.argument.rawValue
  }
  guard let url = try? TagURL.sign(index: index, timestamp: timestamp, key: key) else {
    return ErrorCode.memory.rawValue
  }
  return output(url.text(), result, size, endsWithNUL: true)
}

/// Encodes a secret as a share URL.
@_cdecl("tappet_share_encode") @implementation
public func tappet_share_encode(
  _ index: Int64, _ key: UnsafePointer<UInt8>?, _ label: UnsafePointer<CChar>?, _ labelSize: Int,
  _ result: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int32 {
  guard index >= 0, isBuffer(result, size), let key = tagKey(key) else { return ErrorCode.argument.rawValue }
  // A size_t beyond Int.max arrives as a negative number, which withInput rejects.
  guard labelSize <= Limits.secretLabelSizeMax else { return ErrorCode.label.rawValue }
  return withInput(label, labelSize, sizeMax: Limits.secretLabelSizeMax) { input in
    guard let label = String(validating: input, as: UTF8.self), label.trimmedLabel?.nameFault() == nil
    else { return ErrorCode.label.rawValue }
    var text = ShareURL(index: index, key: key, label: label).text()
    defer { LibCrypto.wipe(&text) }
    return output(text, result, size, endsWithNUL: true)
  } ?? ErrorCode.argument.rawValue
}

/// Decodes a share URL.
@_cdecl("tappet_share_decode") @implementation
public func tappet_share_decode(
  _ url: UnsafePointer<CChar>?, _ size: Int, _ result: UnsafeMutablePointer<tappet_share>?
) -> Int32 {
  guard url != nil, let result, result.pointee.size >= MemoryLayout<tappet_share>.size else {
    return ErrorCode.argument.rawValue
  }
  return withInput(url, size, sizeMax: Limits.tagURLSizeMax) { input in
    do throws(ShareURLError) {
      let share = try ShareURL.parse(at: UnsafeRawBufferPointer(input))
      result.pointee.index = share.index
      withUnsafeMutableBytes(of: &result.pointee.key) { place in share.key.withBytes { place.copyMemory(from: $0) } }
      withUnsafeMutableBytes(of: &result.pointee.label) { place in
        place.initializeMemory(as: UInt8.self, repeating: 0)
        // Labels of share URLs are never longer than Limits.secretLabelSizeMax.
        place.copyBytes(from: Array((share.label ?? "").utf8.prefix(place.count - 1)))
      }
      result.pointee.reserved = (0, 0, 0, 0, 0, 0, 0)
      return 0
    } catch { return error.code.rawValue }
  } ?? ErrorCode.argument.rawValue
}
