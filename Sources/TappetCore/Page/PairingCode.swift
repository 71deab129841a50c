// The code that pairs a device: shown at the kiosk, typed into the page, and accepted once.

/// A pending pairing; only the hash of the code is kept.
package struct PairingCode: Sendable {
  /// The result of an attempt.
  package enum Answer: Hashable, Sendable {
    case accepted
    case wrong
    /// The code has expired, or was guessed too often.
    case over
  }

  /// Name and level of the device to be paired.
  package let name: String
  package let level: PageLevel
  private let hash: [UInt8]
  private let until: Instant
  private var attemptsLeft = Limits.pairingAttemptsMax

  /// Number of digits of a code.
  package static let digitCount = 8

  package init(digits: [UInt8], name: String, level: PageLevel, at now: Instant) {
    hash = LibCrypto.digest(digits)
    self.name = name
    self.level = level
    until = now + Limits.pairingTime
  }

  /// Returns a new code of eight digits, each equally likely.
  @export(interface)
  package static func newDigits() throws(CryptoError) -> [UInt8] {
    var digits: [UInt8] = []
    while digits.count < digitCount {
      for byte in try LibCrypto.random(count: 16) where byte < 250 && digits.count < digitCount {
        digits.append(UInt8(ascii: "0") + byte % 10)
      }
    }
    return digits
  }

  /// Whether the code has expired, or was guessed too often.
  package func isOver(at now: Instant) -> Bool { now > until || attemptsLeft == 0 }

  /// Judges what was typed, in which everything except digits is ignored; it is an attempt only if it has eight.
  @export(interface)
  package mutating func judge(_ typed: SecretBytes, at now: Instant) -> Answer {
    guard !isOver(at: now) else { return .over }
    var digits = typed.withBytes { bytes in bytes.filter { (0x30...0x39).contains($0) } }
    defer { LibCrypto.wipe(&digits) }
    if LibCrypto.areEqual(LibCrypto.digest(digits), hash) { return .accepted }
    guard digits.count == PairingCode.digitCount else { return .wrong }
    attemptsLeft -= 1
    return attemptsLeft == 0 ? .over : .wrong
  }
}
