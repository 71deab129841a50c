import Testing

@testable import TappetCore

@Suite struct ReaderMessageTests {
  private static func uid(_ bytes: [UInt8]) throws -> TagUID { try #require(TagUID(bytes)) }

  private static func examples() throws -> [(ReaderMessage, [UInt8])] {
    let uid = try uid([0x04, 0xA1, 0xB2])
    let reading = TagReading(uid: uid, model: .ntag213, bytes: [9, 8, 7])
    return [
      (.ready(device: "PN532 é"), [1, 5] + Array("PN532 é".utf8)),
      (.ready(device: ""), [1, 5]),
      (.heartbeat, [2]),
      (.tagArrived(uid), [3, 3, 0x04, 0xA1, 0xB2]),
      (.tagArrived(uid, wasPresent: true), [11, 3, 0x04, 0xA1, 0xB2]),
      (.tagRead(reading), [4, 3, 0x04, 0xA1, 0xB2, 8, 9, 8, 7]),
      (.tagFaulted(uid, .mifareClassic, .unsupportedModel), [5, 3, 0x04, 0xA1, 0xB2, 40, 2]),
      (.tagLeft(uid), [6, 3, 0x04, 0xA1, 0xB2]),
      (.lost(.ioError, code: -90), [7, 3, 0xFF, 0xFF, 0xFF, 0xA6]),
      (.lost(.busy, code: .max), [7, 4, 0x7F, 0xFF, 0xFF, 0xFF]),
      (.orderProgress(done: 5, total: 0x0102), [8, 0, 5, 1, 2]),
      (
        .orderDone(OrderOutcome(uid: uid, model: .ntag213, writes: 29, fault: nil)),
        [9, 3, 0x04, 0xA1, 0xB2, 8, 0, 29, 0]
      ),
      (
        .orderDone(
          OrderOutcome(uid: uid, model: .ntag213, writes: 0, fault: .tooSmall(needed: 0x0177, capacity: 139))),
        [9, 3, 0x04, 0xA1, 0xB2, 8, 0, 0, 1, 8, 1, 0x77, 0, 139]
      ),
      (.tagDescribed(TagDescription(uid: uid, model: .ntag216)), [10, 3, 0x04, 0xA1, 0xB2, 10]),
      (
        .tagDescribed(TagDescription(uid: uid, model: .ntag216, header: [UInt8](1...12))),
        [10, 3, 0x04, 0xA1, 0xB2, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
      ),
    ]
  }

  @Test func `every kind is encoded and decoded as the layout specifies`() throws {
    for (message, bytes) in try ReaderMessageTests.examples() {
      #expect(message.encode() == bytes)
      #expect(try ReaderMessage(decoding: bytes) == message)
    }
  }

  @Test func `a truncated datagram is an error, unless its last field can be shorter`() throws {
    for (message, bytes) in try ReaderMessageTests.examples() {
      for size in 0..<bytes.count {
        let decoded = try? ReaderMessage(decoding: Array(bytes[..<size]))
        switch (message, decoded) {
        case (.ready, .ready?), (.tagRead, .tagRead?), (.tagDescribed, .tagDescribed?), (_, nil): break
        default: Issue.record("\(bytes[..<size]) became \(String(describing: decoded))")
        }
      }
    }
  }

  @Test func `each malformed datagram is refused with its own reason`() throws {
    func error(_ bytes: [UInt8]) -> WireError? {
      do throws(WireError) {
        _ = try ReaderMessage(decoding: bytes)
        return nil
      } catch { return error }
    }
    #expect(error([]) == .truncated(offset: 0))
    #expect(error([0]) == .unknownKind(0))
    #expect(error([12]) == .unknownKind(12))
    #expect(error([1]) == .truncated(offset: 1))
    #expect(error([1, 2]) == .otherVersion(2))
    #expect(error([1, 5, 0xFF]) == .invalid(offset: 2))
    #expect(error([1, 5, 0x1B, 0x5B]) == .invalid(offset: 2))
    #expect(error([1, 5] + [UInt8](repeating: 0x61, count: 129)) == .tooLarge(size: 129))
    #expect(error([2, 0]) == .trailingBytes(offset: 1))
    #expect(error([3, 0]) == .invalid(offset: 1))
    #expect(error([3, 11] + [UInt8](repeating: 1, count: 11)) == .invalid(offset: 1))
    #expect(error([3, 2, 1]) == .truncated(offset: 3))
    #expect(error([3, 1, 1, 1]) == .trailingBytes(offset: 3))
    #expect(error([4, 1, 1, 0]) == .invalid(offset: 3))
    #expect(error([5, 1, 1, 8, 0]) == .invalid(offset: 4))
    #expect(error([7, 99, 0, 0, 0, 0]) == .invalid(offset: 1))
    #expect(error([7, 1, 0, 0, 0]) == .truncated(offset: 2))
    #expect(error([10, 1, 1, 8, 9]) == .truncated(offset: 4))
  }

  @Test func `a reading is joined with its own description, and with no other`() throws {
    let (uid, other) = (try ReaderMessageTests.uid([1, 2, 3, 4, 5, 6, 7]), try ReaderMessageTests.uid([1, 2, 3, 4]))
    let reading = TagReading(uid: uid, model: .type2, bytes: [UInt8](repeating: 0, count: 20))
    let header = [UInt8](1...12)
    var readings = TagReadingAssembler()
    #expect(readings.pass(.tagRead(reading)) == nil)
    #expect(readings.pass(.heartbeat) == .heartbeat)
    let whole = TagReading(uid: uid, model: .ntag215, bytes: header + [UInt8](repeating: 0, count: 8))
    #expect(
      readings.pass(.tagDescribed(TagDescription(uid: uid, model: .ntag215, header: header))) == .tagRead(whole))
    // Only once, only of the same tag, and not after it has left.
    #expect(readings.pass(.tagDescribed(TagDescription(uid: uid, model: .ntag215))) == nil)
    #expect(readings.pass(.tagRead(reading)) == nil)
    #expect(readings.pass(.tagDescribed(TagDescription(uid: other, model: .ntag215))) == nil)
    #expect(readings.pass(.tagLeft(uid)) == .tagLeft(uid))
    #expect(readings.pass(.tagDescribed(TagDescription(uid: uid, model: .ntag215))) == nil)
    // A header that does not fit is left out.
    _ = readings.pass(.tagRead(TagReading(uid: uid, model: .type2, bytes: [9])))
    #expect(
      readings.pass(.tagDescribed(TagDescription(uid: uid, model: .ultralight, header: header)))
        == .tagRead(TagReading(uid: uid, model: .ultralight, bytes: [9])))
  }

