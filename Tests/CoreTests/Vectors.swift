// Tests/Vectors/smp.json: computed independently of this project; its own "source" says how.

import Foundation

/// The file as values.
struct Vectors: Decodable {
  struct SignedURL: Decodable, Sendable {
    var idx: Int64
    var ts: Int64
    var secret: String
    var sig: String
    var url: String
    var url_with_key: String
    var url_len: Int
    var url_with_key_len: Int
    var ndef_hex: String
    var ndef_len: Int
    var type2_tlv_len: Int
    var ndef_with_key_len: Int
    var type2_tlv_with_key_len: Int
  }

  struct Validation: Decodable, Sendable {
    struct Case: Decodable, Sendable {
      var name: String
      var url: String
      var expect: String
      var idx: Int64?
      var reason: String?
      var note: String?
    }
    var configured: [String: [String]]
    var cases: [Case]
  }

  struct Token: Decodable, Sendable {
    var key: String
    var random11: String
    var ts: Int64
    var plaintext: String
    var checksum: Int
    var token: String
  }

  struct ESP32Tokens: Decodable, Sendable {
    struct Case: Decodable, Sendable {
      var name: String
      var token: String
      var now: Int64
      var expect: String
    }
    var key: String
    var cases: [Case]
  }

  struct Share: Decodable, Sendable {
    var idx: Int64
    var secret: String
    var label: String?
    var url: String
    var bytes: Int
  }

  struct BadShare: Decodable, Sendable {
    var url: String
    var why: String
  }

  struct Substitution: Decodable, Sendable {
    var key_set: Bool
    var message: String
    var expect: String
  }

  var signed_urls: [SignedURL]
  var validation: Validation
  var tokens: [Token]
  var esp32_tokens: ESP32Tokens
  var share_urls: [Share]
  var share_urls_bad: [BadShare]
  var substitution: [Substitution]

  static let all: Vectors = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Vectors/smp.json")
    do {
      return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    } catch {
      fatalError("\(file.path) cannot be read: \(error)")
    }
  }()
}
