// Detection of guessed tokens. One in 256 random 16-byte blocks passes the 8-bit checksum, which leaves only the check
// of the time. Tokens cannot be rejected unread, because the next token may be genuine; instead, the accepted window is
// shorter while tokens are being guessed.

/// Counts the tokens on one topic that were not created with the topic's key.
struct GuessWatch: Sendable {
  private var count = 0
  private var lastAt: Instant?

  mutating func failed(at now: Instant) {
    count = isQuiet(at: now) ? 1 : min(count + 1, Limits.guessesMax)
    lastAt = now
  }

  /// Whether tokens are being guessed; only the shortest window applies until guessing has stopped for a while.
  func isGuessing(at now: Instant) -> Bool { count >= Limits.guessesMax && !isQuiet(at: now) }

  private func isQuiet(at now: Instant) -> Bool { lastAt.map { now - $0 >= Limits.guessesQuietMin } ?? true }
}
