/// The memory of a Type 2 tag and its commands (NTAG213/215/216 data sheet §10; MF0ULx1 §10; MF0ICU1 §7). The memory
/// contains the bytes that a reader would see, plus the password, which no command returns.

/// A selected tag of the Type 2 family.
package struct Type2Chip {
  /// The response to a command.
  enum Answer {
    case frame(RFFrame)
    /// Four bits: 0 invalid argument, 1 parity or CRC, 4 not allowed, 5 write error. Afterwards, the tag has to be
    /// selected again.
    case refused(code: UInt8)
    case silent
  }

  /// The tag's model.
  let model: Type2Model
  /// All pages, in order.
  package internal(set) var memory: [UInt8]
  /// Number of pages written since the tag was created.
  package private(set) var writes = 0
  private var isAuthenticated = false
  /// The page that the second frame of a COMPATIBILITY_WRITE command will write.
  private var pageAwaitingData: Int?
  private var counters: [Int] = [0, 0, 0]

  /// Creates a tag with the given 7-byte UID, formatted as delivered by the factory.
  init(model: Type2Model, uid: [UInt8]) {
    self.model = model
    memory = [UInt8](repeating: 0, count: model.pageCount * 4)
    // UID0-2 BCC0 | UID3-6 | BCC1 internal lock0 lock1 | CC
    let first = Array(uid.prefix(3))
    let second = Array(uid.dropFirst(3).prefix(4))
    let header =
      first + [0x88 ^ first.reduce(0, ^)] + second + [second.reduce(0, ^), 0x48, 0x00, 0x00] + model.capability
    memory.replaceSubrange(0..<16, with: header)
    memory.replaceSubrange(16..<16 + model.factory.count, with: model.factory)
    if let lock = model.dynamicLock { memory[lock.page * 4 + 3] = lock.filler }
    if let page = model.configurationPage {
      // Mirror off, AUTH0 beyond the memory, unrestricted access, password all ones.
      let mirror: UInt8 = model.counters == 2...2 ? 0x04 : 0x00
      let configuration: [UInt8] =
        [mirror, 0, 0, 0xFF] + [0x00, 0x05, 0, 0] + [0xFF, 0xFF, 0xFF, 0xFF] + [0, 0, 0, 0]
      memory.replaceSubrange(page * 4..<page * 4 + 16, with: configuration)
    }
  }

  /// Number of bytes available for TLV blocks.
  var userSize: Int { (model.userPageEnd - 4) * 4 }

  /// Resets the volatile state: the authentication and an incomplete COMPATIBILITY_WRITE.
  mutating func powerOff() {
    isAuthenticated = false
    pageAwaitingData = nil
  }

  /// Responds to a command; a `nil` command means that the frame's CRC was wrong.
  mutating func answer(_ command: [UInt8]?) -> Answer {
    guard let command, let code = command.first else { return .refused(code: 0x01) }
    if let page = pageAwaitingData {
      pageAwaitingData = nil
      guard command.count == 16 else { return .refused(code: 0x00) }
      return write(page: page, Array(command.prefix(4)))
    }
    switch (code, command.count) {
    case (0x30, 2): return read(page: Int(command[1]))
    case (0xA2, 6): return write(page: Int(command[1]), Array(command[2..<6]))
    case (0xA0, 2):
      guard isWritable(page: Int(command[1])) else { return .refused(code: 0x00) }
      pageAwaitingData = Int(command[1])
      return .frame(.acknowledged())
    default: return answerSecondGeneration(code, command)
    }
  }

  private mutating func answerSecondGeneration(_ code: UInt8, _ command: [UInt8]) -> Answer {
    guard model.isSecondGeneration else { return model.isSilentWhenRefusing ? .silent : .refused(code: 0x00) }
    switch (code, command.count) {
    case (0x60, 1): return .frame(.withCRC(model.version ?? []))
    case (0x3A, 3): return fastRead(from: Int(command[1]), through: Int(command[2]))
    case (0x1B, 5): return authenticate(Array(command[1..<5]))
    case (0x3C, 2) where command[1] == 0x00:
      // READ_SIG: a valid signature requires NXP's key; a fixed pattern is returned instead.
      return .frame(.withCRC((0..<32).map { UInt8(truncatingIfNeeded: 0x51 &+ $0 &* 7) }))
    case (0x39, 2): return readCounter(command[1])
    case (0x3E, 2) where model.counters == 0...2 && command[1] <= 2: return .frame(.withCRC([0xBD]))
    case (0xA5, 6): return incrementCounter(command[1], by: command[2..<5])
    default: return .refused(code: 0x00)
    }
  }

  // MARK: Reading

  /// End of the readable pages: AUTH0 if reading requires the password, otherwise the end of the memory.
  private var readableEnd: Int {
    guard let page = model.configurationPage, !isAuthenticated, memory[page * 4 + 4] & 0x80 != 0 else {
      return model.pageCount
    }
    return min(model.pageCount, Int(memory[page * 4 + 3]))
  }

  /// Returns a page as READ does, with zeros in place of the password and PACK.
  private func visible(page: Int) -> ArraySlice<UInt8> {
    if let configuration = model.configurationPage, page == configuration + 2 || page == configuration + 3 {
      return [0, 0, 0, 0]
    }
    return memory[page * 4..<page * 4 + 4]
  }

  /// All pages as returned by READ.
  var visibleMemory: [UInt8] {
    var bytes: [UInt8] = []
    for page in 0..<model.pageCount { bytes += visible(page: page) }
    return bytes
  }

  /// Executes READ: four pages, wrapping around to page 0 after the last (§10.2).
  private func read(page: Int) -> Answer {
    let end = readableEnd
    guard page < end else { return .refused(code: 0x00) }
    var bytes: [UInt8] = []
    for offset in 0..<4 { bytes += visible(page: (page + offset) % end) }
    return .frame(.withCRC(bytes))
  }

  /// Executes FAST_READ: any range inside the memory, without wrap-around (§10.3).
  private func fastRead(from first: Int, through last: Int) -> Answer {
    guard first <= last, last < readableEnd else { return .refused(code: 0x00) }
    var bytes: [UInt8] = []
    for page in first...last { bytes += visible(page: page) }
    return .frame(.withCRC(bytes))
  }

  /// Responds to READ_CNT, which an NTAG supports only if NFC_CNT_EN is set in ACCESS (§8.5.7, §10.6).
  private func readCounter(_ index: UInt8) -> Answer {
    guard let range = model.counters, range.contains(index) else { return .refused(code: 0x00) }
    if range == 2...2, let page = model.configurationPage, memory[page * 4 + 4] & 0x10 == 0 {
      return .refused(code: 0x00)
    }
    let value = counters[Int(index)]
    return .frame(.withCRC([0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }))
  }

  /// Executes INCR_CNT of the EV1; refuses an overflow of the 24-bit counter (MF0ULx1 §10.7).
  private mutating func incrementCounter(_ index: UInt8, by amount: ArraySlice<UInt8>) -> Answer {
    guard model.counters == 0...2, index <= 2 else { return .refused(code: 0x00) }
    var sum = counters[Int(index)]
    for (place, byte) in amount.enumerated() { sum += Int(byte) << (8 * place) }
    guard sum <= 0xFFFFFF else { return .refused(code: 0x04) }
    counters[Int(index)] = sum
    return .frame(.acknowledged(delay: Pacing.pageWrite))
  }

  private mutating func authenticate(_ password: [UInt8]) -> Answer {
    guard let page = model.configurationPage, Array(memory[page * 4 + 8..<page * 4 + 12]) == password else {
      return .refused(code: 0x00)
    }
    isAuthenticated = true
    return .frame(.withCRC(Array(memory[page * 4 + 12..<page * 4 + 14])))
  }

  // MARK: Writing

  private mutating func write(page: Int, _ data: [UInt8]) -> Answer {
    guard isWritable(page: page) else { return .refused(code: 0x00) }
    let offset = page * 4
    if page == 2 {
      // Lock bits can only be set, and not if the corresponding block-lock bit is set (§8.5.2).
      let frozen = frozenStaticLocks
      memory[offset + 2] |= data[2] & ~frozen.low
      memory[offset + 3] |= data[3] & ~frozen.high
    } else if page == 3 {
      for index in 0..<4 { memory[offset + index] |= data[index] }
    } else if let lock = model.dynamicLock, page == lock.page {
      for index in 0..<3 { memory[offset + index] |= data[index] }
    } else {
      memory.replaceSubrange(offset..<offset + 4, with: data)
    }
    writes += 1
    return .frame(.acknowledged(delay: Pacing.pageWrite))
  }

  /// Lock bits frozen by block-lock bits: BL-CC freezes that of page 3, BL9-4 those of pages 4-9, BL15-10 the others.
  private var frozenStaticLocks: (low: UInt8, high: UInt8) {
    let block = memory[10]
    var low: UInt8 = 0
    var high: UInt8 = 0
    if block & 0x01 != 0 { low |= 0x08 }
    if block & 0x02 != 0 {
      low |= 0xF0
      high |= 0x03
    }
    if block & 0x04 != 0 { high |= 0xFC }
    return (low, high)
  }

  private func isWritable(page: Int) -> Bool {
    guard page >= 2, page < model.pageCount else { return false }
    if let configuration = model.configurationPage {
      if !isAuthenticated, page >= Int(memory[configuration * 4 + 3]) { return false }
      // CFGLCK freezes the two configuration pages, but not the password.
      if memory[configuration * 4 + 4] & 0x40 != 0, page == configuration || page == configuration + 1 { return false }
    }
    return !isLocked(page: page)
  }

  private func isLocked(page: Int) -> Bool {
    switch page {
    case 3...7: memory[10] >> UInt8(page) & 1 != 0
    case 8...15: memory[11] >> UInt8(page - 8) & 1 != 0
    default: isLockedDynamically(page: page)
    }
  }

  private func isLockedDynamically(page: Int) -> Bool {
    guard let lock = model.dynamicLock, page >= 16, page < lock.page else { return false }
    let bit = (page - 16) / lock.pagesPerBit
    guard lock.pagesPerBit != 4 else {
      // NTAG203: bits 1-3 lock pages 16-27 in groups of four, bits 5-7 pages 28-39; bits 0 and 4 freeze them.
      return memory[lock.page * 4] >> UInt8(bit < 3 ? bit + 1 : bit + 2) & 1 != 0
    }
    return memory[lock.page * 4 + bit / 8] >> UInt8(bit % 8) & 1 != 0
  }
}
