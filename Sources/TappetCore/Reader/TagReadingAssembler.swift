// Joins a reading and its description, for code that looks at tags rather than at taps.

/// Holds each `tagRead` back until its `tagDescribed` has come, and joins the two.
package struct TagReadingAssembler {
  private var reading: TagReading?

  package init() {}

  /// The message as it is to be handled, `nil` while a reading waits for its description.
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
