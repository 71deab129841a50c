// The loop: detect a tag, read it, detect its removal. One tag at a time; a tag that stays on the reader is read once.
//
//     empty ──select finds──▶ arrived, read ──▶ occupied ──two polls without an answer──▶ left ──▶ empty
//                                                  │ a different tag answers: left, arrived
//                                                  └ a torn tag is detected again: arrived as before, read

import TappetTag
import TappetPlatform

/// Polls the device and reports to the parent until one of the two is gone.
struct PollLoop {
  private let device: NFCDevice
  private let parent: ParentChannel
  private var field = Field.empty
  private var isHeard = true
  private var heartbeatDue: Instant
  private var refreshDue: Instant
  private var rouseDue: Instant

  private enum Field {
    case empty
    case occupied(SelectedTag, TagSession)
  }

  /// The state of a tag while it stays on the reader.
  private struct TagSession {
    /// Number of consecutive polls that the tag did not answer.
    var misses = 0
    /// Whether the last reading was torn; if so, the tag is read again when it is next detected.
    var isTorn = false
    /// Number of times that a torn reading may still be repeated.
    var rereads = Limits.readerRereadsMax
    /// Whether the tag was already present when the reader became ready.
    var wasPresent = false
    /// The model determined when the tag was read; `nil` if it could not be read.
    var model: TagModel?
  }

  /// Creates a loop that polls `device`, which is open and initialized as a reader.
  init(device: NFCDevice, parent: ParentChannel) {
    self.device = device
    self.parent = parent
    let now = Instant.now()
    heartbeatDue = now + Limits.readerHeartbeatInterval
    refreshDue = now + Limits.readerRefreshInterval
    rouseDue = now + Limits.readerRouseInterval
  }

  /// Runs until the parent closes its socket or termination is requested; throws if the device fails.
  mutating func run() throws(DeviceError) {
    // The first poll precedes `ready`, so that the parent can tell a tag that was already present from a tap.
    let present = try device.look()
    report(.ready(device: device.name))
    // The first message after it settles whether a tag lay there.
    if let present { try arrive(present, TagSession(wasPresent: true)) } else { report(.heartbeat) }
    while isHeard {
      let started = Instant.now()
      try turn()
      if started >= heartbeatDue {
        report(.heartbeat)
        heartbeatDue = started + Limits.readerHeartbeatInterval
      }
      switch parent.rest(until: started + interval) {
      case .timeUp: break
      case .order(let order): try execute(order)
      case .ended: return
      }
    }
  }

  /// Executes an order if it is for the reported tag; otherwise, reports that its tag is not present.
  private mutating func execute(_ order: ReaderOrder) throws(DeviceError) {
    guard case .occupied(let tag, var stay) = field, tag.uid == order.uid else {
      report(.orderDone(OrderOutcome(uid: order.uid, model: .other, writes: 0, fault: .notThere)))
      return
    }
    let parent = parent
    let work = WriteOperation(order, model: stay.model ?? tag.model, on: device) { _ = parent.send($0) }
    let outcome = try work.run(on: tag)
    stay.misses = 0
    stay.model = outcome.model
    switch outcome.fault {
    case .pulledAway?, .notThere?:
      // When the tag is detected again, it is read again, so that the write can be completed.
      stay.isTorn = true
      stay.rereads = Limits.readerRereadsMax
    case _: break
    }
    field = .occupied(tag, stay)
    report(.orderDone(outcome))
  }

  private mutating func turn() throws(DeviceError) {
    switch field {
    case .empty:
      try restore()
      if let tag = try device.look() { try arrive(tag, TagSession()) }
    case .occupied(let tag, let stay):
      try watch(tag, stay)
    }
  }

  /// Time between the starts of two iterations.
  private var interval: Duration {
    if case .empty = field { device.lookInterval } else { Limits.readerPollInterval }
  }

  /// Periodically restores the chip, because a brownout cannot be detected.
  private mutating func restore() throws(DeviceError) {
    let now = Instant.now()
    if now >= refreshDue {
      try refresh(at: now)
    } else if now >= rouseDue {
      try device.recoverFromBrownout()
      rouseDue = now + Limits.readerRouseInterval
    }
  }

  /// Sets up the chip again, which briefly switches the field off.
  private mutating func refresh(at now: Instant) throws(DeviceError) {
    try device.refresh()
    refreshDue = now + Limits.readerRefreshInterval
    rouseDue = now + Limits.readerRouseInterval
  }

  /// Handles a new tag, which is reported before it is read, so that the light can change immediately.
  private mutating func arrive(_ tag: SelectedTag, _ stay: TagSession) throws(DeviceError) {
    report(.tagArrived(tag.uid, wasPresent: stay.wasPresent))
    var stay = TagSession(rereads: stay.rereads, wasPresent: stay.wasPresent)
    switch try device.read(tag) {
    case .failure(let fault):
      report(.tagFaulted(tag.uid, tag.model, fault))
      if case .pulledAway = fault { stay.isTorn = true }
    case .success(let memory):
      report(.tagRead(TagReading(uid: tag.uid, model: tag.model, bytes: memory.bytes)))
      // Described last, because nothing waits for the description.
      let description = try device.describe(tag, memory)
      report(.tagDescribed(description))
      stay.model = description.model
    }
    field = .occupied(tag, stay)
  }

  private mutating func watch(_ tag: SelectedTag, _ stay: TagSession) throws(DeviceError) {
    var stay = stay
    // After a torn reading, the tag must be selected again in any case, because it may have lost power.
    if !stay.isTorn, try device.answers(tag) {
      stay.misses = 0
      field = .occupied(tag, stay)
      return
    }
    var answer = try device.selectAgain(tag)
    if answer == nil {
      // After a brownout, the chip finds no tag; a tag that never left must not be reported a second time.
      try refresh(at: Instant.now())
      answer = try device.select()
    }
    guard let found = answer else {
      stay.misses += 1
      if stay.misses >= Limits.readerMissesMax {
        leave(tag)
      } else {
        field = .occupied(tag, stay)
      }
      return
    }
    if !found.isSame(as: tag) {
      leave(tag)
      try arrive(found, TagSession())
    } else if stay.isTorn, stay.rereads > 0 {
      // The tag has not left: one that lay there at the start still does.
      try arrive(found, TagSession(rereads: stay.rereads - 1, wasPresent: stay.wasPresent))
    } else {
      field = .occupied(tag, TagSession(rereads: 0, wasPresent: stay.wasPresent, model: stay.model))
    }
  }

  private mutating func leave(_ tag: SelectedTag) {
    report(.tagLeft(tag.uid))
    field = .empty
  }

  private mutating func report(_ message: ReaderMessage) {
    if isHeard { isHeard = parent.send(message) }
  }
}
