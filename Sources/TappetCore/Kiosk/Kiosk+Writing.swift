// While a job waits for a tag the next one is written, and is no tap. What is written is decided in `TagJob`.

/// How far a job for a tag is.
public enum TagJobPhase: Hashable, Sendable {
  /// The next tag is for it.
  case waiting
  case done
  case failed
}

extension Kiosk {
  mutating func tagJobChanged(_ phase: TagJobPhase) -> [Effect] {
    isWriting = phase == .waiting
    switch phase {
    // A tag that is asked lies there, and is for the job now.
    case .waiting: return endConfirmation(.closed)
    // `accepted` would promise a message; that `writing` gives way to what lasts says that it is done.
    case .done: return []
    case .failed: return [.light(.refused)]
    }
  }

  /// A tag of the job counts as held, so that it is no tap afterwards while it still lies there.
  mutating func saidWhileWriting(_ message: ReaderMessage, at now: Moment) -> [Effect] {
    switch message {
    case .tagArrived(let uid):
      taps.tagArrived(uid, sinceReady: reader.sinceReady(at: now.instant))
      return []
    case .tagRead(let reading):
      _ = taps.isHeld(reading.uid)
      return []
    case .tagLeft(let uid):
      taps.tagLeft(uid)
      return tagGone(uid)
    case .tagFaulted, .ready, .heartbeat, .lost, .orderProgress, .orderDone:
      return []
    }
  }
}
