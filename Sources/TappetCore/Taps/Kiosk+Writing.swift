// While a job waits for a tag, the next tag is written, and does not count as a tap. `TagJob` decides what to write.

/// The stages of a tag job.
package enum TagJobPhase: Hashable, Sendable {
  /// The job waits for the next tag.
  case waiting
  case done
  case failed
}

extension Kiosk {
  mutating func tagJobChanged(_ phase: TagJobPhase) -> [Effect] {
    tapPolicy.isWriting = phase == .waiting
    switch phase {
    // A tag whose tap is being confirmed is on the reader, and now belongs to the job.
    case .waiting: return endConfirmation(.closed)
    // The light `accepted` would promise a message; the end of the light `writing` shows that the job is done.
    case .done: return []
    case .failed: return [.light(.refused)]
    }
  }

  /// Marks the job's tag as held, so that it does not count as a tap if it stays on the reader.
  mutating func saidWhileWriting(_ message: ReaderMessage) -> [Effect] {
    switch message {
    case .tagArrived(let uid, let wasPresent):
      tapPolicy.taps.tagArrived(uid, wasPresent: wasPresent, wasUnattended: reader.wasUnattended)
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
