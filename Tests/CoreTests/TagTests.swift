// NDEF, Type 2 memory, tag and share URLs, templates, the reader's messages: known bytes, every truncation, seeded garbage.

import Testing

@testable import TappetCore

/// A memory of an NTAG with this data area, cut off or padded to `size`.
func type2Memory(sizeCode: UInt8 = 0x12, _ data: [UInt8], size: Int? = nil) -> [UInt8] {
  let header: [UInt8] = [4, 0xA1, 0xB2, 0x9F, 1, 2, 3, 0x80, 0x80, 0x48, 0, 0, 0xE1, 0x10, sizeCode, 0]
  let padding = max(0, (size ?? 16 + Int(sizeCode) * 8) - 16 - data.count)
  return header + data + [UInt8](repeating: 0, count: padding)
}

@Suite struct NDEFTests {
  @Test func `a long record, an id and several records survive the way there and back`() throws {
    let records = [
      NDEFRecord(
        typeNameFormat: 2, type: Array("text/plain".utf8), id: [1, 2], payload: [UInt8](repeating: 7, count: 300)),
      NDEFRecord(typeNameFormat: 0, type: [], payload: []),
      NDEFRecord(typeNameFormat: 5, type: [], id: [], payload: [9]),
      NDEFRecord(uri: Array("smp://action?x".utf8)),
    ]
    let bytes = try #require(NDEFMessage(records: records).encode())
    let message = try NDEFMessage(decoding: bytes)
    #expect(message.records == records)
    #expect(message.firstURI == Array("smp://action?x".utf8))
  }

  @Test func `a record with a 4-byte length that could be short is read`() throws {
    let bytes: [UInt8] = [0xC1, 1, 0, 0, 0, 3, 0x55, 0, 0x61, 0x62]
    #expect(try NDEFMessage(decoding: bytes).firstURI == Array("ab".utf8))
  }

  @Test func `identifier codes are spelt out and reserved ones are no URI`() {
    #expect(NDEFRecord(typeNameFormat: 1, type: [0x55], payload: [4, 0x61]).uri == Array("https://a".utf8))
    #expect(NDEFRecord(typeNameFormat: 1, type: [0x55], payload: [0x23]).uri == Array("urn:nfc:".utf8))
    #expect(NDEFRecord(typeNameFormat: 1, type: [0x55], payload: [0x24, 0x61]).uri == nil)
    #expect(NDEFRecord(typeNameFormat: 1, type: [0x55], payload: []).uri == nil)
  }

  @Test(
    arguments: [
      ([], NDEFError.empty),
      ([0xB1, 1, 1, 0x55, 0], .chunked(offset: 0)),
      ([0xD6, 0, 0], .chunked(offset: 0)),
      ([0xD7, 0, 0], .reservedFormat(offset: 0)),
      ([0x51, 1, 1, 0x55, 0], .misplacedBegin(offset: 0)),
      ([0x91, 1, 1, 0x55, 0], .missingEnd),
      ([0xD0, 1, 0, 0x55], .unexpectedType(offset: 0)),
      ([0xD0, 0, 1, 0x55], .emptyWithContent(offset: 0)),
      ([0xD0, 0, 0, 0], .bytesBehindEnd(offset: 3)),
      ([0xC1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x55], .truncated(offset: 0)),
    ] as [([UInt8], NDEFError)])
  func `a broken message is refused for what is broken`(_ bytes: [UInt8], _ error: NDEFError) {
    #expect(throws: error) { try NDEFMessage(decoding: bytes) }
  }

  @Test func `a message with too many records is refused`() {
    var bytes: [UInt8] = [0x90, 0, 0]
    for _ in 0..<40 { bytes += [0x10, 0, 0] }
    #expect(throws: NDEFError.tooManyRecords(max: Limits.ndefRecordsMax)) { try NDEFMessage(decoding: bytes) }
  }

