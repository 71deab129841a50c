import Testing

@testable import TappetCore

@Suite struct TimestampTokenTests {
  private static func key(_ hex: String = "11223344556677889900aabbccddeeff") throws -> TimestampKey {
    try #require(TimestampKey(hex: hex))
  }

  private static func seal(_ time: Int64, random: UInt8 = 0) throws -> String {
    try TimestampToken.seal(unixSeconds: time, key: key(), random: [UInt8](repeating: random, count: 11))
  }

  @Test func `every vector is sealed and opened as specified`() throws {
    for vector in try Vectors.load().tokens {
      let key = try TimestampTokenTests.key(vector.key)
      let random = try #require(Hex.decode(vector.random11))
      #expect(try TimestampToken.seal(unixSeconds: vector.ts, key: key, random: random) == vector.token)
      #expect(try TimestampToken.open(vector.token, key: key) == vector.ts)
      #expect(try TimestampToken.open(vector.token.uppercased(), key: key) == vector.ts)
      let upper = try TimestampTokenTests.key(vector.key.uppercased())
      #expect(try TimestampToken.open(vector.token, key: upper) == vector.ts)
      let sealed = try #require(Hex.decode(vector.token))
      let plaintext = try key.withBytes { try LibCrypto.decryptBlock(sealed, key: $0) }
      #expect(Hex.encode(plaintext) == vector.plaintext)
      #expect(Int(plaintext[15]) == vector.checksum)
    }
  }

  @Test func `the firmware's rule treats every ESP32 vector as the firmware does`() throws {
    let vectors = try Vectors.load().esp32_tokens
    let key = try TimestampTokenTests.key(vectors.key)
    for vector in vectors.cases {
      var receiver = TokenReceiver(rule: .firmware)
      let outcome: String
      do throws(TimestampTokenError) {
        _ = try receiver.accept(vector.token, key: key, nowUnixSeconds: vector.now)
        outcome = "act"
      } catch {
        switch error {
        case .outsideWindow: outcome = "refuse: too old"
        case .checksum: outcome = "refuse: checksum"
        case .notHexadecimal: outcome = "refuse: hex"
        case .timeOutOfRange, .repeated, .crypto: outcome = "\(error)"
        }
      }
      #expect(vector.expect == outcome || vector.expect.hasPrefix(outcome + " ("), "\(vector.name)")
    }
  }

