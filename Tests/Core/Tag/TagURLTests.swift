import Testing

@testable import TappetCore

@Suite struct TagURLTests {
  private static let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
  private static let signature = "bdfdbb1a3aafaa554cf982f61523ba6960f8db4257090a96f3a6df80ff0da9bb"
  private static let valid = "smp://action?idx=1&ts=1767225600&sig=" + signature

  private static func error(_ text: String) -> TagURLError? {
    do throws(TagURLError) {
      _ = try TagURL.parse(text.utf8)
      return nil
    } catch { return error }
  }

  private static func verifies(_ text: String) throws -> Bool {
    let secret = try tagSecret(key, index: 1)
    return (try? TagURL.parse(text.utf8))?.verify(with: [secret]) != nil
  }

  @Test func `every vector is signed, printed, read and verified as specified`() throws {
    for vector in try Vectors.load().signed_urls {
      let secret = try tagSecret(vector.secret)
      let signed = try TagURL.sign(index: vector.idx, timestamp: vector.ts, key: secret.key)
      #expect(signed.signature.map(Hex.encode) == vector.sig)
      #expect(String(decoding: signed.text(), as: UTF8.self) == vector.url)
      #expect(String(decoding: signed.text(carrying: secret.key), as: UTF8.self) == vector.url_with_key)
      #expect(signed.text().count == vector.url_len)
      #expect(signed.text(carrying: secret.key).count == vector.url_with_key_len)
      for text in [vector.url, vector.url_with_key] {
        let url = try TagURL.parse(text.utf8)
        #expect(url.index == vector.idx && url.timestamp == vector.ts)
        #expect(url.carriesKey == (text == vector.url_with_key))
        #expect(url.verify(with: [secret])?.id == secret.id)
      }
      #expect(TagURL.carriedKey(in: vector.url_with_key.utf8) == secret.key)
      #expect(TagURL.carriedKey(in: vector.url.utf8) == nil)
    }
  }

  @Test func `a viewer without access to keys sees a tag without its key's digits`() throws {
    let secret = try tagSecret(Self.key, index: 1)
    let text = try TagURL.sign(index: 1, timestamp: 1, key: secret.key).text(carrying: secret.key)
    let uid = try #require(TagUID([4, 1, 2, 3, 4, 5, 6]))
    // Bytes after the end of the TLV stay as they are.
    let reading = TagReading(uid: uid, model: .ntag213, bytes: [0x04, 0xA1] + text + [0xFE, 0x61, 0x00])
    let masked = reading.withoutCarriedKey
    #expect(masked.bytes.count == reading.bytes.count && masked.bytes.suffix(3) == [0xFE, 0x61, 0x00])
    let url = masked.bytes.dropFirst(2).dropLast(3)
    #expect(url.prefix(text.count - 64).elementsEqual(text.prefix(text.count - 64)))
    #expect(url.suffix(64).allSatisfy { $0 == UInt8(ascii: "0") })
    #expect(try TagURL.parse(url).verify(with: [secret]) != nil)

    let unsigned = reading.withoutSignature.bytes.dropFirst(2).dropLast(3)
    #expect(try TagURL.parse(unsigned).verify(with: [secret]) == nil)
    #expect(try TagURL.parse(unsigned).index == 1 && TagURL.parse(unsigned).timestamp == 1)
    #expect(String(decoding: unsigned, as: UTF8.self).filter { $0 == "0" }.count >= 128)
  }

  /// The reason in the app's words, for the vectors: its four actions are 0 to 3, of which some have secrets.
  private static func appsReason(_ text: String, configured: [Int64: [TagSecret]]) -> String? {
    let url: TagURL
    do throws(TagURLError) { url = try TagURL.parse(text.utf8) } catch {
      switch error {
      case .invalidScheme: return "Invalid URL scheme"
      case .invalidHost: return "Invalid URL host"
      case .noParameters: return "No parameters"
      case .missing, .malformed: return "Missing required parameters"
      case .repeated, .repeatedUnknown: return "must be refused; the app crashes"
      }
    }
    guard (0...3).contains(url.index) else { return "Invalid action index" }
    guard let secrets = configured[url.index] else { return "No NFC configured for this button" }
    return url.verify(with: secrets) == nil ? "Invalid signature" : nil
  }

