// Combines a reading and its description, for code that handles tags rather than taps.

/// Holds each `tagRead` back until its `tagDescribed` has arrived, and combines the two.
package struct TagReadingAssembler {
  private var reading: TagReading?

  package init() {}

  /// Returns the message to be handled; `nil` while a reading is waiting for its description.
  @export(interface)
  package mutating func pass(_ message: ReaderMessage) -> ReaderMessage? {
    switch message {
    case .tagRead(let new):
      reading = new
      return nil
    case .tagDescribed(let description):
      guard let read = reading, read.uid == description.uid else { return nil }
      reading = nil
      return .tagRead(read.described(by: description))
    case .tagArrived, .tagFaulted, .tagLeft, .ready, .lost: reading = nil
    case .heartbeat, .orderProgress, .orderDone: break
    }
    return message
  }
}
