// The seal of a secret. It covers the key and all properties of the secret except its usage, so that write access to
// the database is not enough to assign a secret to another action or tag, or to change its label.

import TappetCore
import TappetPlatform
import TappetSQLite

/// Properties to which a seal is bound.
struct SecretFacts {
  var id: String
  var action: String
  var index: Int64
  var createdUnixSeconds: Int64
  var label: String?
  var uid: TagUID?

  /// Associated data of the seal.
  ///
  /// The sizes distinguish "a" + "bc" from "ab" + "c"; a missing label or UID has the size -1.
  fileprivate var context: [UInt8] {
    var text = "tappet secret 2"
    for part in [id, action] { text += " \(part.utf8.count) \(part)" }
    text += " \(index) \(createdUnixSeconds) \(label?.utf8.count ?? -1) \(label ?? "")"
    text += " \(uid?.bytes.count ?? -1) \(uid.map { Hex.encode($0.bytes) } ?? "")"
    return Array(text.utf8)
  }
}

extension TagSecret {
  fileprivate var facts: SecretFacts {
    SecretFacts(
      id: id, action: action, index: index, createdUnixSeconds: createdUnixSeconds, label: label, uid: uid)
  }

  fileprivate init(_ facts: SecretFacts, key: SecretKey) {
    self.init(
      id: facts.id, action: facts.action.nameForm, index: facts.index, key: key,
      createdUnixSeconds: facts.createdUnixSeconds, label: facts.label?.storedName, uid: facts.uid)
  }
}

extension Store {
  static func seal(_ secret: TagSecret, _ key: SecretKey) throws(CryptoError) -> [UInt8] {
    let plain = secret.key.withBytes { SecretBytes(copying: $0) }
    return try LibCrypto.seal(plain, key: key, context: secret.facts.context)
  }

  static func open(_ sealed: [UInt8], _ key: SecretKey, _ facts: SecretFacts) throws(CryptoError) -> TagSecret {
    let plain = try LibCrypto.openSecret(sealed, key: key, context: facts.context)
    guard let secret = plain.withBytes({ SecretKey(copying: $0) }) else { throw .keySize(plain.count) }
    return TagSecret(facts, key: secret)
  }

  /// Rewrites the action, the label and the seal of a secret, within a transaction.
  func writeSealed(_ secret: TagSecret, _ key: SecretKey) throws(SecretError) {
    let sealed: [UInt8]
    do throws(CryptoError) { sealed = try Store.seal(secret, key) } catch { throw .notSealed(error) }
    do throws(DatabaseError) {
      let statement = try database.statement("UPDATE secrets SET action = ?2, label = ?3, sealed = ?4 WHERE id = ?1")
      statement.bind(secret.id, at: 1)
      statement.bind(secret.action, at: 2)
      statement.bind(secret.label, at: 3)
      statement.bind(blob: sealed, at: 4)
      try statement.run()
    } catch { throw .store(error) }
  }
}
