import Foundation
import Testing

@testable import TappetCore

@Suite struct ShareURLTests {
  private static let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

  private static func error(_ text: String) -> ShareURLError? {
    do throws(ShareURLError) {
      _ = try ShareURL.parse(text.utf8)
      return nil
    } catch { return error }
  }

  private static func label(_ encoded: String) throws -> String? {
    try ShareURL.parse("smpshare://secret?idx=1&key=\(key)&label=\(encoded)".utf8).label
  }

  @Test func `every vector is printed and read as specified`() throws {
    for vector in try Vectors.load().share_urls {
      let share = ShareURL(index: vector.idx, key: try secretKey(vector.secret), label: vector.label)
      #expect(String(decoding: share.text(), as: UTF8.self) == vector.url)
      #expect(share.text().count == vector.bytes)
      let parsed = try ShareURL.parse(vector.url.utf8)
      #expect(parsed.index == vector.idx && parsed.label == vector.label)
      #expect(try parsed.key == secretKey(vector.secret))
    }
  }

  @Test func `each invalid vector is refused for its specific error`() throws {
    let expected: [String: ShareURLError] = [
      "scheme": .notAShareURL, "63 hex characters": .malformedKey, "not hex": .malformedKey, "no idx": .missingIndex,
    ]
    for vector in try Vectors.load().share_urls_bad {
      let reason = try #require(expected[vector.why])
      #expect(ShareURLTests.error(vector.url) == reason)
    }
  }

  @Test func `each other error is refused with its own reason`() {
    let key = ShareURLTests.key
    let error = ShareURLTests.error
    #expect(error("") == .notAShareURL)
    #expect(error("SMPSHARE://secret?idx=1&key=\(key)") == .notAShareURL)
    #expect(error("smpshare://secrets?idx=1&key=\(key)") == .notAShareURL)
    #expect(error("smpshare://secret") == .missingIndex)
    #expect(error("smpshare://secret?idx=1") == .missingKey)
    for index in ["", "-1", "01", "+1", "x", "9223372036854775808", "%31"] {
      #expect(error("smpshare://secret?idx=\(index)&key=\(key)") == .malformedIndex)
    }
    for bad in ["", key + "0", key + "00", "%30" + key.dropFirst(), key.dropLast() + "０"] {
      #expect(error("smpshare://secret?idx=1&key=\(bad)") == .malformedKey)
    }
    for twice in ["idx=1", "key=\(key)", "label=a&label=a"] {
      #expect(error("smpshare://secret?idx=1&key=\(key)&\(twice)") == .repeatedParameter)
    }
    for label in ["%", "%4", "%4g", "a%", "%FF", "%C3", "%ED%A0%80"] {
      #expect(error("smpshare://secret?idx=1&key=\(key)&label=\(label)") == .malformedLabel, "\(label)")
    }
    for (label, scalar) in [("a%0Ab", "\n"), ("a%1B%5B2J", "\u{1B}"), ("a%00b", "\0"), ("a%7Fb", "\u{7F}")]
      as [(String, Unicode.Scalar)]
    {
      let fault = NameFault.unseen(scalar, place: 2)
      #expect(error("smpshare://secret?idx=1&key=\(key)&label=\(label)") == .label(fault), "\(label)")
    }
    let long = String(repeating: "a", count: Limits.secretLabelSizeMax + 1)
    #expect(
      error("smpshare://secret?idx=1&key=\(key)&label=\(long)")
        == .label(.tooLong(size: Limits.secretLabelSizeMax + 1, max: Limits.secretLabelSizeMax)))
  }

  @Test func `the case of a key and the order of parameters do not matter`() throws {
    let upper = try ShareURL.parse("smpshare://secret?label=a&x=1&key=\(ShareURLTests.key.uppercased())&idx=7#f".utf8)
    #expect(try upper.index == 7 && upper.label == "a" && upper.key == secretKey(ShareURLTests.key))
  }

  @Test func `a label is decoded and trimmed, and omitted if empty`() throws {
    #expect(try ShareURLTests.label("a+b%2Bc") == "a+b+c")
    #expect(try ShareURLTests.label("%20%09Door%20%0A") == "Door")
    #expect(try ShareURLTests.label("%E3%80%80%C2%A0Door%E2%80%89") == "Door")
    #expect(try ShareURLTests.label("") == nil)
    #expect(try ShareURLTests.label("%20%E3%80%80") == nil)
    #expect(try ShareURLTests.label(String(repeating: "%20", count: 200) + "a") == "a")
    #expect(ShareURL(index: 0, key: try .random(), label: " \n ").label == nil)
  }

  // docs/formats.md, "Share URL": space, & = # % are encoded; + / ? : stay. The rest is compared with Foundation, which
  // the app uses.
  @Test func `each character is encoded as Foundation encodes a query item`() throws {
    let key = try secretKey(ShareURLTests.key)
    for code in 0x20...0x7E {
      let label = "a\(Character(UnicodeScalar(UInt8(code))))b"
      let text = String(decoding: ShareURL(index: 0, key: key, label: label).text(), as: UTF8.self)
      var components = try #require(URLComponents(string: "smpshare://secret"))
      components.queryItems = [
        URLQueryItem(name: "idx", value: "0"), URLQueryItem(name: "key", value: ShareURLTests.key),
        URLQueryItem(name: "label", value: label),
      ]
      #expect(text == components.string)
    }
  }

  @Test func `a label is trimmed as in the app`() {
    // The marks that spreadsheets leave go too.
    let others: [UInt32] = [0x200C, 0x200D, 0x2060]
    for code in (0...0x3100).compactMap({ Unicode.Scalar($0) }) where !others.contains(code.value) {
      let label = "\(Character(code))a"
      let trimmed = label.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(label.trimmedLabel == trimmed, "U+\(String(code.value, radix: 16))")
    }
  }

  @Test(arguments: 0..<100) func `any label round-trips`(seed: UInt64) throws {
    var generator = Randomness(seed: seed)
    let scalars = Array("aZ09 -._~!$&'()*+,;=:@/?#%[]\"<>^`{|}\\äß客廳☕🏠\u{301}".unicodeScalars)
    var label = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...30, using: &generator) {
      label.append(scalars[Int.random(in: 0..<scalars.count, using: &generator)])
    }
    let share = ShareURL(index: 3, key: try .random(), label: String(label))
    let parsed = try ShareURL.parse(share.text())
    #expect(parsed.label == share.label && parsed.key == share.key && parsed.index == 3)
    for size in 0..<share.text().count { _ = try? ShareURL.parse(share.text()[..<size]) }
  }
}
