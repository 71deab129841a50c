import TappetCore

extension Randomness {
  /// Randomness with which a failed test can be repeated.
  init(seed: UInt64) { self.init(seed: (seed, 1, 2, 3)) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  mutating func bytes(upTo max: Int) -> [UInt8] { bytes(Int.random(in: 0...max, using: &self)) }
}
