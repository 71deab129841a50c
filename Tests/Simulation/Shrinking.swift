// Makes a story that ends badly as short as it can be while it still ends in the same way (delta debugging, Zeller 2002).

import TappetCore

struct Shrinking {
  private(set) var script: Script
  private let complaint: String
  private(set) var attempts = 0
  private let attemptsMax: Int

  /// Nil when the story ends well.
  init?(_ script: Script, attemptsMax: Int = 4_000) {
    let verdict = Story.tell(script)
    guard let complaint = verdict.complaint else { return nil }
    self.script = Script(seed: script.seed, steps: Array(script.steps.prefix(verdict.stepCount)))
    self.complaint = Shrinking.kind(complaint)
    self.attemptsMax = attemptsMax
  }

  /// Leaves out whatever can be left out, then makes the numbers small.
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
    guard let complaint = Story.tell(candidate).complaint, Shrinking.kind(complaint) == self.complaint else {
      return false
    }
    script = candidate
    return true
  }

  /// The same mistake may come with other numbers.
  private static func kind(_ complaint: String) -> String { complaint.filter { !$0.isNumber } }
}