  @Test func `each validation vector has its stated result, unless Tappet is deliberately stricter`() throws {
    let validation = try Vectors.load().validation
    var configured: [Int64: [TagSecret]] = [:]
    for (index, keys) in validation.configured {
      configured[try #require(Int64(index))] = try keys.map { try tagSecret($0) }
    }
    // docs/formats.md, "Tag URL": forms of integers that no app writes are refused.
    let stricter = [
      "leading zeros are normalized before signing (app parses Int)": TagURLError.malformed(.index),
      "negative ts": .malformed(.timestamp), "idx -1 out of range": .malformed(.index),
    ]
    var strictCount = 0
    for vector in validation.cases {
      if let refusal = stricter[vector.name] {
        #expect(TagURLTests.error(vector.url) == refusal, "\(vector.name)")
        strictCount += 1
        continue
      }
      let reason = TagURLTests.appsReason(vector.url, configured: configured)
      #expect(reason == vector.reason, "\(vector.name)")
      #expect((reason == nil) == (vector.expect == "valid"), "\(vector.name)")
      if let index = vector.idx { #expect(try TagURL.parse(vector.url.utf8).index == index) }
    }
    #expect(strictCount == stricter.count)
  }

  @Test(arguments: [
    ("", TagURLError.invalidScheme), ("smp", .invalidScheme), ("//action?idx=1", .invalidScheme),
    ("Smp://action?idx=1", .invalidScheme), (" smp://action?idx=1", .invalidScheme),
    ("smpx://action?idx=1", .invalidScheme), ("https://action?idx=1", .invalidScheme),
    ("#smp://action", .invalidScheme),
    ("smp:", .invalidHost), ("smp:action?idx=1", .invalidHost), ("smp:/action?idx=1", .invalidHost),
    ("smp://?idx=1", .invalidHost), ("smp:///action?idx=1", .invalidHost), ("smp://Action?idx=1", .invalidHost),
    ("smp://actions?idx=1", .invalidHost), ("smp://action:1?idx=1", .invalidHost),
    ("smp://a@action?idx=1", .invalidHost),
    ("smp://action", .noParameters), ("smp://action?", .noParameters), ("smp://action/?", .noParameters),
    ("smp://action#?idx=1&ts=1&sig=", .noParameters),
    ("smp://action?x", .missing(.index)), ("smp://action?ts=1&sig=0", .missing(.index)),
    ("smp://action?IDX=1&ts=1&sig=0", .missing(.index)), ("smp://action?idx=1&sig=0", .missing(.timestamp)),
    ("smp://action?idx=1&ts=1", .missing(.signature)), ("smp://action?idx&ts=1&sig=0", .malformed(.index)),
    ("smp://action?idx=&ts=1&sig=0", .malformed(.index)), ("smp://action?idx=1&ts=&sig=0", .malformed(.timestamp)),
  ])
  func `text that is not a tag URL is refused at its first error`(text: String, expected: TagURLError) {
    #expect(TagURLTests.error(text) == expected)
  }

  @Test(arguments: [
    "00", "01", "-0", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "%31", "１", "9223372036854775808",
    "9999999999999999999",
    "10000000000000000000", "18446744073709551617", "x", "1_000", "1,000",
  ])
  func `an integer with a spelling that no app writes is refused in both parameters`(number: String) {
    #expect(TagURLTests.error("smp://action?idx=\(number)&ts=1&sig=00") == .malformed(.index))
    #expect(TagURLTests.error("smp://action?idx=1&ts=\(number)&sig=00") == .malformed(.timestamp))
  }

  @Test func `the smallest and the largest integers are read`() throws {
    for number in [0, 1, 10, Int64.max - 1, Int64.max] {
      let url = try TagURL.parse("smp://action?idx=\(number)&ts=\(number)&sig=00".utf8)
      #expect(url.index == number && url.timestamp == number)
    }
  }

  @Test(arguments: [
    ("idx=1", TagURLError.repeated(.index)), ("idx=2", .repeated(.index)), ("ts=1767225600", .repeated(.timestamp)),
    ("sig=00", .repeated(.signature)), ("key=1&key=1", .repeated(.key)), ("key=1&key", .repeated(.key)),
    ("x=1&x=2", .repeatedUnknown), ("x&x", .repeatedUnknown),
  ])
  func `a parameter that occurs twice is refused`(addition: String, expected: TagURLError) {
    #expect(TagURLTests.error(TagURLTests.valid + "&" + addition) == expected)
  }

  @Test func `order, unknown parameters, path, fragment and the signature's case are ignored`() throws {
    let signature = TagURLTests.signature
    for text in [
      "smp://action?sig=\(signature)&ts=1767225600&idx=1", "smp://action?x=1&ts=1767225600&y&idx=1&sig=\(signature)&=3",
      "smp://action/any/path:x?idx=1&ts=1767225600&sig=\(signature)", TagURLTests.valid + "#idx=2&idx=3?",
      "smp://action?idx=1&ts=1767225600&sig=\(signature.uppercased())", TagURLTests.valid + "&",
      TagURLTests.valid + "&key=nonsense", TagURLTests.valid + "&key=" + String(repeating: "f", count: 64),
    ] {
      #expect(try TagURLTests.verifies(text), "\(text)")
    }
  }

  @Test(arguments: [
    "", "0", "zz", String(signature.dropLast()), signature + "00", signature + "0", signature.dropLast() + "g",
    "%62" + signature.dropFirst(1), String(repeating: "0", count: 64),
  ])
  func `a malformed signature is reported as invalid, and not as a malformed URL`(signature: String) throws {
    let text = "smp://action?idx=1&ts=1767225600&sig=" + signature
    #expect(TagURLTests.error(text) == nil)
    #expect(try !TagURLTests.verifies(text))
  }

  @Test func `a signature with any changed bit, or over other numbers, never verifies`() throws {
    let secret = try tagSecret(TagURLTests.key)
    let signed = try TagURL.sign(index: 3, timestamp: 1_700_000_000, key: secret.key)
    for bit in 0..<256 {
      var changed = signed
      changed.signature?[bit / 8] ^= 1 << (bit % 8)
      #expect(changed.verify(with: [secret]) == nil)
    }
    for (index, timestamp) in [(2, 1_700_000_000), (31, 700_000_000), (3, 1_700_000_001), (3, 170_000_000)]
      as [(Int64, Int64)]
    {
      var changed = signed
      changed.index = index
      changed.timestamp = timestamp
      #expect(changed.verify(with: [secret]) == nil)
    }
    #expect(signed.verify(with: [secret]) != nil)
  }

  @Test func `the signing secret is found among all, and removing it refuses only its own tags`() throws {
    let secrets = try ["11", "22", "33"].map { try tagSecret(String(repeating: $0, count: 32)) }
    for (position, secret) in secrets.enumerated() {
      let url = try TagURL.sign(index: 0, timestamp: 5, key: secret.key)
      #expect(url.verify(with: secrets)?.id == secret.id)
      var others = secrets
      others.remove(at: position)
      #expect(url.verify(with: others) == nil)
      for other in others {
        let otherURL = try TagURL.sign(index: 0, timestamp: 5, key: other.key)
        #expect(otherURL.verify(with: others)?.id == other.id)
      }
    }
    #expect(try TagURL.sign(index: 0, timestamp: 5, key: secrets[0].key).verify(with: []) == nil)
  }

  @Test func `a URL signed with the key that it contains proves nothing`() throws {
    let stranger = try SecretKey.random()
    let text = try TagURL.sign(index: 1, timestamp: 1, key: stranger).text(carrying: stranger)
    let url = try TagURL.parse(text)
    #expect(url.carriesKey)
    #expect(url.verify(with: [try tagSecret(TagURLTests.key)]) == nil)
    // The key has one use: an import checks the signature under it.
    let carried = try #require(TagURL.carriedKey(in: text))
    let imported = TagSecret(id: "i", action: "a", index: 1, key: carried, createdUnixSeconds: 0, label: nil)
    #expect(url.verify(with: [imported])?.id == "i")
  }

  @Test(arguments: 0..<100) func `a signed URL is read back and verifies`(seed: UInt64) throws {
    var generator = Randomness(seed: seed)
    let key = try #require(SecretKey(generator.bytes(32)))
    let index = Int64.random(in: 0...(.max), using: &generator)
    let timestamp = Int64.random(in: 0...(.max), using: &generator)
    let url = try TagURL.sign(index: index, timestamp: timestamp, key: key)
    #expect(try TagURL.parse(url.text()) == url)
    let secret = TagSecret(id: "s", action: "a", index: index, key: key, createdUnixSeconds: 0, label: nil)
    #expect(try TagURL.parse(url.text(carrying: key)).verify(with: [secret]) != nil)
    for size in 0..<url.text().count {
      #expect((try? TagURL.parse(url.text()[..<size]))?.verify(with: [secret]) == nil)
    }
  }

  @Test func `garbage may parse, but never verifies`() throws {
    var generator = Randomness(seed: 3)
    let secret = try tagSecret(TagURLTests.key)
    let valid = Array(TagURLTests.valid.utf8)
    for _ in 0..<20_000 {
      var text = valid
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let position = Int.random(in: 0..<text.count, using: &generator)
        switch UInt8.random(in: 0...2, using: &generator) {
        case 0: text[position] = UInt8.random(in: 0...255, using: &generator)
        case 1: text.remove(at: position)
        default: text.insert(UInt8.random(in: 0...255, using: &generator), at: position)
        }
      }
      guard let url = try? TagURL.parse(text), url.verify(with: [secret]) != nil else { continue }
      #expect(
        url.index == 1 && url.timestamp == 1_767_225_600 && url.signature.map(Hex.encode) == TagURLTests.signature)
    }
  }
}

