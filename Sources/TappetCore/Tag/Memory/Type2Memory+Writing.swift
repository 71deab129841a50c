// The pages of a Type 2 tag to write, and their order, so that a message becomes the tag's only content.
//
// The order is the NFC Forum's (Type 2 Tag 1.2 §6.4.3), page by page: a tag that is pulled away between any two writes
// reads as empty, or as it was before, or as it was meant to be, and never as something else.
//
//   1. the page with the length, which becomes 0: from here on the tag is empty
//   2. every other page that changes; bytes after the message are overwritten too, because they may hold an older key
//   3. the page with the length, which becomes the message's
//
// Where a new block's tag and length would be in two pages, a NULL precedes it, and a terminator takes the NULL's place
// until the rest is written.

/// One page of four bytes.
package struct PageWrite: Hashable, Sendable {
  /// Number of the page, from the memory's beginning.
  package var page: Int
  /// Its four bytes.
  package var bytes: [UInt8]

  /// A write of four bytes.
  package init(page: Int, bytes: [UInt8]) {
    self.page = page
    self.bytes = bytes
  }
}

extension Type2Memory {
  /// Number of bytes in a page.
  package static let pageSize = 4

  /// Returns the writes that make `message` the content of `memory`, whose whole data area must be known.
  ///
  /// An empty message empties the tag. Only pages that change are among the writes, the length's page twice; there are
  /// none when the content is already right.
  @export(interface)
  package static func plan(_ message: [UInt8], in memory: [UInt8]) throws(TagWriteFault) -> [PageWrite] {
    guard memory.count >= headerSize, memory[12] == 0xE1, memory[13] >> 4 == 1 else { throw .unformatted }
    guard memory[15] & 0x0F == 0 else { throw .readOnly }
    // Nobody may read it, so the written message would not be found.
    guard memory[15] == 0 else { throw .foreignContainer }
    let end = min(headerSize + Int(memory[14]) * 8, memory.count / pageSize * pageSize)
    var walk = TLVCursor(memory: memory, end: end)
    let place = walk.findPlace()
    // The offsets that the block may take up, in order.
    let room = (place.offset..<max(place.offset, end)).filter { offset in
      !place.reserved.contains { $0.contains(offset) }
    }
    // A new block's tag and length must be in one page, or a NULL precedes it.
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

  /// Puts the changed pages in order; `door` is the bytes, all in one page, that hide the message while they are
  /// `closed`.
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
    // The door of an empty tag whose block stays in place is closed already.
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
