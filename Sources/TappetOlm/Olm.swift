// libolm's objects: a device's account, its Olm sessions with other devices, and the Megolm sessions of rooms. Only
// this file imports COlm, so that libolm can be replaced with another implementation of the two ratchets.
//
// libolm does not generate random numbers; they are read from the kernel. It wipes its objects and the random bytes. A
// stored object ("pickle") is not encrypted here; its owner seals it. Messages and keys are Base64 without padding.

import COlm
import TappetBase

/// The reason why a call to libolm failed.
package enum OlmError: Error, Hashable, Sendable {
  /// The kernel's random number generator failed.
  case noRandomness
  /// A malformed message, key or stored object.
  case malformed
  /// A message that was not encrypted in this session, or was changed in transit.
  case notAuthentic
  /// A message for a one-time key that the account does not have, or has already used.
  case keyUnknown
  /// A message from before the session's first known key.
  case indexUnknown
  /// Any other libolm error code.
  case library(code: UInt32)

  fileprivate init(_ code: OlmErrorCode) {
    self =
      switch code {
      case OLM_BAD_MESSAGE_VERSION, OLM_BAD_MESSAGE_FORMAT, OLM_INVALID_BASE64, OLM_UNKNOWN_PICKLE_VERSION,
        OLM_CORRUPTED_PICKLE, OLM_BAD_SESSION_KEY, OLM_BAD_LEGACY_ACCOUNT_PICKLE, OLM_INPUT_BUFFER_TOO_SMALL,
        OLM_PICKLE_EXTRA_DATA:
        .malformed
      case OLM_BAD_MESSAGE_MAC, OLM_BAD_SIGNATURE, OLM_BAD_ACCOUNT_KEY: .notAuthentic
      case OLM_BAD_MESSAGE_KEY_ID: .keyUnknown
      case OLM_UNKNOWN_MESSAGE_INDEX: .indexUnknown
      default: .library(code: code.rawValue)
      }
  }
}

/// A libolm object in separate memory, which is wiped on release.
private final class OlmObject {
  typealias Code = (OpaquePointer?) -> OlmErrorCode

  let handle: OpaquePointer?
  private let memory: UnsafeMutableRawPointer
  private let size: Int
  private let code: Code

  init(size: Int, _ make: (UnsafeMutableRawPointer?) -> OpaquePointer?, code: @escaping Code) {
    self.size = size
    self.code = code
    memory = .allocate(byteCount: size, alignment: 16)
    handle = make(memory)
  }

  deinit {
    LibCrypto.wipe(UnsafeMutableRawBufferPointer(start: memory, count: size))
    memory.deallocate()
  }

  @discardableResult
  func check(_ result: Int) throws(OlmError) -> Int {
    if result == olm_error() { throw OlmError(code(handle)) }
    return result
  }

  /// Returns the bytes that `fill` wrote into a buffer of this size.
  func bytes(_ size: Int, _ fill: (inout [UInt8]) -> Int) throws(OlmError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: try check(size))
    let count = try check(fill(&buffer))
    buffer.removeLast(max(0, buffer.count - count))
    return buffer
  }

  func text(_ size: Int, _ fill: (inout [UInt8]) -> Int) throws(OlmError) -> String {
    String(decoding: try bytes(size, fill), as: UTF8.self)
  }

  /// Calls `use` with `count` random bytes, which are wiped afterwards.
  func random(_ count: Int, _ use: (inout [UInt8]) -> Int) throws(OlmError) {
    var random: [UInt8]
    do throws(CryptoError) { random = try LibCrypto.random(count: count) } catch { throw .noRandomness }
    defer { LibCrypto.wipe(&random) }
    try check(use(&random))
  }
}

