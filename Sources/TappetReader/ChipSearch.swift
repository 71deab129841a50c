// How long a PN532 looks for a tag by itself, between two commands of ours: it tries again and again, and answers as
// soon as a tag does. The length of a try differs by chip and antenna, so it is measured before the number is chosen.

import TappetCore

/// The tries of one search.
struct ChipSearch {
  /// Tries of a select that must end soon; libnfc's number.
  static let selectTries: UInt8 = 2
  /// 0xFF would be without end.
  private static let triesMax: Int64 = 0xFE

  private(set) var tries = UInt8(Limits.readerSearchTries)
  /// The time of a whole search; `nil` before it was measured.
  private var duration: Duration?

  /// A chip that has not answered by then is not searching any more.
  var limit: Duration {
    let longest = duration.map { $0 + $0 / 4 } ?? Limits.readerTryMax * Int(tries)
    return longest + .milliseconds(250)
  }

  /// A search took `time`: changes the number of tries if one without a tag was much too short or too long.
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

/// The content of an answer to InListPassiveTarget (UM0701-02 §7.3.5).
enum TargetList: Equatable {
  /// No tag answered in any try.
  case none
  case tag(SelectedTag)
  /// A disturbed answer of a tag, or of the chip; it does not tell how long a search takes.
  case nonsense

  /// Any bytes: the answer without its command code.
  init(_ answer: [UInt8]) {
    if let tag = SelectedTag(listed: answer) { self = .tag(tag) } else { self = answer.first == 0 ? .none : .nonsense }
  }

  /// The tag, if there is one.
  var tag: SelectedTag? {
    if case .tag(let tag) = self { tag } else { nil }
  }
}

extension SelectedTag {
  /// Takes the tag out of an answer to InListPassiveTarget; `nil` when it has none, or nonsense.
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
