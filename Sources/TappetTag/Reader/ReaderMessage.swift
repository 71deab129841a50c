// Messages from tappet-reader to its parent over their SOCK_SEQPACKET socket, one per datagram (ReaderFrame.swift). The
// sender may have been compromised by a tag's content, so any bytes decode to a value or an error.
//
// WireField.swift defines the encoding of fields; device names and memories extend to the message's end.
//
//   1 ready          version:1 name (0…128 bytes)
//   2 heartbeat
//   3 tagArrived     uid
//   4 tagRead        uid model:1 memory (0…Limits.tagMemorySizeMax bytes)
//   5 tagFaulted     uid model:1 fault:1
//   6 tagLeft        uid
//   7 lost           fault:1 code:4                   libnfc's code
//   8 orderProgress  writes:2 total:2
//   9 orderDone      uid model:1 writes:2 fault?      fault: its code (1) and two numbers (2, 2)
//  10 tagDescribed   uid model:1 header               0 or 12 bytes; follows each tagRead
//  11 tagArrived     uid                              of a tag that was present when the device became ready

/// One message from tappet-reader.
package enum ReaderMessage: Hashable, Sendable {
  /// The device is open and polling.
  case ready(device: String)
  /// An iteration of the polling loop is complete.
  case heartbeat
  /// A tag is in the field; its memory is being read.
  ///
  /// `wasPresent` if the first poll found it, which takes place before `ready`; the message then follows `ready`.
  case tagArrived(TagUID, wasPresent: Bool = false)
  /// The part of the tag's memory that a tap needs; `tagDescribed` follows.
  indirect case tagRead(TagReading)
  /// Further details of the tag in the last `tagRead`.
  indirect case tagDescribed(TagDescription)
  /// The tag could not be read.
  case tagFaulted(TagUID, TagModel, TagFault)
  /// The tag in the last `tagArrived` was removed.
  case tagLeft(TagUID)
  /// The device can no longer be used; the process exits after this message.
  case lost(ReaderFault, code: Int32)
  /// A command is being executed.
  case orderProgress(done: UInt16, total: UInt16)
  /// A command was executed, or failed.
  indirect case orderDone(OrderOutcome)

  /// Version of the protocol.
  ///
  /// Both processes are from the same build; a different version means that an update left an old tappet-reader behind.
  package static let protocolVersion: UInt8 = 5
}