  @Test func `the firmware's rule accepts repeats, and an age of 5 s but not 6 s`() throws {
    var receiver = TokenReceiver(rule: .firmware)
    let token = try TimestampTokenTests.seal(1000)
    let key = try TimestampTokenTests.key()
    for now: Int64 in [.min, 0, 1000, 1005, 1005] {
      #expect(try receiver.accept(token, key: key, nowUnixSeconds: now) == 1000)
    }
    #expect(throws: TimestampTokenError.outsideWindow(ageSeconds: 6)) {
      try receiver.accept(token, key: key, nowUnixSeconds: 1006)
    }
    #expect(throws: TimestampTokenError.self) { try receiver.accept(token, key: key, nowUnixSeconds: .max) }
  }

  @Test func `a token is accepted once, within 5 s before or after its time`() throws {
    let key = try TimestampTokenTests.key()
    for now: Int64 in [995, 1000, 1005] {
      var receiver = TokenReceiver()
      let token = try TimestampTokenTests.seal(1000)
      #expect(try receiver.accept(token, key: key, nowUnixSeconds: now) == 1000)
      for repeated in [token, token.uppercased()] {
        #expect(throws: TimestampTokenError.repeated) {
          try receiver.accept(repeated, key: key, nowUnixSeconds: now)
        }
      }
      let other = try TimestampTokenTests.seal(1000, random: 1)
      #expect(try receiver.accept(other, key: key, nowUnixSeconds: now) == 1000)
    }
    for now: Int64 in [994, 1006, .min, .max] {
      var receiver = TokenReceiver()
      #expect(throws: TimestampTokenError.self) {
        try receiver.accept(TimestampTokenTests.seal(1000), key: key, nowUnixSeconds: now)
      }
    }
  }

  @Test func `a token sealed ahead of time is remembered for as long as it would be accepted`() throws {
    var receiver = TokenReceiver()
    let key = try TimestampTokenTests.key()
    let token = try TimestampTokenTests.seal(1005)
    #expect(try receiver.accept(token, key: key, nowUnixSeconds: 1000) == 1005)
    for now: Int64 in 1001...1010 {
      #expect(throws: TimestampTokenError.repeated) { try receiver.accept(token, key: key, nowUnixSeconds: now) }
    }
    #expect(throws: TimestampTokenError.outsideWindow(ageSeconds: 6)) {
      try receiver.accept(token, key: key, nowUnixSeconds: 1011)
    }
  }

  @Test func `a flood of tokens makes none of them acceptable again`() throws {
    var receiver = TokenReceiver(rule: .window(seconds: 1000))
    let key = try TimestampTokenTests.key()
    var accepted: [String] = []
    for time in Int64(1)...500 {
      let token = try TimestampTokenTests.seal(time)
      if (try? receiver.accept(token, key: key, nowUnixSeconds: 500)) != nil { accepted.append(token) }
    }
    #expect(accepted.count == 500)
    for token in accepted {
      #expect(throws: TimestampTokenError.self) { try receiver.accept(token, key: key, nowUnixSeconds: 500) }
    }
  }

  @Test func `setting the clock back does not make a forgotten token acceptable`() throws {
    var receiver = TokenReceiver(rule: .window(seconds: 30))
    let key = try TimestampTokenTests.key()
    let (early, late) = (try TimestampTokenTests.seal(1000), try TimestampTokenTests.seal(2000))
    #expect(try receiver.accept(early, key: key, nowUnixSeconds: 1000) == 1000)
    #expect(try receiver.accept(late, key: key, nowUnixSeconds: 2000) == 2000)
    for now: Int64 in [1000, 990, 1030] {
      #expect(throws: TimestampTokenError.outsideWindow(ageSeconds: now - 1000)) {
        try receiver.accept(early, key: key, nowUnixSeconds: now)
      }
    }
    let fresh = try TimestampTokenTests.seal(1001)
    #expect(try receiver.accept(fresh, key: key, nowUnixSeconds: 1001) == 1001)
    #expect(throws: TimestampTokenError.repeated) { try receiver.accept(late, key: key, nowUnixSeconds: 2000) }
  }

  @Test func `a negative window accepts nothing and does not trap`() throws {
    let key = try TimestampTokenTests.key()
    for seconds in [Int64.min, -1] {
      var receiver = TokenReceiver(rule: .window(seconds: seconds))
      #expect(throws: TimestampTokenError.outsideWindow(ageSeconds: 0)) {
        try receiver.accept(TimestampTokenTests.seal(1000), key: key, nowUnixSeconds: 1000)
      }
    }
    var endless = TokenReceiver(rule: .window(seconds: .max))
    #expect(try endless.accept(TimestampTokenTests.seal(0), key: key, nowUnixSeconds: 1 << 40) == 0)
  }

  @Test func `a time that does not fit in 32 bits is an error`() throws {
    let key = try TimestampTokenTests.key()
    for time: Int64 in [0, 1, Int64(UInt32.max)] {
      #expect(try TimestampToken.open(TimestampToken.seal(unixSeconds: time, key: key), key: key) == time)
    }
    for time in [-1, Int64(UInt32.max) + 1, .min, .max] {
      #expect(throws: TimestampTokenError.timeOutOfRange(time)) {
        try TimestampToken.seal(unixSeconds: time, key: key)
      }
    }
    for size in [0, 10, 12] {
      #expect(throws: TimestampTokenError.crypto(.inputSize(size))) {
        try TimestampToken.seal(unixSeconds: 0, key: key, random: [UInt8](repeating: 0, count: size))
      }
    }
  }

  @Test func `keys of all three sizes work, and others are rejected`() throws {
    for size in [32, 48, 64] {
      let key = try TimestampTokenTests.key(String(repeating: "aB", count: size / 2))
      let token = try TimestampToken.seal(unixSeconds: 77, key: key)
      #expect(token.utf8.count == 32 && token == token.lowercased())
      #expect(try TimestampToken.open(token, key: key) == 77)
    }
    for size in [0, 1, 16, 30, 31, 33, 34, 47, 49, 63, 65, 66] {
      #expect(TimestampKey(hex: String(repeating: "a", count: size)) == nil)
    }
    #expect(TimestampKey(hex: String(repeating: "a", count: 31) + "g") == nil)
  }

  @Test(arguments: [
    "", "53abc20894cadacb84355507535a2c3", "53abc20894cadacb84355507535a2c344", " 3abc20894cadacb84355507535a2c34",
  ])
  func `only 32 hex digits are accepted as a token`(text: String) throws {
    let key = try TimestampTokenTests.key()
    #expect(throws: TimestampTokenError.notHexadecimal) { try TimestampToken.open(text, key: key) }
  }

  @Test func `two tokens of the same second differ, and a different key does not open them`() throws {
    let key = try TimestampTokenTests.key()
    let token = try TimestampToken.seal(unixSeconds: 9, key: key)
    #expect(try TimestampToken.seal(unixSeconds: 9, key: key) != token)
    let fixed = try TimestampTokenTests.seal(9)
    let other = try TimestampTokenTests.key(String(repeating: "00", count: 16))
    #expect(throws: TimestampTokenError.checksum) { try TimestampToken.open(fixed, key: other) }
  }
}
