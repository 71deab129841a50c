/// Content that a test stores on a Type 2 tag directly, without commands: TLV blocks (NFC Forum Type 2 Tag 1.1 §2.3) or
/// raw memory.

import TappetTag

extension Type2Chip {
  /// Stores an NDEF message in a TLV after the factory's Lock Control TLV, or in place of that TLV if both do not fit.
  mutating func store(message: [UInt8]) throws(TagPlacement.Fault) {
    guard let block = Type2Memory.encode(message: message) else {
      throw .doesNotFit(size: message.count, capacity: userSize)
    }
    let lockControl = model.factory.first == 0x01 ? Array(model.factory.prefix(5)) : []
    var content = lockControl + block
    // If space is short, the terminator is omitted first (§2.3.6), then the Lock Control TLV.
    if content.count - 1 > userSize { content = block }
    if content.count - 1 == userSize { content.removeLast() }
    guard content.count <= userSize else { throw .doesNotFit(size: content.count - 1, capacity: userSize) }
    fillUserMemory(content)
  }

  /// Erases the tag, as if it had never been formatted.
  mutating func erase() {
    memory.replaceSubrange(12..<16, with: [0, 0, 0, 0])
    fillUserMemory([])
  }

  /// Loads raw memory, starting at page 0.
  mutating func load(_ bytes: [UInt8]) throws(TagPlacement.Fault) {
    guard bytes.count <= memory.count else { throw .doesNotFit(size: bytes.count, capacity: memory.count) }
    memory.replaceSubrange(0..<bytes.count, with: bytes)
  }

  /// Marks the tag as read-only in its capability container, without setting lock bits.
  mutating func declareReadOnly() { memory[15] |= 0x0F }

  /// Sets all lock bits, as on a permanently locked tag.
  mutating func setAllLocks() {
    memory[10] = 0xFF
    memory[11] = 0xFF
    if let lock = model.dynamicLock {
      memory.replaceSubrange(lock.page * 4..<lock.page * 4 + 3, with: [0xFF, 0xFF, 0xFF])
    }
  }

  /// Protects page 4 and all later pages with a password; returns false if the model does not support passwords.
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
  /// Stores a message in the NDEF file.
  mutating func store(message: [UInt8]) throws(TagPlacement.Fault) {
    guard store(message) else { throw .doesNotFit(size: message.count + 2, capacity: ndefFile.count) }
  }

  /// Loads the raw NDEF file, including its length.
  mutating func load(_ bytes: [UInt8]) throws(TagPlacement.Fault) {
    guard bytes.count <= ndefFile.count else { throw .doesNotFit(size: bytes.count, capacity: ndefFile.count) }
    ndefFile.replaceSubrange(0..<bytes.count, with: bytes)
  }
}
