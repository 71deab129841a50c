// One step of a story, and stories as text. A step names an event, not its effects: it still means something when it is
// left out, moved or repeated, so a story can be shortened to the steps that matter.

import TappetCore

/// Something that happens; a step that cannot happen now is skipped.
struct Step: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    // The reader.
    case readerStarts = "reader-starts"
    /// The reader cannot be started (0), exits (1) or is killed by a signal (2).
    case readerEnds = "reader-ends"
    case readerLost = "reader-lost"
    case readerMalformed = "reader-malformed"
    case heartbeat
    /// The reader falls silent.
    case hangs
    /// The card of this number comes and is read.
    case tap
    /// The card comes and goes a dozen times within seconds.
    case hammer
    /// The card comes and is pulled away.
    case torn
    /// The card on the reader is read once more.
    case again
    case leave
    /// A reader that was given up reports that it read this card.
    case stale
    /// A job for the next tag is requested, prepared or cancelled, whichever comes next.
    case tagJob = "tag-job"
    /// The job's tag is written or pulled away, or its secret is saved.
    case tagWritten = "tag-written"
    // The panel.
    /// The key for this button goes down and up.
    case press
    /// This button's contact moves.
    case edge
    /// This button's line is opened. A number from 100 makes it fail; one from 200 opens it active.
    case line
    /// A program asks for the action of this number; with three times their count added, it asked five seconds ago.
    case asked
    /// A person requests something of an output. A number from 100 makes its line fail; one from 200 opens it.
    case output
    /// This input is opened or closed. A number from 100 makes its line fail; one from 200 opens it at its level.
    case door
    /// A command comes: genuine, repeated (4), forged (5), retained (6) or of another time (7), modulo 8.
    case command
    // The link.
    case linkUp = "link-up"
    case linkFails = "link-fails"
    case linkLost = "link-lost"
    /// The broker sends PUBACK for one of the entries in flight.
    case acknowledge
    /// The broker sends PUBACK for this number of the entries in flight, and two more, which arrive together.
    case acknowledgeTogether = "acknowledge-together"
    /// The broker sends PUBACK again for an entry that had it.
    case repeated
    case refuse
    case unfillable
    /// The answer to a disconnect: done as ordered (0), the link was lost already (1), or it came up first (2).
    case closed
    /// The broker takes every message (0), or closes the connection at one of 16 (1) or of 4 (2).
    case picky
    /// Home Assistant starts (1) or ends (0).
    case homeAssistant = "home-assistant"
    // The webhooks.
    case webhookStarts = "webhook-starts"
    /// tappet-webhook cannot be started (0), ends (1) or sends nonsense (2).
    case webhookEnds = "webhook-ends"
    /// The server of a request under way answers.
    case webhookAnswers = "webhook-answers"
    // The inventory.
    case inventoryStarts = "inventory-starts"
    /// tappet-inventory cannot be started (0), ends (1) or sends nonsense (2).
    case inventoryEnds = "inventory-ends"
    /// An answer of tappet-inventory; with 4 its database fails, with 5 it dies when it has done it, with 6 before, and
    /// with 7 it refuses a number of pieces.
    case inventoryAnswers = "inventory-answers"
    /// An item becomes low (0), is restocked (1), overdue (2) or returned (3), or somebody changes something else.
    case inventoryChanges = "inventory-changes"
    /// The code of this thing is scanned, or one that nothing has.
    case scan
    /// A number of pieces is scanned or typed.
    case pieces
    /// The button of a job: pieces are added (0), taken (1), or the job ends (2).
    case job
    // The rooms.
    case roomsStart = "rooms-start"
    /// The process that listens cannot be started (0), ends (1), sends nonsense (2) or has no session any more (3).
    case roomsEnd = "rooms-end"
    /// A line is written: of a user, repeated (3), of a stranger (4), late (5), early (6), no command (7), modulo 8.
    case roomSays = "room-says"
    // The site.
    /// A bundle comes: one of a list, or, modulo 8, garbage (6) or something huge (7).
    case siteSays = "site-says"
    /// The disk applies it; modulo 8, it is forged (5), or the kiosk dies after it (6) or before it (7).
    case siteAnswers = "site-answers"
    /// Somebody answers a question: yes, no (3), a stranger (4), to another one (5), with less power (6), or once more
    /// to the last one (7), modulo 8.
    case roomReacts = "room-reacts"
    /// Somebody invites the kiosk: a user who may, a stranger (4), or the last one once more (5); or the homeserver
    /// refuses to let it join (6), or fails (7), modulo 8.
    case roomInvites = "room-invites"
    /// The process has counted what is unread: nothing (0), messages (1) or marks (4), or it cannot count (2, 3); or it
    /// has counted for another configuration (5), modulo 6.
    case roomUnread = "room-unread"
    // The disk.
    /// The disk serves this number of requests, and one more, in one commit.
    case commit
    /// The disk delivers this number of its answers, and one more.
    case tell
    /// A person drops one entry out of the outbox.
    case drop
    /// The database turns out to be damaged, and a new one takes its place.
    case replace
    /// The disk becomes good (0), full (1), read-only (2), broken (3) or busy (4).
    case disk
    // Time.
    /// This number of milliseconds passes.
    case pass
    /// This number of minutes passes, without a heartbeat from the reader.
    case minutes
    /// A timer that fires before its time.
    case early
    case synchronized
    /// The wall clock is moved by this number of seconds.
    case step
    /// The wall clock falls back to 1970.
    case epoch
    // The owner.
    case reload
    case secrets
    /// The learned tags of this version are in force.
    case learned
    case certificates
    case stop
    /// The kiosk is killed with SIGKILL; with 1 the disk finishes its requests first.
    case crash
    /// As `crash`, and the machine restarts; with 2 added it has no battery clock.
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

/// A story as its seed and its steps.
struct Script: Sendable {
  /// For the kiosk's own randomness: jitter and names.
  var seed: UInt64
  var steps: [Step]

  init(seed: UInt64, steps: [Step]) {
    self.seed = seed
    self.steps = steps
  }

  /// Reads a word and a number from each line; `#` begins a comment.
  ///
  /// Returns the first line that is not a step as `wrongLine`.
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
