// The last taps and presses and what became of them.

import TappetCore
import TappetMessages

/// A tap or a press and what became of it.
package struct TapOutcome: Sendable {
  /// Wall-clock time, milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Whether it went as the person wished.
  package var isGood: Bool
  /// One sentence for a person.
  package var text: String
}

/// The newest outcomes, at most `Limits.viewTapsMax`.
struct TapHistory {
  /// The newest last.
  private(set) var outcomes: [TapOutcome] = []

  /// Adds `report` when it is about a tap or a press.
  mutating func add(_ report: Report, _ record: LogRecord, at now: Moment) {
    let isGood: Bool
    switch report {
    case .accepted, .delivered, .deliveredOfMany, .deliveredMore: isGood = true
    case .refused, .refusedMore, .ignored, .queued, .expired, .dropped, .undeliverable,
      .deliveredUnheard, .codeRefused, .confirming,
      .confirmationEnded:
      isGood = false
    case .readerReady, .readerLost, .linkUp, .linkFellBack, .linkFailed, .linkLost, .linkStorm, .linkClosed, .clockGood,
      .clockUnknown, .certificateExpiring, .certificatesGood, .storeTrouble, .storeRecovered, .outboxRestored,
      .stopping, .panelLost, .panelRecovered, .buttonStuck, .buttonChattering, .buttonRecovered, .panelLocked,
      .panelUnlocked:
      return
    }
    if outcomes.count >= Limits.viewTapsMax { outcomes.removeFirst() }
    outcomes.append(TapOutcome(unixMilliseconds: now.unixMilliseconds, isGood: isGood, text: record.sentence))
  }
}