  @Test func `no truncation of a message is a message`() throws {
    let bytes = try #require(NDEFMessage(records: [NDEFRecord(uri: Array("smp://action?idx=1".utf8))]).encode())
    for count in 0..<bytes.count {
      #expect(throws: NDEFError.self) { try NDEFMessage(decoding: Array(bytes[..<count])) }
    }
  }
}

@Suite struct Type2MemoryTests {
  @Test func `an NTAG213 as it leaves the factory is empty`() {
    // NT4H2421 / NTAG213 datasheet: pages 4 and 5 are 01 03 A0 0C 34 03 00 FE.
    let memory = type2Memory([0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x00, 0xFE])
    #expect(Type2Memory.locate(in: memory) == .empty)
  }

  @Test func `blocks before the message are stepped over`() {
    let data: [UInt8] = [0, 0, 0xFD, 2, 9, 9, 0x02, 3, 0xF0, 4, 0x02, 0, 0x03, 2, 0xAA, 0xBB, 0xFE]
    #expect(Type2Memory.locate(in: type2Memory(data)) == .message([0xAA, 0xBB]))
  }

  @Test func `a 3-byte length is read, even for a short message`() {
    #expect(Type2Memory.locate(in: type2Memory([0x03, 0xFF, 0, 2, 0xAA, 0xBB])) == .message([0xAA, 0xBB]))
  }

  @Test func `reserved bytes inside the data area are not part of the message`() {
    // Memory Control: page address 1, byte 8, page size 2^4: bytes 24 and 25 are reserved.
    let data: [UInt8] = [0x02, 3, 0x18, 2, 0x04, 0x03, 4, 0xA1, 0xEE, 0xEE, 0xA2, 0xA3, 0xA4, 0xFE]
    #expect(Type2Memory.locate(in: type2Memory(data)) == .message([0xA1, 0xA2, 0xA3, 0xA4]))
  }

  @Test func `a lock control block reserves its bits in whole bytes`() {
    // Byte 16 * 1 + 8 = 24, 9 bits: two bytes.
    let data: [UInt8] = [0x01, 3, 0x18, 9, 0x04, 0x03, 2, 0xA1, 0xEE, 0xEE, 0xA2, 0xFE]
    #expect(Type2Memory.locate(in: type2Memory(data)) == .message([0xA1, 0xA2]))
  }

  @Test(
    arguments: [
      ([0x03, 200, 1], Type2Error.lengthBeyondMemory(offset: 16, length: 200, dataAreaEnd: 160)),
      ([0x03, 0xFF, 0xFF, 0xFE], .lengthBeyondMemory(offset: 16, length: 65534, dataAreaEnd: 160)),
      ([0x01, 2, 1, 1], .malformedControl(offset: 16)),
      ([0xFD, 0xFF, 1, 0], .lengthBeyondMemory(offset: 16, length: 256, dataAreaEnd: 160)),
    ] as [([UInt8], Type2Error)])
  func `a block that claims what cannot be is refused`(_ data: [UInt8], _ error: Type2Error) {
    #expect(Type2Memory.locate(in: type2Memory(data)) == .malformed(error))
  }

  @Test func `a memory without a message says so, and one that is not formatted too`() {
    #expect(Type2Memory.locate(in: type2Memory([0xFE])) == .none)
    #expect(Type2Memory.locate(in: type2Memory([])) == .none)
    #expect(Type2Memory.locate(in: type2Memory(sizeCode: 0, [])) == .none)
    var memory = type2Memory([])
    memory[12] = 0
    #expect(Type2Memory.locate(in: memory) == .malformed(.noCapabilityContainer))
    memory[12] = 0xE1
    memory[13] = 0x20
    #expect(Type2Memory.locate(in: memory) == .malformed(.unsupportedVersion(0x20)))
  }

  @Test func `many control blocks do not make it run for ever`() {
    let data = [[UInt8]](repeating: [0x02, 3, 0xFF, 1, 0x04], count: 20).flatMap { $0 }
    #expect(Type2Memory.locate(in: type2Memory(sizeCode: 0x3E, data)) == .malformed(.tooManyControls))
  }

