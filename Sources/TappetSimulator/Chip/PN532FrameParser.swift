/// Finds frames in the bytes of the serial line: garbage around them is skipped, and a frame with a wrong checksum is
/// dropped without a response, as in the chip.

import TappetTag

/// Parses bytes from the host into frames.
package struct PN532FrameParser {
  /// A message from the host.
  package enum Event: Equatable {
    /// Command code and parameters.
    case command([UInt8])
    /// The host acknowledges a response, or aborts the running command.
    case ack
    /// The host requests the last response again.
    case nack
  }

  private enum Step {
    case event(Event, consumed: Int)
    case skip(Int)
    case incomplete
  }

  private var buffer: [UInt8] = []

  package init() {}

  /// Adds bytes from the line.
  package mutating func append(_ bytes: [UInt8]) { buffer += bytes }

  /// Discards an incomplete frame.
  mutating func reset() { buffer.removeAll() }

  /// Returns the next frame; `nil` if more bytes are needed.
  @export(interface)
  package mutating func next() -> Event? {
    while true {
      guard let start = startCode() else {
        // A trailing 00 may be the first half of a start code.
        buffer = buffer.last == 0x00 ? [0x00] : []
        return nil
      }
      if start > 0 { buffer.removeFirst(start) }
      switch step() {
      case .event(let event, let consumed):
        buffer.removeFirst(min(consumed, buffer.count))
        return event
      case .skip(let count): buffer.removeFirst(min(count, buffer.count))
      case .incomplete: return nil
      }
    }
  }

  /// Returns the offset of the start code 00 FF, if any.
  private func startCode() -> Int? {
    guard buffer.count >= 2 else { return nil }
    for index in 0..<buffer.count - 1 where buffer[index] == 0x00 && buffer[index + 1] == 0xFF { return index }
    return nil
  }

  /// Parses the start of the buffer, which must be 00 FF.
  private func step() -> Step {
    guard buffer.count >= 4 else { return .incomplete }
    switch (buffer[2], buffer[3]) {
    case (0x00, 0xFF): return .event(.ack, consumed: 4)
    case (0xFF, 0x00): return .event(.nack, consumed: 4)
    case (0xFF, 0xFF):
      guard buffer.count >= 7 else { return .incomplete }
      guard buffer[4] &+ buffer[5] &+ buffer[6] == 0 else { return .skip(2) }
      return information(at: 7, size: Int(buffer[4]) << 8 | Int(buffer[5]))
    case (let length, let checksum):
      guard length &+ checksum == 0 else { return .skip(2) }
      return information(at: 4, size: Int(length))
    }
  }

  private func information(at offset: Int, size: Int) -> Step {
    guard size >= 2, size <= PN532Frame.extendedSizeMax else { return .skip(2) }
    guard buffer.count > offset + size else { return .incomplete }
    var sum: UInt8 = 0
    for byte in buffer[offset...offset + size] { sum = sum &+ byte }
    guard sum == 0, buffer[offset] == PN532Frame.hostToChip else { return .skip(2) }
    return .event(.command(Array(buffer[offset + 1..<offset + size])), consumed: offset + size + 1)
  }
}
