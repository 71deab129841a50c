// Tuning of the PN532's built-in search for a tag. The chip retries without further commands, and responds as soon as
// a tag does. The duration of a try depends on chip and antenna, so it is measured before the number of tries is set.

import TappetTag

/// The number of tries per search, adjusted to the measured duration.
struct ChipSearch {
  /// Number of tries for a quick select; libnfc uses the same value.
  static let selectTries: UInt8 = 2
  /// Maximum number of tries; 0xFF would be unlimited.
  private static let triesMax: Int64 = 0xFE

  private(set) var tries = UInt8(Limits.readerSearchTries)
  /// Duration of a complete search; `nil` until it is measured.
  private var duration: Duration?

  /// Timeout for the chip's response to a search.
  var limit: Duration {
    let longest = duration.map { $0 + $0 / 4 } ?? Limits.readerTryMax * Int(tries)
    return longest + .milliseconds(250)
  }

  /// Records the duration of a search; adjusts the tries if a search that found no tag was much too short or too long.
  mutating func note(_ time: Duration, _ found: TargetList) {
    guard found == .none else { return }
    duration = time
    let (wanted, taken) = (Limits.readerSearchTime.wholeNanoseconds, max(1, time.wholeNanoseconds))
    guard taken < wanted * 2 / 3 || taken > wanted * 4 / 3 else { return }
    let fitting = max(1, min(Self.triesMax, Int64(tries) * wanted / taken))
    guard fitting != Int64(tries) else { return }
    duration = .nanoseconds(taken * fitting / Int64(tries))
    tries = UInt8(fitting)
  }
}

/// The content of a response to InListPassiveTarget (UM0701-02 §7.3.5).
enum TargetList: Equatable {
  /// No tag answered in any try.
  case none
  case tag(SelectedTag)
  /// A corrupted response from a tag or the chip, which does not indicate how long a search takes.
  case nonsense

  /// Parses a response without its command code; a malformed response becomes `nonsense`.
  init(_ answer: [UInt8]) {
    if let tag = SelectedTag(listed: answer) { self = .tag(tag) } else { self = answer.first == 0 ? .none : .nonsense }
  }

  /// The tag, if one was found.
  var tag: SelectedTag? {
    if case .tag(let tag) = self { tag } else { nil }
  }
}

extension SelectedTag {
  /// Parses the tag in a response to InListPassiveTarget; `nil` if it is absent or malformed.
  ///
  ///     number of tags (1), target (1), SENS_RES (2), SEL_RES (1), UID size (1), UID, ATS with its length
  fileprivate init?(listed answer: [UInt8]) {
    guard answer.count >= 6, answer[0] >= 1 else { return nil }
    let uidEnd = 6 + Int(answer[5])
    guard uidEnd <= answer.count, let uid = TagUID(Array(answer[6..<uidEnd])) else { return nil }
    self.init(
      uid: uid, atqa: UInt16(answer[2]) << 8 | UInt16(answer[3]), sak: answer[4],
      ats: Array(answer[uidEnd...].dropFirst()))
  }
}
