// The result of a reload, stored for later display: the log, which also contains it, is rarely read after a reload.

/// The result of reloading the configuration.
package struct ReloadOutcome: Hashable, Sendable {
  /// Wall-clock time, milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Reasons for the rejection; empty if the new configuration is active.
  package var mistakes: [String]

  package init(unixMilliseconds: Int64, mistakes: [String]) {
    self.unixMilliseconds = unixMilliseconds
    self.mistakes = mistakes
  }

  /// Whether the new configuration is active.
  package var isGood: Bool { mistakes.isEmpty }

  /// The result and the first reason, one sentence.
  package var sentence: String {
    guard let first = mistakes.first else { return "the configuration was reloaded" }
    let more = mistakes.count - 1
    return "reload rejected, the previous configuration stays active: " + first
      + (more > 0 ? " (and \(more) more in the log)" : "")
  }
}