/// The keys of this device: its two identity keys, one-time keys and the fallback key.
///
/// Used by one thread at a time, like the sessions.
package final class OlmAccount {
  private let object = OlmObject(
    size: olm_account_size(), { olm_account($0) }, code: { olm_account_last_error_code($0) })

  private init() {}

  /// Creates a new account.
  package static func create() throws(OlmError) -> OlmAccount {
    let account = OlmAccount()
    let handle = account.object.handle
    try account.object.random(olm_create_account_random_length(handle)) { olm_create_account(handle, &$0, $0.count) }
    return account
  }

  /// Restores an account from the bytes that `pickle` returned.
  package static func restore(_ pickle: [UInt8]) throws(OlmError) -> OlmAccount {
    var pickle = pickle
    defer { LibCrypto.wipe(&pickle) }
    let account = OlmAccount()
    try account.object.check(olm_unpickle_account(account.object.handle, "", 0, &pickle, pickle.count))
    return account
  }

  /// Returns the account as bytes, which the caller seals and wipes.
  package func pickle() throws(OlmError) -> [UInt8] {
    try object.bytes(olm_pickle_account_length(object.handle)) {
      olm_pickle_account(object.handle, "", 0, &$0, $0.count)
    }
  }

  /// Returns the identity keys as JSON: `{"curve25519": …, "ed25519": …}`.
  package func identityKeys() throws(OlmError) -> [UInt8] {
    try object.bytes(olm_account_identity_keys_length(object.handle)) {
      olm_account_identity_keys(object.handle, &$0, $0.count)
    }
  }

  /// Returns the Ed25519 signature of a message.
  package func sign(_ message: [UInt8]) throws(OlmError) -> String {
    try object.text(olm_account_signature_length(object.handle)) {
      olm_account_sign(object.handle, message, message.count, &$0, $0.count)
    }
  }

  /// Generates one-time keys; beyond libolm's maximum, the oldest are discarded.
  package func makeOneTimeKeys(_ count: Int) throws(OlmError) {
    let size = olm_account_generate_one_time_keys_random_length(object.handle, count)
    try object.random(size) { olm_account_generate_one_time_keys(object.handle, count, &$0, $0.count) }
  }

  /// Returns the keys not yet marked as published, as JSON: `{"curve25519": {id: key}}`.
  package func oneTimeKeys() throws(OlmError) -> [UInt8] {
    try object.bytes(olm_account_one_time_keys_length(object.handle)) {
      olm_account_one_time_keys(object.handle, &$0, $0.count)
    }
  }

  /// Generates a new fallback key; the previous key remains usable.
  package func makeFallbackKey() throws(OlmError) {
    let size = olm_account_generate_fallback_key_random_length(object.handle)
    try object.random(size) { olm_account_generate_fallback_key(object.handle, &$0, $0.count) }
  }

  /// Returns the fallback key, if not yet marked as published, in the same JSON form as `oneTimeKeys`.
  package func fallbackKey() throws(OlmError) -> [UInt8] {
    try object.bytes(olm_account_unpublished_fallback_key_length(object.handle)) {
      olm_account_unpublished_fallback_key(object.handle, &$0, $0.count)
    }
  }

  /// Marks all keys as published.
  package func markPublished() { olm_account_mark_keys_as_published(object.handle) }

  /// Creates a session with a device from its identity key and one of its one-time keys.
  @export(interface)
  package func beginSession(with identityKey: String, _ oneTimeKey: String) throws(OlmError) -> OlmSession {
    let session = OlmSession()
    let (handle, account) = (session.object.handle, object.handle)
    try session.object.random(olm_create_outbound_session_random_length(handle)) { random in
      olm_create_outbound_session(
        handle, account, identityKey, identityKey.utf8.count, oneTimeKey, oneTimeKey.utf8.count, &random, random.count)
    }
    return session
  }

  /// Creates the session that a device started with its first message (type 0); this message must be decrypted next.
  ///
  /// Does not remove the one-time key: see `useUpKeys`.
  @export(interface)
  package func acceptSession(from identityKey: String, _ message: [UInt8]) throws(OlmError) -> OlmSession {
    var message = message
    let session = OlmSession()
    try session.object.check(
      olm_create_inbound_session_from(
        session.object.handle, object.handle, identityKey, identityKey.utf8.count, &message, message.count))
    return session
  }

  /// Removes the one-time key that started this session.
  package func useUpKeys(of session: OlmSession) throws(OlmError) {
    try object.check(olm_remove_one_time_keys(object.handle, session.object.handle))
  }
}

