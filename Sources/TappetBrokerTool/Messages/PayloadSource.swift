// Where the messages to publish come from: one that is known, or the lines of a file that may be a pipe.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetPlatform

/// Messages, in order.
struct PayloadSource {
  /// Readable when more lines may be there; -1 when none are read.
  let file: Int32
  private var buffer: [UInt8] = []
  private var place = 0
  private var searched = 0
  private var hasEnded: Bool
  private var single: [UInt8]?

  /// A source of one message.
  init(_ payload: [UInt8]) {
    file = -1
    single = payload
    hasEnded = true
  }

  /// The lines of this descriptor.
  init(lines file: Int32) {
    self.file = file
    hasEnded = false
  }

  /// Whether no further message comes.
  var isOver: Bool { hasEnded && single == nil && place == buffer.count }

  /// The next message; `nil` while none is complete.
  mutating func next() -> [UInt8]? {
    if let payload = single {
      single = nil
      return payload
    }
    while searched < buffer.count, buffer[searched] != UInt8(ascii: "\n") { searched += 1 }
    guard searched < buffer.count || hasEnded && place < buffer.count else { return nil }
    let line = Array(buffer[place..<searched])
    place = min(searched + 1, buffer.count)
    searched = place
    return line
  }

  /// Reads what is there; false when a line is too long, or the file cannot be read.
  mutating func fill() -> Bool {
    buffer.removeFirst(place)
    searched -= place
    place = 0
    guard buffer.count <= Limits.publishedMessageSizeMax else { return false }
    var block = [UInt8](repeating: 0, count: 65_536)
    guard let count = try? checked("read", { read(file, &block, block.count) }) else { return false }
    if count == 0 { hasEnded = true }
    buffer += block[..<count]
    return true
  }
}
