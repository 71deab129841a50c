// Messages from tappet-reader to its parent over their SOCK_SEQPACKET socket, one per datagram (ReaderFrame.swift). The
// sender may have been compromised by a tag's content, so any bytes decode to a value or an error.
//
//   byte 0     1 …
//   kind       the kind's fields; strings and memories extend to the message's end
//
//   1 ready       version (1 byte), device name (UTF-8, 0…128 bytes)
//   2 heartbeat   —
//   3 tagArrived  uid size (1), uid
//   4 tagRead     uid size (1), uid, model (1), memory (0…Limits.tagMemorySizeMax bytes)
//   5 tagFaulted  uid size (1), uid, model (1), fault (1)
//   6 tagLeft     uid size (1), uid
//   7 lost        fault (1), libnfc's code (4, little-endian, signed)
//   8 orderProgress  writes done (2, little-endian), writes in all (2)
//   9 orderDone   uid size (1), uid, model (1), writes (2, little-endian), fault or 0 (1), its two numbers (2, 2)
//  10 tagDescribed  uid size (1), uid, model (1), header (0 or 12 bytes); follows each tagRead
//  11 tagArrived  as 3, of a tag that was present when the device became ready

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
  package static let protocolVersion: UInt8 = 4
}

/// The reason why a datagram is not a valid message.
package enum ReaderMessageError: Error, Hashable, Sendable {
  case empty
  case unknownKind(UInt8)
  case truncated(offset: Int)
  case trailingBytes(offset: Int)
  case otherVersion(UInt8)
  case invalidUID(size: Int)
  case invalidHeader(size: Int)
  case unknownModel(UInt8)
  case unknownFault(UInt8)
  case tooLarge(size: Int)
  case invalidText
}
