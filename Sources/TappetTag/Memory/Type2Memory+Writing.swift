// The sequence of page writes that makes a message a Type 2 tag's only content.
//
// The order is specified by the NFC Forum (Type 2 Tag 1.2 §6.4.3), page by page: a tag that is pulled away between any
// two writes is either empty, or contains the old or the new content, and never anything else.
//
//   1. the page with the length, which is set to 0: from here on the tag is empty
//   2. every other page that changes; bytes after the message are also overwritten, as they may contain an older key
//   3. the page with the length, which is set to that of the message
//
// If a new block's tag and length would be in two pages, a NULL is inserted before the block, and a terminator takes
// the place of the NULL until everything else is written.

/// One page of four bytes.
package struct PageWrite: Hashable, Sendable {
  /// Number of the page, counted from the start of the memory.
  package var page: Int
  /// The four bytes to write.
  package var bytes: [UInt8]

  /// Creates a write of four bytes.
  package init(page: Int, bytes: [UInt8]) {
    self.page = page
    self.bytes = bytes
  }
}

extension Type2Memory {
  /// Number of bytes in a page.
  package static let pageSize = 4

  /// Returns the writes that make `message` the only content of `memory`, whose whole data area must be known.
  ///
  /// An empty message empties the tag. Only pages that change are written, the page with the length twice; there are no
  /// writes if the content is already correct.
  @export(interface)
  package static func plan(_ message: [UInt8], in memory: [UInt8]) throws(TagWriteFault) -> [PageWrite] {
    guard memory.count >= headerSize, memory[12] == 0xE1, memory[13] >> 4 == 1 else { throw .unformatted }
    guard memory[15] & 0x0F == 0 else { throw .readOnly }
    // Reading is restricted, so the written message could not be read back.
    guard memory[15] == 0 else { throw .foreignContainer }
    let end = min(headerSize + Int(memory[14]) * 8, memory.count / pageSize * pageSize)
    var walk = TLVCursor(memory: memory, end: end)
    let place = walk.findPlace()
    // The offsets available to the block, in order.
    let room = (place.offset..<max(place.offset, end)).filter { offset in
      !place.reserved.contains { $0.contains(offset) }
    }
    // A new block's tag and length must be in the same page; otherwise, a NULL is inserted before the block.
    let isApart = !place.hasBlock && room.count > 1 && room[0] / pageSize != room[1] / pageSize
    let capacity = room.count - (isApart ? 1 : 0)
    guard let block = encode(message: message) else {
      throw .tooSmall(needed: message.count + 4, capacity: capacity)
    }
    guard block.count - 1 <= capacity else { throw .tooSmall(needed: block.count - 1, capacity: capacity) }
    let content = (isApart ? [0x00] : []) + block
    var target = memory
    // The terminator is omitted if there is no room for it (§2.3.6).
    for (index, offset) in room.enumerated() { target[offset] = index < content.count ? content[index] : 0 }
    if isApart { return order(from: memory, to: target, door: room[..<1], closed: 0xFE) }
    let door = room[1] / pageSize
    return order(from: memory, to: target, door: room[1...].prefix { $0 / pageSize == door }, closed: 0x00)
  }

  /// Returns the changed pages in writing order.
  ///
  /// The bytes at the offsets `door`, all in one page, hide the message while their value is `closed`.
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
    // The door of an empty tag is already closed if its block stays in place.
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
