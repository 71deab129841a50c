// The order in which a Type 2 tag's pages are written: at no point does the tag hold a message that nobody intended.

import Testing

@testable import TappetCore

@Suite struct Type2WritingTests {
  private static let header: [UInt8] = [4, 1, 2, 0x8F, 3, 4, 5, 6, 4, 0x48, 0, 0, 0xE1, 0x10]
  private static let url = NDEFRecord(
    uri: Array(("smp://action?idx=1&ts=1700000000&sig=" + String(repeating: "a", count: 64)).utf8))

  private func memory(_ content: [UInt8], size: Int = 144) -> [UInt8] {
    Self.header + [UInt8(size / 8), 0] + content + [UInt8](repeating: 0, count: size - content.count)
  }

  /// Checks the tag after every prefix of the writes.
  private func states(_ memory: [UInt8], _ writes: [PageWrite]) -> [Type2Location] {
    var now = memory
    return [Type2Memory.locate(in: now)]
      + writes.map { write in
        now.replaceSubrange(write.page * 4..<write.page * 4 + 4, with: write.bytes)
        return Type2Memory.locate(in: now)
      }
  }

  private func expectSafe(_ memory: [UInt8], _ message: [UInt8], sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let writes = try Type2Memory.plan(message, in: memory)
    let states = states(memory, writes)
    let wanted: Type2Location = message.isEmpty ? .empty : .message(message)
    #expect(states.last == wanted, sourceLocation: sourceLocation)
    for state in states.dropFirst().dropLast() {
      // The message may be complete before the last writes, which then only empty the bytes after it.
      #expect(state == .empty || state == .none || state == wanted, "\(state)", sourceLocation: sourceLocation)
    }
    var pages: [Int: Int] = [:]
    for write in writes { pages[write.page, default: 0] += 1 }
    #expect(
      pages.values.filter { $0 > 1 }.count <= 1 && pages.values.allSatisfy { $0 <= 2 }, sourceLocation: sourceLocation)
    // A repetition has nothing left to do.
    var now = memory
    for write in writes { now.replaceSubrange(write.page * 4..<write.page * 4 + 4, with: write.bytes) }
    #expect(try Type2Memory.plan(message, in: now) == [], sourceLocation: sourceLocation)
  }

  @Test func `109 bytes on a new NTAG213 need at most 32 page writes`() throws {
    let message = try #require(NDEFMessage(records: [Self.url]).encode())
    #expect(Type2Memory.encode(message: message)?.count == 109)
    for content: [UInt8] in [[0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x00, 0xFE], [0x03, 0x00, 0xFE], []] {
      let memory = memory(content)
      let writes = try Type2Memory.plan(message, in: memory)
      #expect(writes.count <= 32)
      try expectSafe(memory, message)
    }
  }

  @Test func `a write that is interrupted anywhere never reads as a different message`() throws {
    var random = Randomness(seed: (1, 2, 3, 4))
    for _ in 0..<3_000 {
      let size = [48, 64, 144, 504][Int(random.next() % 4)]
      var content: [UInt8] = []
      for _ in 0..<random.next() % 4 {
        switch random.next() % 6 {
        case 0: content.append(0)
        case 1:
          content += [
            0x01, 0x03, UInt8(truncatingIfNeeded: random.next()), 0x0C, UInt8(truncatingIfNeeded: random.next()),
          ]
        case 2: content += [0x02, 0x03, UInt8(truncatingIfNeeded: random.next()), 0x05, 0x42]
        case 3: content += [0xFD, 0x02, 0x03, 0x04]
        case 4: content += [UInt8(truncatingIfNeeded: random.next()), 0x01, 0x03]
        default:
          let count = Int(random.next() % 40)
          content += [0x03, UInt8(count)] + (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
      }
      while content.count < size, random.next() % 8 != 0 { content.append(UInt8(truncatingIfNeeded: random.next())) }
      let memory = memory(Array(content.prefix(size)), size: size)
      let message = (0..<Int(random.next() % UInt64(size))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      do throws(TagWriteFault) { _ = try Type2Memory.plan(message, in: memory) } catch {
        guard case .tooSmall(let needed, let capacity) = error, needed > capacity else {
          Issue.record("\(error)")
          continue
        }
        continue
      }
      try expectSafe(memory, message)
    }
  }

  @Test func `a longer message replaced by a shorter one leaves no remainder`() throws {
    var now = memory([0x03, 100] + [UInt8](repeating: 0x55, count: 100) + [0xFE])
    for write in try Type2Memory.plan([0xD0, 0, 0], in: now) {
      now.replaceSubrange(write.page * 4..<write.page * 4 + 4, with: write.bytes)
    }
    #expect(Array(now[16...]) == [0x03, 3, 0xD0, 0, 0, 0xFE] + [UInt8](repeating: 0, count: 138))
  }

  @Test func `a message that cannot be written is reported before anything is written`() {
    #expect(throws: TagWriteFault.tooSmall(needed: 178, capacity: 144)) {
      try Type2Memory.plan([UInt8](repeating: 0xD1, count: 176), in: memory([]))
    }
    #expect(throws: TagWriteFault.unformatted) {
      try Type2Memory.plan([], in: [UInt8](repeating: 0, count: 160))
    }
    var readOnly = memory([])
    readOnly[15] = 0x0F
    #expect(throws: TagWriteFault.readOnly) { try Type2Memory.plan([], in: readOnly) }
    var readProtected = memory([])
    readProtected[15] = 0x10
    #expect(throws: TagWriteFault.foreignContainer) { try Type2Memory.plan([], in: readProtected) }
  }
}
