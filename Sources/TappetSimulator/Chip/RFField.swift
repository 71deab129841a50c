/// Everything between antenna and tag: the field, the tag in it, and the faults that a test asks for.

import TappetCore

/// The space over the antenna.
package struct RFField {
  /// Counts of exchanges with tags.
  package struct Counters: Equatable {
    /// Commands to a selected tag, since it was last selected.
    package var exchangesSinceSelect = 0
    /// Commands to a selected tag, since it was placed.
    package var exchangesSincePlace = 0
    /// Completed selections, since the counters were reset.
    package var selects = 0
  }

  /// The tag on the antenna, if there is one.
  package private(set) var tag: VirtualTag?
  /// A second one that lies there too.
  private var neighbour: VirtualTag?
  /// The one that was taken away last, as it was then.
  private var former: VirtualTag?
  /// Whether the field is on; a tag without field forgets where it was.
  private(set) var isOn = false
  /// Times, summed up since `takeElapsed`.
  private var elapsed: Int64 = 0
  private(set) var counters = Counters()
  /// Writes to tags that are gone.
  private var formerWrites = 0
  /// Exchanges until the tag leaves.
  private var departure: Int?
  /// Answers of the tag until one is spoilt.
  private var corruption: Int?

  // MARK: A test's orders

  /// Lays a tag on the antenna; the one before it is gone.
  mutating func place(_ newTag: VirtualTag) {
    take()
    tag = newTag
    counters.exchangesSincePlace = 0
    counters.exchangesSinceSelect = 0
  }
  /// Lays a second tag next to the first.
  mutating func place(beside newTag: VirtualTag) { neighbour = newTag }
  /// Brings back the tag that was taken away last; `nil` when there was none.
  mutating func bringBack() -> VirtualTag? {
    guard let former else { return nil }
    formerWrites -= former.writes
    place(former)
    return former
  }
  /// Takes the tags away; `nil` when there was none.
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
  /// The tag leaves when it has answered `count` exchanges more.
  mutating func take(afterExchanges count: Int) {
    if count <= 0 { take() } else { departure = count }
  }
  /// The `count`-th answer from now on comes in spoilt; 0 means none.
  mutating func corrupt(answer count: Int) { corruption = count > 0 ? count : nil }

  /// Pages or file parts written since the counters were reset, on all tags.
  var writes: Int { formerWrites + (tag?.writes ?? 0) }
  /// Counts from now on.
  mutating func resetCounters() {
    counters = Counters()
    formerWrites = -(tag?.writes ?? 0)
  }

  // MARK: The chip's side

  /// Switches the field.
  mutating func power(_ on: Bool) {
    if isOn, !on {
      tag?.powerOff()
      neighbour?.powerOff()
    }
    isOn = on
  }

  /// Sends a frame of the activation; returns the answer, if there is one.
  mutating func transmit(_ frame: RFFrame, _ pacing: Pacing) -> RFFrame? {
    elapsed += pacing.air(frame.bytes.count)
    guard isOn, let answer = RFField.superposed(tag?.answer(frame), neighbour?.answer(frame)) else { return nil }
    elapsed += pacing.air(answer.bytes.count) + pacing.tag(answer.delay)
    return answer
  }

  /// The chip's view of two tags that answer at once: the bits of both answers to a request; in anti-collision a 1
  /// where they differ first, and from there on only the tag that has it (ISO/IEC 14443-3 §6.5.3).
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

  /// Sends a command to a selected tag: this is what is counted, and what faults happen to.
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

  /// A tag was selected.
  mutating func countSelect() {
    counters.selects += 1
    counters.exchangesSinceSelect = 0
  }

  /// Waiting without transmission.
  mutating func wait(_ nanoseconds: Int64) { elapsed += nanoseconds }

  /// Nanoseconds since the last call.
  mutating func takeElapsed() -> Int64 {
    defer { elapsed = 0 }
    return elapsed
  }
}
