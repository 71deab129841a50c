// `%T`: the time, sealed so that a receiver with the same key knows that the message is fresh (docs/formats.md, "%T").
//
//     byte 0      4                       8        15
//     random      unix seconds, LE u32    random   sum of bytes 0…14 mod 256        one AES block, ECB, 32 hex digits

/// The reason why a token cannot be created, or is not accepted.
package enum TimestampTokenError: Error, Hashable, Sendable {
  /// The time does not fit in 32 bits.
  case timeOutOfRange(Int64)
  /// The token does not consist of 32 hexadecimal digits.
  case notHexadecimal
  /// The token was sealed with a different key, or modified afterwards.
  case checksum
  /// The token, whose age is given in seconds, is too old or too far in the future.
  case outsideWindow(ageSeconds: Int64)
  /// The token was already accepted.
  case repeated
  case crypto(CryptoError)
}

/// An AES key of 16, 24 or 32 bytes, wiped when the last reference is released; the ESP32 supports only 16.
package final class TimestampKey: Sendable {
  private let storage: SecretBytes

  /// Decodes the key; `nil` for anything but 32, 48 or 64 ASCII hexadecimal digits of either case.
  package init?(hex digits: ArraySlice<UInt8>) {
    guard let storage = TimestampKey.decode(digits) else { return nil }
    self.storage = storage
  }

  /// Decodes the key without copying its digits; `nil` for anything but 32, 48 or 64 hexadecimal digits of either case.
  package init?(hex digits: UnsafeRawBufferPointer) {
    guard let storage = TimestampKey.decode(digits) else { return nil }
    self.storage = storage
  }

  private static func decode(_ digits: some Collection<UInt8>) -> SecretBytes? {
    let size = digits.count / 2
    guard [16, 24, 32].contains(size) else { return nil }
    return SecretBytes(hex: digits, size: size)
  }

  /// Copies the key; `nil` for anything but 16, 24 or 32 bytes.
  ///
  /// The caller must wipe the original.
  package init?(copying bytes: UnsafeRawBufferPointer) {
    guard [16, 24, 32].contains(bytes.count) else { return nil }
    storage = SecretBytes(copying: bytes)
  }

  /// Decodes the key; `nil` for anything but 32, 48 or 64 ASCII hexadecimal digits of either case.
  package convenience init?(hex text: String) { self.init(hex: Array(text.utf8)[...]) }

  func isSame(as other: TimestampKey) -> Bool {
    withBytes { bytes in other.withBytes { LibCrypto.areEqual(bytes, $0) } }
  }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes(body)
  }
}

/// Creates and decrypts tokens.
package enum TimestampToken {
  /// Number of random bytes in a token.
  package static let randomSize = 11

  /// Returns a token for the given second; each call returns a different token.
  package static func seal(unixSeconds: Int64, key: TimestampKey) throws(TimestampTokenError) -> String {
    let random: [UInt8]
    do throws(CryptoError) { random = try LibCrypto.random(count: randomSize) } catch { throw .crypto(error) }
    return try seal(unixSeconds: unixSeconds, key: key, random: random)
  }

  /// Returns a token with the given `randomSize` random bytes, for test vectors.
  @export(interface)
  package static func seal(unixSeconds: Int64, key: TimestampKey, random: [UInt8]) throws(TimestampTokenError) -> String
  {
    guard let seconds = UInt32(exactly: unixSeconds) else { throw .timeOutOfRange(unixSeconds) }
    guard random.count == randomSize else { throw .crypto(.inputSize(random.count)) }
    var block = Array(random[..<4])
    block += (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (8 * $0)) }
    block += random[4...]
    block.append(checksum(block))
    do throws(CryptoError) {
      let sealed = try key.withBytes { bytes throws(CryptoError) in try LibCrypto.encryptBlock(block, key: bytes) }
      return Hex.encode(sealed)
    } catch { throw .crypto(error) }
  }

  /// Returns the time in a token, in seconds since 1970.
  @export(interface)
  package static func open(_ token: String, key: TimestampKey) throws(TimestampTokenError) -> Int64 {
    guard token.utf8.count == 32, let sealed = Hex.decode(token) else { throw .notHexadecimal }
    let block: [UInt8]
    do throws(CryptoError) {
      block = try key.withBytes { bytes throws(CryptoError) in try LibCrypto.decryptBlock(sealed, key: bytes) }
    } catch { throw .crypto(error) }
    guard block[15] == checksum(block[..<15]) else { throw .checksum }
    return block[4..<8].reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0) { $0 &+ $1 } }
}

/// Decides whether a received token is accepted.
package struct TokenReceiver: Sendable {
  /// The strictness of the checks.
  package enum Rule: Hashable, Sendable {
    /// Accepts each token once, if its age is at most this many seconds in either direction.
    case window(seconds: Int64)
    /// Accepts the same tokens as the ESP32: up to 5 s old, from any time in the future, and repeatedly.
    case firmware
  }

  private struct Accepted {
    /// The token's digits, in lower case.
    var token: [UInt8]
    var sealedAt: Int64
  }

  private let rule: Rule
  private var accepted: [Accepted] = []
  /// Time up to which tokens were forgotten; such tokens are no longer accepted, whatever the clock shows later.
  private var forgottenUpTo = Int64.min

  /// Creates a receiver that has not accepted any tokens yet; if the window is negative, it accepts none.
  ///
  /// Accepted tokens are remembered for the length of the window, but not beyond the lifetime of the receiver.
  package init(rule: Rule = .window(seconds: 5)) { self.rule = rule }

  /// Accepts and remembers the token, and returns its time in seconds since 1970.
  @export(interface)
  package mutating func accept(
    _ token: String, key: TimestampKey, nowUnixSeconds now: Int64
  ) throws(TimestampTokenError) -> Int64 {
    let sealedAt = try TimestampToken.open(token, key: key)
    // No clock shows the limits of Int64, but a caller may pass them, and the subtraction must not overflow.
    let now = min(max(now, Int64.min / 2), Int64.max / 2)
    let age = now - sealedAt
    switch rule {
    case .firmware:
      guard age <= 5 else { throw .outsideWindow(ageSeconds: age) }
    case .window(let seconds):
      guard age.magnitude <= max(seconds, -1) else { throw .outsideWindow(ageSeconds: age) }
      forget { now - $0.sealedAt > seconds }
      try remember(Accepted(token: token.utf8.map(lowercased), sealedAt: sealedAt), age: age)
    }
    return sealedAt
  }

  /// Remembers the token, and forgets the tokens of the oldest second when there are too many.
  ///
  /// Tokens of that second are refused from then on, so that memory use is bounded and repeated tokens stay refused.
  private mutating func remember(_ token: Accepted, age: Int64) throws(TimestampTokenError) {
    guard !accepted.contains(where: { $0.token == token.token }) else { throw .repeated }
    guard token.sealedAt > forgottenUpTo else { throw .outsideWindow(ageSeconds: age) }
    accepted.append(token)
    guard accepted.count > Limits.tokensRememberedMax else { return }
    let oldest = accepted.reduce(Int64.max) { min($0, $1.sealedAt) }
    forget { $0.sealedAt == oldest }
  }

  /// Forgets tokens, and refuses all tokens up to their times: the clock may be set back, and none may be used twice.
  private mutating func forget(where isOver: (Accepted) -> Bool) {
    for token in accepted where isOver(token) { forgottenUpTo = max(forgottenUpTo, token.sealedAt) }
    accepted.removeAll(where: isOver)
  }

  private func lowercased(_ digit: UInt8) -> UInt8 { (0x41...0x46).contains(digit) ? digit + 32 : digit }
}