@Suite struct TagContentTests {
  private static func reading(_ model: TagModel, _ bytes: [UInt8]) throws -> TagReading {
    TagReading(uid: try #require(TagUID([4, 1, 2, 3])), model: model, bytes: bytes)
  }

  private static func error(_ reading: TagReading) -> TagReadingError? {
    do throws(TagReadingError) {
      _ = try reading.tagURL()
      return nil
    } catch { return error }
  }

  @Test func `a vector's URL is read from either kind of tag memory`() throws {
    let vector = try Vectors.load().signed_urls[0]
    let message = try #require(Hex.decode(vector.ndef_hex))
    let block = try #require(Type2Memory.encode(message: message))
    for reading in try [
      TagContentTests.reading(.ntag213, type2Memory(block)), TagContentTests.reading(.type4, message),
    ] {
      #expect(try reading.tagURL() == TagURL.parse(vector.url.utf8))
    }
  }

  @Test func `each reason for the lack of a URL is distinguished`() throws {
    let reading = TagContentTests.reading
    let error = TagContentTests.error
    #expect(error(try reading(.mifareClassic, [1])) == .content(.unsupportedModel(.mifareClassic)))
    #expect(error(try reading(.type4, [])) == .content(.empty))
    #expect(error(try reading(.ntag213, type2Memory([3, 0]))) == .content(.empty))
    #expect(error(try reading(.ntag213, type2Memory([0xFE]))) == .content(.noMessage))
    #expect(
      error(try reading(.ntag213, Array(type2Memory([3, 9])[..<20]))) == .content(.incomplete(needed: 27, read: 20)))
    #expect(error(try reading(.ntag213, [UInt8](repeating: 0, count: 64))) == .content(.memory(.noCapabilityContainer)))
    #expect(error(try reading(.type4, [0xD6, 0, 0])) == .content(.message(.chunked(offset: 0))))
    #expect(error(try reading(.type4, [0xD0, 0, 0])) == .content(.noURI))
    let long = NDEFMessage(records: [NDEFRecord(uri: [UInt8](repeating: 0x61, count: Limits.tagURLSizeMax + 1))])
    #expect(
      error(try reading(.type4, try #require(long.encode()))) == .content(.tooLong(size: Limits.tagURLSizeMax + 1)))
    #expect(error(try reading(.type4, [0xD1, 1, 3, 0x55, 4, 0x61, 0x62])) == .url(.invalidScheme))
  }
}