  @Test(arguments: 0..<200)
  func `reading on as told comes to the same end as reading everything at once`(_ seed: Int) throws {
    var random = Randomness(seed: (UInt64(seed), 1, 2, 3))
    let size = Int.random(in: 0...200, using: &random)
    let message = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
    var data = [UInt8](repeating: 0, count: Int.random(in: 0...3, using: &random))
    if Bool.random(using: &random) { data += [0x01, 3, 0xA0, 0x0C, 0x34] }
    data += try #require(Type2Memory.encode(message: message))
    let whole = type2Memory(sizeCode: 0x3E, data)
    let expected: Type2Location = message.isEmpty ? .empty : .message(message)
    #expect(Type2Memory.locate(in: whole) == expected)
    var known = 0
    for _ in 0..<16 {
      switch Type2Memory.locate(in: Array(whole[..<known])) {
      case .needs(let count):
        #expect(count > known && count <= whole.count)
        known = count
      case let location:
        #expect(location == expected)
        return
      }
    }
    Issue.record("more than 16 steps")
  }

  @Test(arguments: 0..<500)
  func `garbage gives an answer and asks for no more than there can be`(_ seed: Int) {
    var random = Randomness(seed: (UInt64(seed), 7, 8, 9))
    let count = Int.random(in: 0...600, using: &random)
    var memory = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    if count > 16 { memory.replaceSubrange(12..<16, with: [0xE1, 0x10, UInt8.random(in: 0...255, using: &random), 0]) }
    if case .needs(let needed) = Type2Memory.locate(in: memory) {
      #expect(needed > memory.count)
      #expect(needed <= 16 + 255 * 8)
    }
  }
}

@Suite struct TagURLTests {
  private static let tail = "&sig=" + String(repeating: "0", count: 64)

  @Test(arguments: [
    ("smp:/action?idx=1&ts=1" + tail, TagURLError.invalidHost),
    ("http://action?idx=1&ts=1" + tail, .invalidScheme),
    ("", .invalidScheme),
    ("smp://Action?idx=1&ts=1" + tail, .invalidHost),
    ("smp://action", .noParameters),
    ("smp://action?", .noParameters),
    ("smp://action?ts=1" + tail, .missing(.index)),
    ("smp://action?idx=1" + tail, .missing(.timestamp)),
    ("smp://action?idx=1&ts=1", .missing(.signature)),
    ("smp://action?idx=9223372036854775808&ts=1" + tail, .malformed(.index)),
    ("smp://action?idx=1&ts=9999999999999999999" + tail, .malformed(.timestamp)),
    ("smp://action?idx=+1&ts=1" + tail, .malformed(.index)),
    ("smp://action?idx=%31&ts=1" + tail, .malformed(.index)),
    ("smp://action?idx=&ts=1" + tail, .malformed(.index)),
    ("smp://action?idx=1&ts=00" + tail, .malformed(.timestamp)),
    ("smp://action?idx=1&ts=1&ts=1" + tail, .repeated(.timestamp)),
    ("smp://action?idx=1&ts=1" + tail + tail, .repeated(.signature)),
    ("smp://action?idx=1&ts=1" + tail + "&key=1&key=1", .repeated(.key)),
  ])
  func `a URL that no app writes is refused for its own reason`(_ text: String, _ error: TagURLError) {
    #expect(throws: error) { try TagURL.parse(text.utf8) }
  }

  @Test func `the largest integers, other orders, paths and fragments are taken`() throws {
    let max = try TagURL.parse(("smp://action/p/q?x=1&sig=&ts=0&idx=9223372036854775807#idx=2").utf8)
    #expect(max.index == .max)
    #expect(max.timestamp == 0)
    #expect(max.signature == nil)
  }

