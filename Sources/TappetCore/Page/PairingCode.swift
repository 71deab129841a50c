// The code that pairs a device: shown at the kiosk, typed into the page, and accepted once.

/// A pending pairing; only the hash of the code is kept.
package struct PairingCode: Sendable {
  /// The result of an attempt.
  package enum Answer: Hashable, Sendable {
    case accepted
    case wrong
    /// The code has expired, or was guessed too often, by this network or in all.
    case over
  }

  /// Name and level of the device to be paired.
  package let name: String
  package let level: PageLevel
  private let hash: [UInt8]
  private let until: Instant
  /// Number of wrong codes from each network.
  private var attempts: [String: Int] = [:]

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
  package func isOver(at now: Instant) -> Bool {
    now > until || attempts.values.reduce(0, +) >= Limits.pairingAttemptsMax
  }

  /// Judges what was typed, in which everything except digits is ignored; it is an attempt only if it has eight.
  ///
  /// A network's attempts do not end those of others, so that no stranger can prevent a pairing.
  @export(interface)
  package mutating func judge(_ typed: SecretBytes, from network: String, at now: Instant) -> Answer {
    guard !isOver(at: now), attempts[network, default: 0] < Limits.pairingAttemptsPerNetwork else { return .over }
    var digits = typed.withBytes { bytes in bytes.filter { (0x30...0x39).contains($0) } }
    defer { LibCrypto.wipe(&digits) }
    if LibCrypto.areEqual(LibCrypto.digest(digits), hash) { return .accepted }
    guard digits.count == PairingCode.digitCount else { return .wrong }
    attempts[network, default: 0] += 1
    return .wrong
  }
}