  @Test func `the largest memory is accepted, and one byte more is reported as a fault`() throws {
    let uid = try ReaderMessageTests.uid([1, 2, 3, 4])
    let largest = [UInt8](repeating: 7, count: Limits.tagMemorySizeMax)
    let message = ReaderMessage.tagRead(TagReading(uid: uid, model: .type4, bytes: largest))
    #expect(message.encode().count <= Limits.readerMessageSizeMax)
    #expect(try ReaderMessage(decoding: message.encode()) == message)
    #expect(throws: WireError.tooLarge(size: largest.count + 1)) {
      try ReaderMessage(decoding: message.encode() + [7])
    }
    let beyond = ReaderMessage.tagRead(TagReading(uid: uid, model: .type4, bytes: largest + [7]))
    #expect(try ReaderMessage(decoding: beyond.encode()) == .tagFaulted(uid, .type4, .tooLarge))
  }

  @Test func `a frame includes its time, and a frame of another version is refused with that version`() throws {
    let frame = ReaderFrame(.heartbeat, sentAt: Instant(nanoseconds: 0x0102_0304))
    #expect(frame.encode() == [2, 0, 0, 0, 0, 1, 2, 3, 4])
    #expect(try ReaderFrame(decoding: frame.encode()) == frame)
    #expect(throws: WireError.otherVersion(3)) { _ = try ReaderFrame(decoding: [1, 3, 0x50, 0x4E]) }
    #expect(throws: WireError.otherVersion(3)) {
      _ = try ReaderFrame(decoding: [1, 3] + [UInt8](repeating: 0x61, count: 20))
    }
    #expect(throws: WireError.truncated(offset: 1)) { _ = try ReaderFrame(decoding: [2]) }
    #expect(throws: WireError.truncated(offset: 0)) { _ = try ReaderFrame(decoding: []) }
  }

  @Test(arguments: 120...132) func `a device name is truncated between characters`(size: Int) throws {
    for filling in ["x", "é", "客", "🏠"] {
      let name = String(repeating: "x", count: size) + String(repeating: filling, count: 8)
      guard case .ready(let device) = try ReaderMessage(decoding: ReaderMessage.ready(device: name).encode()) else {
        Issue.record("not ready")
        continue
      }
      #expect(name.hasPrefix(device))
      #expect((125...128).contains(device.utf8.count))
    }
  }

  @Test func `a device name with control characters cannot move a cursor`() throws {
    let encoded = ReaderMessage.ready(device: "a\u{1B}[2J\nb\u{7F}").encode()
    #expect(try ReaderMessage(decoding: encoded) == .ready(device: "a?[2J?b?"))
  }

  @Test func `everything that decodes is encoded to the same bytes again`() {
    var generator = Randomness(seed: 7)
    var decodedCount = 0
    for _ in 0..<50_000 {
      var bytes = generator.bytes(upTo: 24)
      if !bytes.isEmpty { bytes[0] %= 9 }
      if bytes.count > 1 { bytes[1] %= 12 }
      guard let message = try? ReaderMessage(decoding: bytes) else { continue }
      decodedCount += 1
      #expect(message.encode() == bytes)
    }
    #expect(decodedCount > 100)
  }
}
