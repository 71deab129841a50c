// Tests/Vectors/smp.json, unchanged; the file names its source.

import Foundation
import TestSupport

/// The vectors that the phone app, the ESP32 and Tappet share.
struct Vectors: Decodable {
  struct SignedURL: Decodable {
    var idx: Int64
    var ts: Int64
    var secret: String
    var payload: String
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
  struct Validation: Decodable {
    struct Case: Decodable {
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
  struct Token: Decodable {
    var key: String
    var random11: String
    var ts: Int64
    var plaintext: String
    var checksum: Int
    var token: String
  }
  struct ESP32Tokens: Decodable {
    struct Case: Decodable {
      var name: String
      var token: String
      var now: Int64
      var expect: String
    }
    var key: String
    var tolerance_s: Int64
    var cases: [Case]
  }
  struct Share: Decodable {
    var idx: Int64
    var secret: String
    var label: String?
    var url: String
    var bytes: Int
  }
  struct BadShare: Decodable {
    var url: String
    var why: String
  }
  struct Substitution: Decodable {
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

  static func load() throws -> Vectors {
    let data = try Data(contentsOf: URL(fileURLWithPath: Repository.path("Tests/Vectors/smp.json")))
    return try JSONDecoder().decode(Vectors.self, from: data)
  }
}

/// Tests/Vectors/commands.json: signed commands as others make them.
struct CommandVectors: Decodable {
  struct Command: Decodable {
    var topic: String
    var message: String
    var hmac: String
    var payload: String
  }

  var key: String
  var commands: [Command]

  static func load() throws -> CommandVectors {
    let data = try Data(contentsOf: URL(fileURLWithPath: Repository.path("Tests/Vectors/commands.json")))
    return try JSONDecoder().decode(CommandVectors.self, from: data)
  }
}
