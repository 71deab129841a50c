// The loop: look for a tag, read it, watch it leave. One tag at a time; a tag that lies there is read once.
//
//     empty ──select finds──▶ arrived, read ──▶ occupied ──two turns without an answer──▶ left ──▶ empty
//                                                  │ another tag answers: left, arrived
//                                                  └ it was torn and is seen again: left, arrived

import TappetCore

/// Polls the device and tells the parent what happens, until the parent or the device is gone.
struct Polling {
  private let device: NFCDevice
  private let parent: ParentLink
  private var field = Field.empty
  private var isHeard = true
  private var heartbeatDue: Instant
  private var refreshDue: Instant

  private enum Field {
    case empty
    case occupied(SelectedTag, Stay)
  }

  /// How a tag's stay goes on.
  private struct Stay {
    /// Turns in a row in which it did not answer.
    var misses = 0
    /// Its reading was torn: it is read anew when it is seen next.
    var isTorn = false
    /// So many torn readings are tried anew.
    var rereads = Limits.readerRereadsMax
    /// As it was told when it was read.
    var model: TagModel?
  }

  /// Polls `device`, which is open and a reader.
  init(device: NFCDevice, parent: ParentLink) {
    self.device = device
    self.parent = parent
    let now = Instant.now()
    heartbeatDue = now + Limits.readerHeartbeatInterval
    refreshDue = now + Limits.readerRefreshInterval
  }

  /// Returns when the parent let go or the process was told to end; throws when the device failed.
  mutating func run() throws(DeviceTrouble) {
    tell(.ready(device: device.name))
    while isHeard {
      let started = Instant.now()
      try turn()
      if started >= heartbeatDue {
        tell(.heartbeat)
        heartbeatDue = started + Limits.readerHeartbeatInterval
      }
      switch parent.rest(until: started + Limits.readerPollInterval) {
      case .timeUp: break
      case .order(let order): try carryOut(order)
      case .ended: return
      }
    }
  }

  /// The order is for a tag that was told of, and for no other.
  private mutating func carryOut(_ order: ReaderOrder) throws(DeviceTrouble) {
    guard case .occupied(let tag, var stay) = field, tag.uid == order.uid else {
      tell(.orderDone(OrderOutcome(uid: order.uid, model: .other, writes: 0, fault: .notThere)))
      return
    }
    let parent = parent
    let work = OrderWork(order, model: stay.model ?? tag.model, on: device) { _ = parent.send($0) }
    let outcome = try work.run(on: tag)
    stay.misses = 0
    stay.model = outcome.model
    if case .pulledAway? = outcome.fault {
      // When it is seen again it is read anew, and may be written to its end.
      stay.isTorn = true
      stay.rereads = Limits.readerRereadsMax
    }
    field = .occupied(tag, stay)
    tell(.orderDone(outcome))
  }

  private mutating func turn() throws(DeviceTrouble) {
    switch field {
    case .empty:
      // Only here, where no tag is: it takes the field away for a moment.
      if Instant.now() >= refreshDue {
        try device.refresh()
        refreshDue = Instant.now() + Limits.readerRefreshInterval
      }
      if let tag = try device.select() { try arrive(tag, Stay()) }
    case .occupied(let tag, let stay):
      try watch(tag, stay)
    }
  }

  /// A tag is there that was not: the light may change before it is read.
  private mutating func arrive(_ tag: SelectedTag, _ stay: Stay) throws(DeviceTrouble) {
    tell(.tagArrived(tag.uid))
    let outcome = try device.read(tag)
    tell(outcome)
    var stay = Stay(rereads: stay.rereads)
    if case .tagFaulted(_, _, .pulledAway) = outcome { stay.isTorn = true }
    if case .tagRead(let reading) = outcome { stay.model = reading.model }
    field = .occupied(tag, stay)
  }

  private mutating func watch(_ tag: SelectedTag, _ stay: Stay) throws(DeviceTrouble) {
    var stay = stay
    // A torn tag is to be selected anew in any case, for it may have lost its power.
    if !stay.isTorn, try device.answers(tag) {
      stay.misses = 0
      field = .occupied(tag, stay)
      return
    }
    guard let found = try device.selectAgain(tag) else {
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
      try arrive(found, Stay())
    } else if stay.isTorn, stay.rereads > 0 {
      leave(tag)
      try arrive(found, Stay(rereads: stay.rereads - 1))
    } else {
      field = .occupied(tag, Stay(rereads: 0, model: stay.model))
    }
  }

  private mutating func leave(_ tag: SelectedTag) {
    tell(.tagLeft(tag.uid))
    field = .empty
  }

  private mutating func tell(_ message: ReaderMessage) {
    if isHeard { isHeard = parent.send(message) }
  }
}
