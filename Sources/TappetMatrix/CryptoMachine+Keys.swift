// The device's own keys on the homeserver: client-server API v1.11, §11.12.1 and §11.12.2.

import TappetCore
import TappetJSON
import TappetOlm

/// The state of the device's keys on the homeserver.
struct KeyUploads {
  /// Whether the homeserver has the device's identity keys.
  var isPublished = false
  /// Whether the homeserver is known to have no different keys for this device.
  var isChecked = false
  /// Whether the homeserver reports a different one-time key under the name of one that was to be uploaded.
  var collide = false
  /// Whether the homeserver has different keys for this device, whose private parts are lost.
  var areLost = false
  /// Number of one-time keys on the homeserver, at most as many as the device uploads; `nil` until reported.
  var keyCount: Int? {
    didSet { keyCount = keyCount.map { min(max($0, 0), Limits.oneTimeKeysMax) } }
  }
  /// Time, in milliseconds since 1970, of the last upload that the homeserver accepted.
  var uploadedAt: Int64?
  /// Whether the fallback key has been used.
  var fallbackIsUsed = false
  /// Whether the homeserver has reported the account's identity, or that there is none.
  var knowsOwnMaster = false
  /// Whether the homeserver has refused the upload of an identity.
  var refusesIdentity = false
}

extension CryptoMachine {
  /// Returns the device's identity keys, signed by the device.
  func deviceKeys() throws(OlmError) -> JSON {
    try signed(
      .object([
        "user_id": .string(user), "device_id": .string(device),
        "algorithms": .array([.string(Algorithm.olm), .string(Algorithm.megolm)]),
        "keys": .object(of: [("curve25519:" + device, .string(curve25519)), ("ed25519:" + device, .string(ed25519))]),
      ]))
  }

  /// Generates the keys that the homeserver lacks, and returns the upload request; `nil` if no keys are needed.
  ///
  /// After an upload, nothing is uploaded for a while, in case the homeserver does not count it.
  func uploadRequest(at now: Int64) throws(OlmError) -> CryptoRequest? {
    if let last = uploads.uploadedAt, (0..<Limits.keyUploadRest).contains(now - last) { return nil }
    let wantsKeys = uploads.keyCount.map { $0 < Limits.oneTimeKeysMax / 2 } ?? !uploads.isPublished
    let wantsFallback = uploads.fallbackIsUsed || !uploads.isPublished
    guard wantsKeys || wantsFallback else { return nil }
    var body: [(String, JSON)] = []
    if !uploads.isPublished { body.append(("device_keys", try deviceKeys())) }
    if wantsKeys { body.append(("one_time_keys", try oneTimeKeys())) }
    if wantsFallback { body.append(("fallback_keys", try fallbackKeys())) }
    try saveAccount()
    return request(.upload, "keys/upload", .object(of: body))
  }

  /// Returns the keys of an unconfirmed upload, which may have arrived; if there are none, generates new keys.
  private func oneTimeKeys() throws(OlmError) -> JSON {
    if CryptoMachine.keys(try account.oneTimeKeys()).isEmpty {
      try account.makeOneTimeKeys(Limits.oneTimeKeysMax - (uploads.keyCount ?? 0))
    }
    return try signed(CryptoMachine.keys(try account.oneTimeKeys()), isFallback: false)
  }

  private func fallbackKeys() throws(OlmError) -> JSON {
    if CryptoMachine.keys(try account.fallbackKey()).isEmpty { try account.makeFallbackKey() }
    return try signed(CryptoMachine.keys(try account.fallbackKey()), isFallback: true)
  }

  private static func keys(_ bytes: [UInt8]) -> [JSON.Member] { JSON(decoding: bytes)?["curve25519"]?.members ?? [] }

  private func signed(_ keys: [JSON.Member], isFallback: Bool) throws(OlmError) -> JSON {
    var objects: [(String, JSON)] = []
    for key in keys {
      let object: JSON =
        isFallback ? .object(["key": key.value, "fallback": .bool(true)]) : .object(["key": key.value])
      objects.append(("signed_curve25519:" + key.name, try signed(object)))
    }
    return .object(of: objects)
  }

  func uploaded(_ answer: JSON, at now: Int64) throws(OlmError) {
    account.markPublished()
    uploads.isPublished = true
    uploads.fallbackIsUsed = false
    uploads.keyCount = answer["one_time_key_counts"]?["signed_curve25519"]?.wholeNumber.map { Int(clamping: $0) }
    uploads.uploadedAt = now
    try saveAccount()
  }

  /// Handles the refusal of an upload; returns false if it is not about a key that this device was to upload, such as a
  /// proxy's page, so that the upload is repeated later.
  ///
  /// Synapse names the key: "One time key signed_curve25519:AAAAAQ already exists. Old key: …".
  func collides(_ error: JSON?) throws(OlmError) -> Bool {
    guard let code = error?["errcode"]?.text, code == "M_UNKNOWN" || code == "M_INVALID_PARAM",
      let words = error?["error"]?.text?.split(separator: " ")
    else { return false }
    let names = CryptoMachine.keys(try account.oneTimeKeys()).map { "signed_curve25519:" + $0.name }
    guard words.contains(where: { names.contains(String($0)) }) else { return false }
    (uploads.collide, uploads.isChecked) = (true, false)
    return true
  }

  /// Handles the state of the device's keys in a response to /sync; values are `nil` if not reported.
  package func note(keyCount: Int64?, hasFallback: Bool?) {
    if let keyCount { uploads.keyCount = Int(clamping: keyCount) }
    if hasFallback == false { uploads.fallbackIsUsed = true }
  }
}

/// The names of the algorithms.
enum Algorithm {
  static let olm = "m.olm.v1.curve25519-aes-sha2"
  static let megolm = "m.megolm.v1.aes-sha2"
}
