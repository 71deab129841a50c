// The datagrams from tappet-reader: a message, followed by the time at which it was sent.
//
//   0 …          n-8 … n
//   message      time (8, big-endian): nanoseconds of CLOCK_BOOTTIME, the same clock on both sides
//
// The time is that of the tap: a parent that is held up reads the datagram later.

/// A message from tappet-reader, and the time at which it was sent.
package struct ReaderFrame: Hashable, Sendable {
  package var message: ReaderMessage
  package var sentAt: Instant

  private static let timeSize = 8

  package init(_ message: ReaderMessage, sentAt: Instant) {
    self.message = message
    self.sentAt = sentAt
  }

  /// Encodes the frame as one datagram.
  @export(interface)
  package func encode() -> [UInt8] { message.encode() + sentAt.nanoseconds.bigEndianBytes }

  /// Decodes a datagram.
  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) {
    let size = bytes.count - ReaderFrame.timeSize
    // A program of a different version may send no time; the error is that of its message.
    guard size > 0, bytes[0] != 1 || bytes[1] == ReaderMessage.protocolVersion else {
      _ = try ReaderMessage(decoding: bytes)
      throw .truncated(offset: bytes.count)
    }
    message = try ReaderMessage(decoding: Array(bytes[..<size]))
    sentAt = Instant(nanoseconds: Int64(bigEndianBytes: bytes[size...]))
  }
}
