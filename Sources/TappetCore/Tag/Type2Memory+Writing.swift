// Which pages of a Type 2 tag are to be written, and in which order, so that a message becomes its only content.
//
// The order is the NFC Forum's (Type 2 Tag 1.2 §6.4.3), page by page: a tag that is pulled away between any two writes reads as
// empty, or as it was before, or as it was to be, and never as something else.
//
//   1. the page with the length, which becomes 0: from here on the tag is empty
//   2. every other page that is to change; what stands behind the message is overwritten too, for it may hold an older key
//   3. the page with the length, which becomes the message's
//
// Where a new block's tag and length would stand in two pages, a NULL comes before it, and a terminator stands in the NULL's
// place until the rest is written.

/// One page of four bytes.
public struct PageWrite: Hashable, Sendable {
  /// From the memory's beginning.
  public var page: Int
  /// Four.
  public var bytes: [UInt8]

  /// A write of four bytes.
  public init(page: Int, bytes: [UInt8]) {
    self.page = page
    self.bytes = bytes
  }
}

extension Type2Memory {
  /// Bytes of a page.
  public static let pageSize = 4

  /// The writes that make `message` the content of `memory`, whose whole data area must be known; none when it is that already.
  ///
  /// An empty message: the tag is to be empty. Only pages that change are among them, and the length's page twice.
  public static func plan(_ message: [UInt8], in memory: [UInt8]) throws(TagWriteFault) -> [PageWrite] {
    guard memory.count >= headerSize, memory[12] == 0xE1, memory[13] >> 4 == 1 else { throw .unformatted }
    guard memory[15] & 0x0F == 0 else { throw .readOnly }
    guard memory[15] == 0 else { throw .foreignContainer }  // Nobody may read it: what is written would not be found.
    let end = min(headerSize + Int(memory[14]) * 8, memory.count / pageSize * pageSize)
    var walk = Walk(memory: memory, end: end)
    let place = walk.findPlace()
    // The bytes that the block may take up, in order.
    let room = (place.offset..<max(place.offset, end)).filter { offset in
      !place.reserved.contains { $0.contains(offset) }
    }
    // A new block's tag and length must be in one page, or a NULL comes before it.
    let isApart = !place.hasBlock && room.count > 1 && room[0] / pageSize != room[1] / pageSize
    let capacity = room.count - (isApart ? 1 : 0)
    guard let block = encode(message: message) else {
      throw .tooSmall(needed: message.count + 4, capacity: capacity)
    }
    guard block.count - 1 <= capacity else { throw .tooSmall(needed: block.count - 1, capacity: capacity) }
    let content = (isApart ? [0x00] : []) + block
    var target = memory
    // The terminator is left out where there is no room for it (§2.3.6).
    for (index, offset) in room.enumerated() { target[offset] = index < content.count ? content[index] : 0 }
    if isApart { return order(from: memory, to: target, door: room[..<1], closed: 0xFE) }
    let door = room[1] / pageSize
    return order(from: memory, to: target, door: room[1...].prefix { $0 / pageSize == door }, closed: 0x00)
  }

  /// `door`: the bytes, all in one page, that hide the message while they are `closed`.
  private static func order(
    from memory: [UInt8], to target: [UInt8], door: ArraySlice<Int>, closed: UInt8
  ) -> [PageWrite] {
    guard memory != target, let doorOffset = door.first else { return [] }
    let doorPage = doorOffset / pageSize
    var now = memory
    var writes: [PageWrite] = []
    func write(_ page: Int, of image: [UInt8]) {
      let range = page * pageSize..<(page + 1) * pageSize
      guard now[range] != image[range] else { return }
      now.replaceSubrange(range, with: image[range])
      writes.append(PageWrite(page: page, bytes: Array(image[range])))
    }
    // A tag that is empty, and whose block stays where it is, has its door closed.
    if memory[doorOffset] != closed || !isEmpty(memory) {
      var image = target
      if target[doorOffset] != closed { for offset in door { image[offset] = closed } }
      write(doorPage, of: image)
    }
    for page in headerSize / pageSize..<memory.count / pageSize where page != doorPage { write(page, of: target) }
    write(doorPage, of: target)
    return writes
  }

  private static func isEmpty(_ memory: [UInt8]) -> Bool { locate(in: memory) == .empty }
}
