// Shortens a story that ends badly as far as it still ends in the same way (delta debugging, Zeller 2002).

import TappetCore

struct Shrinking {
  private(set) var script: Script
  private let failure: String
  private(set) var attempts = 0
  private let attemptsMax: Int

  /// Returns `nil` when the story ends well.
  init?(_ script: Script, attemptsMax: Int = 4_000) {
    let verdict = Story.tell(script)
    guard let failure = verdict.failure else { return nil }
    self.script = Script(seed: script.seed, steps: Array(script.steps.prefix(verdict.stepCount)))
    self.failure = Shrinking.kind(failure)
    self.attemptsMax = attemptsMax
  }

  /// Leaves out every step that is not needed, then makes the numbers small.
  mutating func run() {
    var length = script.steps.count / 2
    while length > 0, attempts < attemptsMax {
      var start = 0
      var hasShrunk = false
      while start < script.steps.count, attempts < attemptsMax {
        var shorter = script.steps
        shorter.removeSubrange(start..<min(start + length, shorter.count))
        if stillFails(shorter) { hasShrunk = true } else { start += length }
      }
      if length == 1, !hasShrunk { break }
      length = hasShrunk && length == 1 ? 1 : length / 2
    }
    for index in script.steps.indices {
      for number in [0, script.steps[index].number / 2] where script.steps[index].number != number {
        var simpler = script.steps
        simpler[index].number = number
        if stillFails(simpler) { break }
      }
    }
  }

  private mutating func stillFails(_ steps: [Step]) -> Bool {
    attempts += 1
    let candidate = Script(seed: script.seed, steps: steps)
    guard let failure = Story.tell(candidate).failure, Shrinking.kind(failure) == self.failure else {
      return false
    }
    script = candidate
    return true
  }

  /// The failure without its numbers, since the same mistake may come with others.
  private static func kind(_ failure: String) -> String { failure.filter { !$0.isNumber } }
}
