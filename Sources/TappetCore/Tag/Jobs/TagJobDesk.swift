// The job for the next tag, from its request to its end, and the tag on the reader. Pure decision logic: `TagJob`
// decides what to write, and the store's thread prepares each job.

/// An event of the job for the next tag; at most one job is in progress.
package enum TagJobEvent: Sendable {
  /// A job was requested, and is being prepared; without a limit, it waits for its tag until it is cancelled.
  case requested(limit: Duration?)
  case prepared(TagJob)
  /// The requested job cannot be prepared.
  case refused
  /// The requester has cancelled the job, or is gone.
  case cancelled
  /// No tappet-reader accepts the job's order.
  case orderLost
  /// The written tag's secret was saved, or could not be saved.
  case secretSaved(Bool)
}

/// A reading of a tag, or the fault that prevented the reading.
package enum TagSighting: Sendable {
  case read(TagReading)
  case faulted(TagUID, TagModel, TagFault)
}

/// The job in progress, and the tag on the reader.
struct TagJobDesk: Sendable {
  private enum State: Sendable {
    case idle
    case preparing(isCancelled: Bool)
    case active(TagJob)
  }

  /// A tag on the reader, which was read, or could not be read.
  private struct Present: Sendable {
    var uid: TagUID
    /// The reading or fault, for later requests; `nil` if the tag contains a key or has been written since.
    var sighting: TagSighting?
    /// The URL on the tag, without its key.
    var url: TagURL?
  }

  private var state = State.idle
  /// The time limit of the job's wait for its tag, and the end of the wait; `nil` if there is no limit.
  private var wait: (limit: Duration, end: Instant)?
  private var present: Present?
  private var readings = TagReadingAssembler()

  /// Whether the next tag is for a job, and does not count as a tap.
  var isWriting: Bool { if case .active = state { true } else { false } }

  var deadline: Instant? { wait?.end }

  /// The reading or fault of the tag on the reader; `nil` if it would have to be read again.
  var sighting: TagSighting? { present?.sighting }

  mutating func handle(_ event: TagJobEvent, at now: Instant) -> [TagJob.Step] {
    switch (state, event) {
    case (.idle, .requested(let limit)):
      state = .preparing(isCancelled: false)
      wait = limit.map { ($0, now + $0) }
    case (.preparing(let isCancelled), .prepared(let job)):
      state = .active(job)
      if isCancelled { return advance { $0.giveUp(.cancelled) } }
      if let present { return advance { $0.tagIsThere(present.uid, holding: present.url) } }
    case (.preparing, .refused): (state, wait) = (.idle, nil)
    case (.preparing, .cancelled): state = .preparing(isCancelled: true)
    case (.active, .cancelled): return advance { $0.giveUp(.cancelled) }
    case (.active, .orderLost): return advance { $0.readerLost() }
    case (.active, .secretSaved(let isSaved)): return advance { $0.saved(isSaved) }
    case (.idle, _), (.preparing, .requested), (.preparing, .orderLost), (.preparing, .secretSaved),
      (.active, .requested), (.active, .prepared), (.active, .refused):
      break
    }
    return []
  }

  /// Handles a message from tappet-reader; returns the steps of the job, and the reading or fault that is complete now.
  mutating func received(_ message: ReaderMessage) -> (steps: [TagJob.Step], sighting: TagSighting?) {
    guard let message = readings.pass(message) else { return ([], nil) }
    var sighting: TagSighting?
    switch message {
    case .tagArrived, .tagLeft, .ready, .lost: present = nil
    case .tagRead(let reading):
      sighting = .read(reading)
      let carriesKey = reading.withoutCarriedKey != reading
      present = Present(uid: reading.uid, sighting: carriesKey ? nil : sighting, url: try? reading.tagURL())
    case .tagFaulted(let uid, let model, let fault):
      sighting = .faulted(uid, model, fault)
      present = Present(uid: uid, sighting: sighting)
    case .orderProgress, .orderDone: present = present.map { Present(uid: $0.uid) }
    case .heartbeat, .tagDescribed: break
    }
    return (advance { $0.received(message) }, sighting)
  }

  /// Handles the exit of tappet-reader; the next process has not received the pending order.
  mutating func readerEnded() -> [TagJob.Step] {
    present = nil
    return advance { $0.isWorking ? $0.readerLost() : [] }
  }

  /// Ends the job at its deadline; if its tag is being written, the deadline is extended by the same time.
  mutating func timerFired(at now: Instant) -> [TagJob.Step] {
    guard let wait, wait.end <= now else { return [] }
    self.wait?.end = now + wait.limit
    return advance { $0.giveUp(.noTag) }
  }

  private mutating func advance(_ transition: (inout TagJob) -> [TagJob.Step]) -> [TagJob.Step] {
    guard case .active(var job) = state else { return [] }
    let steps = transition(&job)
    state = .active(job)
    guard case .end(let end) = steps.last else { return steps }
    // A tag left on the reader can be written again without being read first.
    if end.savedSecret != nil { present?.url = job.writtenURL }
    (state, wait) = (.idle, nil)
    return steps
  }
}
