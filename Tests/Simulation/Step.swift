// One step of a story, and stories as text. A step says what happens, not what it leads to: left out, moved or repeated it
// still means something, so a story can be made shorter until only what matters is left.

import TappetCore

/// Something that happens; what cannot happen now is passed over.
struct Step: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    // The reader.
    case readerStarts = "reader-starts"
    /// 0: it cannot be started; 1: it exits; 2: it is killed by a signal.
    case readerEnds = "reader-ends"
    case readerLost = "reader-lost"
    case readerMalformed = "reader-malformed"
    case heartbeat
    /// The reader says nothing any more.
    case hangs
    /// The card of this number comes and is read.
    case tap
    /// It comes and goes a dozen times within seconds.
    case hammer
    /// It comes and is pulled away.
    case torn
    /// The card that lies there is read once more.
    case again
    case leave
    /// A reader that was given up says that it read this card.
    case stale
    // The panel.
    /// A key that stands for this button, down and up.
    case press
    /// This button's contact moves.
    case edge
    /// This button's line is opened; from 100 on it fails instead, from 200 on it is opened active.
    case line
    /// A program asks for the action of this number.
    case asked
    // The link.
    case linkUp = "link-up"
    case linkFails = "link-fails"
    case linkLost = "link-lost"
    /// PUBACK for one of those in flight.
    case acknowledge
    /// PUBACK once more for one that had it.
    case repeated
    case refuse
    case unfillable
    /// The answer to an order to disconnect: 0: as ordered, 1: it was gone already, 2: it came up before.
    case closed
    // The disk.
    /// So many questions are done with in one commit.
    case commit
    /// So many of its answers are told.
    case tell
    /// A person drops one entry out of the outbox.
    case drop
    /// The database is found damaged, and a new one takes its place.
    case replace
    /// 0: good, 1: full, 2: read-only, 3: broken, 4: busy.
    case disk
    // Time.
    /// So many milliseconds.
    case pass
    /// So many minutes, in which the reader is not heard either.
    case minutes
    /// A timer that fires before its time.
    case early
    case synchronised
    /// The wall clock is set by so many seconds.
    case step
    /// The wall clock shows 1970.
    case epoch
    // The owner.
    case reload
    case secrets
    case certificates
    case stop
    /// kill -9; 1: the disk had done what it was asked.
    case crash
    /// And the machine starts anew; 2: without a battery clock.
    case power
  }

  var kind: Kind
  var number: Int

  init(_ kind: Kind, _ number: Int = 0) {
    self.kind = kind
    self.number = number
  }

  var text: String { number == 0 ? kind.rawValue : kind.rawValue + " " + String(number) }
}

/// Everything that a story is made of.
struct Script: Sendable {
  /// For the kiosk's own randomness: jitter and names.
  var seed: UInt64
  var steps: [Step]

  init(seed: UInt64, steps: [Step]) {
    self.seed = seed
    self.steps = steps
  }

  /// Reads a word and a number a line; `#` begins a comment.
  ///
  /// Answers the line that makes no sense.
  static func parse(_ text: String) -> (script: Script?, wrongLine: String?) {
    var script = Script(seed: 1, steps: [])
    for line in text.split(separator: "\n") {
      let words = line.prefix { $0 != "#" }.split(separator: " ")
      guard let first = words.first else { continue }
      let number = words.count > 1 ? Int(words[1]) : 0
      guard let number, words.count <= 2 else { return (nil, String(line)) }
      if first == "seed" {
        script.seed = UInt64(clamping: number)
      } else if let kind = Step.Kind(rawValue: String(first)) {
        script.steps.append(Step(kind, number))
      } else {
        return (nil, String(line))
      }
    }
    return (script, nil)
  }

  var text: String { (["seed \(seed)"] + steps.map { $0.text }).joined(separator: "\n") }
}
