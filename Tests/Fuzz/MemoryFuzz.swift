// Type2Memory's promises: it asks for more bytes than it has, within the data area; it gives the same answer for a part
// as for the whole; it finds the same message as a walk byte by byte; and it finds every message that `encode` writes.

import TappetCore

/// One input, twice: as a tag's memory, and as a message to be written on a tag.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  let end = bytes.count > 14 ? Type2Memory.headerSize + Int(bytes[14]) * 8 : Type2Memory.headerSize
  let whole = Type2Memory.locate(in: bytes)
  readsPartByPart(bytes, whole, end: end)
  var slowly = SlowWalk(bytes, end: end)
  promise(whole == slowly.run(), "\(whole) is not what a walk byte by byte finds")
  if bytes.count > end {
    promise(Type2Memory.locate(in: Array(bytes[..<end])) == whole, "bytes after the data area change the answer")
  }
  staysInBounds(whole, end: end)
  agrees(bytes, whole)
  findsWhatIsWritten(bytes)
  // A plan is made for a data area that is known to its end.
  if bytes.count >= end { isNeverHalfWritten(bytes) }
  return 0
}

/// After each write of a plan the tag is empty, as before, or complete.
private func isNeverHalfWritten(_ bytes: [UInt8]) {
  guard let size = bytes.last, bytes.count > Int(size) else { return }
  let message = Array(bytes.suffix(Int(size)))
  guard let plan = try? Type2Memory.plan(message, in: bytes) else { return }
  let wanted: Type2Location = message.isEmpty ? .empty : .message(message)
  var now = bytes
  for (index, write) in plan.enumerated() {
    promise(write.bytes.count == 4 && write.page >= 4 && write.page * 4 + 4 <= bytes.count, "\(write)")
    now.replaceSubrange(write.page * 4..<write.page * 4 + 4, with: write.bytes)
    let state = Type2Memory.locate(in: now)
    let isHarmless = state == .empty || state == .none || state == wanted
    promise(
      index == plan.count - 1 ? state == wanted : isHarmless, "after \(index + 1) of \(plan.count) writes: \(state)")
  }
  promise((try? Type2Memory.plan(message, in: now)) == [], "a second write finds something to do")
}

/// Reads as the reader does, until no more bytes are asked for.
private func readsPartByPart(_ bytes: [UInt8], _ whole: Type2Location, end: Int) {
  var known = 0
  while true {
    let location = Type2Memory.locate(in: Array(bytes[..<known]))
    guard case .needs(let wanted) = location else {
      return promise(location == whole, "\(known) bytes say \(location), all say \(whole)")
    }
    promise(wanted > known, "asks for \(wanted) bytes and has \(known)")
    promise(wanted <= end, "asks for \(wanted) bytes; the data area ends at \(end)")
    // With even one byte fewer it cannot tell.
    for count in [known + 1, (known + wanted) / 2, wanted - 1]
    where count > known && count < min(wanted, bytes.count + 1) {
      guard case .needs(let less) = Type2Memory.locate(in: Array(bytes[..<count])) else {
        return promise(false, "asked for \(wanted) bytes, but \(count) are enough")
      }
      promise(less <= wanted && less > count, "\(known) bytes ask for \(wanted), \(count) ask for \(less)")
    }
    guard wanted <= bytes.count else {
      return promise(isAsking(whole, atLeast: wanted), "asks for \(wanted); all say \(whole)")
    }
    known = wanted
  }
}

private func isAsking(_ location: Type2Location, atLeast wanted: Int) -> Bool {
  guard case .needs(let count) = location else { return false }
  return count >= wanted
}

private func staysInBounds(_ location: Type2Location, end: Int) {
  switch location {
  case .message(let message):
    promise(!message.isEmpty && message.count <= end - Type2Memory.headerSize - 2, "\(message.count) bytes of message")
  case .malformed(.lengthBeyondMemory(let offset, let length, let dataAreaEnd)):
    promise(dataAreaEnd == end && (Type2Memory.headerSize..<end).contains(offset) && length > 0, "\(location)")
  case .malformed(.malformedControl(let offset)):
    promise((Type2Memory.headerSize..<end).contains(offset), "\(location)")
  case .empty, .none, .needs, .malformed: return
  }
}

