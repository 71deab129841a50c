// Timestamp tokens for C (tappet.h, "values").

import CTappet
import TappetCore

/// Seals a time into a token.
@_cdecl("tappet_token_seal") @implementation
public func tappet_token_seal(
  _ unixSeconds: Int64, _ key: UnsafePointer<UInt8>?, _ keySize: Int, _ result: UnsafeMutablePointer<CChar>?,
  _ size: Int
) -> Int32 {
  guard isBuffer(result, size), let key = timestampKey(key, keySize) else { return ErrorCode.argument.rawValue }
  do throws(TimestampTokenError) {
    return output(
      Array(try TimestampToken.seal(unixSeconds: unixSeconds, key: key).utf8), result, size, endsWithNUL: true)
  } catch { return error.code.rawValue }
}

/// Decrypts a token and returns its time.
@_cdecl("tappet_token_open") @implementation
public func tappet_token_open(
  _ token: UnsafePointer<CChar>?, _ tokenSize: Int, _ key: UnsafePointer<UInt8>?, _ keySize: Int,
  _ result: UnsafeMutablePointer<Int64>?
) -> Int32 {
  guard token != nil, let result, let key = timestampKey(key, keySize) else { return ErrorCode.argument.rawValue }
  return withToken(token, tokenSize) { (token) throws(TimestampTokenError) in
    result.pointee = try TimestampToken.open(token, key: key)
  }
}

/// A token receiver with its key.
private final class ReceiverObject: LibraryObject {
  let key: TimestampKey
  var receiver: TokenReceiver

  init(_ rule: TokenReceiver.Rule, _ key: TimestampKey) {
    self.key = key
    receiver = TokenReceiver(rule: rule)
    super.init(kind: .tokenReceiver)
  }
}

/// Creates a token receiver that has not accepted any token yet.
@_cdecl("tappet_token_receiver_new") @implementation
public func tappet_token_receiver_new(
  _ rule: tappet_token_rule, _ tolerance: Int64, _ key: UnsafePointer<UInt8>?, _ keySize: Int,
  _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let result, tolerance >= 0, let key = timestampKey(key, keySize) else { return ErrorCode.argument.rawValue }
  switch rule {
  case TAPPET_TOKEN_RULE_WINDOW: return Objects.issue(ReceiverObject(.window(seconds: tolerance), key), to: result)
  case TAPPET_TOKEN_RULE_FIRMWARE: return Objects.issue(ReceiverObject(.firmware, key), to: result)
  default: return ErrorCode.argument.rawValue
  }
}

/// Accepts a token and remembers it, or rejects it.
@_cdecl("tappet_token_receiver_accept") @implementation
public func tappet_token_receiver_accept(
  _ receiver: OpaquePointer?, _ token: UnsafePointer<CChar>?, _ tokenSize: Int, _ now: Int64,
  _ result: UnsafeMutablePointer<Int64>?
) -> Int32 {
  guard token != nil, let result else { return ErrorCode.argument.rawValue }
  return Objects.use(receiver, as: .tokenReceiver) { object in
    let object = unsafeDowncast(object, to: ReceiverObject.self)
    return withToken(token, tokenSize) { (token) throws(TimestampTokenError) in
      result.pointee = try object.receiver.accept(token, key: object.key, nowUnixSeconds: now)
    }
  }
}

/// Frees a receiver and forgets its tokens.
@_cdecl("tappet_token_receiver_free") @implementation
public func tappet_token_receiver_free(_ receiver: OpaquePointer?) { Objects.free(receiver, as: .tokenReceiver) }

/// Calls `body` with the text of a token, if its size is valid.
private func withToken(
  _ token: UnsafePointer<CChar>?, _ size: Int, _ body: (String) throws(TimestampTokenError) -> Void
) -> Int32 {
  guard size == 32 else { return ErrorCode.token.rawValue }
  return withInput(token, size, sizeMax: size) { input in
    do throws(TimestampTokenError) {
      try body(String(decoding: input, as: UTF8.self))
      return 0
    } catch { return error.code.rawValue }
  } ?? ErrorCode.argument.rawValue
}
