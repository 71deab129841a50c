/// Finds frames in the bytes of the line: garbage before, between and after them is skipped, and a frame with a wrong
/// checksum is dropped without an answer, as by the chip.

import TappetCore

/// Bytes in, frames of the host out.
package struct PN532FrameParser {
  /// A message of the host.
  package enum Event: Equatable {
    /// Command code and parameters.
    case command([UInt8])
    /// The host has the answer, or gives the running command up.
    case ack
    /// The host wants the last answer again.
    case nack
  }

  private enum Step {
    case event(Event, consumed: Int)
    case skip(Int)
    case incomplete
  }

  private var buffer: [UInt8] = []

  /// A parser that has seen nothing.
  package init() {}

  /// Whether a frame has begun and not ended.
  var isMidFrame: Bool { !buffer.isEmpty }

  /// Takes bytes from the line.
  package mutating func append(_ bytes: [UInt8]) { buffer += bytes }

  /// Forgets a frame that never ended.
  mutating func reset() { buffer.removeAll() }

  /// The next frame, `nil` when more bytes are needed.
  @export(interface)
  package mutating func next() -> Event? {
    while true {
      guard let start = startCode() else {
        // A last 00 may be a start code's first half.
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

  /// The offset of 00 FF.
  private func startCode() -> Int? {
    guard buffer.count >= 2 else { return nil }
    for index in 0..<buffer.count - 1 where buffer[index] == 0x00 && buffer[index + 1] == 0xFF { return index }
    return nil
  }

  /// The buffer begins with 00 FF.
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
