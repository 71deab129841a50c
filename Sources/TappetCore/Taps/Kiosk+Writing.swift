// While a job waits for a tag, the next one is written and never becomes a tap. `TagJob` decides what to write.

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
    // `accepted` would promise a message; the end of `writing` shows that it is done.
    case .done: return []
    case .failed: return [.light(.refused)]
    }
  }

  /// Counts the job's tag as held, so that it does not become a tap afterwards while it stays.
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
