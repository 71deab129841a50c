/// Content that a test puts on a Type 2 tag without its commands: TLV blocks (NFC Forum Type 2 Tag 1.1 §2.3) or bare
/// memory.

import TappetCore

extension Type2Chip {
  /// An NDEF message in its TLV, after the Lock Control TLV that the factory put there, or in its place when there is
  /// no room for both.
  mutating func store(message: [UInt8]) throws(TagPlacement.Fault) {
    guard let block = Type2Memory.encode(message: message) else {
      throw .doesNotFit(size: message.count, capacity: userSize)
    }
    let lockControl = model.factory.first == 0x01 ? Array(model.factory.prefix(5)) : []
    var content = lockControl + block
    // The terminator is left out where there is no room for it (§2.3.6), and the Lock Control TLV before that.
    if content.count - 1 > userSize { content = block }
    if content.count - 1 == userSize { content.removeLast() }
    guard content.count <= userSize else { throw .doesNotFit(size: content.count - 1, capacity: userSize) }
    fillUserMemory(content)
  }

  /// As if never formatted.
  mutating func erase() {
    memory.replaceSubrange(12..<16, with: [0, 0, 0, 0])
    fillUserMemory([])
  }

  /// Memory from page 0 on, as it is.
  mutating func load(_ bytes: [UInt8]) throws(TagPlacement.Fault) {
    guard bytes.count <= memory.count else { throw .doesNotFit(size: bytes.count, capacity: memory.count) }
    memory.replaceSubrange(0..<bytes.count, with: bytes)
  }

  /// Read-only by its container only.
  mutating func declareReadOnly() { memory[15] |= 0x0F }

  /// As a tag that was locked for good.
  mutating func setAllLocks() {
    memory[10] = 0xFF
    memory[11] = 0xFF
    if let lock = model.dynamicLock {
      memory.replaceSubrange(lock.page * 4..<lock.page * 4 + 3, with: [0xFF, 0xFF, 0xFF])
    }
  }

  /// From page 4 on; false where the model has no password.
  mutating func protect(with password: [UInt8]) -> Bool {
    guard let page = model.configurationPage, password.count == 4 else { return false }
    memory[page * 4 + 3] = 4
    memory.replaceSubrange(page * 4 + 8..<page * 4 + 12, with: password)
    return true
  }

  private mutating func fillUserMemory(_ content: [UInt8]) {
    let padding = [UInt8](repeating: 0, count: max(0, userSize - content.count))
    memory.replaceSubrange(16..<16 + userSize, with: content + padding)
  }
}

extension Type4Application {
  /// A message in the NDEF file.
  mutating func store(message: [UInt8]) throws(TagPlacement.Fault) {
    guard store(message) else { throw .doesNotFit(size: message.count + 2, capacity: ndefFile.count) }
  }

  /// The NDEF file from its length on, as it is.
  mutating func load(_ bytes: [UInt8]) throws(TagPlacement.Fault) {
    guard bytes.count <= ndefFile.count else { throw .doesNotFit(size: bytes.count, capacity: ndefFile.count) }
    ndefFile.replaceSubrange(0..<bytes.count, with: bytes)
  }
}