/// The double ratchet between two devices.
package final class OlmSession {
  /// A message and its type: 0 until the other device has replied, then 1.
  package typealias Message = (type: Int, body: [UInt8])

  fileprivate let object = OlmObject(
    size: olm_session_size(), { olm_session($0) }, code: { olm_session_last_error_code($0) })

  fileprivate init() {}

  package static func restore(_ pickle: [UInt8]) throws(OlmError) -> OlmSession {
    var pickle = pickle
    defer { LibCrypto.wipe(&pickle) }
    let session = OlmSession()
    try session.object.check(olm_unpickle_session(session.object.handle, "", 0, &pickle, pickle.count))
    return session
  }

  package func pickle() throws(OlmError) -> [UInt8] {
    try object.bytes(olm_pickle_session_length(object.handle)) {
      olm_pickle_session(object.handle, "", 0, &$0, $0.count)
    }
  }

  @export(interface)
  package func encrypt(_ plaintext: [UInt8]) throws(OlmError) -> Message {
    let type = try object.check(olm_encrypt_message_type(object.handle))
    var body: [UInt8] = []
    let size = try object.check(olm_encrypt_message_length(object.handle, plaintext.count))
    try object.random(olm_encrypt_random_length(object.handle)) { random in
      body = [UInt8](repeating: 0, count: size)
      return olm_encrypt(
        object.handle, plaintext, plaintext.count, &random, random.count, &body, body.count)
    }
    return (type, body)
  }

  /// Whether this session was started with `message`, a device's first message (type 0).
  package func begins(with message: [UInt8], from identityKey: String) -> Bool {
    var message = message
    return olm_matches_inbound_session_from(
      object.handle, identityKey, identityKey.utf8.count, &message, message.count) == 1
  }

  /// Decrypts a message; a failure leaves the session unchanged.
  package func decrypt(_ message: Message) throws(OlmError) -> [UInt8] {
    var (copy, body) = (message.body, message.body)
    let size = olm_decrypt_max_plaintext_length(object.handle, message.type, &copy, copy.count)
    return try object.bytes(size) {
      olm_decrypt(object.handle, message.type, &body, body.count, &$0, $0.count)
    }
  }
}

/// The sending side of a room's ratchet.
package final class MegolmOutbound {
  private let object = OlmObject(
    size: olm_outbound_group_session_size(), { olm_outbound_group_session($0) },
    code: { olm_outbound_group_session_last_error_code($0) })

  private init() {}

  @export(interface)
  package static func create() throws(OlmError) -> MegolmOutbound {
    let session = MegolmOutbound()
    let handle = session.object.handle
    try session.object.random(olm_init_outbound_group_session_random_length(handle)) {
      olm_init_outbound_group_session(handle, &$0, $0.count)
    }
    return session
  }

  @export(interface)
  package static func restore(_ pickle: [UInt8]) throws(OlmError) -> MegolmOutbound {
    var pickle = pickle
    defer { LibCrypto.wipe(&pickle) }
    let session = MegolmOutbound()
    try session.object.check(
      olm_unpickle_outbound_group_session(session.object.handle, "", 0, &pickle, pickle.count))
    return session
  }

  package func pickle() throws(OlmError) -> [UInt8] {
    try object.bytes(olm_pickle_outbound_group_session_length(object.handle)) {
      olm_pickle_outbound_group_session(object.handle, "", 0, &$0, $0.count)
    }
  }

  package func id() throws(OlmError) -> String {
    try object.text(olm_outbound_group_session_id_length(object.handle)) {
      olm_outbound_group_session_id(object.handle, &$0, $0.count)
    }
  }

  /// Index of the next message, starting at 0.
  package var index: UInt32 { olm_outbound_group_session_message_index(object.handle) }

  /// Returns the key with which another device can decrypt this session, starting with the next message.
  package func key() throws(OlmError) -> String {
    try object.text(olm_outbound_group_session_key_length(object.handle)) {
      olm_outbound_group_session_key(object.handle, &$0, $0.count)
    }
  }

  package func encrypt(_ plaintext: [UInt8]) throws(OlmError) -> String {
    try object.text(olm_group_encrypt_message_length(object.handle, plaintext.count)) {
      olm_group_encrypt(object.handle, plaintext, plaintext.count, &$0, $0.count)
    }
  }
}

