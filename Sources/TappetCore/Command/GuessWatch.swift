// Guessed tokens. Eight bits of checksum let one in 256 of any 16 bytes through, and then their time decides. No guess
// can be turned away unread, because the next token may be genuine; but while somebody guesses, less time is accepted.

/// The tokens of one topic that nobody with its key made.
struct GuessWatch: Sendable {
  private var count = 0
  private var lastAt: Instant?

  mutating func failed(at now: Instant) {
    count = isQuiet(at: now) ? 1 : min(count + 1, Limits.guessesMax)
    lastAt = now
  }

  /// Whether somebody guesses: only the shortest window counts until they have been quiet for a while.
  func isGuessing(at now: Instant) -> Bool { count >= Limits.guessesMax && !isQuiet(at: now) }

  private func isQuiet(at now: Instant) -> Bool { lastAt.map { now - $0 >= Limits.guessesQuietMin } ?? true }
}
