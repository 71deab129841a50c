// `%T`: the time, sealed so that a receiver with the same key knows that the message is fresh (formats.md, "%T").
//
//     byte 0      4                       8        15
//     random      unix seconds, LE u32    random   sum of bytes 0…14 mod 256        one AES block, ECB, 32 hex digits

/// Why a token cannot be made, or says nothing.
public enum TimestampTokenError: Error, Hashable, Sendable {
  /// A time that 32 bits do not hold.
  case timeOutOfRange(Int64)
  /// Not 32 hexadecimal digits.
  case notHexadecimal
  /// It was sealed with another key, or changed.
  case checksum
  /// The seconds by which it is too old, or too far in the future.
  case outsideWindow(ageSeconds: Int64)
  /// It was accepted before.
  case repeated
  case crypto(CryptoError)
}

/// An AES key of 16, 24 or 32 bytes; the ESP32 takes 16 only.
///
/// Wiped when the last holder lets go.
public final class TimestampKey: Sendable {
  private let storage: SecretBytes

  /// Nil for anything but 32, 48 or 64 ASCII hexadecimal digits, of either case.
  public init?(hex digits: ArraySlice<UInt8>) {
    let size = digits.count / 2
    guard [16, 24, 32].contains(size), let storage = SecretBytes(size: size, fill: { Hex.decode(digits, into: $0) })
    else { return nil }
    self.storage = storage
  }

  /// Nil for anything but 16, 24 or 32 bytes.
  ///
  /// They are copied; the original is the caller's to wipe.
  public init?(copying bytes: UnsafeRawBufferPointer) {
    guard [16, 24, 32].contains(bytes.count) else { return nil }
    storage = SecretBytes(copying: bytes)
  }

  /// Nil for anything but 32, 48 or 64 ASCII hexadecimal digits, of either case.
  public convenience init?(hex text: String) { self.init(hex: Array(text.utf8)[...]) }

  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes(body)
  }
}

/// Seals and opens tokens.
public enum TimestampToken {
  /// Bytes of randomness in a token.
  public static let randomSize = 11

  /// A token of this second, new each time.
  public static func seal(unixSeconds: Int64, key: TimestampKey) throws(TimestampTokenError) -> String {
    let random: [UInt8]
    do throws(CryptoError) { random = try LibCrypto.random(count: randomSize) } catch { throw .crypto(error) }
    return try seal(unixSeconds: unixSeconds, key: key, random: random)
  }

  /// A token with the randomness given, `randomSize` bytes: for vectors.
  public static func seal(unixSeconds: Int64, key: TimestampKey, random: [UInt8]) throws(TimestampTokenError) -> String
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

  /// The second that a token holds.
  public static func open(_ token: String, key: TimestampKey) throws(TimestampTokenError) -> Int64 {
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

/// Decides whether a token that was received may act.
public struct TokenReceiver: Sendable {
  /// How strict.
  public enum Rule: Hashable, Sendable {
    /// Not older and not newer than this, and each token once.
    case window(seconds: Int64)
    /// As the ESP32 does: not older than 5 s; any future time, and repeats too.
    case firmware
  }

  private struct Accepted {
    /// In lower case.
    var token: [UInt8]
    var sealedAt: Int64
  }

  private let rule: Rule
  private var accepted: [Accepted] = []
  /// Up to this second tokens were forgotten, so none of them is accepted any more, whatever the clock says later.
  private var forgottenUpTo = Int64.min

  /// A receiver that has seen nothing; a negative window accepts nothing.
  ///
  /// What it has seen it forgets when it goes, and when
  /// the clock says that the window has passed.
  public init(rule: Rule = .window(seconds: 5)) { self.rule = rule }

  /// Accepts the token, and remembers it; answers the second it holds.
  public mutating func accept(
    _ token: String, key: TimestampKey, nowUnixSeconds now: Int64
  ) throws(TimestampTokenError) -> Int64 {
    let sealedAt = try TimestampToken.open(token, key: key)
    // No clock shows the two ends of Int64; a caller may, and the difference must fit.
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

  /// When there are too many, those of the oldest second are forgotten and that second is over: memory is bounded, and what
  /// was accepted once is still refused.
  private mutating func remember(_ token: Accepted, age: Int64) throws(TimestampTokenError) {
    guard !accepted.contains(where: { $0.token == token.token }) else { throw .repeated }
    guard token.sealedAt > forgottenUpTo else { throw .outsideWindow(ageSeconds: age) }
    accepted.append(token)
    guard accepted.count > Limits.tokensRememberedMax else { return }
    let oldest = accepted.reduce(Int64.max) { min($0, $1.sealedAt) }
    forget { $0.sealedAt == oldest }
  }

  /// What was forgotten is over: the clock may be set back, and none of it is to act a second time.
  private mutating func forget(where isOver: (Accepted) -> Bool) {
    for token in accepted where isOver(token) { forgottenUpTo = max(forgottenUpTo, token.sealedAt) }
    accepted.removeAll(where: isOver)
  }

  private func lowercased(_ digit: UInt8) -> UInt8 { (0x41...0x46).contains(digit) ? digit + 32 : digit }
}
