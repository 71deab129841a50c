// Every vector of smp.json, both ways: sign and verify, seal and open, print and parse.

import Testing

@testable import TappetCore

@Suite struct VectorTests {
  private func key(_ hex: String) throws -> SecretKey { try #require(SecretKey(hex: hex)) }

  private func secret(_ hex: String, index: Int64 = 0) throws -> TagSecret {
    TagSecret(id: hex, action: "a", index: index, key: try key(hex), createdUnixSeconds: 0, label: nil)
  }

  @Test(arguments: Vectors.all.signed_urls)
  func `a signed URL is written as the vector has it and verifies`(_ vector: Vectors.SignedURL) throws {
    let key = try key(vector.secret)
    let signed = try TagURL.sign(index: vector.idx, timestamp: vector.ts, key: key)
    #expect(String(decoding: signed.text(), as: UTF8.self) == vector.url)
    #expect(String(decoding: signed.text(carrying: key), as: UTF8.self) == vector.url_with_key)
    #expect(signed.text().count == vector.url_len)
    #expect(signed.text(carrying: key).count == vector.url_with_key_len)
    for text in [vector.url, vector.url_with_key] {
      let parsed = try TagURL.parse(text.utf8)
      #expect(parsed.index == vector.idx)
      #expect(parsed.timestamp == vector.ts)
      #expect(parsed.verify(with: [try secret(vector.secret)]) != nil)
      #expect(parsed.carriesKey == (text == vector.url_with_key))
    }
    #expect(TagURL.carriedKey(in: vector.url_with_key.utf8) == key)
    #expect(TagURL.carriedKey(in: vector.url.utf8) == nil)
  }

  @Test(arguments: Vectors.all.signed_urls)
  func `the NDEF message and its TLV are the vector's to the byte`(_ vector: Vectors.SignedURL) throws {
    let message = try #require(NDEFMessage(records: [NDEFRecord(uri: Array(vector.url.utf8))]).encode())
    #expect(Hex.encode(message) == vector.ndef_hex)
    #expect(message.count == vector.ndef_len)
    #expect(try #require(Type2Memory.encode(message: message)).count == vector.type2_tlv_len)
    let decoded = try NDEFMessage(decoding: try #require(Hex.decode(vector.ndef_hex)))
    #expect(decoded.firstURI == Array(vector.url.utf8))
    let withKey = try #require(NDEFMessage(records: [NDEFRecord(uri: Array(vector.url_with_key.utf8))]).encode())
    #expect(withKey.count == vector.ndef_with_key_len)
    #expect(try #require(Type2Memory.encode(message: withKey)).count == vector.type2_tlv_with_key_len)
  }

  /// Forms that no app writes: refused here for their form, whatever the app makes of them (formats.md).
  private static let stricter = [
    "leading zeros are normalised before signing (app parses Int)": TagURLError.malformed(.index),
    "negative ts": TagURLError.malformed(.timestamp),
    "idx -1 out of range": TagURLError.malformed(.index),
  ]

  @Test(arguments: Vectors.all.validation.cases)
  func `a URL is judged as the app judges it, or more strictly`(_ vector: Vectors.Validation.Case) throws {
    let settings = KioskSettings(
      actions: (0..<4).map {
        Action(name: "action \($0)", title: "", index: $0, topic: "t", message: PayloadTemplate("m"))
      })
    let secrets = try Vectors.all.validation.configured.flatMap { entry in
      try entry.value.map { hex in
        TagSecret(
          id: hex, action: "action \(entry.key)", index: try #require(Int64(entry.key)), key: try key(hex),
          createdUnixSeconds: 0, label: nil)
      }
    }
    let message = try #require(NDEFMessage(records: [NDEFRecord(uri: Array(vector.url.utf8))]).encode())
    let reading = TagReading(uid: try #require(TagUID([4, 1, 2, 3, 4, 5, 6])), model: .type4, bytes: message)
    let verdict = settings.judge(reading, secrets: secrets)
    if let error = Self.stricter[vector.name] {
      #expect(verdict == .failure(.malformedURL(error)))
      return
    }
    switch verdict {
    case .success(let action):
      #expect(vector.expect == "valid")
      #expect(action.index == vector.idx)
    case .failure(let refusal):
      #expect(vector.expect == "invalid")
      #expect(Self.reason(refusal) == vector.reason)
    }
  }

  /// The app's words for our refusals, where the vectors have them.
  private static func reason(_ refusal: TapRefusal) -> String {
    switch refusal {
    case .malformedURL(.invalidScheme): "Invalid URL scheme"
    case .malformedURL(.invalidHost): "Invalid URL host"
    case .malformedURL(.malformed), .malformedURL(.missing): "Missing required parameters"
    case .malformedURL(.repeated), .malformedURL(.repeatedUnknown): "must be refused; the app crashes"
    case .noSuchAction: "Invalid action index"
    case .noTagConfigured: "No NFC configured for this button"
    case .invalidSignature: "Invalid signature"
    default: "\(refusal)"
    }
  }

  @Test(arguments: Vectors.all.tokens)
  func `a token is sealed as the vector has it and opens`(_ vector: Vectors.Token) throws {
    let key = try #require(TimestampKey(hex: vector.key))
    let random = try #require(Hex.decode(vector.random11))
    #expect(try TimestampToken.seal(unixSeconds: vector.ts, key: key, random: random) == vector.token)
    #expect(try TimestampToken.open(vector.token, key: key) == vector.ts)
    #expect(try TimestampToken.open(vector.token.uppercased(), key: key) == vector.ts)
    let upper = try #require(TimestampKey(hex: vector.key.uppercased()))
    #expect(try TimestampToken.open(vector.token, key: upper) == vector.ts)
    let sealed = try #require(Hex.decode(vector.token))
    let plaintext = try key.withBytes { try LibCrypto.decryptBlock(sealed, key: $0) }
    #expect(Hex.encode(plaintext) == vector.plaintext)
    #expect(Int(plaintext[15]) == vector.checksum)
  }

  @Test(arguments: Vectors.all.share_urls)
  func `a share URL is printed and parsed as the vector has it`(_ vector: Vectors.Share) throws {
    let key = try key(vector.secret)
    let share = ShareURL(index: vector.idx, key: key, label: vector.label)
    #expect(String(decoding: share.text(), as: UTF8.self) == vector.url)
    #expect(share.text().count == vector.bytes)
    let parsed = try ShareURL.parse(vector.url.utf8)
    #expect(parsed.index == vector.idx)
    #expect(parsed.key == key)
    #expect(parsed.label == vector.label)
  }

  @Test(arguments: Vectors.all.share_urls_bad)
  func `a bad share URL is refused for its own reason`(_ vector: Vectors.BadShare) throws {
    let expected: ShareURLError =
      switch vector.why {
      case "scheme": .notAShareURL
      case "63 hex characters", "not hex": .malformedKey
      case "no idx": .missingIndex
      default: throw UnknownReason(why: vector.why)
      }
    #expect(throws: expected) { try ShareURL.parse(vector.url.utf8) }
  }

  private struct UnknownReason: Error { var why: String }

  @Test(arguments: Vectors.all.substitution)
  func `the first %T is replaced, where a key is set`(_ vector: Vectors.Substitution) throws {
    let template = PayloadTemplate(vector.message)
    let token = String(repeating: "0f", count: 16)
    let payload = template.fill(token: vector.key_set ? token : nil, id: EntryID(high: 1, low: 2))
    #expect(String(decoding: payload, as: UTF8.self) == vector.expect.replacing("<token>", with: token))
  }
}
