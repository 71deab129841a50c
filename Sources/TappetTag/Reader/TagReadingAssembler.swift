// Combines a tag's reading and description, for code that handles tags rather than taps.

/// Holds back each `tagRead` until its `tagDescribed` has arrived, and combines both messages.
package struct TagReadingAssembler {
  private var reading: TagReading?

  package init() {}

  /// Returns the message to handle; `nil` while a reading waits for its description.
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
