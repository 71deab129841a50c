// The identity of the kiosk's account, which signs its device: clients then show the device as verified by its owner,
// and clients that share keys only with verified devices include it. Client-server API v1.11, §11.12.3. The machine
// creates an identity if the account has none; an identity created elsewhere by a user is left alone.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// The seeds of the three keys, and the progress of their upload.
struct OwnIdentity {
  enum Step: Int64 {
    /// The public keys have not been uploaded yet.
    case keys = 0
    /// The device's signature has not been uploaded yet.
    case signatures = 1
    case done = 2
  }

  /// The keys of one account.
  struct Keys {
    let master: OlmSigningKey
    let selfSigning: OlmSigningKey
    let userSigning: OlmSigningKey
  }

  var step = Step.keys
  private let seeds: [[UInt8]]
  let keys: Keys

  /// Creates an identity with new keys.
  init() throws(OlmError) {
    var seeds: [[UInt8]] = []
    for _ in 0..<3 {
      do throws(CryptoError) { seeds.append(try LibCrypto.random(count: OlmSigningKey.seedSize)) } catch {
        throw .noRandomness
      }
    }
    try self.init(seeds)
  }

  private init(_ seeds: [[UInt8]]) throws(OlmError) {
    guard seeds.count == 3 else { throw .malformed }
    self.seeds = seeds
    keys = Keys(
      master: try OlmSigningKey(seed: seeds[0]), selfSigning: try OlmSigningKey(seed: seeds[1]),
      userSigning: try OlmSigningKey(seed: seeds[2]))
  }

  init(_ json: JSON) throws(OlmError) {
    try self.init((json["seeds"]?.elements ?? []).compactMap { $0.text.flatMap { Hex.decode($0) } })
    step = json["step"]?.wholeNumber.flatMap { Step(rawValue: $0) } ?? .keys
  }

  var encoded: JSON {
    .object(["seeds": .array(seeds.map { .string(Hex.encode($0)) }), "step": .number(step.rawValue)])
  }
}

extension CryptoMachine {
  /// Handles the account's master key on the homeserver; `nil` if the account has none.
  func learnedOwnMaster(_ key: JSON?) throws(OlmError) {
    uploads.knowsOwnMaster = true
    if key == nil, identity == nil {
      identity = try OwnIdentity()
      saveIdentity()
    }
    guard let key, identity != nil else { return }
    if key["keys"]?.members.first?.value.text != identity?.keys.master.name {
      // The account has a different identity, so a signature of the device with our key is useless.
      identity = nil
    } else if identity?.step == .keys {
      identity?.step = .signatures
    }
    saveIdentity()
  }

  /// Returns the next request for the identity; `nil` if none is needed, or the identity was not created here.
  func identityRequest() throws(OlmError) -> CryptoRequest? {
    guard uploads.isPublished else { return nil }
    if identity == nil, !uploads.knowsOwnMaster { return query([user]) }
    guard let identity else { return nil }
    switch identity.step {
    case .keys where uploads.refusesIdentity: return nil
    case .keys: return request(.identity, "keys/device_signing/upload", try publicKeys(identity.keys))
    case .signatures: return request(.signatures, "keys/signatures/upload", try signatures(identity.keys))
    case .done: return nil
    }
  }

  /// Handles the response; if the homeserver requires the password, the device remains unsigned.
  func identityAnswered(_ kind: CryptoRequest.Kind, status: Int) -> Bool {
    switch (kind, status) {
    case (.identity, 200): identity?.step = .signatures
    case (.signatures, 200): identity?.step = .done
    case (.identity, 400...499) where status != 429: uploads.refusesIdentity = true
    case _: return false
    }
    saveIdentity()
    return true
  }

  private func saveIdentity() { save(MatrixRow(.identity, user), identity?.encoded) }

  private func publicKeys(_ keys: OwnIdentity.Keys) throws(OlmError) -> JSON {
    .object([
      "master_key": try masterKey(keys),
      "self_signing_key": try signed(key("self_signing", keys.selfSigning), by: keys.master),
      "user_signing_key": try signed(key("user_signing", keys.userSigning), by: keys.master),
    ])
  }

  /// Returns the master key, signed by the device.
  private func masterKey(_ keys: OwnIdentity.Keys) throws(OlmError) -> JSON { try signed(key("master", keys.master)) }

  private func key(_ usage: String, _ key: OlmSigningKey) -> JSON {
    .object([
      "user_id": .string(user), "usage": .array([.string(usage)]),
      "keys": .object(of: [("ed25519:" + key.name, .string(key.name))]),
    ])
  }

  private func signed(_ object: JSON, by key: OlmSigningKey) throws(OlmError) -> JSON {
    let signature = JSON.string(try key.sign(object.signed))
    return object.with("signatures", .object(of: [(user, .object(of: [("ed25519:" + key.name, signature)]))]))
  }

  private func signatures(_ keys: OwnIdentity.Keys) throws(OlmError) -> JSON {
    .object(of: [(user, .object(of: [(device, try signed(deviceKeys(), by: keys.selfSigning))]))])
  }
}
