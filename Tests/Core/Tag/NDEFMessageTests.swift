import Testing

@testable import TappetCore

@Suite struct NDEFMessageTests {
  private static func error(_ bytes: [UInt8]) -> NDEFError? {
    do throws(NDEFError) {
      _ = try NDEFMessage(decoding: bytes)
      return nil
    } catch { return error }
  }

  private static func randomMessage(_ generator: inout Randomness) -> NDEFMessage {
    let records = (0..<Int.random(in: 1...Limits.ndefRecordsMax, using: &generator)).map { _ in
      let format = UInt8.random(in: 0...5, using: &generator)
      if format == 0 {
        return NDEFRecord(typeNameFormat: 0, type: [], id: Bool.random(using: &generator) ? [] : nil, payload: [])
      }
      return NDEFRecord(
        typeNameFormat: format, type: format == 5 ? [] : generator.bytes(upTo: 255),
        id: Bool.random(using: &generator) ? generator.bytes(upTo: 255) : nil,
        payload: generator.bytes(upTo: Bool.random(using: &generator) ? 20 : 600))
    }
    return NDEFMessage(records: records)
  }

  @Test func `the vectors' URLs are encoded as the vectors' messages, and decoded again`() throws {
    for vector in try Vectors.load().signed_urls {
      let message = NDEFMessage(records: [NDEFRecord(uri: Array(vector.url.utf8))])
      let bytes = try #require(message.encode())
      #expect(Hex.encode(bytes) == vector.ndef_hex)
      #expect(bytes.count == vector.ndef_len)
      #expect(try NDEFMessage(decoding: bytes) == message)
      #expect(try NDEFMessage(decoding: bytes).firstURI == Array(vector.url.utf8))
      let withKey = NDEFMessage(records: [NDEFRecord(uri: Array(vector.url_with_key.utf8))])
      #expect(withKey.encode()?.count == vector.ndef_with_key_len)
    }
  }

  // RTD URI 1.0, table 3.
  @Test(arguments: [
    (0x00, ""), (0x01, "http://www."), (0x02, "https://www."), (0x03, "http://"), (0x04, "https://"), (0x05, "tel:"),
    (0x06, "mailto:"), (0x07, "ftp://anonymous:anonymous@"), (0x08, "ftp://ftp."), (0x09, "ftps://"), (0x0A, "sftp://"),
    (0x0B, "smb://"), (0x0C, "nfs://"), (0x0D, "ftp://"), (0x0E, "dav://"), (0x0F, "news:"), (0x10, "telnet://"),
    (0x11, "imap:"), (0x12, "rtsp://"), (0x13, "urn:"), (0x14, "pop:"), (0x15, "sip:"), (0x16, "sips:"),
    (0x17, "tftp:"),
    (0x18, "btspp://"), (0x19, "btl2cap://"), (0x1A, "btgoep://"), (0x1B, "tcpobex://"), (0x1C, "irdaobex://"),
    (0x1D, "file://"), (0x1E, "urn:epc:id:"), (0x1F, "urn:epc:tag:"), (0x20, "urn:epc:pat:"), (0x21, "urn:epc:raw:"),
    (0x22, "urn:epc:"), (0x23, "urn:nfc:"),
  ])
  func `each identifier code stands for its prefix`(code: UInt8, prefix: String) throws {
    let message = try NDEFMessage(decoding: [0xD1, 1, 3, 0x55, code, 0x61, 0x62])
    #expect(message.firstURI == Array((prefix + "ab").utf8))
  }

  @Test func `a reserved identifier code or an empty payload yields no URI`() throws {
    for code in 0x24...0xFF {
      #expect(try NDEFMessage(decoding: [0xD1, 1, 2, 0x55, UInt8(code), 0x61]).firstURI == nil)
    }
    #expect(try NDEFMessage(decoding: [0xD1, 1, 0, 0x55]).firstURI == nil)
  }

  @Test func `the first URI is found after records of every other kind`() throws {
    let message = NDEFMessage(records: [
      NDEFRecord(typeNameFormat: 0, type: [], payload: []),
      NDEFRecord(typeNameFormat: 1, type: Array("T".utf8), payload: [2, 0x65, 0x6E, 0x61]),
      NDEFRecord(typeNameFormat: 2, type: Array("text/plain".utf8), payload: [1]),
      NDEFRecord(typeNameFormat: 4, type: Array("U".utf8), payload: [0, 0x78]),
      NDEFRecord(typeNameFormat: 5, type: [], payload: [3]),
      NDEFRecord(uri: Array("smp://first".utf8)),
      NDEFRecord(uri: Array("smp://second".utf8)),
    ])
    let bytes = try #require(message.encode())
    #expect(try NDEFMessage(decoding: bytes).firstURI == Array("smp://first".utf8))
  }