  @Test func `every secret is tried and the right one is found`() throws {
    let keys = try (0..<3).map { try #require(SecretKey([UInt8](repeating: UInt8($0), count: 32))) }
    let secrets = keys.enumerated().map {
      TagSecret(id: "\($0.offset)", action: "a", index: 0, key: $0.element, createdUnixSeconds: 0, label: nil)
    }
    for (index, key) in keys.enumerated() {
      let url = try TagURL.sign(index: 3, timestamp: 9, key: key)
      #expect(url.verify(with: secrets)?.id == "\(index)")
      #expect(url.verify(with: secrets.filter { $0.id != "\(index)" }) == nil)
      var forged = url
      forged.index = 4
      #expect(forged.verify(with: secrets) == nil)
    }
  }

  @Test func `a URL signed with the key that it carries is refused by any other secret`() throws {
    let own = try #require(SecretKey([UInt8](repeating: 9, count: 32)))
    let stored = try #require(SecretKey([UInt8](repeating: 8, count: 32)))
    let parsed = try TagURL.parse(try TagURL.sign(index: 0, timestamp: 1, key: own).text(carrying: own))
    let secret = TagSecret(id: "", action: "a", index: 0, key: stored, createdUnixSeconds: 0, label: nil)
    #expect(parsed.carriesKey)
    #expect(parsed.verify(with: [secret]) == nil)
  }

  @Test func `no signature at all does not verify as 32 zero bytes`() throws {
    let key = try #require(SecretKey([UInt8](repeating: 1, count: 32)))
    let secret = TagSecret(id: "", action: "a", index: 0, key: key, createdUnixSeconds: 0, label: nil)
    for signature in ["", "00", String(repeating: "0", count: 63), String(repeating: "0", count: 128), "zz"] {
      #expect(try TagURL.parse("smp://action?idx=0&ts=1&sig=\(signature)".utf8).verify(with: [secret]) == nil)
    }
  }
}

@Suite struct ShareURLTests {
  private static let key = String(repeating: "ab", count: 32)

  @Test func `labels with everything in them survive the way there and back`() throws {
    let key = try #require(SecretKey(hex: Self.key))
    for label in ["a&b=c#d%e", "+/?:", "\"quotes\" 'and' more", "客廳 ☕", "tab\there"] {
      let parsed = try ShareURL.parse(ShareURL(index: 1, key: key, label: label).text())
      #expect(parsed.label == label)
    }
  }

  @Test func `a label is trimmed, and an empty one is none`() throws {
    #expect(try ShareURL.parse("smpshare://secret?idx=0&key=\(Self.key)&label=%20%20x%20".utf8).label == "x")
    #expect(try ShareURL.parse("smpshare://secret?idx=0&key=\(Self.key)&label=%20".utf8).label == nil)
    #expect(try ShareURL.parse("smpshare://secret?idx=0&key=\(Self.key.uppercased())&label=".utf8).label == nil)
  }

  @Test func `broken labels are refused`() {
    for label in ["%", "%4", "%zz", "%FF"] {
      #expect(throws: ShareURLError.malformedLabel) {
        try ShareURL.parse("smpshare://secret?idx=0&key=\(Self.key)&label=\(label)".utf8)
      }
    }
    let long = String(repeating: "x", count: 4096)
    #expect(throws: ShareURLError.self) {
      try ShareURL.parse("smpshare://secret?idx=0&key=\(Self.key)&label=\(long)".utf8)
    }
  }
}

@Suite struct PayloadTests {
  @Test func `only the first of each is filled in, and what was filled in is not looked at again`() {
    let id = EntryID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    let template = PayloadTemplate("%I%T%I%T%")
    #expect(template.usesTimestamp && template.usesID)
    let payload = template.fill(token: "%I", id: id)
    #expect(String(decoding: payload, as: UTF8.self) == "0123456789abcdeffedcba9876543210%I%I%T%")
    #expect(EntryID(hex: "0123456789abcdeffedcba9876543210") == id)
  }

