/// The space between antenna and tag: the field, the tags in it, and the faults requested by a test.

import TappetTag

/// The RF field above the antenna.
package struct RFField {
  /// Counters of tag exchanges.
  package struct Counters: Equatable {
    /// Number of commands to the tag since it was last selected.
    package var exchangesSinceSelect = 0
    /// Number of commands to the tag since it was placed.
    package var exchangesSincePlace = 0
    /// Number of completed selections since the counters were reset.
    package var selects = 0
  }

  /// The tag on the antenna, if any.
  package private(set) var tag: VirtualTag?
  /// A second tag on the antenna.
  private var neighbour: VirtualTag?
  /// The most recently removed tag, in its state when it was removed.
  private var former: VirtualTag?
  /// Whether the field is on; a tag loses its activation state when the field is switched off.
  private(set) var isOn = false
  /// Nanoseconds elapsed since the last call of `takeElapsed`.
  private var elapsed: Int64 = 0
  private(set) var counters = Counters()
  /// Number of writes to removed tags.
  private var formerWrites = 0
  /// Number of exchanges until the tag is removed; `nil` if no removal is scheduled.
  private var departure: Int?
  /// Number of responses until one is corrupted; `nil` if no corruption is scheduled.
  private var corruption: Int?

  // MARK: Test operations

  /// Places a tag on the antenna, replacing the previous one.
  mutating func place(_ newTag: VirtualTag) {
    take()
    tag = newTag
    counters.exchangesSincePlace = 0
    counters.exchangesSinceSelect = 0
  }
  /// Places a second tag next to the first.
  mutating func place(beside newTag: VirtualTag) { neighbour = newTag }
  /// Returns the most recently removed tag to the antenna; `nil` if there was none.
  mutating func bringBack() -> VirtualTag? {
    guard let former else { return nil }
    formerWrites -= former.writes
    place(former)
    return former
  }
  /// Removes both tags; returns the first tag, or `nil` if there was none.
  @discardableResult
  mutating func take() -> VirtualTag? {
    defer {
      formerWrites += tag?.writes ?? 0
      tag?.powerOff()
      if tag != nil { former = tag }
      tag = nil
      neighbour = nil
      departure = nil
    }
    return tag
  }
  /// Schedules the removal of the tag after `count` more exchanges.
  mutating func take(afterExchanges count: Int) {
    if count <= 0 { take() } else { departure = count }
  }
  /// Schedules the corruption of the `count`-th response from now on; 0 means none.
  mutating func corrupt(answer count: Int) { corruption = count > 0 ? count : nil }

  /// Number of pages or file parts written on all tags since the counters were reset.
  var writes: Int { formerWrites + (tag?.writes ?? 0) }
  /// Resets the counters.
  mutating func resetCounters() {
    counters = Counters()
    formerWrites = -(tag?.writes ?? 0)
  }

  // MARK: Chip operations

  /// Switches the field on or off.
  mutating func power(_ on: Bool) {
    if isOn, !on {
      tag?.powerOff()
      neighbour?.powerOff()
    }
    isOn = on
  }

  /// Sends an activation frame; returns the response, if any.
  mutating func transmit(_ frame: RFFrame, _ pacing: Pacing) -> RFFrame? {
    elapsed += pacing.air(frame.bytes.count)
    guard isOn, let answer = RFField.superposed(tag?.answer(frame), neighbour?.answer(frame)) else { return nil }
    elapsed += pacing.air(answer.bytes.count) + pacing.tag(answer.delay)
    return answer
  }

  /// Combines the responses of two tags as the chip receives them: after a request, the bits of both; in
  /// anti-collision, a 1 at the first difference, and after it only the data of the tag that sent the 1 (ISO/IEC
  /// 14443-3 §6.5.3).
  private static func superposed(_ one: RFFrame?, _ other: RFFrame?) -> RFFrame? {
    guard let one, let other else { return one ?? other }
    if one.bytes.count == 2, other.bytes.count == 2 {
      return RFFrame([one.bytes[0] | other.bytes[0], one.bytes[1] | other.bytes[1]])
    }
    for (left, right) in zip(one.bytes, other.bytes) where left != right {
      let lowestDifferingBit = (left ^ right) & (~(left ^ right) &+ 1)
      return left & lowestDifferingBit != 0 ? one : other
    }
    return one
  }

  /// Sends a command to a selected tag; only these exchanges are counted and affected by faults.
  mutating func exchange(_ frame: RFFrame, _ pacing: Pacing) -> RFFrame? {
    guard tag != nil, isOn else { return transmit(frame, pacing) }
    counters.exchangesSinceSelect += 1
    counters.exchangesSincePlace += 1
    var answer = transmit(frame, pacing)
    if answer != nil { wait(tag?.answerDelay ?? 0) }
    if answer != nil, let left = corruption {
      corruption = left > 1 ? left - 1 : nil
      if left <= 1, answer?.bytes.isEmpty == false { answer?.bytes[0] ^= 0x01 }
    }
    if let left = departure {
      if left <= 1 { take() } else { departure = left - 1 }
    }
    return answer
  }

  /// Counts the selection of a tag.
  mutating func countSelect() {
    counters.selects += 1
    counters.exchangesSinceSelect = 0
  }

  /// Adds waiting time without transmission.
  mutating func wait(_ nanoseconds: Int64) { elapsed += nanoseconds }

  /// Returns the nanoseconds elapsed since the last call.
  mutating func takeElapsed() -> Int64 {
    defer { elapsed = 0 }
    return elapsed
  }
}
