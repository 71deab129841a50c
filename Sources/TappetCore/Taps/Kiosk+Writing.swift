// While a job waits for a tag, the next tag is written and never counts as a tap. `TagJob` decides what to write.

/// The stages of a tag job.
package enum TagJobPhase: Hashable, Sendable {
  /// The next tag is for the job.
  case waiting
  case done
  case failed
}

extension Kiosk {
  mutating func tagJobChanged(_ phase: TagJobPhase) -> [Effect] {
    tapPolicy.isWriting = phase == .waiting
    switch phase {
    // A tag that is being confirmed is on the reader, and is now for the job.
    case .waiting: return endConfirmation(.closed)
    // The `accepted` light would promise a message; the end of the `writing` light shows that the job is done.
    case .done: return []
    case .failed: return [.light(.refused)]
    }
  }

  /// Marks the job's tag as held, so that it does not count as a tap if it stays on the reader.
  mutating func saidWhileWriting(_ message: ReaderMessage, at now: Moment) -> [Effect] {
    switch message {
    case .tagArrived(let uid):
      tapPolicy.taps.tagArrived(uid, sinceReady: reader.sinceReady(at: now.instant))
      return []
    case .tagRead(let reading):
      _ = tapPolicy.taps.isHeld(reading.uid)
      return []
    case .tagLeft(let uid):
      tapPolicy.taps.tagLeft(uid)
      return tagGone(uid)
    case .tagFaulted, .tagDescribed, .ready, .heartbeat, .lost, .orderProgress, .orderDone:
      return []
    }
  }
}
