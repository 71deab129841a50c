// While a job waits for a tag, the next tag is written, and does not count as a tap.

extension Kiosk {
  /// The reading or fault of the tag on the reader; `nil` if there is none, or the tag would have to be read again.
  package var tagSighting: TagSighting? { tagJobs.sighting }

  mutating func tagJobChanged(_ event: TagJobEvent, at now: Moment) -> [Effect] {
    let effects = tagJobs.handle(event, at: now.instant).effects
    // A tag whose tap is being confirmed is on the reader, and now belongs to the job.
    return if case .prepared = event { endConfirmation(.closed) + effects } else { effects }
  }

  mutating func tagJobReceived(_ message: ReaderMessage) -> [Effect] {
    let (steps, sighting) = tagJobs.received(message)
    return (sighting.map { [.showTag($0)] } ?? []) + steps.effects
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

extension [TagJob.Step] {
  /// The steps as effects; a method of the kiosk, whose part `tagJobs` is, would copy the whole kiosk at each call.
  var effects: [Effect] {
    flatMap { step -> [Effect] in
      // The light `accepted` would promise a message; the end of the light `writing` shows that the job is done.
      if case .end(let end) = step, !end.isDone { [.light(.refused), .tagJob(step)] } else { [.tagJob(step)] }
    }
  }
}