/// A reading has the same message, and its URL is the one in that message.
private func agrees(_ bytes: [UInt8], _ location: Type2Location) {
  guard let uid = TagUID([4, 1, 2, 3]) else { return }
  let reading = TagReading(uid: uid, model: .ntag216, bytes: bytes)
  var expected: [UInt8]?
  if case .message(let message) = location { expected = message }
  promise((try? reading.message()) == expected, "the reading has another message")
  let uri = expected.flatMap { try? NDEFMessage(decoding: $0) }?.firstURI
  promise(
    (try? reading.uri()) == uri.flatMap { $0.count <= Limits.tagURLSizeMax ? $0 : nil }, "the reading has another URI")
  // A tag's URL has no byte that no link has, also where an unknown or a malformed value would hide it.
  let isPlain = uri?.allSatisfy { (0x21...0x7E).contains($0) } == true
  promise(
    (try? reading.tagURL()) == uri.flatMap { isPlain ? try? TagURL.parse($0) : nil }, "the reading has another tag URL")
}

private func findsWhatIsWritten(_ message: [UInt8]) {
  guard let blocks = Type2Memory.encode(message: message) else {
    return promise(message.count >= 0xFFFF, "\(message.count) bytes are refused")
  }
  let size = (blocks.count + 7) / 8
  guard let units = UInt8(exactly: size) else { return }
  let memory = [UInt8](repeating: 0, count: 12) + [0xE1, 0x10, units, 0] + blocks
  let found = Type2Memory.locate(in: memory)
  promise(found == (message.isEmpty ? .empty : .message(message)), "written, it reads as \(found)")
}

/// The same rules again, one byte at a time and without any optimization.
private struct SlowWalk {
  private let memory: [UInt8]
  private let end: Int
  private var offset = Type2Memory.headerSize
  private var reserved: [Range<Int>] = []

  init(_ memory: [UInt8], end: Int) {
    self.memory = memory
    self.end = end
  }

  mutating func run() -> Type2Location {
    guard memory.count >= Type2Memory.headerSize else { return .needs(Type2Memory.headerSize) }
    if memory[12] != 0xE1 { return .malformed(.noCapabilityContainer) }
    if memory[13] & 0xF0 != 0x10 { return .malformed(.unsupportedVersion(memory[13])) }
    if memory[15] & 0xF0 != 0 { return .malformed(.readProtected) }
    while let start = place() {
      guard start < memory.count else { return .needs(start + 1) }
      offset = start + 1
      if memory[start] == 0 { continue }
      if memory[start] == 0xFE { return .none }
      if let location = block(memory[start], start) { return location }
    }
    return .none
  }

  /// The next offset that belongs to a block; `nil` at the end of the data area.
  private func place() -> Int? {
    (offset..<max(offset, end)).first { place in !reserved.contains { $0.contains(place) } }
  }

  private mutating func block(_ tag: UInt8, _ start: Int) -> Type2Location? {
    var length = 0
    for digit in 0..<3 {
      guard let place = place() else { return Type2Location.none }
      guard place < memory.count else { return .needs(place + 1) }
      offset = place + 1
      if digit == 0, memory[place] < 0xFF {
        length = Int(memory[place])
        break
      }
      if digit > 0 { length = length * 256 + Int(memory[place]) }
    }
    var places: [Int] = []
    while places.count < length {
      guard let place = place() else {
        return .malformed(.lengthBeyondMemory(offset: start, length: length, dataAreaEnd: end))
      }
      places.append(place)
      offset = place + 1
    }
    switch tag {
    case 1, 2: return control(tag, start, places)
    case 3:
      guard let last = places.last else { return .empty }
      return last < memory.count ? .message(places.map { memory[$0] }) : .needs(last + 1)
    default: return nil
    }
  }

  private mutating func control(_ tag: UInt8, _ start: Int, _ places: [Int]) -> Type2Location? {
    guard places.count == 3 else { return .malformed(.malformedControl(offset: start)) }
    guard places[2] < memory.count else { return .needs(places[2] + 1) }
    let value = places.map { Int(memory[$0]) }
    if reserved.count == Limits.type2ControlsMax { return .malformed(.tooManyControls) }
    let first = (value[0] / 16) * (1 << (value[2] % 16)) + value[0] % 16
    let size = value[1] == 0 ? 256 : value[1]
    let after = first + (tag == 1 ? (size + 7) / 8 : size)
    // A range without a byte of the data area does not count.
    let inside = max(first, Type2Memory.headerSize)..<max(max(first, Type2Memory.headerSize), min(after, end))
    if !inside.isEmpty { reserved.append(inside) }
    return nil
  }
}
