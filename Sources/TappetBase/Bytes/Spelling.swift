// Suggestions for misspelled words.

/// Edit distance between words.
package enum Spelling {
  /// Returns the candidate that requires the fewest changes; `nil` if every candidate requires too many.
  ///
  /// Changes are insertions, deletions, replacements and transpositions: at most half of the letters, and at most
  /// `limit`.
  @export(interface)
  package static func nearest(to word: String, among candidates: [String], limit: Int = .max) -> String? {
    let wanted = Array(word.utf8)
    guard wanted.count <= 64 else { return nil }
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
      let distance = distance(wanted, Array(candidate.utf8))
      let most = min(max(wanted.count, candidate.utf8.count) / 2, limit)
      if distance <= most, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.candidate
  }

  /// Returns a suggestion to append to an error about an unknown word: ` (did you mean 'check'?)`, or an empty text.
  package static func suggestion(_ nearest: String?) -> String { nearest.map { " (did you mean '\($0)'?)" } ?? "" }

  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