/// The receiving side of a room's ratchet.
package final class MegolmInbound {
  private let object = OlmObject(
    size: olm_inbound_group_session_size(), { olm_inbound_group_session($0) },
    code: { olm_inbound_group_session_last_error_code($0) })

  private init() {}

  /// Creates the session from the key that its sender shared; verifies the key's signature.
  package static func create(key: String) throws(OlmError) -> MegolmInbound {
    let session = MegolmInbound()
    try session.object.check(olm_init_inbound_group_session(session.object.handle, key, key.utf8.count))
    return session
  }

  @export(interface)
  package static func restore(_ pickle: [UInt8]) throws(OlmError) -> MegolmInbound {
    var pickle = pickle
    defer { LibCrypto.wipe(&pickle) }
    let session = MegolmInbound()
    try session.object.check(
      olm_unpickle_inbound_group_session(session.object.handle, "", 0, &pickle, pickle.count))
    return session
  }

  package func pickle() throws(OlmError) -> [UInt8] {
    try object.bytes(olm_pickle_inbound_group_session_length(object.handle)) {
      olm_pickle_inbound_group_session(object.handle, "", 0, &$0, $0.count)
    }
  }

  package func id() throws(OlmError) -> String {
    try object.text(olm_inbound_group_session_id_length(object.handle)) {
      olm_inbound_group_session_id(object.handle, &$0, $0.count)
    }
  }

  /// Index of the first message that can be decrypted.
  package var firstIndex: UInt32 { olm_inbound_group_session_first_known_index(object.handle) }

  /// Decrypts a message and returns its index; the caller must detect replayed messages.
  @export(interface)
  package func decrypt(_ message: [UInt8]) throws(OlmError) -> (plaintext: [UInt8], index: UInt32) {
    var (copy, body) = (message, message)
    var index: UInt32 = 0
    let size = olm_group_decrypt_max_plaintext_length(object.handle, &copy, copy.count)
    let plaintext = try object.bytes(size) {
      olm_group_decrypt(object.handle, &body, body.count, &$0, $0.count, &index)
    }
    return (plaintext, index)
  }
}

/// Verification of signatures from other devices and users.
package enum Ed25519 {
  /// Number of Base64 digits in a signature (64 bytes).
  private static let digitCount = 86

  /// Whether `signature` was made with the private key that belongs to `key`.
  @export(interface)
  package static func isValid(_ signature: String, of message: [UInt8], by key: String) -> Bool {
    // Checked here, because libolm ignores an additional digit.
    guard signature.utf8.count == digitCount else { return false }
    let object = OlmObject(
      size: olm_utility_size(), { olm_utility($0) }, code: { olm_utility_last_error_code($0) })
    var signature = Array(signature.utf8)
    return olm_ed25519_verify(
      object.handle, key, key.utf8.count, message, message.count, &signature, signature.count) == 0
  }
}

/// A key with which a user signs devices, derived from a seed.
package final class OlmSigningKey {
  /// Size of a seed, in bytes.
  package static var seedSize: Int { olm_pk_signing_seed_length() }

  private let object = OlmObject(
    size: olm_pk_signing_size(), { olm_pk_signing($0) }, code: { olm_pk_signing_last_error_code($0) })
  /// The public key, which also serves as the key's name.
  package let name: String

  /// Creates the key from a seed; throws if the seed has the wrong size.
  package init(seed: [UInt8]) throws(OlmError) {
    let handle = object.handle
    name = try object.text(olm_pk_signing_public_key_length()) {
      olm_pk_signing_key_from_seed(handle, &$0, $0.count, seed, seed.count)
      return $0.count
    }
  }

  /// Returns the Ed25519 signature of a message.
  package func sign(_ message: [UInt8]) throws(OlmError) -> String {
    try object.text(olm_pk_signature_length()) { olm_pk_sign(object.handle, message, message.count, &$0, $0.count) }
  }
}
