// Reading a Type 2 tag in as few exchanges as are safe.
//
//   1. READ 3: pages 3 to 6, with the capability container and the first TLV. Pages 0 to 2 are derived from the UID if
//      it has seven bytes, except for the lock bits, which no tap needs; otherwise, they are read first.
//   2. FAST_READ of just the missing pages, at most 60 at a time.
//
// A tag that does not support FAST_READ refuses it and halts; it is selected again and read four pages at a time.
// After the end of the memory, READ continues at page 0, and FAST_READ is refused. Therefore, no command reads beyond
// the size in the container, and a container that specifies too large a size is detected when the first pages repeat.
// They also repeat in place of the pages that can be read only with a password, which are told apart by the model.

import TappetTag

/// The reason why a reading was not completed.
enum ReadFailure: Error {
  /// The tag did not answer: select it and call `resume` again.
  case noAnswer
  case fault(TagFault)
  case device(DeviceError)

  init(_ failure: ExchangeFailure) {
    switch failure {
    case .noAnswer: self = .noAnswer
    case .device(let trouble): self = .device(trouble)
    }
  }
}

/// The memory of one Type 2 tag, as far as it has been read.
///
/// The reading can be resumed after the tag is selected again.
struct Type2Reading {
  /// The memory, starting at page 0.
  private(set) var memory: [UInt8] = []
  /// The tag's serial number, if pages 0 to 2 are to be derived from it; otherwise empty.
  private var serial: [UInt8] = []
  /// Whether the tag supports FAST_READ.
  private(set) var fastRead = FastRead.untried
  /// Whether the memory is smaller than the capability container states.
  private var isShort = false

  enum FastRead { case untried, works, refused }

  // Sizes in bytes.
  private static let pageSize = 4
  private static let headerSize = 16
  /// Memory of the smallest Type 2 tags (Ultralight, MF0ICU1 §7.5).
  private static let smallestMemory = 64
  /// Page numbers are one byte; the memory of an NTAG I2C 2K after page 255 is in a second sector.
  private static let addressableSize = 256 * pageSize
  /// Maximum number of pages per FAST_READ.
  ///
  /// libnfc's buffer has space for 65 pages; 60 are known to work in other PN532 drivers.
  private static let pagesMax = 60
  /// Maximum size of a data area read with READ: three READs are as fast as one FAST_READ, which half of the tags of
  /// this size (Ultralight) do not support.
  private static let plainReadSizeMax = 48

  /// Continues reading until the message is complete or known to be absent.
  mutating func resume(_ device: NFCDevice) throws(ReadFailure) {
    if memory.count < Self.headerSize { memory = try firstPages(device) }
    // Any value other than E1 means that the tag is not NDEF-formatted (Type 2 Tag 1.2 §4.6); the core reports this.
    guard memory[12] == 0xE1 else { return }
    while case .needs(let count) = Type2Memory.locate(in: memory) {
      guard count > memory.count, count <= dataEnd else { throw .fault(.malformedAnswer) }
      guard count <= Self.addressableSize else { throw .fault(.tooLarge) }
      guard !isShort else { throw .fault(try shortage(device, orElse: .malformedAnswer)) }
      try extend(to: count, from: device)
    }
  }

  /// Returns the reason why pages of the data area cannot be read: the password, if the model has more pages.
  func shortage(_ device: NFCDevice, orElse fault: TagFault) throws(ReadFailure) -> TagFault {
    if memory.count < Self.smallestMemory, isShort { return .passwordProtected }
    do throws(ReadFailure) {
      let geometry = try Self.version(device)?.geometry
      guard let geometry, geometry.configurationPage != nil else { return fault }
      return memory.count < geometry.userPageEnd * Self.pageSize ? .passwordProtected : fault
    } catch {
      if case .device = error { throw error }
      return fault
    }
  }

  /// Creates a reading of the tag `uid` for a tap.
  init(of uid: TagUID) { if uid.bytes.count == 7 { serial = uid.bytes } }

  /// Creates a reading for `readDataArea`.
  init(fastRead: FastRead) { self.fastRead = fastRead }

