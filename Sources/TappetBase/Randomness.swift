// Random numbers for jitter and ids.

/// A small random number generator for jitter and ids (xoshiro256**, Blackman and Vigna 2018); not for keys.
package struct Randomness: RandomNumberGenerator, Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// Creates a generator that returns the same numbers for the same seed.
  ///
  /// An all-zero seed is replaced, because the generator would otherwise produce only zeros.
  package init(seed: (UInt64, UInt64, UInt64, UInt64)) {
    state = seed == (0, 0, 0, 0) ? (1, 2, 3, 4) : seed
  }

  /// Returns the next 64 bits.
  @export(interface)
  package mutating func next() -> UInt64 {
    let product = state.1 &* 5
    let result = ((product << 7) | (product >> 57)) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = (state.3 << 45) | (state.3 >> 19)
    return result
  }
}