  @Test func `long records, with and without an id, are read like short ones`() throws {
    #expect(
      try NDEFMessage(decoding: [0xC1, 1, 0, 0, 0, 3, 0x55, 0, 0x61, 0x62]).records == [NDEFRecord(uri: [0x61, 0x62])])
    let withID = try NDEFMessage(decoding: [0xC9, 1, 0, 0, 0, 2, 2, 0x55, 0x69, 0x64, 0, 0x61])
    #expect(withID.records == [NDEFRecord(typeNameFormat: 1, type: [0x55], id: [0x69, 0x64], payload: [0, 0x61])])
  }

  @Test func `each violation of the specification is refused with its own reason`() {
    let error = NDEFMessageTests.error
    #expect(error([]) == .empty)
    #expect(error([0xD1]) == .truncated(offset: 0))
    #expect(error([0x51, 1, 0, 0x55]) == .misplacedBegin(offset: 0))
    #expect(error([0x91, 1, 0, 0x55, 0xD1, 1, 0, 0x55]) == .misplacedBegin(offset: 4))
    #expect(error([0x91, 1, 0, 0x55]) == .missingEnd)
    #expect(error([0xD1, 1, 0, 0x55, 0]) == .bytesBehindEnd(offset: 4))
    #expect(error([0xF1, 1, 0, 0x55]) == .chunked(offset: 0))
    #expect(error([0xD6, 0, 0]) == .chunked(offset: 0))
    #expect(error([0xD7, 0, 0]) == .reservedFormat(offset: 0))
    #expect(error([0xD0, 1, 0, 0x55]) == .unexpectedType(offset: 0))
    #expect(error([0xD5, 1, 0, 0x55]) == .unexpectedType(offset: 0))
    #expect(error([0xD0, 0, 1, 0]) == .emptyWithContent(offset: 0))
    #expect(error([0xD8, 0, 0, 1, 0]) == .emptyWithContent(offset: 0))
    #expect(error([0xC1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x55]) == .truncated(offset: 0))

    let seventeen: [UInt8] = [0x90, 0, 0] + (0..<15).flatMap { _ in [0x10, 0, 0] as [UInt8] } + [0x50, 0, 0]
    #expect(error(seventeen) == .tooManyRecords(max: 16))
  }

  @Test func `a message that does not fit is not encoded`() {
    #expect(NDEFMessage(records: []).encode() == nil)
    let record = NDEFRecord(uri: [])
    #expect(NDEFMessage(records: Array(repeating: record, count: 16)).encode() != nil)
    #expect(NDEFMessage(records: Array(repeating: record, count: 17)).encode() == nil)
    let long = [UInt8](repeating: 0x61, count: 256)
    #expect(NDEFMessage(records: [NDEFRecord(typeNameFormat: 2, type: long, payload: [])]).encode() == nil)
    #expect(NDEFMessage(records: [NDEFRecord(typeNameFormat: 2, type: [1], id: long, payload: [])]).encode() == nil)
    #expect(NDEFMessage(records: [NDEFRecord(typeNameFormat: 6, type: [1], payload: [])]).encode() == nil)
  }

  @Test(arguments: 0..<200) func `any message round-trips, and no part of its bytes is a message`(seed: UInt64)
    throws
  {
    var generator = Randomness(seed: seed)
    let message = NDEFMessageTests.randomMessage(&generator)
    let bytes = try #require(message.encode())
    #expect(try NDEFMessage(decoding: bytes) == message)
    for size in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 200)) {
      #expect(NDEFMessageTests.error(Array(bytes[..<size])) != nil)
    }
    #expect(NDEFMessageTests.error(bytes + [0]) == .bytesBehindEnd(offset: bytes.count))
  }

  @Test func `a truncated vector does not decode`() throws {
    for vector in try Vectors.load().signed_urls {
      let bytes = try #require(Hex.decode(vector.ndef_hex))
      for size in 0..<bytes.count { #expect(NDEFMessageTests.error(Array(bytes[..<size])) != nil) }
    }
  }

  @Test func `garbage that decodes can be encoded and decoded again`() throws {
    var generator = Randomness(seed: 99)
    var decodedCount = 0
    for _ in 0..<50_000 {
      var bytes = generator.bytes(upTo: 20)
      if !bytes.isEmpty { bytes[0] = bytes[0] & 0x0F | 0xD0 }
      for index in bytes.indices.dropFirst().prefix(3) { bytes[index] &= 0x0F }
      guard let message = try? NDEFMessage(decoding: bytes) else { continue }
      decodedCount += 1
      #expect(try NDEFMessage(decoding: #require(message.encode())) == message)
    }
    #expect(decodedCount > 100)
  }
}