  /// Returns pages 0 to 3, and any pages of the data area that were read in the same exchange.
  private mutating func firstPages(_ device: NFCDevice) throws(ReadFailure) -> [UInt8] {
    guard !serial.isEmpty else { return try Self.read(page: 0, from: device) }
    let block = try Self.read(page: 3, from: device)
    let dataEnd = block[0] == 0xE1 ? Self.headerSize + Int(block[2]) * 8 : Self.headerSize
    let head = Self.pages(ofSerial: serial)
    let fresh = Self.pagesBeforeRollOver(in: block, of: head) * Self.pageSize
    isShort = fresh < block.count
    return (head + block.prefix(max(fresh, Self.pageSize))).prefix(dataEnd).map { $0 }
  }

  /// Returns pages 0 to 2 of a tag with this serial number (NTAG213/215/216 §8.5.1), assuming that no lock bit is set.
  private static func pages(ofSerial serial: [UInt8]) -> [UInt8] {
    let (first, second) = (serial[..<3], serial[3...])
    let checks = (first.reduce(0x88, ^), second.reduce(0, ^))
    return first + [checks.0] + second + [checks.1, 0x48, 0, 0]
  }

  /// Reads the actual pages 0 to 2 if they were derived; otherwise, or without an answer, returns an empty array.
  func header(_ device: NFCDevice) throws(DeviceError) -> [UInt8] {
    guard !serial.isEmpty else { return [] }
    do throws(ReadFailure) {
      return Array(try Self.read(page: 0, from: device)[..<TagDescription.headerSize])
    } catch {
      if case .device(let trouble) = error { throw trouble }
      return []
    }
  }

  /// Reads the whole data area as defined by `container` or, if that is `nil`, by the tag's capability container.
  ///
  /// If there is neither, reads only the first pages. Not resumable, because writes are planned from a single reading.
  mutating func readDataArea(_ device: NFCDevice, container: [UInt8]?) throws(ReadFailure) {
    memory = try Self.read(page: 0, from: device)
    if let container { memory.replaceSubrange(12..<16, with: container) }
    let end = min(dataEnd, Self.addressableSize)
    while memory.count < end {
      guard !isShort else { throw .fault(try shortage(device, orElse: .malformedAnswer)) }
      try extend(to: end, from: device)
    }
  }

  /// Size of the data area in bytes, according to the capability container; 0 if there is no container.
  var capacity: Int { memory.count >= Self.headerSize && memory[12] == 0xE1 ? Int(memory[14]) * 8 : 0 }

  /// Offset of the data area's end.
  private var dataEnd: Int { Self.headerSize + capacity }

  private var nextPage: Int { memory.count / Self.pageSize }

  private mutating func extend(to count: Int, from device: NFCDevice) throws(ReadFailure) {
    let end = min(dataEnd, Self.addressableSize)
    if fastRead == .refused || capacity <= Self.plainReadSizeMax {
      append(try Self.read(page: nextPage, from: device), end: end)
      return
    }
    let missing = (count - memory.count + Self.pageSize - 1) / Self.pageSize
    let pages = min(missing, Self.pagesMax, (end - memory.count) / Self.pageSize)
    do throws(ReadFailure) {
      memory += try fastRead(pages: pages, from: device)
      fastRead = .works
    } catch {
      // Whether FAST_READ was refused or torn, READ can complete the reading.
      if case .noAnswer = error { fastRead = .refused }
      throw error
    }
  }

  /// Returns 16 bytes from `page`, continuing at page 0 after the end (READ, NTAG213/215/216 §10.2).
  static func read(page: Int, from device: NFCDevice) throws(ReadFailure) -> [UInt8] {
    try exchange([0x30, UInt8(truncatingIfNeeded: page)], answerSize: 16, with: device)
  }

  /// Returns the next `pages` pages (FAST_READ, NTAG213/215/216 §10.3).
  private func fastRead(pages: Int, from device: NFCDevice) throws(ReadFailure) -> [UInt8] {
    let first = UInt8(truncatingIfNeeded: nextPage)
    let last = UInt8(truncatingIfNeeded: nextPage + pages - 1)
    return try Self.exchange([0x3A, first, last], answerSize: pages * Self.pageSize, with: device)
  }

