import Testing

@testable import TappetBase
@testable import TappetCore

@Suite struct LibCryptoTests {
  private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

  // RFC 4231 §4.2, §4.3, §4.7.
  @Test(arguments: [
    (
      "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      String(repeating: "aa", count: 131),
      "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `HMAC-SHA256 matches RFC 4231, even when repeated`(key: String, message: String, code: String) throws {
    let key = try bytes(key)
    let message = try bytes(message)
    try key.withUnsafeBytes {
      let authenticator = MessageAuthenticator(key: $0)
      for _ in 0..<2 {
        let found = try authenticator.authenticate(message)
        #expect(Hex.encode(found) == code)
      }
    }
  }

  // FIPS 197, appendix C.
  @Test(arguments: [
    ("000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ("000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191"),
    ("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "8ea2b7ca516745bfeafc49904b496089"),
  ])
  func `AES matches FIPS 197's blocks in both directions`(key: String, ciphertext: String) throws {
    let key = try bytes(key)
    let plaintext = try bytes("00112233445566778899aabbccddeeff")
    let encrypted = try key.withUnsafeBytes { try LibCrypto.encryptBlock(plaintext, key: $0) }
    #expect(Hex.encode(encrypted) == ciphertext)
    #expect(try key.withUnsafeBytes { try LibCrypto.decryptBlock(encrypted, key: $0) } == plaintext)
  }

  @Test func `AES refuses keys and blocks of any other size`() throws {
    let block = [UInt8](repeating: 0, count: 16)
    for size in [0, 15, 17, 31, 33] {
      #expect(throws: CryptoError.keySize(size)) {
        try [UInt8](repeating: 0, count: size).withUnsafeBytes { try LibCrypto.encryptBlock(block, key: $0) }
      }
    }
    for size in [0, 15, 17, 32] {
      #expect(throws: CryptoError.inputSize(size)) {
        try block.withUnsafeBytes { try LibCrypto.decryptBlock([UInt8](repeating: 0, count: size), key: $0) }
      }
    }
  }

  // McGrew and Viega, The Galois/Counter Mode of Operation, test case 16.
  @Test func `text that another implementation sealed with AES-256-GCM can be opened`() throws {
    let key = try secretKey("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    let nonce = "cafebabefacedbaddecaf888"
    let ciphertext =
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
      + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
    let tag = "76fc6ece0f4e1768cddf8853bb2d551b"
    let context = try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    let opened = try LibCrypto.open(bytes(nonce + ciphertext + tag), key: key, context: context)
    #expect(
      Hex.encode(opened)
        == "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
  }

  @Test(arguments: [0, 1, 15, 16, 17, 32, 1000]) func `sealed text can be opened, and never looks the same twice`(
    size: Int
  )
    throws
  {
    let key = try SecretKey.random()
    var generator = Randomness(seed: UInt64(size))
    let plaintext = generator.bytes(size)
    let sealed = try LibCrypto.seal(plaintext, key: key, context: [1, 2])
    #expect(sealed.count == size + LibCrypto.sealOverhead)
    #expect(try LibCrypto.open(sealed, key: key, context: [1, 2]) == plaintext)
    #expect(try LibCrypto.seal(plaintext, key: key, context: [1, 2]) != sealed)
  }

  @Test func `sealed text with a changed bit, a different key or a different context cannot be opened`() throws {
    let key = try SecretKey.random()
    let sealed = try LibCrypto.seal([1, 2, 3], key: key, context: [9])
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError.notAuthentic) { try LibCrypto.open(changed, key: key, context: [9]) }
    }
    #expect(throws: CryptoError.notAuthentic) { try LibCrypto.open(sealed, key: .random(), context: [9]) }
    #expect(throws: CryptoError.notAuthentic) { try LibCrypto.open(sealed, key: key, context: []) }
    for size in 0..<LibCrypto.sealOverhead {
      #expect(throws: CryptoError.inputSize(size)) {
        try LibCrypto.open(Array(sealed[..<size]), key: key, context: [9])
      }
    }
  }

  @Test func `only equal bytes are equal`() {
    #expect(LibCrypto.areEqual([], []))
    #expect(LibCrypto.areEqual([1, 2, 3], [1, 2, 3]))
    #expect(!LibCrypto.areEqual([1, 2, 3], [1, 2, 4]))
    #expect(!LibCrypto.areEqual([1, 2, 3], [1, 2]))
  }

  @Test func `random bytes differ from one another`() throws {
    #expect(try LibCrypto.random(count: 0) == [])
    #expect(try LibCrypto.random(count: 32) != LibCrypto.random(count: 32))
    #expect(try SecretKey.random() != SecretKey.random())
  }

  @Test func `wiping an array empties it`() {
    var bytes: [UInt8] = [1, 2, 3]
    LibCrypto.wipe(&bytes)
    #expect(bytes == [])
  }
}

@Suite struct SecretKeyTests {
  private static let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

  @Test func `a key is exactly 32 bytes or 64 hex digits of either case`() throws {
    let key = try secretKey(SecretKeyTests.digits)
    #expect(SecretKey((0..<32).map { UInt8($0) }) == key)
    #expect(SecretKey(hex: SecretKeyTests.digits.uppercased()) == key)
    #expect(SecretKey(hex: Array(SecretKeyTests.digits.utf8)[...]) == key)
    #expect(key.withBytes { Array($0) } == (0..<32).map { UInt8($0) })
    #expect(String(decoding: key.revealedHexDigits(), as: UTF8.self) == SecretKeyTests.digits)
    for size in [0, 31, 33, 64] { #expect(SecretKey([UInt8](repeating: 1, count: size)) == nil) }
    #expect(SecretKey(hex: String(SecretKeyTests.digits.dropLast())) == nil)
    #expect(SecretKey(hex: SecretKeyTests.digits + "00") == nil)
    #expect(SecretKey(hex: SecretKeyTests.digits.dropLast() + "g") == nil)
  }

  @Test func `keys that differ in one bit differ`() throws {
    let bytes = (0..<32).map { UInt8($0) }
    for bit in 0..<256 {
      var other = bytes
      other[bit / 8] ^= 1 << (bit % 8)
      #expect(try #require(SecretKey(other)) != #require(SecretKey(bytes)))
    }
  }

  @Test func `a printed key shows none of its digits`() throws {
    let secret = try tagSecret(String(repeating: "ab", count: 32))
    var dumped = ""
    dump(secret.key, to: &dumped)
    for text in ["\(secret.key)", String(reflecting: secret.key), dumped] {
      #expect(!text.contains("abab") && !text.contains("171, 171"), "\(text)")
    }
  }
}