  @Test func `a token is accepted once within its window, and neither before nor after it`() throws {
    let key = try #require(TimestampKey(hex: "000102030405060708090a0b0c0d0e0f"))
    var receiver = TokenReceiver()
    let token = try TimestampToken.seal(unixSeconds: 1000, key: key)
    #expect(throws: TimestampTokenError.outsideWindow(ageSeconds: -6)) {
      try receiver.accept(token, key: key, nowUnixSeconds: 994)
    }
    #expect(try receiver.accept(token, key: key, nowUnixSeconds: 995) == 1000)
    #expect(throws: TimestampTokenError.repeated) { try receiver.accept(token, key: key, nowUnixSeconds: 1005) }
    #expect(throws: TimestampTokenError.repeated) {
      try receiver.accept(token.uppercased(), key: key, nowUnixSeconds: 1005)
    }
    #expect(throws: TimestampTokenError.outsideWindow(ageSeconds: 6)) {
      try receiver.accept(token, key: key, nowUnixSeconds: 1006)
    }
  }

  @Test func `a time that 32 bits do not hold is refused`() throws {
    let key = try #require(TimestampKey(hex: "000102030405060708090a0b0c0d0e0f"))
    for time in [-1, 1 << 32, Int64.min, .max] {
      #expect(throws: TimestampTokenError.timeOutOfRange(time)) { try TimestampToken.seal(unixSeconds: time, key: key) }
    }
    for size in [32, 48, 64] { #expect(TimestampKey(hex: String(repeating: "0", count: size)) != nil) }
    for size in [0, 31, 33, 34, 66] { #expect(TimestampKey(hex: String(repeating: "0", count: size)) == nil) }
  }
}

@Suite struct ReaderMessageTests {
  private static let uid = TagUID([4, 1, 2, 3, 4, 5, 6])

  @Test func `every message survives the way there and back, and no truncation is another`() throws {
    let uid = try #require(Self.uid)
    let messages: [ReaderMessage] = [
      .ready(device: "pn532_uart:/dev/ttyUSB0"), .heartbeat, .tagArrived(uid), .tagLeft(uid),
      .tagRead(TagReading(uid: uid, model: .ntag215, bytes: [1, 2, 3])), .tagFaulted(uid, .other, .pulledAway),
      .lost(.silent, code: -90),
    ]
    for message in messages {
      let bytes = message.encode()
      #expect(try ReaderMessage(decoding: bytes) == message)
      for count in 0..<bytes.count {
        #expect((try? ReaderMessage(decoding: Array(bytes[..<count]))) != message)
      }
    }
  }

  @Test(arguments: 0..<500)
  func `garbage is a message or an error`(_ seed: Int) {
    var random = Randomness(seed: (UInt64(seed), 5, 5, 5))
    let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    guard let message = try? ReaderMessage(decoding: bytes) else { return }
    #expect(message.encode() == bytes)
  }
}

@Suite struct CryptoTests {
  @Test func `what was sealed opens only under its key, in its context, unchanged`() throws {
    let key = try SecretKey.random()
    let sealed = try LibCrypto.seal([1, 2, 3], key: key, context: [9])
    #expect(try LibCrypto.open(sealed, key: key, context: [9]) == [1, 2, 3])
    #expect(throws: CryptoError.notAuthentic) { try LibCrypto.open(sealed, key: key, context: [8]) }
    #expect(throws: CryptoError.notAuthentic) { try LibCrypto.open(sealed, key: try SecretKey.random(), context: [9]) }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: CryptoError.notAuthentic) { try LibCrypto.open(changed, key: key, context: [9]) }
    }
    #expect(throws: CryptoError.self) { try LibCrypto.open([], key: key) }
  }

  @Test func `hex is strict`() {
    #expect(Hex.decode("00fFAb") == [0, 0xFF, 0xAB])
    for text in ["0", "0g", " 00", "0x", "００"] { #expect(Hex.decode(text) == nil) }
    #expect(Hex.encode([0, 0xAB]) == "00ab")
  }
}