  private static func exchange(
    _ command: [UInt8], answerSize: Int, with device: NFCDevice
  ) throws(ReadFailure) -> [UInt8] {
    do throws(ExchangeFailure) {
      let answer = try device.exchange(command, .raw, within: Limits.readerExchangeMax)
      // A shorter answer is a NAK that the chip mistook for data.
      guard answer.count == answerSize else { throw .noAnswer }
      return answer
    } catch {
      throw ReadFailure(error)
    }
  }

  /// Appends the result of a READ up to the end of the data area, or to the point where the memory repeats.
  private mutating func append(_ block: [UInt8], end: Int) {
    let fresh = Self.pagesBeforeRollOver(in: block, of: memory) * Self.pageSize
    isShort = fresh < block.count
    memory += block.prefix(min(fresh, end - memory.count))
  }

  /// Returns the number of pages of `block` before the memory's first pages, which contain the serial number, repeat.
  static func pagesBeforeRollOver(in block: [UInt8], of memory: [UInt8]) -> Int {
    let pages = block.count / pageSize
    for page in 0..<pages {
      let tail = block[(page * pageSize)...]
      // Page 2 is not compared, because its lock bits may be unknown.
      let count = min(tail.count, 2 * pageSize)
      if memory.count >= count, tail.prefix(count).elementsEqual(memory[..<count]) { return page }
    }
    return pages
  }

  // MARK: Which model it is

  /// Identifies the model.
  ///
  /// Queries the tag only if several models match the container. GET_VERSION is sent last, because a tag that does not
  /// support it halts.
  ///
  ///     data bytes    FAST_READ works                            FAST_READ refused or not tried
  ///      48           —                                          Ultralight, or by GET_VERSION
  ///     128           by GET_VERSION (NTAG212, Ultralight EV1)   by GET_VERSION
  ///     144           NTAG213                                    NTAG203 if it ends after page 41, or by GET_VERSION
  ///     496, 504      NTAG215                                    by GET_VERSION
  ///     872, 888      by GET_VERSION (NTAG216, NTAG I2C 1K)      by GET_VERSION
  func identify(_ device: NFCDevice) throws(DeviceError) -> TagModel {
    switch (capacity, fastRead) {
    case (144, .works): return .ntag213
    case (496, .works), (504, .works): return .ntag215
    default: break
    }
    do throws(ReadFailure) {
      if capacity == 144 {
        let block = try Self.read(page: 40, from: device)
        if Self.pagesBeforeRollOver(in: block, of: memory) == 2 { return .ntag203 }
      }
      return try Self.version(device) ?? .type2
    } catch {
      switch error {
      case .device(let trouble): throw trouble
      case .noAnswer, .fault: return capacity == 48 ? .ultralight : .type2
      }
    }
  }

  /// Returns the model that the tag states; `nil` if it is unknown.
  static func version(_ device: NFCDevice) throws(ReadFailure) -> TagModel? {
    let stated = model(version: try exchange([0x60], answerSize: 8, with: device))
    return stated == .type2 ? nil : stated
  }

  /// Returns the model according to a GET_VERSION response (NTAG213/215/216 §10.1, MF0ULx1 §10.1, NT3H1101 §9.6).
  static func model(version: [UInt8]) -> TagModel {
    guard version.count == 8, version[1] == 0x04 else { return .type2 }
    switch (version[2], version[3], version[6]) {
    case (0x04, 0x05, 0x13): return .ntagI2C1K
    case (0x04, 0x05, 0x15): return .ntagI2C2K
    case (0x04, _, 0x0B): return .ntag210
    case (0x04, _, 0x0E): return .ntag212
    case (0x04, _, 0x0F): return .ntag213
    case (0x04, _, 0x11): return .ntag215
    case (0x04, _, 0x13): return .ntag216
    case (0x03, _, 0x0B): return .ultralightEV1Small
    case (0x03, _, 0x0E): return .ultralightEV1Large
    default: return .type2
    }
  }
}
