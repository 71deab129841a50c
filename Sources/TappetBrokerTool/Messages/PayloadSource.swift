// Sources of messages to publish: a single message, or the lines of a file or pipe.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetPlatform

/// An ordered source of messages.
struct PayloadSource {
  /// Descriptor that is readable when more lines may be available; -1 if the source is a single message.
  let file: Int32
  private var buffer: [UInt8] = []
  private var place = 0
  private var searched = 0
  private var hasEnded: Bool
  private var single: [UInt8]?

  /// Creates a source that contains a single message.
  init(_ payload: [UInt8]) {
    file = -1
    single = payload
    hasEnded = true
  }

  /// Creates a source that reads lines from a descriptor.
  init(lines file: Int32) {
    self.file = file
    hasEnded = false
  }

  /// Whether the source is exhausted.
  var isOver: Bool { hasEnded && single == nil && place == buffer.count }

  /// Returns the next message; `nil` if no complete message is available.
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

  /// Reads the available data; returns false if a line is too long, or the file cannot be read.
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
